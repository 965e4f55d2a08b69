"""The best reals for given integers: min over r of f subject to g ≤ E with the integer part of y = x − ξ1 fixed.

With u = y_z, f = (r−a)ᵀA_rr(r−a) + φ(u) and g = (r−b)ᵀB_rr(r−b) + γ(u), where a and b are affine in u, and φ and γ
are the Schur complements of A and B: what no choice of r can undercut. In coordinates p in which both forms of r are
diagonal, f = φ + Σ α_i (p_i − h_i)² and g = γ + Σ β_i p_i². If h is not feasible, the optimum is p_i = α_i h_i / (α_i
+ ν β_i) with the multiplier ν > 0 that solves the secular equation Σ β_i p_i² = E − γ; Newton's method on its inverse
square root, which is concave and nearly linear in ν, climbs to it from ν = 0 (as in
`unbounded.instances.relaxation`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.instances.relaxation import solve_relaxation

#: Newton steps: they end when none moves the multiplier by more than a rounding error; six are the rule.
STEPS = 60
#: α is not less than this, which is far less than its rounding error: at ν = 0 it is divided by.
LEAST = 1e-18
#: By this share of E, g may be above it by rounding alone.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Completed:
    """For every row of integers: f and g of the best reals, with the multiplier; f is infinite where γ > E."""

    f: FloatArray
    multiplier: FloatArray
    r: FloatArray


class Completion:
    """Solves for the reals, for many rows of integers at once; the forms are diagonalised once."""

    def __init__(self, A: FloatArray, B: FloatArray, d: FloatArray, E: float, n_r: int, multiplier: float) -> None:
        self.E, self.n_r = E, n_r
        r, z = slice(0, n_r), slice(n_r, len(A))
        self._d_r, self.d_z = d[r], d[z]
        self._pull_f, self.factor_f = _eliminate(A, r, z)
        self._pull_g, self.factor_g = _eliminate(B, r, z)
        # A and νB, whose sum is well scaled, are diagonalised by its factor: α and νβ add up to 1.
        scale = multiplier if multiplier > 0 else 1.0
        C = np.linalg.cholesky(A[r, r] + scale * B[r, r]).T
        eigenvalues, Q = np.linalg.eigh(np.linalg.solve(C.T, np.linalg.solve(C.T, A[r, r]).T))
        self.alpha: FloatArray = np.clip(eigenvalues, LEAST, 1.0)
        self.beta: FloatArray = (1.0 - self.alpha) / scale
        self._to, self._from = Q.T @ C, np.linalg.solve(C, Q)

    def least_f(self, U: FloatArray) -> FloatArray:
        """Return φ(u) of every row: what f is at least."""
        return _norms(U - self.d_z, self.factor_f)

    def least_g(self, U: FloatArray) -> FloatArray:
        """Return γ(u) of every row: what g is at least."""
        return _norms(U, self.factor_g)

    def complete(self, U: FloatArray, allowance: float = 0.0) -> Completed:
        """Return the best reals for every row u; γ(u) may be above E by the allowance, as a rounding error."""
        phi, gamma = self.least_f(U), self.least_g(U)
        a = self._d_r - (U - self.d_z) @ self._pull_f.T
        b = -U @ self._pull_g.T
        h = (a - b) @ self._to.T
        room = np.maximum(self.E - gamma, 0.0)
        possible = gamma <= self.E + allowance
        nu = np.zeros(len(U))
        active = possible & ((self.beta * h**2).sum(axis=1) > room)
        # Without any room the multiplier is infinite, and p = 0.
        climbing = active & (room > 0)
        for _ in range(STEPS):
            at = np.flatnonzero(climbing)
            if not len(at):
                break
            weights = self.alpha + nu[at, None] * self.beta
            p = self.alpha * h[at] / weights
            g = (self.beta * p**2).sum(axis=1)
            slope = (self.beta**2 * p**2 / weights).sum(axis=1) / g**1.5
            step = (1.0 / np.sqrt(room[at]) - 1.0 / np.sqrt(g)) / slope
            nu[at] += np.maximum(step, 0.0)
            climbing[at] = step > 1e-14 * nu[at]
        if climbing.any():
            raise ArithmeticError(f"no multiplier of the best reals was found in {STEPS} steps")
        nu[active & (room == 0)] = np.inf
        with np.errstate(invalid="ignore"):
            p = np.where(active[:, None], self.alpha * h / (self.alpha + nu[:, None] * self.beta), h)
        p[active & (room == 0)] = 0.0
        # Onto the boundary, so that g ≤ E to the last bits.
        g = (self.beta * p**2).sum(axis=1)
        p = p * np.sqrt(np.where(active & (g > room), room / np.where(g > 0, g, 1.0), 1.0))[:, None]
        f = np.where(possible, phi + (self.alpha * (p - h) ** 2).sum(axis=1), np.inf)
        return Completed(f, nu, b + p @ self._from.T)


def complete_points(instance: Instance, Z: FloatArray) -> FloatArray:
    """Return, for every row of integers, the point that has the best reals with them.

    What no reals can make feasible, to within the tolerance, comes back as a point that is not.
    """
    if not instance.n_r:
        return Z
    r = _complete(instance, Z, instance.tolerance).r
    return np.hstack([r + instance.xi1[: instance.n_r], Z])


def strict_f(instance: Instance, x: FloatArray) -> float:
    """Return the least f of a point's integers with g ≤ E itself; infinite where they allow no such point.

    Verification grants g ≤ E a tolerance; here it is as strict as rounding lets it be.
    """
    point = instance.verify(x)
    allowance = ROUNDING * max(1.0, instance.E)
    if not instance.n_r:
        return point.f if point.violation <= allowance else np.inf
    return float(_complete(instance, point.x[None, instance.integers], allowance).f[0])


def _complete(instance: Instance, Z: FloatArray, allowance: float) -> Completed:
    A, B, d = instance.Hf / instance.c, instance.Hg / instance.c, instance.xi0 - instance.xi1
    completion = Completion(A, B, d, instance.E, instance.n_r, solve_relaxation(instance).multiplier)
    return completion.complete(Z - instance.xi1[instance.integers], allowance)


def _eliminate(H: FloatArray, r: slice, z: slice) -> tuple[FloatArray, FloatArray]:
    """Return H_rr⁻¹H_rz and the factor of the Schur complement of H_rr."""
    n_r = r.stop
    F = np.asarray(np.linalg.cholesky(H).T, dtype=np.float64)
    return np.asarray(np.linalg.solve(F[:n_r, :n_r], F[:n_r, n_r:]), dtype=np.float64), F[n_r:, n_r:]


def _norms(V: FloatArray, R: FloatArray) -> FloatArray:
    result: FloatArray = np.square(V @ R.T).sum(axis=1)
    return result
