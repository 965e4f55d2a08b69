"""One instance as numbers: minimise f(x) subject to g(x) ≤ E, the last n_z coordinates integer.

f(x) = (1/c)(x−ξ0)ᵀHf(x−ξ0) and g(x) = (1/c)(x−ξ1)ᵀHg(x−ξ1); no variable is bounded.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unbounded.instances.hessians import FloatArray
from unbounded.instances.spec import InstanceSpec

#: Feasible means g ≤ E + FEASIBILITY_TOLERANCE · max(1, E).
FEASIBILITY_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Box:
    """The smallest axis-parallel box around the feasible ellipsoid."""

    lower: FloatArray
    upper: FloatArray


@dataclass(frozen=True)
class CheckedPoint:
    """A point as this project sees it: integers rounded, everything recomputed from the instance."""

    x: FloatArray
    f: float
    g: float
    violation: float
    integrality_error: float
    feasible: bool


class Instance:
    """The arrays of an instance and what is computed from them."""

    def __init__(self, spec: InstanceSpec) -> None:
        self.spec = spec
        self.D = spec.D
        self.n_z = spec.n_z
        self.n_r = spec.D - spec.n_z
        self.c = float(spec.c)
        self.E = float(spec.E)
        self.xi0, self.xi1 = spec.centres()
        self.hessian_f, self.hessian_g = spec.hessians()
        self.tolerance = FEASIBILITY_TOLERANCE * max(1.0, self.E)

    @property
    def id(self) -> str:
        """The id of its spec."""
        return self.spec.id

    @property
    def integers(self) -> slice:
        """Where the integer coordinates are: last."""
        return slice(self.n_r, self.D)

    @cached_property
    def Hf(self) -> FloatArray:
        """Dense Hessian of the objective, before the division by c."""
        return self.hessian_f.matrix()

    @cached_property
    def Hg(self) -> FloatArray:
        """Dense Hessian of the constraint, before the division by c."""
        return self.hessian_g.matrix()

    @cached_property
    def digest(self) -> str:
        """Sixteen hex digits that stand for the arrays: rows are comparable only where they agree."""
        digest = hashlib.sha256()
        scalars = np.array([self.D, self.n_z, self.c, self.E])
        for array in (scalars, self.xi0, self.xi1, self.Hf, self.Hg):
            # Adding zero turns -0.0 into 0.0: the same number must not have two digests.
            digest.update(np.ascontiguousarray(array + 0.0, dtype="<f8").tobytes())
        return digest.hexdigest()[:16]

    def f(self, X: FloatArray) -> FloatArray:
        """Return the objective of every row of X: the same bits alone, in any batch and in any memory layout."""
        return self.hessian_f.quadratic(np.subtract(X, self.xi0, order="C"), self.c)

    def g(self, X: FloatArray) -> FloatArray:
        """Return the constraint function of every row of X."""
        return self.hessian_g.quadratic(np.subtract(X, self.xi1, order="C"), self.c)

    def evaluate(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (f, g) of every row of X; the rows are taken as they are, rounding is the caller's."""
        return self.f(X), self.g(X)

    def round(self, X: FloatArray) -> FloatArray:
        """Return a copy of X whose integer coordinates are rounded."""
        rounded = X.copy()
        rounded[..., self.integers] = np.rint(X[..., self.integers])
        return rounded

    def verify(self, x: FloatArray) -> CheckedPoint:
        """Round the integers of x and recompute all that is said of it; no solver is believed."""
        rounded = self.round(np.asarray(x, dtype=np.float64))
        f, g = (float(values[0]) for values in self.evaluate(rounded[None, :]))
        violation = float(np.maximum(0.0, g - self.E))  # unlike max(), keeps NaN, which is never feasible
        error = np.max(np.abs(rounded - x), initial=0.0)
        return CheckedPoint(rounded, f, g, violation, float(error), bool(violation <= self.tolerance))

    def box(self, origin: FloatArray | float = 0.0) -> Box:
        """Return the bounding box of the feasible ellipsoid, ξ1 ± √(E c (Hg⁻¹)ᵢᵢ), as seen from an integer origin.

        The bounds of integer coordinates are brought inwards to the nearest integers.
        """
        half = np.sqrt(self.E * self.c * self.hessian_g.inverse_diagonal())
        centre = self.xi1 - origin
        lower, upper = centre - half, centre + half
        # A hair of slack, so that rounding never cuts off a lattice point on the boundary.
        slack = 1e-9 * np.maximum(1.0, np.abs(centre) + half)
        at = self.integers
        lower[at] = np.ceil(lower[at] - slack[at])
        upper[at] = np.floor(upper[at] + slack[at])
        return Box(lower, upper)


@dataclass(frozen=True)
class Penalty:
    """The cost that evolution strategies see: f + factor · dimension² · max(0, g−E)² (paper's Eq. cost).

    `dimension` is D unless given: the published data used 32 at every D.
    """

    factor: float = 1e4
    dimension: int | None = None

    def weight(self, D: int) -> float:
        """Return the factor of the squared violation."""
        return self.factor * (self.dimension or D) ** 2

    def cost(self, instance: Instance, f: FloatArray, g: FloatArray) -> FloatArray:
        """Return the penalised objective."""
        return f + self.weight(instance.D) * np.maximum(0.0, g - instance.E) ** 2


def build(spec: InstanceSpec | str) -> Instance:
    """Return the instance of a spec, of an id, or of a file of one's own."""
    return Instance(InstanceSpec.parse(spec) if isinstance(spec, str) else spec)
