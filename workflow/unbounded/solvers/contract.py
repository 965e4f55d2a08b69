"""What a solver is: `solve(instance, budget, seed, options, report) -> Outcome`, and what describes it.

A solver module holds one `SOLVER = Solver(...)`; the registry finds it. Modules are imported to validate
campaigns, so they import heavy libraries only inside `solve`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Literal, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from unbounded.imports import without
from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance, Penalty
from unbounded.instances.spec import InstanceSpec

BudgetKind = Literal["evaluations", "seconds", "ticks"]
#: What nobody means to ask for; a larger budget is taken for a slip of the pen.
BUDGET_LIMITS: Mapping[str, float] = {"evaluations": 1e12, "seconds": 60 * 86400, "ticks": 1e10}

#: How a solver may end, before its point is verified. `trials.row.STATUSES` adds what verification may find.
#: `converged` is a strategy's own stopping rule, `budget` its ceiling; `skipped` says that it cannot run here.
Claim = Literal["optimal", "tolerance", "time-out", "converged", "budget", "no-solution", "error", "skipped"]


class Strict(BaseModel):
    """A frozen model that refuses unknown keys and says which ones there are."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = [str(key) for key in data if key not in cls.model_fields]
            if unknown:
                names = ", ".join(f"'{key}'" for key in unknown)
                raise ValueError(f"unknown key {names}; allowed: {', '.join(cls.model_fields)}")
        return data


class Budget(Strict):
    """How much a trial may spend: a number of evaluations, of wall-clock seconds, or of CPLEX's ticks."""

    kind: BudgetKind
    amount: float = Field(gt=0)

    @model_validator(mode="after")
    def _sensible(self) -> Budget:
        limit = BUDGET_LIMITS[self.kind]
        if self.amount > limit:
            raise ValueError(f"{self.amount:g} {self.kind}; allowed: at most {limit:g}")
        if self.kind == "evaluations" and self.amount != int(self.amount):
            raise ValueError(f"{self.amount:g} evaluations; allowed: a whole number")
        return self

    @staticmethod
    def parse(text: str) -> Budget:
        """Read `evaluations=1000`, `seconds=60` or `ticks=500`."""
        kind, _, amount = text.partition("=")
        try:
            return Budget(kind=kind, amount=float(amount))
        except ValueError:
            kinds = ", ".join(f"{k}=N (at most {BUDGET_LIMITS[k]:g})" for k in get_args(BudgetKind))
            raise ValueError(f"budget is '{text}'; allowed: {kinds}, with N above 0") from None

    def __str__(self) -> str:
        return f"{self.amount:g} {self.kind}"


class Options(Strict):
    """Base of every solver's options: typed, documented, with the study's values as defaults."""


class PenaltyOptions(Options):
    """Options of every strategy that handles the constraint by penalty (paper's Eq. cost)."""

    penalty_factor: float = Field(1e4, gt=0, description="Factor of the penalty term")
    penalty_dimension: int | None = Field(
        None, gt=0, description="Its dimension, squared; D if not given (published data: 32 at every D)"
    )

    @property
    def penalty(self) -> Penalty:
        """The penalty that these options describe."""
        return Penalty(self.penalty_factor, self.penalty_dimension)


@dataclass(frozen=True)
class Outcome:
    """What a solver says at its end. Its word is recorded; what counts is the verification of `x`."""

    claim: Claim
    termination: str
    x: FloatArray | None
    claimed_f: float | None = None
    bound: float | None = None
    ticks: float | None = None


@dataclass(frozen=True)
class Point:
    """One entry of a trace: the best point so far, when it was found, and the bound known then."""

    evaluations: int
    cpu_seconds: float
    f: float
    violation: float
    bound: float | None


@dataclass
class Report:
    """A trial's ear: solvers tell it what they evaluate or find, it keeps count, best point and trace.

    Feasible beats infeasible; of two feasible points the lower f is better, of two infeasible ones the smaller
    violation. Improvements are thinned as they come: of those whose evaluation counts lie within 3 % of one
    another only the last is kept, so the trace's length grows with the logarithm of the budget, and the time at
    which a value was reached is known to 3 %.
    """

    instance: Instance
    budget: Budget
    threads: int = 1
    log: IO[str] | None = None
    evaluations: int = 0
    trace: list[Point] = field(default_factory=list)
    best: FloatArray | None = None
    _key: tuple[int, float] = (2, math.inf)
    _bin: int = -1
    _improvements: int = 0
    _cpu_start: float = field(default_factory=time.process_time)
    _wall_start: float = field(default_factory=time.monotonic)

    @property
    def remaining(self) -> float:
        """Evaluations that may still be made; infinite where the budget is time, 0 once time is up."""
        if self.budget.kind == "evaluations":
            return self.budget.amount - self.evaluations
        spent = self.budget.kind == "seconds" and time.monotonic() - self._wall_start >= self.budget.amount
        return 0.0 if spent else math.inf

    @property
    def cpu_seconds(self) -> float:
        """CPU time of this process since the trial began, all threads together."""
        return time.process_time() - self._cpu_start

    @property
    def wall_seconds(self) -> float:
        """Wall-clock time since the trial began."""
        return time.monotonic() - self._wall_start

    @property
    def feasible_best(self) -> FloatArray | None:
        """The best point, if it is feasible: what a strategy may hand in as its answer."""
        return self.best if self._key[0] == 0 else None

    def population(self, X: FloatArray, f: FloatArray, g: FloatArray) -> None:
        """Take note of a batch that was evaluated: rows of X with integers already rounded."""
        self.evaluations += len(f)
        # A point that is not a number is no point: it must neither win nor hide one that would.
        violation = np.where(np.isnan(f), np.nan, np.maximum(g - self.instance.E, 0.0))
        feasible = violation <= self.instance.tolerance
        if feasible.any():
            i = int(np.argmin(np.where(feasible, f, np.inf)))
        elif self._key[0] == 0:
            return
        else:
            i = int(np.argmin(np.where(np.isnan(violation), np.inf, violation)))
        self._improve(X[i], float(f[i]), float(violation[i]), bool(feasible[i]))

    def generations(self, size: int, started: float, X: FloatArray, f: FloatArray, violation: FloatArray) -> None:
        """Take note of whole generations that were evaluated since `started` (CPU seconds), by the best point of each.

        Compiled loops report many generations at once; the times of improvements are interpolated between.
        """
        seconds = self.cpu_seconds - started
        for k in range(len(f)):
            self.evaluations += size
            feasible = bool(violation[k] <= self.instance.tolerance)
            if self._key > ((0, f[k]) if feasible else (1, violation[k])):
                at = started + seconds * (k + 1) / len(f)
                self._improve(X[k], float(f[k]), float(violation[k]), feasible, cpu_seconds=at)

    def incumbent(self, x: FloatArray, bound: float | None = None) -> None:
        """Take note of a white-box solver's incumbent, as our own evaluation sees it."""
        verdict = self.instance.verify(x)
        self._improve(verdict.x, verdict.f, verdict.violation, verdict.feasible, bound)

    def _improve(
        self,
        x: FloatArray,
        f: float,
        violation: float,
        feasible: bool,
        bound: float | None = None,
        cpu_seconds: float | None = None,
    ) -> None:
        key = (0, f) if feasible else (1, violation)
        if math.isnan(f) or math.isnan(violation) or not key < self._key:
            return
        self._key = key
        self.best = np.array(x)
        self._improvements += 1
        # White-box solvers do not count evaluations: there the ordinal of the improvement sets the bin.
        where = int(math.log(max(1, self.evaluations or self._improvements)) / math.log(1.03))
        if where == self._bin and self.trace:
            self.trace.pop()
        self._bin = where
        seconds = self.cpu_seconds if cpu_seconds is None else cpu_seconds
        self.trace.append(Point(self.evaluations, seconds, f, violation, bound))


Solve = Callable[[Instance, Budget, int, Any, Report], Outcome]


def run_small(solve: Solve, options: Options) -> None:
    """Solve a small instance with a small budget: compiled solvers prepare themselves by it.

    numba loads scipy for linear algebra, which no compiled solver here uses, and coverage if it is installed.
    """
    instance = Instance(InstanceSpec("mixed", 4, 0.0, 0, 10.0, 30.0))
    budget = Budget(kind="evaluations", amount=1000)
    with without("scipy", "coverage"):
        solve(instance, budget, 1, options, Report(instance, budget))


@dataclass(frozen=True)
class Solver:
    """A solver module's description of itself."""

    summary: str
    #: Ids that campaigns may name, each with the options that differ from the defaults.
    variants: Mapping[str, Mapping[str, Any]]
    options: type[Options]
    #: Budgets that it can keep.
    budgets: tuple[BudgetKind, ...]
    default_budget: Callable[[int], Budget]
    solve: Solve
    #: CPU seconds that a trial is expected to take on one thread, from D and the budget.
    estimate: Callable[[int, Budget], float]
    #: Distributions whose versions belong into the row.
    packages: tuple[str, ...] = ()
    #: Returns why it cannot run here, or None.
    unavailable: Callable[[], str | None] = lambda: None
    #: Loads or compiles what the first call of `solve` would otherwise wait for.
    prepare: Callable[[], None] = lambda: None
    #: True where the solver reads the model; false where it only evaluates points.
    white_box: bool = False
