"""How solvers run: budgets, penalties, and all that a solver may be told besides its options."""

from __future__ import annotations

from typing import Any, get_args

from pydantic import Field, model_validator

from unbounded.campaign.types import Amounts, Label, Positive, Seeds
from unbounded.solvers.contract import BUDGET_LIMITS, COUNTED, Budget, BudgetKind, Strict


class BudgetSettings(Strict):
    """A trial's budget: one kind of amount, a number or a number for each dimension."""

    evaluations: Amounts = Field(None, description="Evaluations of f and g")
    seconds: Amounts = Field(None, description="Wall-clock seconds; not reproducible")
    ticks: Amounts = Field(None, description="CPLEX's deterministic time, about a thousandth of a second")
    work: Amounts = Field(
        None, description="Deterministic time of Gurobi or of Xpress, each in a unit of its own, of seconds"
    )
    nodes: Amounts = Field(None, description="Nodes of a search tree (`lattice`, SCIP), whatever each of them takes")

    @model_validator(mode="after")
    def _one_kind(self) -> BudgetSettings:
        given = [kind for kind in get_args(BudgetKind) if getattr(self, kind) is not None]
        if len(given) != 1:
            kinds = ", ".join(get_args(BudgetKind))
            raise ValueError(f"{' and '.join(given) or 'no kind'} given; allowed: one of {kinds}")
        limit = BUDGET_LIMITS[given[0]]
        for amount in getattr(self, given[0]).values():
            if amount > limit:
                raise ValueError(f"{given[0]} is {amount:g}; allowed: above 0 and at most {limit:g}")
            if given[0] in COUNTED and amount != int(amount):
                raise ValueError(f"{given[0]} is {amount:g}; allowed: a whole number")
        return self

    def at(self, D: int) -> Budget | None:
        """Return the budget at dimension D, or None if there is none for it."""
        kind: BudgetKind = next(kind for kind in get_args(BudgetKind) if getattr(self, kind) is not None)
        amounts: dict[int, float] = getattr(self, kind)
        amount = amounts.get(D, amounts.get(0))
        return None if amount is None else Budget(kind=kind, amount=amount)


class PenaltySettings(Strict):
    """The penalty of a study's evolution strategies: f + factor · dimension² · max(0, g−E)²."""

    factor: Positive = Field(1e4, description="Factor of the penalty")
    dimension: int | None = Field(None, gt=0, description="In place of D; the published data used 32 at every D")


class SolverSettings(Strict):
    """How a solver runs. A study's settings come before the campaign's, those before the solver's defaults."""

    use: str | None = Field(None, description="The solver behind this id; the id itself if not given")
    label: Label | None = Field(None, description="Name in figures; changing it reruns nothing")
    options: dict[str, Any] = Field(
        default_factory=dict, description="Options of the solver: `unbounded solvers` lists them"
    )
    budget: BudgetSettings | None = Field(None, description="What a trial may spend")
    seeds: Seeds | None = Field(None, description="As a study's, for this solver")
    threads: int | None = Field(None, ge=1, le=1024, description="Threads of a trial; 1 if not given")
    mem_mb: int | None = Field(
        None, ge=100, description="Memory of a trial, which ends `out-of-memory` if it takes more; 2000 if not given"
    )
    runtime: int | None = Field(None, ge=1, description="Minutes that a cluster grants a trial; estimated if not given")
    watchdog: float | None = Field(
        None,
        gt=0,
        description="Minutes after which a trial that has not ended is stopped as `overrun`, at most 0.9 `runtime` "
        "where that is given; if not given 5 more than 1.2 times a budget of seconds, or than 4 times the estimate for "
        "another budget, the largest in the campaign",
    )

    @property
    def asked(self) -> dict[str, float | None]:
        """What the solver's jobs ask of the machine."""
        return {
            "threads": self.threads or 1,
            "mem_mb": self.mem_mb,
            "runtime": self.runtime,
            "watchdog": self.watchdog,
        }
