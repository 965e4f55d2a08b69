"""What a solver is: `solve(instance, budget, seed, options, report) -> Ending`, and what describes it.

A solver module holds one `SOLVER`; the registry finds it. Modules are imported to validate
campaigns, so they import heavy libraries only inside `solve`.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance, Penalty
from unbounded.instances.spec import InstanceSpec

BudgetKind = Literal["evaluations", "seconds", "ticks", "work", "nodes"]
#: What nobody means to ask for; a larger budget is taken for a slip of the pen.
BUDGET_LIMITS: Mapping[str, float] = {
    "evaluations": 1e12,
    "seconds": 60 * 86400,
    "ticks": 1e10,
    "work": 60 * 86400,
    "nodes": 1e12,
}
#: Kinds that are counted one by one.
COUNTED: tuple[BudgetKind, ...] = ("evaluations", "nodes")
#: What white-box solvers count of their own work, each in a unit of its own: what `Ending.ticks` is measured in.
DETERMINISTIC: tuple[BudgetKind, ...] = ("ticks", "work", "nodes")

#: How a solver may end, before its point is verified. `trials.row.STATUSES` adds what verification may find.
#: `converged` is a strategy's own stopping rule, `budget` its ceiling; `skipped` says that it cannot run here.
How = Literal["optimal", "tolerance", "time-out", "converged", "budget", "no-solution", "error", "skipped"]


#: A better bound is worth an entry of the trace if it closes this share of the gap that was left.
BOUND_STEP = 0.01


class Strict(BaseModel):
    """A frozen model that refuses unknown keys, says which ones there are, and takes no text for a number."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)

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
    """How much a trial may spend: evaluations, wall-clock seconds, or a white-box solver's own deterministic unit.

    `ticks` are CPLEX's, `work` is Gurobi's or Xpress's, `nodes` are those of a branch-and-bound tree.
    """

    kind: BudgetKind
    amount: float = Field(gt=0)

    @model_validator(mode="after")
    def _sensible(self) -> Budget:
        limit = BUDGET_LIMITS[self.kind]
        if self.amount > limit:
            raise ValueError(f"{self.amount:g} {self.kind}; allowed: at most {limit:g}")
        if self.kind in COUNTED and self.amount != int(self.amount):
            raise ValueError(f"{self.amount:g} {self.kind}; allowed: a whole number")
        return self

    @staticmethod
    def parse(text: str) -> Budget:
        """Read `evaluations=1000`, `seconds=60`, `ticks=500`, `work=10` or `nodes=1000`."""
        kind, _, amount = text.partition("=")
        try:
            return Budget.model_validate({"kind": kind, "amount": float(amount)})
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
class Vectors:
    """All integer vectors whose best f is at most (1 + within) times the optimum, as an exact solver lists them.

    Where coordinates are interchangeable one vector stands for its rearrangements (`unbounded.instances.symmetry`).
    """

    within: float
    #: How many there are, rearrangements counted; exact up to 2⁵³.
    count: float
    #: One a row, the best first; at most so many as the solver was asked to keep.
    z: FloatArray
    #: The least f of each, and how many vectors it stands for.
    f: FloatArray
    orbit: FloatArray


@dataclass(frozen=True)
class Ending:
    """What a solver says at its end. Its word is recorded; what counts is the best verified point, `x` or another."""

    how: How
    termination: str
    x: FloatArray | None
    claimed_f: float | None = None
    bound: float | None = None
    #: What was spent, in the solver's deterministic unit (`DETERMINISTIC`).
    ticks: float | None = None
    #: What an exact solver has counted.
    vectors: Vectors | None = None


@dataclass(frozen=True)
class Point:
    """One entry of a trace: the best point so far, the bound so far, and when one of the two was improved."""

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
    which a value was reached is known to 3 %. A better bound is an entry too, if it closes 1 % of the gap that was
    left; bounds known before the first point come with that point. It stands beside the entry of its point, which
    keeps the time at which that was found.
    """

    instance: Instance
    budget: Budget
    threads: int = 1
    log: IO[str] | None = None
    evaluations: int = 0
    trace: list[Point] = field(default_factory=list)
    best: FloatArray | None = None
    #: The largest lower bound on f that the solver has told so far.
    best_bound: float | None = None
    _key: tuple[int, float] = (2, math.inf)
    _bin: int = -1
    #: Where in the trace the bin begins, and where the entry of the best point stands.
    _bin_start: int = 0
    _point: int = -1
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
        self._raise(bound)
        point = self.instance.verify(x)
        self._improve(point.x, point.f, point.violation, point.feasible)

    def bound(self, value: float | None) -> None:
        """Take note of a white-box solver's lower bound on f; callable at any time, in any order."""
        self._raise(value)
        if self.best_bound is None or not self.trace:
            return
        last = self.trace[-1]
        if last.bound is None or self.best_bound - last.bound > BOUND_STEP * abs(last.f - last.bound):
            self._note(last.f, last.violation, self.cpu_seconds, found=False)

    def _raise(self, bound: float | None) -> None:
        if bound is not None and math.isfinite(bound) and (self.best_bound is None or bound > self.best_bound):
            self.best_bound = bound

    def _improve(
        self,
        x: FloatArray,
        f: float,
        violation: float,
        feasible: bool,
        cpu_seconds: float | None = None,
    ) -> None:
        key = (0, f) if feasible else (1, violation)
        if math.isnan(f) or math.isnan(violation) or not key < self._key:
            return
        self._key = key
        self.best = np.array(x)
        self._note(f, violation, self.cpu_seconds if cpu_seconds is None else cpu_seconds)

    def _note(self, f: float, violation: float, cpu_seconds: float, found: bool = True) -> None:
        """Add an entry to the trace, in place of those that are close, but for a bound's own point."""
        self._improvements += 1
        # White-box solvers do not count evaluations: there the ordinal of the improvement sets the bin.
        where = int(math.log(max(1, self.evaluations or self._improvements)) / math.log(1.03))
        if where != self._bin:
            self._bin, self._bin_start = where, len(self.trace)
        del self.trace[self._bin_start if found else max(self._bin_start, self._point + 1) :]
        if found:
            self._point = len(self.trace)
        self.trace.append(Point(self.evaluations, cpu_seconds, f, violation, self.best_bound))


class Broken(str):
    """Why a solver cannot run here although it is installed: for people to mend, and no word about the solver."""


def cannot_import(package: str, error: ImportError, where: str) -> str:
    """Return why a solver cannot run here: its package is not installed, or broken."""
    text = f"the package {package} cannot be imported ({error}); it is in {where}"
    absent = isinstance(error, ModuleNotFoundError) and (error.name or package).partition(".")[0] == package
    return text if absent else Broken(text)


class Found(NamedTuple):
    """The best point of each generation, in the report's order, as compiled loops write them."""

    x: FloatArray
    f: FloatArray
    violation: FloatArray

    @staticmethod
    def room(generations: int, D: int) -> Found:
        """Return room for so many generations."""
        return Found(np.empty((generations, D)), np.empty(generations), np.empty(generations))

    def first(self, count: int) -> Found:
        """Return those of the first generations."""
        return Found(self.x[:count], self.f[:count], self.violation[:count])


AnyOptions = TypeVar("AnyOptions", bound=Options)


class Solver(ABC, Generic[AnyOptions]):
    """What campaigns can run. A module of this folder holds one, as `SOLVER`."""

    summary: ClassVar[str]
    #: Ids that campaigns may name, each with the options that differ from the defaults.
    variants: ClassVar[Mapping[str, Mapping[str, Any]]]
    options: type[AnyOptions]
    #: Budgets that it can keep.
    budgets: ClassVar[tuple[BudgetKind, ...]]
    #: Distributions whose versions belong into the row.
    packages: ClassVar[tuple[str, ...]] = ()
    #: True where the solver reads the model; false where it only evaluates points.
    white_box: ClassVar[bool] = False
    #: True where its proofs state their slack and are checked by other means: what it proves counts as proven.
    exact: ClassVar[bool] = False
    #: Whose licence a running trial holds, if it holds one: the workflow counts them as `<licence>_licences`.
    licence: ClassVar[str | None] = None
    #: What may be appended to each of its ids (`cplex+centre+box`), in this order: groups of alternatives, of each at
    #: most one, with the options that it sets.
    modifiers: ClassVar[tuple[Mapping[str, Mapping[str, Any]], ...]] = ()
    #: True where code is compiled when it first solves.
    compiled: ClassVar[bool] = False

    @abstractmethod
    def solve(self, instance: Instance, budget: Budget, seed: int, options: AnyOptions, report: Report) -> Ending:
        """Solve, telling the report what is evaluated or found; heavy libraries are imported in here."""

    @abstractmethod
    def default_budget(self, D: int) -> Budget:
        """Return what a trial may spend, where a campaign does not say."""

    @abstractmethod
    def seconds_of_a_unit(self, D: int) -> float:
        """Return the CPU seconds that a unit of its budget, other than a second, is expected to take on one thread."""

    def seconds_to_begin(self, D: int) -> float:
        """Return the CPU seconds that are expected to be spent before the first of these units."""
        return 0.0

    def estimate(self, D: int, budget: Budget) -> float:
        """Return the CPU seconds that a trial is expected to take on one thread."""
        if budget.kind == "seconds":
            return budget.amount
        return self.seconds_to_begin(D) + budget.amount * self.seconds_of_a_unit(D)

    def unavailable(self) -> str | None:
        """Return why it cannot run here, or None."""
        return None

    def prepare(self) -> None:
        """Load or compile what the first call of `solve` would otherwise wait for."""
        if self.compiled:
            instance = Instance(InstanceSpec("mixed", 4, 0.0, 0, 10.0, 30.0))
            budget = Budget(kind="evaluations", amount=1000)
            self.solve(instance, budget, 1, self.options(), Report(instance, budget))

    @property
    def unit(self) -> BudgetKind | None:
        """The deterministic unit that it counts its work in, if it has one."""
        return next((kind for kind in self.budgets if kind in DETERMINISTIC), None)


class Strategy(Solver[AnyOptions]):
    """A solver that only evaluates points."""

    budgets = ("evaluations", "seconds")

    def default_budget(self, D: int) -> Budget:
        """Return the study's: a million evaluations, and twice as many from D = 128 on."""
        return Budget(kind="evaluations", amount=1e6 if D < 128 else 2e6)


class WhiteBox(Solver[AnyOptions]):
    """A solver that reads the model."""

    white_box = True

    def default_budget(self, D: int) -> Budget:
        """Return the study's: an hour, and two from D = 128 on."""
        return Budget(kind="seconds", amount=3600 if D < 128 else 7200)
