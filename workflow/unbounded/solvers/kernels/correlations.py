"""Correlated normals from independent ones, by Cholesky factors."""

from __future__ import annotations

import math
from typing import Any

from unbounded.compiling import FAST, compiled
from unbounded.solvers.kernels.common import copy


@compiled(fastmath=FAST)
def correlate(U: Any, Z: Any, Y: Any) -> None:
    """Write Uᵀz to the rows of Y for the rows z of Z; U is upper triangular."""
    N = U.shape[0]
    for i in range(Z.shape[0]):
        z = Z[i]
        Y[i] = 0.0
        # Below its diagonal U is 0, so four rows may start at the same column.
        for k in range(0, N - 3, 4):
            a, b, c, d, y = z[k], z[k + 1], z[k + 2], z[k + 3], Y[i, k:]
            u0, u1, u2, u3 = U[k, k:], U[k + 1, k:], U[k + 2, k:], U[k + 3, k:]
            for j in range(y.size):
                y[j] += a * u0[j] + b * u1[j] + c * u2[j] + d * u3[j]
        for k in range(N - N % 4, N):
            a, y, u0 = z[k], Y[i, k:], U[k, k:]
            for j in range(y.size):
                y[j] += a * u0[j]


@compiled(fastmath=FAST)
def factor(C: Any, U: Any) -> bool:
    """Write the Cholesky factor of C = UᵀU, by upper triangles, and return whether there is one.

    Rows are eliminated in fours: those below are read and written a quarter as often. Loops run over slices from 0
    on: numba tests every index of a range that may start below 0, and then uses no vector units.
    """
    N = C.shape[0]
    for k in range(N):
        copy(C[k, k:], U[k, k:])
    for block in range(0, N, 4):
        end = min(block + 4, N)
        for k in range(block, end):
            u = U[k, k:]
            for i in range(block, k):
                v = U[i, k:]
                a = v[0]
                for j in range(u.size):
                    u[j] -= a * v[j]
            # Also false for NaN.
            if not u[0] > 0.0:
                return False
            scale = 1.0 / math.sqrt(u[0])
            for j in range(u.size):
                u[j] *= scale
        for k in range(end, N):
            u, u0, u1, u2, u3 = U[k, k:], U[block, k:], U[block + 1, k:], U[block + 2, k:], U[block + 3, k:]
            a, b, c, d = u0[0], u1[0], u2[0], u3[0]
            for j in range(u.size):
                u[j] -= a * u0[j] + b * u1[j] + c * u2[j] + d * u3[j]
    return True
