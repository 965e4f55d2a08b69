"""What `lattice` is held against: instances of any arrays, and exhaustive search in exact rational arithmetic.

Every integer vector in a box that holds all points with g ≤ E and f ≤ v is looked at. By weak duality its best f is
at least min over r of f + ν (g − E), for any ν ≥ 0. Where a double says that this is well above v, the vector is out;
for the others ν is sought in doubles, and the bound computed in fractions of the arrays as they are.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from unbounded.instances.instance import FEASIBILITY_TOLERANCE, Instance

#: Multipliers that most vectors are excluded by, and how far above v a double has to be.
GRID = (0.0, *np.logspace(-6, 6, 25))
MARGIN = 1e-6


class Arbitrary(Instance):
    """An instance of arrays that no spec has."""

    def __init__(self, Hf: Any, Hg: Any, xi0: Any, xi1: Any, E: float, n_z: int, c: float = 1.0) -> None:
        self.Hf, self.Hg = np.asarray(Hf, dtype=float), np.asarray(Hg, dtype=float)
        self.xi0, self.xi1 = np.asarray(xi0, dtype=float), np.asarray(xi1, dtype=float)
        self.D, self.n_z, self.n_r, self.c, self.E = len(self.xi0), n_z, len(self.xi0) - n_z, c, E
        self.tolerance = FEASIBILITY_TOLERANCE * max(1.0, E)

    def f(self, X: Any) -> Any:
        return np.einsum("ki,ij,kj->k", X - self.xi0, self.Hf / self.c, X - self.xi0)

    def g(self, X: Any) -> Any:
        return np.einsum("ki,ij,kj->k", X - self.xi1, self.Hg / self.c, X - self.xi1)


def random_instance(seed: int, D: int, n_z: int, condition: float, E: float) -> Arbitrary:
    """Return an instance of random forms with eigenvalues from 1/condition to 1, and random centres."""
    random = np.random.default_rng(seed)

    def form() -> Any:
        Q = np.linalg.qr(random.normal(size=(D, D)))[0]
        H = Q @ np.diag(condition ** -random.random(D)) @ Q.T
        return (H + H.T) / 2

    return Arbitrary(form(), form(), random.normal(size=D) * 3, random.normal(size=D) * 3, E, n_z)


class Exhaustive:
    """All integer vectors that may have f ≤ v, with the exact bounds of their best f."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.A, self.B = instance.Hf / instance.c, instance.Hg / instance.c
        fractions = np.vectorize(Fraction, otypes=[object])
        c = Fraction(instance.c)
        self.exact = [fractions(array) for array in (instance.Hf, instance.Hg, instance.xi0, instance.xi1)]
        self.exact[0], self.exact[1] = self.exact[0] / c, self.exact[1] / c

    def vectors(self, v: float) -> dict[tuple[int, ...], float]:
        """Return those whose best f is at most v, each with a proven lower bound of that f."""
        Z = self._box(v)
        left = np.ones(len(Z), dtype=bool)
        for nu in GRID:
            left[left] = self._dual(Z[left], np.array([nu])) <= v + MARGIN * max(1.0, v)
        Z = Z[left]
        bounds = [self.exact_dual(z, Fraction(nu)) for z, nu in zip(Z, self._multipliers(Z), strict=True)]
        return {tuple(z.astype(int).tolist()): float(bound) for z, bound in zip(Z, bounds, strict=True) if bound <= v}

    def _multipliers(self, Z: Any) -> Any:
        """Return the ν of every vector's best bound, up to rounding: by golden section in log ν, or else at an end."""
        low, high = np.full(len(Z), math.log(1e-9)), np.full(len(Z), math.log(1e12))
        golden = (math.sqrt(5) - 1) / 2
        for _ in range(60):
            a, b = high - golden * (high - low), low + golden * (high - low)
            falls = self._dual(Z, np.exp(a)) >= self._dual(Z, np.exp(b))
            low, high = np.where(falls, low, a), np.where(falls, b, high)
        choices = np.stack([np.zeros(len(Z)), np.exp((low + high) / 2), np.full(len(Z), 1e12)])
        best = np.argmax([self._dual(Z, nu) for nu in choices], axis=0)
        return choices[best, np.arange(len(Z))]

    def evaluate(self, x: Any) -> tuple[Fraction, Fraction]:
        """Return f and g of a point, exactly."""
        A, B, xi0, xi1 = self.exact
        x = np.array([Fraction(value) for value in x], dtype=object)
        return (x - xi0) @ A @ (x - xi0), (x - xi1) @ B @ (x - xi1)

    def _box(self, v: float) -> Any:
        at, instance = self.instance.integers, self.instance
        lower, upper = np.full(instance.n_z, -np.inf), np.full(instance.n_z, np.inf)
        for H, centre, level in ((self.A, instance.xi0, v), (self.B, instance.xi1, instance.E)):
            half = np.sqrt(level * np.diagonal(np.linalg.inv(H))[at]) + MARGIN
            lower, upper = np.maximum(lower, centre[at] - half), np.minimum(upper, centre[at] + half)
        ranges = [range(math.ceil(a), math.floor(b) + 1) for a, b in zip(lower, upper, strict=True)]
        box = list(product(*ranges))
        return np.array(box, dtype=float).reshape(len(box), instance.n_z)

    def _dual(self, Z: Any, nu: Any) -> Any:
        """Return min over r of f + ν (g − E) for rows of integers, with a ν for each or one for all, in doubles."""
        instance = self.instance
        n, at = instance.n_r, instance.integers
        K = self.A + nu[:, None, None] * self.B
        d = instance.xi0 - instance.xi1
        Y = np.concatenate([np.zeros((len(Z), n)), Z - instance.xi1[at]], axis=1)
        right = (self.A @ d)[:n] - (K[:, :n, n:] @ Y[:, n:, None])[..., 0]
        Y[:, :n] = np.linalg.solve(K[:, :n, :n], right[..., None])[..., 0]
        f, g = (((V @ H) * V).sum(axis=1) for V, H in ((Y - d, self.A), (Y, self.B)))
        return f + nu * (g - instance.E)

    def exact_dual(self, z: Any, nu: Fraction) -> Fraction:
        """Return the same of one vector, in fractions."""
        A, B, xi0, xi1 = self.exact
        n = self.instance.n_r
        K, d = A + nu * B, xi0 - xi1
        y = np.array([Fraction(0)] * n + [Fraction(value) for value in z], dtype=object) - xi1
        y[:n] = _solve(K[:n, :n], (A @ d)[:n] - K[:n, n:] @ y[n:])
        result: Fraction = (y - d) @ A @ (y - d) + nu * (y @ B @ y - Fraction(self.instance.E))
        return result


def _solve(K: Any, b: Any) -> Any:
    """Solve a positive definite system in fractions, by elimination."""
    K, b = K.copy(), b.copy()
    n = len(b)
    for i in range(n):
        for j in range(i + 1, n):
            factor = K[j, i] / K[i, i]
            K[j] = K[j] - factor * K[i]
            b[j] -= factor * b[i]
    for i in range(n - 1, -1, -1):
        b[i] = (b[i] - K[i, i + 1 :] @ b[i + 1 :]) / K[i, i] if i + 1 < n else b[i] / K[i, i]
    return b
