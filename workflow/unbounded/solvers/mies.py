"""`mies`: a mixed-integer evolution strategy with self-adaptive double-geometric integer mutations.

(μ,λ) comma selection without recombination; the mutation is the paper's Algorithm 1 (after Rudolph 1994, Bäck &
Schütz 1995, Li et al. 2013): one step size per variable, s for reals and q for integers, each adapted by a global
and a local log-normal factor. Reals move by N(0, s), integers by the difference of two geometric variables whose
mean absolute value is q/n_z.

`mies` is what the published data fit: the parent of each offspring wins a tournament of three, σ_min = 1e-3, the
integer step is drawn with the parent's q, and step sizes stay at or below R, as in the published code. `mies-printed`
is the algorithm as printed: a uniform parent, σ_min = 1e-5, the integer step drawn with the new q, and no upper limit
of step sizes, since none is printed.

The generation loop is compiled (`unbounded.solvers.compiled.mies`).

Checked against: the printed probability function and its moments; the published medians and bests, and where the
published runs diverge (docs/solvers.md); the same algorithm in NumPy (benchmarks/mies_numpy.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.instances.structured import StructuredInstance, structure
from unbounded.solvers.compiled.compiling import Kernel
from unbounded.solvers.contract import Budget, Ending, Found, PenaltyOptions, Report, Strategy

#: Generations between two looks at the clock: a few thousandths of a second, and random numbers that fit a cache.
CHUNK = 20

#: The limit of step sizes where there is none: above what any run needs, and f and g of points so far away are finite.
UNLIMITED = 1e100


class MiesOptions(PenaltyOptions):
    """Options of `mies`."""

    parents: int = Field(15, ge=1, description="μ, parents of a generation")
    offspring: int = Field(100, ge=1, description="λ, offspring of a generation")
    tournament: int = Field(3, ge=1, description="Parents drawn for each offspring, the best is taken; 1 is uniform")
    sigma_min: float = Field(1e-3, ge=0, description="Lower bound of the real step sizes s")
    integer_step: Literal["parent", "offspring"] = Field("parent", description="Whose q the integer step is drawn with")
    radius: float = Field(1e6, gt=0, description="R: x starts in U(±R); s starts at 2R/3, q at 2R/√n_z")
    limit_steps: bool = Field(True, description="Whether s and q stay at or below R")

    @model_validator(mode="after")
    def _comma_selection(self) -> MiesOptions:
        if self.offspring < self.parents:
            raise ValueError(
                f"offspring is {self.offspring} and parents is {self.parents}; allowed: at least as many offspring as "
                "parents, since parents do not survive"
            )
        return self


class Parameters(NamedTuple):
    """What the compiled loop is told."""

    parents: int
    offspring: int
    tournament: int
    sigma_min: float
    new_integer_step: bool
    largest_step: float
    penalty: float


class Work(NamedTuple):
    """Room that a generation works in."""

    children: FloatArray
    steps: FloatArray
    f: FloatArray
    g: FloatArray
    cost: FloatArray
    order: Any
    #: Whose offspring each of them is.
    parents: Any
    #: −log(1−p) of the integers of every parent, or of every offspring.
    rates: FloatArray
    scratch: FloatArray


def _advance() -> Any:
    from unbounded.solvers.compiled.mies import advance

    return advance


ADVANCE = Kernel(_advance)


#: Draws the random numbers of some generations and runs them: moves parents and step sizes, notes the best of each.
Advance = Callable[
    [np.random.Generator, int, StructuredInstance, Parameters, FloatArray, FloatArray, Work, Found], None
]


def evolve(
    instance: Instance, budget: Budget, seed: int, options: MiesOptions, report: Report, advance: Advance
) -> Ending:
    """Run a strategy, in chunks of generations, until the budget is spent; it has no other stopping rule."""
    # A fifth faster at normals than numpy's default; they are a third of the run and more.
    rng = np.random.Generator(np.random.SFC64(seed))
    n_r, n_z, D = instance.n_r, instance.n_z, instance.D
    mu, lam, R = options.parents, options.offspring, options.radius
    if report.remaining < mu + lam:
        return Ending("budget", f"{budget} do not allow one generation of {mu} + {lam}", None)

    X = instance.round(rng.uniform(-R, R, (mu, D)))
    steps = np.empty((mu, D))
    largest = R if options.limit_steps else UNLIMITED
    steps[:, :n_r] = min(max(2 * R / 3, options.sigma_min), largest)
    steps[:, n_r:] = min(max(2 * R / math.sqrt(max(n_z, 1)), 1.0), largest)
    f, g = instance.evaluate(X)
    report.population(X, f, g)
    X = X[np.argsort(options.penalty.cost(instance, f, g), kind="stable")]

    parameters = Parameters(
        parents=mu,
        offspring=lam,
        tournament=options.tournament,
        sigma_min=options.sigma_min,
        new_integer_step=options.integer_step == "offspring",
        largest_step=largest,
        penalty=options.penalty.weight(D),
    )
    problem = structure(instance)
    work = Work(
        children=np.empty((lam, D)),
        steps=np.empty((lam, D)),
        f=np.empty(lam),
        g=np.empty(lam),
        cost=np.empty(lam),
        order=np.empty(lam, dtype=np.int64),
        parents=np.empty(lam, dtype=np.int64),
        rates=np.empty((lam, n_z)),
        scratch=np.empty(D),
    )
    found = Found.room(CHUNK, D)
    while report.remaining >= lam:
        generations = int(min(CHUNK, report.remaining // lam))
        started = report.cpu_seconds
        advance(rng, generations, problem, parameters, X, steps, work, found)
        report.generations(lam, started, *found.first(generations))
    return Ending("budget", f"{budget} spent", report.feasible_best)


class Mies(Strategy[MiesOptions]):
    """The mixed-integer evolution strategy."""

    summary = "(15,100) evolution strategy, double-geometric integer mutations, self-adaptive step sizes"
    variants = {
        "mies": {},
        "mies-printed": {"tournament": 1, "sigma_min": 1e-5, "integer_step": "offspring", "limit_steps": False},
    }
    options = MiesOptions
    packages = ("numpy", "numba")
    compiled = True

    def seconds_of_a_unit(self, D: int) -> float:
        """Return what a unit of its budget takes."""
        return 3e-8 * D

    def solve(self, instance: Instance, budget: Budget, seed: int, options: MiesOptions, report: Report) -> Ending:
        """Run the strategy until the budget is spent."""
        n_r, n_z, lam = instance.n_r, instance.n_z, options.offspring
        # Who has a new q drawn: all offspring, or the survivors alone.
        drawn = lam if options.integer_step == "offspring" else options.parents
        # Used again and again: fresh memory of this size would be handed out page by page.
        uniforms = np.empty((CHUNK, lam, options.tournament))
        normals = np.empty((CHUNK, lam, 1 + 2 * n_r))
        integer_normals = np.empty((CHUNK, drawn, 1 + n_z))
        exponentials = np.empty((CHUNK, lam, 2, n_z))

        def advance(
            rng: np.random.Generator,
            generations: int,
            problem: StructuredInstance,
            p: Parameters,
            X: FloatArray,
            steps: FloatArray,
            work: Work,
            found: Found,
        ) -> None:
            # numpy's own loops draw them faster than compiled code can.
            u = rng.random(out=uniforms[:generations])
            z = rng.standard_normal(out=normals[:generations])
            integer_z = rng.standard_normal(out=integer_normals[:generations])
            e = rng.standard_exponential(out=exponentials[:generations])
            ADVANCE(problem, p, X, steps, work, u, z, integer_z, e, found)

        return evolve(instance, budget, seed, options, report, advance)


SOLVER = Mies()
