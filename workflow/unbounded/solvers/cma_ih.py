"""`cma-IH`, `cma-IH-AL` and `cma-IC`: CMA-ES by pycma, with the integer handling of the study and with today's.

`cma-IH` handles integers as pycma 3.3.0 did: keep the standard deviation of every integer coordinate at or above
1/(2 n_z + 1), and round only when a point is evaluated (Marty et al. 2023). Today's `integer_variables` does more, so
the lower bound is passed as `minstd`, and copies are rounded for evaluation. `conditioncov_alleviate` is at its default
[1e8, 1e12], as it was in 3.3.0: where the variances of coordinates, or the condition number of C, differ by more, their
scales pass from C to the coordinates. (With `integer_variables` today's version switches the second one off, with
`minstd` it does not.) pycma 4 damps the step size more than 3.3.0 did. Both the damping and the conditioning change
results measurably (docs/solvers.md): the old damping is restored by `CSA_dampfac`. Start: x0 ~ U(±R), σ0 = 2R/3.

With pycma's default population (16 at D = 64) medians are worse than the published ones; with about 50 they match
(docs/solvers.md): `cma-IH` takes 3 times the default rule (48 at D = 64), `cma-IH-default` the rule itself.

`cma-IC` is pycma as its authors recommend it now: `integer_variables`, that is a lower bound on deviations and
integer centering, with its default population and all other defaults (Marty et al. 2024).

`cma-IH-AL` is `cma-IH` whose constraint is handled by pycma's augmented Lagrangian in place of the penalty (the paper's
first direction for future research; Atamna, Auger & Hansen, FOGA 2017; Dufossé & Hansen, GECCO 2021). With h = g − E it
minimises f + γ h + ω h²/2 where h > −γ/ω, and f − γ²/(2ω) elsewhere; γ and ω are adapted in every generation from its
best point, so no evaluation is spent on them. Until the first feasible point h² alone is minimised
(`find_feasible_first`): γ and ω start from the spread of f and h in a population, and 10⁶ away from the feasible set
that spread says nothing. As pycma's documentation does, `tolstagnation` is switched off, since the function changes.
The answer is the best feasible point seen, as for all strategies.

Checked against: pycma 3.3.0 by rank tests, and the published medians and bests (docs/solvers.md); `cma-IH-AL` against
the multiplier of the relaxation, where there are no integers, and against `cma-IH` (docs/strategies.md).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
from pydantic import Field

from unbounded.instances.instance import Instance
from unbounded.running.imports import without
from unbounded.solvers.contract import Budget, Ending, PenaltyOptions, Report, Strategy, cannot_import


class CmaOptions(PenaltyOptions):
    """Options of every CMA-ES that starts in U(±R)."""

    population_factor: float = Field(3.0, gt=0, description="Multiple of pycma's population rule 4 + ⌊3 ln D⌋")
    population: int | None = Field(None, ge=2, description="Population size, in place of the rule")
    radius: float = Field(1e6, gt=0, description="R: x0 ~ U(±R), σ0 = 2R/3")
    alleviate_conditioning: bool = Field(
        True, description="pycma's conditioncov_alleviate, at its default thresholds [1e8, 1e12]"
    )
    constraint: Literal["penalty", "augmented-lagrangian"] = Field(
        "penalty", description="How g ≤ E is handled: by the study's penalty, or by pycma's augmented Lagrangian"
    )

    def population_at(self, D: int) -> int:
        """Return λ at dimension D."""
        return self.population or max(2, int(self.population_factor * (4 + int(3 * np.log(D)))))


class PycmaOptions(CmaOptions):
    """Options of `cma-IH`, `cma-IH-AL` and `cma-IC`."""

    integer_handling: Literal["bound", "centering"] = Field(
        "bound", description="Deviations of integers ≥ 1/(2 n_z + 1), or pycma's own `integer_variables`"
    )
    damping: Literal["tutorial", "pycma"] = Field(
        "tutorial", description="Step-size damping: as in 3.3.0 and Hansen's tutorial, or the installed version's"
    )


def tutorial_damping(N: int, mu_eff: float, c_sigma: float) -> float:
    """Return d_σ of Hansen's tutorial (2016, Eq. 55) and of pycma 3.3.0; pycma 4 damps more where mu_eff is large."""
    return 1 + 2 * max(0.0, math.sqrt((mu_eff - 1) / (N + 1)) - 1) + c_sigma


@contextmanager
def numpy_seeded(seed: int) -> Iterator[None]:
    """Seed numpy's global generator, which pycma draws from, and put it back afterwards."""
    state = np.random.get_state()
    np.random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(state)


def load_cma() -> Any:
    """Import pycma without what it imports for plots and surrogates: 0.1 s in place of 2 s."""
    with without("matplotlib", "matplotlib.pyplot", "scipy.stats"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that plots are not available
        import cma
    return cma


def augmented_lagrangian(instance: Instance) -> Any:
    """Return pycma's augmented Lagrangian as a function of (f, g − E), which are computed for whole populations."""
    return load_cma().ConstrainedFitnessAL(
        fun=lambda values: values[0],
        constraints=lambda values: [values[1]],
        dimension=instance.D,
        find_feasible_first=True,
        logging=0,
        archives=False,
    )


class Pycma(Strategy[PycmaOptions]):
    """CMA-ES by pycma."""

    summary = (
        "CMA-ES (pycma), integer deviations bounded below, rounding at evaluation; cma-IC adds integer centering, "
        "cma-IH-AL an augmented Lagrangian"
    )
    variants = {
        "cma-IH": {},
        "cma-IH-default": {"population_factor": 1.0},
        "cma-IH-AL": {"constraint": "augmented-lagrangian"},
        "cma-IC": {
            "integer_handling": "centering",
            "population_factor": 1.0,
            "damping": "pycma",
        },
    }
    options = PycmaOptions
    packages = ("numpy", "cma")

    def seconds_of_a_unit(self, D: int) -> float:
        """Return what a unit of its budget takes."""
        return 4e-5 + 1.3e-8 * D * D

    def unavailable(self) -> str | None:
        """Say why pycma cannot run here, if so; loads it before a trial's clocks start."""
        try:
            load_cma()
        except ImportError as error:
            return cannot_import("cma", error, "envs/requirements.txt")
        return None

    def solve(self, instance: Instance, budget: Budget, seed: int, options: PycmaOptions, report: Report) -> Ending:
        """Run pycma's ask and tell until one of its own criteria or the budget stops it."""
        cma = load_cma()
        lam = options.population_at(instance.D)
        if report.remaining < lam:
            return Ending("budget", f"{budget} do not allow one generation of {lam}", None)
        R = options.radius
        settings: dict[str, Any] = {
            "popsize": lam,
            "seed": np.nan,  # numpy_seeded seeds
            "verbose": -10,
            "verb_log": 0,
            "signals_filename": "",
        }
        if options.integer_handling == "centering":
            settings["integer_variables"] = list(range(instance.n_r, instance.D))
        else:
            settings["minstd"] = np.zeros(instance.D)
            settings["minstd"][instance.integers] = 1.0 / (2 * instance.n_z + 1)
        if not options.alleviate_conditioning:
            settings["conditioncov_alleviate"] = False
        lagrangian = None
        if options.constraint == "augmented-lagrangian":
            settings["tolstagnation"] = 0
            lagrangian = augmented_lagrangian(instance)
        with numpy_seeded(seed), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            es = cma.CMAEvolutionStrategy(np.random.uniform(-R, R, instance.D), 2 * R / 3, settings)
            if options.damping == "tutorial":
                wanted = tutorial_damping(instance.D, es.sp.weights.mueff, es.adapt_sigma.cs)
                es.opts.set({"CSA_dampfac": wanted / es.adapt_sigma.damps})
            while report.remaining >= lam and not es.stop():
                X = es.ask()
                rounded = instance.round(np.asarray(X))
                f, g = instance.evaluate(rounded)
                report.population(rounded, f, g)
                if lagrangian is None:
                    es.tell(X, options.penalty.cost(instance, f, g).tolist())
                else:
                    es.tell(
                        X, [lagrangian(values) for values in zip(f.tolist(), (g - instance.E).tolist(), strict=True)]
                    )
                    lagrangian.update(es)
                    # Until the first feasible point, pycma lets these grow with every evaluation. The last entry stays:
                    # without it, pycma could set its first coefficients a generation earlier than its documented loop.
                    for values in (lagrangian.F, lagrangian.G, lagrangian.F_plus_sum_al_G):
                        del values[:-1]
            stops = es.stop()
        if stops:
            reasons = ", ".join(f"{name}={value}" for name, value in stops.items())
            return Ending("converged", reasons, report.feasible_best)
        return Ending("budget", f"{budget} spent", report.feasible_best)


SOLVER = Pycma()
