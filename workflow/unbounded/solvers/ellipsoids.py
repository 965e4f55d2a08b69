"""The mathematics of `lattice`: ellipsoids that hold the integers of every point better than a given value.

With A = Hf/c, B = Hg/c, y = x − ξ1 and d = ξ0 − ξ1, f = (y−d)ᵀA(y−d) and g = yᵀBy. For any multiplier μ ≥ 0, a
feasible y has

    f(y) ≥ L_μ(y) = f(y) + μ (g(y) − E) = k_μ + (y − ŷ)ᵀ K (y − ŷ),   K = A + μB,  Kŷ = Ad,  k_μ = L_μ(ŷ).      (1)

Let K = FᵀF with F upper triangular and the real coordinates first; then (y−ŷ)ᵀK(y−ŷ) = ‖F(y−ŷ)‖² is a sum of squares of
which the last n_z, ‖R(w−ŵ)‖², hold the integers alone (R, the last block of F, is the factor of the Schur complement).
So whoever has f ≤ v has its integers in the ellipsoid ‖R(w−ŵ)‖² ≤ v − k_μ, for every μ at once, and since it is feasible
also in the one that the same split of g = ‖Gy‖² ≤ E gives.

**Rounding.** Floating-point factors are not those of K. With Δ = K − FᵀF and ∇ = Kŷ − Ad as they are, let
ε = ‖F⁻ᵀΔF⁻¹‖ and η = ‖F⁻ᵀ∇‖. With N = ‖F(y−ŷ)‖², (1) gives v − k ≥ (1−ε) N − 2η√N, that is

    √N ≤ (η + √(η² + (1−ε)(v−k))) / (1−ε).                                                                    (2)

ε, η and k are computed in extended precision and raised by what that may lose. The enumeration itself computes the
i-th term R_ii (w_i − m_i) with an error of at most e_i = (n+8) u Σ_j |R_ij| (√N s_j + |ŵ_j|), u the unit roundoff and
s_j² = (RᵀR)⁻¹_jj: √N s_j bounds |w_j − ŵ_j|. The limit of the enumeration is (√N + ‖e‖)², a few u more for its sum. So no
point with f ≤ v is lost to rounding, whatever the conditioning; ill-conditioned instances have larger limits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.instances.symmetry import Symmetry

#: Unit roundoff of the numbers that the enumeration computes with, and of those that its slack is computed with.
UNIT = float(np.finfo(np.float64).eps) / 2
EXTENDED = np.longdouble
EXTENDED_UNIT = float(np.finfo(EXTENDED).eps) / 2

Order = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Frame:
    """An instance as seen from ξ1, its integer coordinates with the signs of its symmetry.

    y = x − ξ1; of its integer part, s·y = w − phi with w whole numbers and phi the fractions of ξ1: a translation by
    whole numbers changes nothing here, to the last bit.
    """

    A: Any
    B: Any
    d: FloatArray
    phi: FloatArray
    E: float
    n_r: int
    origin: FloatArray
    signs: FloatArray
    xi1: FloatArray

    @staticmethod
    def of(instance: Instance, symmetry: Symmetry) -> Frame:
        """Return the frame of an instance."""
        signs = np.concatenate([np.ones(instance.n_r), symmetry.sign])
        A, B = (
            signs[:, None] * H.astype(EXTENDED) * signs / EXTENDED(instance.c) for H in (instance.Hf, instance.Hg)
        )
        origin = np.rint(instance.xi1[instance.integers])
        phi = symmetry.sign * (instance.xi1[instance.integers] - origin)
        d = signs * (instance.xi0 - instance.xi1)
        return Frame(A, B, d, phi, instance.E, instance.n_r, origin, symmetry.sign, instance.xi1)

    @property
    def n_z(self) -> int:
        """Number of integer coordinates."""
        return len(self.phi)

    @cached_property
    def A_(self) -> FloatArray:
        """A in double precision."""
        return np.asarray(self.A, dtype=np.float64)

    @cached_property
    def B_(self) -> FloatArray:
        """B in double precision."""
        return np.asarray(self.B, dtype=np.float64)

    def integers(self, W: FloatArray) -> FloatArray:
        """Return the integer coordinates of the instance that rows of w stand for."""
        z: FloatArray = self.origin + self.signs * W
        return z

    def point(self, r: FloatArray, w: FloatArray) -> FloatArray:
        """Return the point x of the instance with the reals r (as part of y) and the integers w."""
        return np.concatenate([self.xi1[: self.n_r] + r, self.integers(w)])


class Ellipsoid:
    """‖R(w−ŵ)‖² ≤ v − k for one multiplier, or for g alone, with the integer coordinates in a given order."""

    def __init__(self, frame: Frame, multiplier: float | None, order: Order) -> None:
        self.multiplier = multiplier
        n_r = frame.n_r
        at = np.concatenate([np.arange(n_r), n_r + order])
        mu = EXTENDED(0.0 if multiplier is None else multiplier)
        K = frame.B if multiplier is None else frame.A + mu * frame.B
        K = K[np.ix_(at, at)]
        F = np.linalg.cholesky(np.asarray(K, dtype=np.float64)).T
        self._K, self._F = K, F
        #: The factor R of (1), and the centre ŵ in terms of w.
        self.R: FloatArray = np.ascontiguousarray(F[n_r:, n_r:])
        if multiplier is None:
            self.bound, self._gradient = 0.0, np.zeros(len(at), dtype=EXTENDED)
            y = np.zeros(len(at))
        else:
            d = frame.d[at].astype(EXTENDED)
            A = frame.A[np.ix_(at, at)]
            y = _solve(F, np.asarray(A @ d, dtype=np.float64))
            y = y - _solve(F, np.asarray(K @ y - A @ d, dtype=np.float64))
            self._gradient = K @ y.astype(EXTENDED) - A @ d
            self.bound = _lagrangian(A, frame.B[np.ix_(at, at)], d, y.astype(EXTENDED), mu, frame.E)
        self.y = y
        self.centre: FloatArray = y[n_r:] + frame.phi[order]

    @cached_property
    def _errors(self) -> tuple[float, float]:
        """ε and η of (2)."""
        K, F = self._K, self._F
        G = F.astype(EXTENDED)
        lost = np.asarray(np.abs(F).T @ np.abs(F), dtype=np.float64) * (len(F) + 2) * EXTENDED_UNIT
        delta = np.abs(np.asarray(K - G.T @ G, dtype=np.float64)) + lost
        inverse = np.abs(_inverse(F))
        # |F⁻ᵀ||Δ||F⁻¹| bounds what the product of the matrices themselves may be.
        epsilon = float(np.linalg.norm(inverse.T @ delta @ inverse))
        gradient = np.abs(np.asarray(self._gradient, dtype=np.float64))
        gradient = gradient + (len(F) + 2) * EXTENDED_UNIT * (np.abs(np.asarray(K, np.float64)) @ np.abs(self.y))
        return epsilon, float(np.linalg.norm(inverse.T @ gradient))

    @cached_property
    def _spread(self) -> FloatArray:
        """s of (2): the half-widths of the ellipsoid of radius 1."""
        return np.linalg.norm(_inverse(self.R), axis=1)

    def limit(self, v: float) -> float:
        """Return what ‖R(w−ŵ)‖², as the enumeration computes it, may be for points with f ≤ v (or g ≤ v)."""
        epsilon, eta = self._errors
        excess = max(0.0, v - self.bound) * (1 + 4 * UNIT) + 4 * UNIT * abs(v)
        radius = (eta + math.sqrt(eta**2 + (1 - epsilon) * excess)) / (1 - epsilon)
        terms = np.abs(self.R) @ (radius * self._spread + np.abs(self.centre))
        radius += float(np.linalg.norm((len(terms) + 8) * UNIT * terms))
        return radius**2 * (1 + (len(terms) + 8) * 2 * UNIT)

    def log_nodes(self, v: float) -> float:
        """Return the logarithm of the number of nodes that the Gaussian heuristic expects: on every level, the volume
        of the ball over that of the lattice.
        """
        if v <= self.bound:
            return 0.0
        n = len(self.R)
        k = np.arange(1, n + 1)
        ball = k / 2 * math.log(math.pi * (v - self.bound)) - np.array([math.lgamma(1 + j / 2) for j in k])
        levels = ball - np.cumsum(np.log(np.diagonal(self.R)[::-1]))
        return float(np.logaddexp.reduce(np.append(levels, 0.0)))

    def value_at(self, log_nodes: float, above: float) -> float:
        """Return the v at which so many nodes are expected; they are more at `above`."""
        low, high = self.bound, above
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.log_nodes(middle) <= log_nodes else (low, middle)
        return low


def _solve(F: FloatArray, b: FloatArray) -> FloatArray:
    """Solve FᵀF y = b."""
    return np.linalg.solve(F, np.linalg.solve(F.T, b))


def _inverse(F: FloatArray) -> FloatArray:
    return np.linalg.solve(F, np.eye(len(F)))


def _lagrangian(A: Any, B: Any, d: Any, y: Any, mu: Any, E: float) -> float:
    """Return L_μ(y) of (1), lowered by what its evaluation may have lost."""
    s = y - d
    f, g = s @ A @ s, y @ B @ y
    sizes = np.abs(s) @ np.abs(A) @ np.abs(s) + mu * (np.abs(y) @ np.abs(B) @ np.abs(y) + E)
    lost = 3 * (len(y) + 2) * EXTENDED_UNIT * sizes
    value = float(f + mu * (g - EXTENDED(E)) - lost)
    return value - UNIT * abs(value)


def greedy_order(R: FloatArray) -> Order:
    """Return an order of the coordinates in which those that are bound tightest come last, where enumeration starts.

    The last diagonal entry of the factor of S is 1/√(S⁻¹)_jj for the coordinate j in the last place; the one with the
    smallest is put there, then the next with that one fixed, and so on: a pivoted elimination of S⁻¹.
    """
    inverse = _inverse(R)
    M = inverse @ inverse.T
    n = len(M)
    left = np.ones(n, dtype=bool)
    order = np.empty(n, dtype=np.int64)
    for place in range(n - 1, -1, -1):
        diagonal = np.where(left, np.diagonal(M), np.inf)
        j = int(np.argmin(diagonal))
        order[place] = j
        left[j] = False
        M = M - np.outer(M[:, j], M[j]) / M[j, j]
    return order
