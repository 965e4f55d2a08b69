"""A campaign: named studies, and what each of their solvers runs with."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from unbounded.campaign.settings import SolverSettings
from unbounded.campaign.studies import RunStudy, Study
from unbounded.campaign.types import Line, Name
from unbounded.solvers import registry
from unbounded.solvers.contract import PenaltyOptions, Strict


class Campaign(Strict):
    """A campaign: studies, and how solvers run in them."""

    name: Name = Field(description="Results go to results/<name>")
    title: Line = Field("", description="A line for people")
    allow_missing: bool = Field(
        False, description="Make tables and figures from the trials that are there when snakemake starts"
    )
    trace_points: int | None = Field(
        None,
        ge=2,
        description="Entries of a trial's trace that tables, the page and an archive have at most; the trial's file "
        "keeps all. All if not given",
    )
    solvers: dict[Name, SolverSettings] = Field(
        default_factory=dict, description="Settings of solver ids in all studies; ids of your own need `use`"
    )
    studies: dict[Name, Study] = Field(min_length=1, description="The studies, by names of your choice")

    def settings(self, study: RunStudy, id: str) -> SolverSettings:
        """Return the settings of a solver in a study, the campaign's filled in; options are merged key by key."""
        common, own = self.solvers.get(id, SolverSettings()), study.solvers[id]
        merged = {**common.model_dump(exclude_unset=True), **own.model_dump(exclude_unset=True)}
        return SolverSettings.model_validate({**merged, "options": {**common.options, **own.options}})

    def record(self) -> str:
        """Return the effective campaign as JSON, without what only people read: that makes nothing stale."""
        return self._json("label")

    def values(self) -> str:
        """Return of it what products depend on: not how long a trial may take, and with how much memory."""
        return self._json("label", "mem_mb", "runtime", "watchdog")

    def _json(self, *without: str) -> str:
        """Return the effective campaign as JSON, without these settings of its solvers."""
        settings = {"__all__": set(without)}
        left_out: Any = {"title": True, "solvers": settings, "studies": {"__all__": {"solvers": settings}}}
        return self.model_dump_json(indent=2, exclude=left_out)

    @property
    def labels(self) -> dict[str, str]:
        """The names of solver ids in figures, where they have one."""
        named = dict(self.solvers.items())
        for study in self.run_studies.values():
            named.update((id, settings) for id, settings in study.solvers.items() if settings.label)
        return {id: settings.label for id, settings in named.items() if settings.label}

    @property
    def run_studies(self) -> dict[str, RunStudy]:
        """The studies that run solvers."""
        return {name: study for name, study in self.studies.items() if isinstance(study, RunStudy)}


def resolve(campaign: Campaign, study: RunStudy, id: str, D: int) -> dict[str, Any]:
    """Return all that determines a solver's trials in a study at dimension D, defaults filled in."""
    settings = campaign.settings(study, id)
    entry = registry.find(settings.use or id)
    overrides = dict(settings.options)
    if issubclass(entry.solver.options, PenaltyOptions):
        penalty = study.penalty
        overrides = {"penalty_factor": penalty.factor, "penalty_dimension": penalty.dimension, **overrides}
    budget = settings.budget.at(D) if settings.budget else entry.solver.default_budget(D)
    if budget is None:
        raise ValueError(f"no budget for D = {D}")
    return {
        "variant": entry.id,
        "options": entry.options(overrides).model_dump(),
        "budget": budget,
        "threads": settings.threads or 1,
    }


def effective(campaign: Campaign) -> dict[str, Any]:
    """Return what the solvers of every study run with, by id and dimension: `resolve`, as plain data, and the seeds."""

    def settings(study: RunStudy, id: str, D: int) -> dict[str, Any]:
        found = resolve(campaign, study, id, D)
        seeds = campaign.settings(study, id).seeds or study.seeds
        return {**found, "budget": found["budget"].model_dump(), "seeds": seeds}

    return {
        name: {id: {str(D): settings(study, id, D) for D in study.sizes} for id in study.solvers}
        for name, study in campaign.run_studies.items()
    }
