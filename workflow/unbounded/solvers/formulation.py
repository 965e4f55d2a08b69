"""The formulations that white-box solvers may be handed: one description of a model, made from an instance.

Every formulation has the same feasible points and the same f; they differ in what a solver sees of it.

- `centre: integer` substitutes y = x − round(ξ1). The shift is a vector of integers, so y is integer where x is, and
  x = y + shift loses nothing. A translated instance becomes, number by number, the untranslated one.
- `box: ellipsoid` bounds every variable by the bounding box of the feasible ellipsoid, ξ1 ± √(E c (Hg⁻¹)ᵢᵢ), brought
  inwards to integers for integer variables: implied by g ≤ E, so it cuts nothing off, but no variable is unbounded
  any more.
- `algebra: direct` passes f as a quadratic objective and g as a quadratic constraint, expanded into polynomials;
  `epigraph` minimises z subject to f(x) ≤ z and g(x) ≤ E; `eigen` passes both as sums of squares, f = Σ (λ/c) u² and
  g = Σ (λ/c) w² with the linear equations u = Qᵀ(x−ξ0) and w = Qᵀ(x−ξ1) of the two Hessians' eigenbases: separable
  quadratics, free of the offsets' magnitude.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from pydantic import Field

from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.solvers.contract import How, Options

Algebra = Literal["direct", "epigraph", "eigen"]

#: Bounds of real variables are moved outwards by this share of the box's width, so that rounding cuts nothing off.
SLACK = 1e-6
#: A proof whose relative gap is at most this is one of optimality; above it is one within the tolerance.
OPTIMAL_GAP = 1e-6

CENTRE: Mapping[str, Mapping[str, Any]] = {"centre": {"centre": "integer"}}
BOX: Mapping[str, Mapping[str, Any]] = {"box": {"box": "ellipsoid"}}


def modifiers(*algebras: Algebra) -> tuple[Mapping[str, Mapping[str, Any]], ...]:
    """Return what may be appended to the ids of a solver that takes f and g in these ways beside its default one."""
    return CENTRE, BOX, {algebra: {"algebra": algebra} for algebra in algebras}


class WhiteBoxOptions(Options):
    """Options of every white-box solver."""

    mipgap: float = Field(1e-3, ge=0, description="Relative MIP gap at which the solver stops")
    centre: Literal["none", "integer"] = Field(
        "none", description="`integer`: the solver's variables are x − round(ξ1), an exact shift"
    )
    box: Literal["none", "ellipsoid"] = Field(
        "none", description="`ellipsoid`: every variable is bounded by the box around the feasible ellipsoid"
    )
    algebra: Algebra = Field("direct", description="How f and g are written: docs/solvers.md explains the three ways")


@dataclass(frozen=True)
class Quadratic:
    """The polynomial vᵀQv + qᵀv + k of a model's variables v, Q symmetric."""

    Q: FloatArray
    q: FloatArray
    k: float

    def terms(self) -> tuple[list[int], list[int], list[float]]:
        """Return (i, j, coefficient) of v_i v_j for i ≤ j: what is off the diagonal is there twice in vᵀQv."""
        i, j = np.nonzero(np.triu(self.Q))
        return i.tolist(), j.tolist(), np.where(i == j, self.Q[i, j], 2.0 * self.Q[i, j]).tolist()

    def value(self, v: FloatArray) -> float:
        """Return its value at v."""
        return float(v @ self.Q @ v + self.q @ v + self.k)


@dataclass(frozen=True)
class Model:
    """What a solver is handed: minimise `objective`, each of `constraints` ≤ its right-hand side, A v = b, bounds.

    The first D variables are x − shift, with integers where the instance has them; auxiliary ones follow.
    """

    id: str
    D: int
    n_r: int
    names: tuple[str, ...]
    lower: FloatArray
    upper: FloatArray
    objective: Quadratic
    constraints: tuple[tuple[str, Quadratic, float], ...]
    A: FloatArray
    b: FloatArray
    shift: FloatArray

    @property
    def columns(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def types(self) -> str:
        """`C` for each real and `I` for each integer variable."""
        return "C" * self.n_r + "I" * (self.D - self.n_r) + "C" * (self.columns - self.D)

    @property
    def size(self) -> str:
        """Its size in words, for licences that limit it."""
        return f"{self.columns} variables, {len(self.b) + len(self.constraints)} constraints"

    def recover(self, values: Any) -> FloatArray:
        """Return x from the values of the model's variables."""
        x: FloatArray = np.asarray(values, dtype=np.float64)[: self.D] + self.shift
        return x


def formulate(instance: Instance, options: WhiteBoxOptions, linear_objective: bool = False) -> Model:
    """Return the instance in the formulation that the options name; some solvers take none but linear objectives."""
    D = instance.D
    shift = np.rint(instance.xi1) if options.centre == "integer" else np.zeros(D)
    boxed = options.box == "ellipsoid"
    names = [f"{'y' if options.centre == 'integer' else 'x'}{i + 1}" for i in range(D)]
    bounds = [_box(instance, shift) if boxed else _free(D)]
    A, b = np.zeros((0, D)), np.zeros(0)
    if options.algebra == "eigen":
        Qf, Qg = (hessian.rotate(np.eye(D)) for hessian in (instance.hessian_f, instance.hessian_g))
        u, w = slice(D, 2 * D), slice(2 * D, 3 * D)
        names += [f"{letter}{i + 1}" for letter in "uw" for i in range(D)]
        bounds += [_eigenbox(instance, Qf, instance.xi0) if boxed else _free(D)]
        bounds += [_eigenbox(instance, Qg, instance.xi1) if boxed else _free(D)]
        A, b = np.zeros((2 * D, 3 * D)), np.zeros(2 * D)
        # u − Qᵀy = Qᵀ(shift − ξ)
        A[:D, :D], A[:D, u] = -Qf.T, np.eye(D)
        A[D:, :D], A[D:, w] = -Qg.T, np.eye(D)
        b[:D] = instance.hessian_f.rotate((shift - instance.xi0)[None, :])[0]
        b[D:] = instance.hessian_g.rotate((shift - instance.xi1)[None, :])[0]
        f = _embedded(_squares(instance.hessian_f.spectrum / instance.c), u, 3 * D)
        g = _embedded(_squares(instance.hessian_g.spectrum / instance.c), w, 3 * D)
    else:
        f = _expanded(instance.Hf, instance.xi0 - shift, instance.c)
        g = _expanded(instance.Hg, instance.xi1 - shift, instance.c)
    lower, upper = (np.concatenate(side) for side in zip(*bounds, strict=True))
    model = Model(
        id=instance.id,
        D=D,
        n_r=instance.n_r,
        names=tuple(names),
        lower=lower,
        upper=upper,
        objective=f,
        constraints=(("g", g, instance.E),),
        A=A,
        b=b,
        shift=shift,
    )
    return _lifted(model) if linear_objective or options.algebra == "epigraph" else model


def _lifted(model: Model) -> Model:
    """Return the model with its objective moved into a constraint: minimise z subject to f ≤ z, where z ≥ 0 as f is."""
    n = model.columns
    at = slice(0, n)
    f = _embedded(model.objective, at, n + 1)
    f.q[n] = -1.0
    z = Quadratic(np.zeros((n + 1, n + 1)), np.zeros(n + 1), 0.0)
    z.q[n] = 1.0
    constraints = [(name, _embedded(quadratic, at, n + 1), rhs) for name, quadratic, rhs in model.constraints]
    return replace(
        model,
        names=(*model.names, "z"),
        lower=np.append(model.lower, 0.0),
        upper=np.append(model.upper, np.inf),
        objective=z,
        constraints=(("f", f, 0.0), *constraints),
        A=np.pad(model.A, ((0, 0), (0, 1))),
    )


def gap_ending(f: float, bound: float | None) -> How:
    """Return what a closed gap claims: `optimal` if nothing worth a word is left of it, else `tolerance`."""
    return "optimal" if bound is not None and f - bound <= OPTIMAL_GAP * max(1.0, abs(f)) else "tolerance"


def _expanded(H: FloatArray, xi: FloatArray, c: float) -> Quadratic:
    """Return (1/c)(v−ξ)ᵀH(v−ξ) as a polynomial, each sum rounded once."""
    products = H * xi
    row_sums = np.array([math.fsum(row) for row in products])
    constant = math.fsum((products * xi[:, None]).ravel())
    return Quadratic(H / c, -2.0 * row_sums / c, constant / c)


def _squares(weights: FloatArray) -> Quadratic:
    return Quadratic(np.diag(weights), np.zeros(len(weights)), 0.0)


def _embedded(quadratic: Quadratic, at: slice, columns: int) -> Quadratic:
    """Return the polynomial as one of more variables, its own at their place."""
    Q, q = np.zeros((columns, columns)), np.zeros(columns)
    Q[at, at], q[at] = quadratic.Q, quadratic.q
    return Quadratic(Q, q, quadratic.k)


_Bounds = tuple[FloatArray, FloatArray]


def _free(n: int) -> _Bounds:
    return np.full(n, -np.inf), np.full(n, np.inf)


def _box(instance: Instance, shift: FloatArray) -> _Bounds:
    """Return the bounding box of the feasible ellipsoid, seen from the shift."""
    box = instance.box(shift)
    lower, upper = box.lower, box.upper
    real = slice(0, instance.n_r)
    slack = SLACK * (upper[real] - lower[real])
    lower[real] -= slack
    upper[real] += slack
    return lower, upper


def _eigenbox(instance: Instance, Q: FloatArray, xi: FloatArray) -> _Bounds:
    """Return the bounds of Qᵀ(x−ξ) over the feasible ellipsoid: Qᵀ(ξ1−ξ) ± √(E c qᵢᵀHg⁻¹qᵢ) for the columns qᵢ of Q."""
    rotated = instance.hessian_g.rotate(np.ascontiguousarray(Q.T))
    half = (1.0 + SLACK) * np.sqrt(instance.E * instance.c * (rotated**2 / instance.hessian_g.spectrum).sum(axis=1))
    centre = Q.T @ (instance.xi1 - xi)
    return centre - half, centre + half
