"""Correlated normals from independent ones: products and Cholesky factors of covariance matrices.

Of a covariance C and its factor U the upper triangles count. Both, and the rows of samples, are `padded`: zeros follow
to a multiple of LANES, so that all loops run over whole tiles.
"""

from __future__ import annotations

import math
from typing import Any

from unbounded.solvers.compiled.compiling import LANES, compiled
from unbounded.solvers.compiled.vectors import (
    add_multiple,
    add_product,
    load,
    load_tile,
    multiple,
    multiple_tile,
    store,
    store_tile,
    zeros,
)


@compiled()
def correlate(U: Any, Z: Any, Y: Any) -> None:
    """Write Uᵀz to the rows of Y for the rows z of Z; below its diagonal U is 0."""
    last, N = Z.shape[0] - 1, Z.shape[1]
    for i in range(0, last + 1, 4):
        # Rows that are not there are the last one once more.
        i1, i2, i3 = min(i + 1, last), min(i + 2, last), min(i + 3, last)
        for column in range(0, N, LANES):
            a = b = c = d = zeros()
            for k in range(min(column + LANES, N)):
                a, b, c, d = add_product((a, b, c, d), Z[i, k], Z[i1, k], Z[i2, k], Z[i3, k], load(U, k, column))
            store(Y, i, column, a)
            store(Y, i1, column, b)
            store(Y, i2, column, c)
            store(Y, i3, column, d)


@compiled()
def update(C: Any, decay: float, V: Any, Y: Any) -> None:
    """Replace C by decay · C + Σ v yᵀ over the rows v of V and y of Y."""
    for k in range(0, C.shape[0], 4):
        for column in range(k - k % LANES, C.shape[0], LANES):
            tile = multiple_tile(decay, load_tile(C, k, column))
            for i in range(Y.shape[0]):
                tile = add_product(tile, V[i, k], V[i, k + 1], V[i, k + 2], V[i, k + 3], load(Y, i, column))
            store_tile(C, k, column, tile)


@compiled()
def factor(C: Any, U: Any, N: int) -> bool:
    """Write the Cholesky factor of C = UᵀU, N rows of it, and return whether there is one."""
    for block in range(0, N, 4):
        start = block - block % LANES
        # What the rows above leave of four rows.
        for column in range(start, C.shape[0], LANES):
            tile = load_tile(C, block, column)
            for i in range(block):
                a, b, c, d = U[i, block], U[i, block + 1], U[i, block + 2], U[i, block + 3]
                tile = add_product(tile, -a, -b, -c, -d, load(U, i, column))
            store_tile(U, block, column, tile)
        # The four among themselves.
        for k in range(block, min(block + 4, N)):
            pivot = U[k, k]
            for i in range(block, k):
                pivot -= U[i, k] * U[i, k]
            # Also false for NaN.
            if not pivot > 0.0:
                return False
            scale = 1.0 / math.sqrt(pivot)
            for column in range(start, C.shape[0], LANES):
                row = load(U, k, column)
                for i in range(block, k):
                    row = add_multiple(row, -U[i, k], load(U, i, column))
                store(U, k, column, multiple(scale, row))
            for j in range(start, k):
                U[k, j] = 0.0
    return True
