"""`cma-wM`: CMA-ES with Margin (Hamano et al. 2022), by the package `cmaes`.

It needs a box: the multimodality study's [-1000, 1000]^D by default, or the bounding box of the feasible ellipsoid
(`box: ellipsoid`), which exists for every instance and makes the strategy usable on all of them. Integers have
step 1, reals step 0. Start: the mean uniform in the box, deviations two thirds of its half-widths.

cmaes asks scipy.stats for two functions, which takes longer to load than a short trial runs, and longer to call than to
compute them. They are given to it from scipy.special, where scipy.stats has them from: the same numbers to the bit.

Checked against: the contract that all solvers keep; cmaes with scipy.stats.
"""

from __future__ import annotations

import math
import sys
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.running.imports import without
from unbounded.solvers.contract import Budget, Ending, PenaltyOptions, Report, Strategy, cannot_import


class MarginOptions(PenaltyOptions):
    """Options of `cma-wM`."""

    box: Literal["ellipsoid"] | Annotated[float, Field(ge=1)] = Field(
        1000.0, description="Half-width of the box around the origin, or `ellipsoid` for that of the feasible set"
    )
    population: int | None = Field(None, ge=2, description="Population size; the rule 4 + ⌊3 ln D⌋ if not given")

    def population_at(self, D: int) -> int:
        """Return λ at dimension D."""
        return self.population or 4 + int(3 * np.log(D))


class Start(NamedTuple):
    """The box, and the deviations that the strategy starts with: σ times one for each coordinate."""

    lower: FloatArray
    upper: FloatArray
    sigma: float
    scales: FloatArray


def begin(instance: Instance, options: MarginOptions) -> Start:
    """Return the box, whose bounds of integers are integers, and deviations of two thirds of its half-widths."""
    if options.box == "ellipsoid":
        box = instance.box()
        lower, upper = box.lower, box.upper
    else:
        lower, upper = np.full(instance.D, -options.box), np.full(instance.D, options.box)
        lower[instance.integers], upper[instance.integers] = math.ceil(-options.box), math.floor(options.box)
    # A coordinate whose box holds a single integer still needs a deviation above zero.
    half = np.maximum(0.5, (upper - lower) / 2)
    scale = float(np.exp(np.mean(np.log(half))))
    return Start(lower, upper, 2 / 3 * scale, half / scale)


def norm_cdf(x: FloatArray, loc: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the distribution function of the normal law, as `scipy.stats.norm.cdf` does."""
    from scipy.special import ndtr

    return np.asarray(ndtr((x - loc) / scale))


def chi2_ppf(q: FloatArray) -> FloatArray:
    """Return quantiles of χ² with one degree of freedom, as `scipy.stats.chi2.ppf` does."""
    from scipy.special import gammaincinv

    return np.asarray(2 * gammaincinv(0.5, q))


def load_cmaes() -> Any:
    """Import cmaes without scipy.stats: 0.2 s in place of 0.8 s."""
    with without("scipy.stats"):
        import cmaes
    margin: Any = sys.modules[cmaes.CMAwM.__module__]
    margin.norm_cdf, margin.chi2_ppf = norm_cdf, chi2_ppf
    return cmaes


class CmaWithMargin(Strategy[MarginOptions]):
    """CMA-ES with Margin by `cmaes`."""

    summary = "CMA-ES with Margin (cmaes), in a box"
    variants = {"cma-wM": {}}
    options = MarginOptions
    packages = ("numpy", "cmaes")

    def seconds_of_a_unit(self, D: int) -> float:
        """Return what a unit of its budget takes."""
        return 2e-4 + 2e-8 * D * D

    def unavailable(self) -> str | None:
        """Say why cmaes cannot run here, if so; loads it before a trial's clocks start."""
        try:
            load_cmaes()
        except ImportError as error:
            return cannot_import("cmaes", error, "envs/requirements.txt")
        return None

    def solve(self, instance: Instance, budget: Budget, seed: int, options: MarginOptions, report: Report) -> Ending:
        """Run ask and tell until the package's stopping rule or the budget ends it."""
        CMAwM = load_cmaes().CMAwM
        lam = options.population_at(instance.D)
        if report.remaining < lam:
            return Ending("budget", f"{budget} do not allow one generation of {lam}", None)
        start = begin(instance, options)
        strategy = CMAwM(
            mean=np.random.default_rng(seed).uniform(start.lower, start.upper),
            sigma=start.sigma,
            bounds=np.column_stack([start.lower, start.upper]),
            steps=np.repeat([0.0, 1.0], [instance.n_r, instance.n_z]),
            cov=np.diag(start.scales**2),
            population_size=lam,
            seed=seed % 2**32,
        )
        while report.remaining >= lam and not strategy.should_stop():
            asked = [strategy.ask() for _ in range(lam)]
            X = np.array([for_evaluation for for_evaluation, _ in asked])
            f, g = instance.evaluate(X)
            report.population(X, f, g)
            costs = options.penalty.cost(instance, f, g).tolist()
            strategy.tell([(for_tell, cost) for (_, for_tell), cost in zip(asked, costs, strict=True)])
        if strategy.should_stop():
            return Ending("converged", "should_stop of cmaes", report.feasible_best)
        return Ending("budget", f"{budget} spent", report.feasible_best)


SOLVER = CmaWithMargin()
