"""The mathematics of `lattice`: ellipsoids that hold the integers of every point better than a given value.

With A = Hf/c, B = Hg/c, y = x − ξ1 and d = ξ0 − ξ1, f = (y−d)ᵀA(y−d) and g = yᵀBy. Let w be the integers (y_z = w −
phi, see `Frame`). For any multiplier μ ≥ 0, any weights δ ≥ 0 and any targets h, a feasible y with whole w has f(y) ≥
L(y),

    L(y) = f(y) + μ (g(y) − E) − Σ_i δ_i ((w_i − h_i)² − dist(h_i, ℤ)²),                                          (1)

since g ≤ E, and since no whole number is nearer to h_i than dist(h_i, ℤ). As long as K = A + μB − diag(0, δ) is
positive definite, L is a convex quadratic: with its minimiser ŷ and its least value k, L(y) = k + (y−ŷ)ᵀK(y−ŷ). Let K
= FᵀF with F upper triangular and the real coordinates first; then (y−ŷ)ᵀK(y−ŷ) = ‖F(y−ŷ)‖² is a sum of squares, of
which the last n_z, ‖R(w−ŵ)‖², hold the integers alone (R, the last block of F, is the factor of the Schur
complement). So

    f(y) ≤ v  implies  ‖R(w−ŵ)‖² ≤ v − k,                                                                         (2)

for all (μ, δ, h) at once; k alone is a lower bound on f. A feasible y is also in the ellipsoid that the same split of
g = ‖Gy‖² ≤ E gives. Without δ, k is the Lagrangian bound of the continuous relaxation. With it, k also knows that w is
whole: `cut` chooses h such that k is largest, which closes most of the gap where K is far from singular.

**Rounding.** Floating-point factors are not those of K. With Δ = K − FᵀF and ∇ = half the gradient of L at ŷ, as they
are, let ε = ‖F⁻ᵀΔF⁻¹‖ and η = ‖F⁻ᵀ∇‖. With N = ‖F(y−ŷ)‖², v − k ≥ (1−ε) N − 2η√N, that is

    √N ≤ (η + √(η² + (1−ε)(v−k))) / (1−ε)   and   f ≥ k − η²/(1−ε).                                               (3)

ε, η and k are computed in extended precision and raised by what that may lose. The enumeration itself computes the
i-th term R_ii (w_i − m_i) with an error of at most e_i = (n+8) u Σ_j |R_ij| (√N s_j + |ŵ_j|), u the unit roundoff and
s_j² = (RᵀR)⁻¹_jj: √N s_j bounds |w_j − ŵ_j|, and whatever the order of the sum, no summand is rounded more than n + 3
times. The limit of the enumeration is (√N + ‖e‖)², a few u more for its sum. So no point with f ≤ v is lost to
rounding, whatever the conditioning; ill-conditioned instances have larger limits.
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
#: More than what the norms of ε and η lose, computed in double precision with an inverse that is not exact.
HAIR = 1.05
#: Beyond this, not every whole number is a double.
LARGEST = 2.0**52
#: Steps of the accelerated gradient method that finds the targets of a cut: more would raise k by a hair.
CUT_STEPS = 80

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
        """Return the frame of an instance; raises ValueError if nothing could be proven of it."""
        _check(instance)
        signs = np.concatenate([np.ones(instance.n_r), symmetry.sign])
        A, B = (signs[:, None] * H.astype(EXTENDED) * signs / EXTENDED(instance.c) for H in (instance.Hf, instance.Hg))
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


@dataclass(frozen=True)
class Cut:
    """δ and h of (1), and the w at which L is least; the integer coordinates in their natural order."""

    delta: FloatArray
    h: FloatArray
    w: FloatArray


class Ellipsoid:
    """‖R(w−ŵ)‖² ≤ v − k of (2), or of g ≤ E where there is no multiplier, the integer coordinates in a given order."""

    def __init__(self, frame: Frame, multiplier: float | None, order: Order, cut: Cut | None = None) -> None:
        self._frame, self.multiplier, self.cut = frame, multiplier, cut
        self._at = at = np.concatenate([np.arange(frame.n_r), frame.n_r + order])
        self._phi = frame.phi[order]
        self._z = np.arange(frame.n_r, len(at))
        self._delta = np.zeros(frame.n_z) if cut is None else cut.delta[order]
        self._h = np.zeros(frame.n_z) if cut is None else cut.h[order]
        pair = np.ix_(at, at)
        K = frame.B_[pair] if multiplier is None else frame.A_[pair] + multiplier * frame.B_[pair]
        K[self._z, self._z] -= self._delta
        try:
            self._F = np.linalg.cholesky(K).T
        except np.linalg.LinAlgError:
            raise NotPositiveDefiniteError from None
        #: The factor R of (2), and the centre ŵ in terms of w.
        self.R: FloatArray = np.ascontiguousarray(self._F[frame.n_r :, frame.n_r :])
        self._y = np.zeros(len(at))
        if multiplier is not None:
            right = (frame.A_ @ frame.d)[at]
            right[self._z] -= self._delta * (self._h - self._phi)
            self._y = _solve(self._F, right)
        self.centre: FloatArray = self._y[frame.n_r :] + self._phi

    @cached_property
    def k(self) -> float:
        """The least value of L, up to rounding."""
        return self._value(np.float64, self._y)[0]

    @cached_property
    def least(self) -> float:
        """A proven lower bound on f, by (3)."""
        bound, epsilon, eta = self._proof
        return bound - eta**2 / (1 - epsilon)

    def limit(self, v: float) -> float:
        """Return what ‖R(w−ŵ)‖², as the enumeration computes it, may be for points with f ≤ v (or g ≤ v), by (3)."""
        bound, epsilon, eta = self._proof
        excess = max(0.0, v - bound) * (1 + 4 * UNIT) + 4 * UNIT * abs(v)
        radius = (eta + math.sqrt(eta**2 + (1 - epsilon) * excess)) / (1 - epsilon)
        terms = np.abs(self.R) @ (HAIR * radius * self._spread + np.abs(self.centre))
        radius += float(np.linalg.norm((len(terms) + 8) * UNIT * terms))
        return radius**2 * (1 + (len(terms) + 8) * 2 * UNIT)

    def log_nodes(self, v: float) -> float:
        """Return the logarithm of the number of nodes that the Gaussian heuristic expects: on every level, the volume
        of the ball over that of the lattice.
        """
        if v <= self.k:
            return 0.0
        levels = self._log_volumes + np.arange(1, len(self.R) + 1) / 2 * math.log(v - self.k)
        return float(np.logaddexp.reduce(np.append(levels, 0.0)))

    def value_at(self, log_nodes: float, most: float) -> float:
        """Return the v at which so many nodes are expected, but no more than `most`."""
        if self.log_nodes(most) <= log_nodes:
            return most
        low, high = self.k, most
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.log_nodes(middle) <= log_nodes else (low, middle)
        return low

    @cached_property
    def _log_volumes(self) -> FloatArray:
        k = np.arange(1, len(self.R) + 1)
        ball = k / 2 * math.log(math.pi) - np.array([math.lgamma(1 + j / 2) for j in k])
        volumes: FloatArray = ball - np.cumsum(np.log(np.diagonal(self.R)[::-1]))
        return volumes

    @cached_property
    def _spread(self) -> FloatArray:
        """s of (3): the half-widths of the ellipsoid of radius 1."""
        spread: FloatArray = np.linalg.norm(_inverse(self.R), axis=1)
        return spread

    def _value(self, kind: Any, y: Any) -> tuple[float, float]:
        """Return L(y) (or g) in numbers of a kind, and the sum of its terms' sizes, for a bound on its rounding."""
        frame, natural = self._frame, np.empty_like(y, dtype=kind)
        natural[self._at] = y
        A, B = (frame.A, frame.B) if kind is EXTENDED else (frame.A_, frame.B_)
        g, g_size = _form(B, natural)
        if self.multiplier is None:
            return float(g), float(g_size)
        s, mu = natural - frame.d, kind(self.multiplier)
        f, f_size = _form(A, s)
        to_target = y[self._z] - (self._h.astype(kind) - self._phi)
        cuts = self._delta * (to_target**2 - (self._h.astype(kind) - np.rint(self._h)) ** 2)
        value = f + mu * (g - kind(frame.E)) - cuts.sum()
        return float(value), float(f_size + mu * (g_size + frame.E) + (self._delta * (to_target**2 + 1)).sum())

    @cached_property
    def _proof(self) -> tuple[float, float, float]:
        """A value that k is not below, ε and η of (3)."""
        frame, F, size = self._frame, self._F, len(self._F)
        pair = np.ix_(self._at, self._at)
        A, B = frame.A[pair], frame.B[pair]
        # Of g alone, there is neither A nor a right-hand side.
        a, mu = (EXTENDED(0), EXTENDED(1)) if self.multiplier is None else (EXTENDED(1), EXTENDED(self.multiplier))
        K = a * A + mu * B
        sizes = np.asarray(a * np.abs(A) + mu * np.abs(B), dtype=np.float64)
        K[self._z, self._z] -= self._delta
        sizes[self._z, self._z] += self._delta
        G, y = F.astype(EXTENDED), self._y.astype(EXTENDED)
        lost = (size + 8) * EXTENDED_UNIT
        delta = np.abs(np.asarray(K - G.T @ G, dtype=np.float64)) + lost * (np.abs(F).T @ np.abs(F) + sizes)
        inverse = _inverse(F)
        # The inverse has errors of its own: F⁻¹ = X (FX)⁻¹, and ‖(FX)⁻¹‖ ≤ 1/(1 − ‖FX − I‖).
        residual = float(np.linalg.norm(np.abs(F @ inverse - np.eye(size)) + size * UNIT * np.abs(F) @ np.abs(inverse)))
        inverse = np.abs(inverse)
        # |F⁻ᵀ||Δ||F⁻¹| bounds what the product of the matrices themselves may be.
        epsilon = float(np.linalg.norm(inverse.T @ delta @ inverse)) * HAIR
        right = a * (A @ frame.d[self._at])
        right[self._z] -= self._delta * (self._h.astype(EXTENDED) - self._phi)
        terms = sizes @ np.abs(self._y) + float(a) * (np.abs(frame.A_) @ np.abs(frame.d))[self._at]
        terms[self._z] += self._delta * (np.abs(self._h) + np.abs(self._phi))
        gradient = np.abs(np.asarray(K @ y - right, dtype=np.float64)) + lost * terms
        eta = float(np.linalg.norm(inverse.T @ gradient)) * HAIR
        value, size_of_value = self._value(EXTENDED, y)
        bound = value - 3 * lost * size_of_value - UNIT * abs(value)
        if not (residual < 0.01 and epsilon < 0.5 and math.isfinite(eta) and math.isfinite(bound)):
            raise NotPositiveDefiniteError
        return bound, epsilon, eta


class NotPositiveDefiniteError(ValueError):
    """A form that has to be positive definite is not, or not by more than rounding."""

    def __init__(self) -> None:
        super().__init__(
            "a Hessian is not positive definite, or less than rounding can tell: no ellipsoid bounds the integers"
        )


def make_cut(ellipsoid: Ellipsoid, share: float) -> Cut:
    """Return a cut for a multiplier's ellipsoid in natural order: δ a share of the most that K allows, h the best.

    δ is proportional to 1/(S⁻¹)_ii, the curvature along coordinate i when all others are free, S = RᵀR. For given δ
    the largest k is the least value of (w−ŵ)ᵀ(S−diag δ)(w−ŵ) + Σ δ_i e_i(w_i) over real w, where e_i is the piecewise
    linear function that agrees with (w_i−ŵ_i)² on the whole numbers (the dual of (1) in h). An accelerated proximal
    gradient method finds it; whatever it returns, (1) holds.
    """
    S = ellipsoid.R.T @ ellipsoid.R
    inverse = _inverse(ellipsoid.R)
    along = 1.0 / np.square(inverse).sum(axis=1)
    root = np.sqrt(along)
    # In exact arithmetic at least 1/n; a δ below zero would not be one of (1).
    least = max(0.0, float(np.linalg.eigvalsh(S / np.outer(root, root))[0]))
    delta = share * least * along
    centre = ellipsoid.centre
    P = S - np.diag(delta)
    # Any bound on the largest eigenvalue of P serves as its inverse step.
    step = 1.0 / float(np.linalg.norm(P, np.inf))
    pull = delta * step
    w = ahead = centre.copy()
    momentum = 1.0
    for _ in range(CUT_STEPS):
        u = ahead - step * (P @ (ahead - centre)) + pull * centre
        # The proximal map of pull·e: u − pull (l + ½) where that is between l and l + 1, or else a whole number.
        whole = np.floor((u + pull / 2) / (1 + pull))
        over = u - whole * (1 + pull) - pull / 2
        before, w = w, whole + np.maximum(over, 0.0)
        previous, momentum = momentum, (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead = w + (previous - 1) / momentum * (w - before)
    # Between whole numbers the target is half-way; at one it is where L is stationary.
    nearest = np.rint(w)
    slope = S @ (w - centre)
    stationary = np.clip(w - np.divide(slope, delta, out=slope, where=delta > 0), nearest - 0.5, nearest + 0.5)
    return Cut(delta, np.where(np.abs(w - nearest) < 1e-6, stationary, np.floor(w) + 0.5), w)


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


def _check(instance: Instance) -> None:
    """Raise ValueError if the instance is none that the mathematics above is about."""
    if not 0 < instance.E < math.inf:
        raise ValueError(f"E is {instance.E:g}; allowed: a number above 0")
    for name in ("Hf", "Hg"):
        H = getattr(instance, name)
        if not (np.isfinite(H).all() and np.array_equal(H, H.T)):
            raise ValueError(f"{name} is not a symmetric matrix of finite numbers")
    for name in ("xi0", "xi1"):
        if not (np.abs(getattr(instance, name)) < LARGEST).all():
            raise ValueError(f"{name} is beyond 2^52: not every whole number near it can be written")


def _solve(F: FloatArray, b: FloatArray) -> FloatArray:
    """Solve FᵀF y = b."""
    return np.asarray(np.linalg.solve(F, np.linalg.solve(F.T, b)), dtype=np.float64)


def _inverse(F: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.solve(F, np.eye(len(F))), dtype=np.float64)


def _form(H: Any, v: Any) -> tuple[Any, Any]:
    """Return vᵀHv and the sum of the sizes of its terms."""
    return v @ H @ v, np.abs(v) @ np.abs(H) @ np.abs(v)
