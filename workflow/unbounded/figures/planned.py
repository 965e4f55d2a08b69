"""What figures ask of a plan: its slices, who is compared in them, whether optima are proven, what runs may spend."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from unbounded.campaign.plan import Plan
from unbounded.campaign.studies import LandscapeStudy, ReadStudy, RunStudy
from unbounded.figures import captions
from unbounded.figures.contract import Description
from unbounded.instances.spec import SPHERE, Case, InstanceSpec
from unbounded.solvers import registry
from unbounded.solvers.contract import Solver
from unbounded.tables.evidence import STAND_INS
from unbounded.tables.measures import CLOSE

#: The ids of the paper's two strategies.
PAPERS = ("mies", "cma-IH", *STAND_INS["cma-IH"])


@dataclass(frozen=True)
class Planned:
    """A plan as figures see it."""

    plan: Plan

    @property
    def runs(self) -> bool:
        """Whether anything is run at all."""
        return bool(self.plan.cells)

    @property
    def landscapes(self) -> dict[str, LandscapeStudy]:
        """The studies of landscapes by name."""
        studies = self.plan.campaign.studies.items()
        return {name: study for name, study in studies if isinstance(study, LandscapeStudy)}

    @cached_property
    def _run(self) -> dict[str, PlannedStudy]:
        return {name: PlannedStudy(self.plan, name, study) for name, study in self.plan.campaign.run_studies.items()}

    def studies(self, *types: str) -> list[PlannedStudy]:
        """Return the studies of these types that run solvers."""
        return [study for study in self._run.values() if study.settings.type in types]

    def slices(self, *types: str) -> list[Slice]:
        """Return the slices of these studies in which strategies are compared on a test case but the sphere."""
        return [part for study in self.studies(*types) for part in study.compared]

    def discrepancies(self) -> Iterator[tuple[str, Slice]]:
        """Yield the slices whose integers a study compares, with the path that its pictures of them begin with."""
        for name, study in self.plan.campaign.studies.items():
            if isinstance(study, ReadStudy) and study.type == "discrepancy":
                for other in study.of:
                    yield from ((f"{name}/{other}-{part.name}", part) for part in self._run[other].compared)


@dataclass(frozen=True)
class PlannedStudy:
    """A study that runs solvers, as figures see it."""

    plan: Plan
    name: str
    settings: RunStudy

    @cached_property
    def specs(self) -> list[InstanceSpec]:
        """Its instances."""
        return list(self.settings.specs())

    @cached_property
    def slices(self) -> list[Slice]:
        """Its slices."""
        parts: dict[str, list[InstanceSpec]] = {}
        for spec in self.specs:
            parts.setdefault(spec.slice, []).append(spec)
        return [Slice(self, name, specs) for name, specs in parts.items()]

    @property
    def compared(self) -> list[Slice]:
        """Its slices with a test case but the sphere, if it compares strategies."""
        return [part for part in self.slices if part.cases] if self.strategies else []

    @cached_property
    def strategies(self) -> list[str]:
        """The solvers that are compared with its reference; exact ones are what to compare with."""
        return [id for id in self.settings.solvers if id != self.settings.reference and id not in self.exact]

    @cached_property
    def papers(self) -> list[str]:
        """The paper's strategies, if others are compared too: they have pictures of their own beside those of all."""
        found = [id for id in self.strategies if id in PAPERS]
        return found if len(found) < len(self.strategies) else []

    @cached_property
    def exact(self) -> list[str]:
        """The solvers whose proofs count; the reference is drawn like any other, whatever it is."""
        return [id for id in self.settings.solvers if id != self.settings.reference and self.solver(id).exact]

    def solver(self, id: str) -> Solver[Any]:
        """Return the solver behind an id of the campaign."""
        return registry.find(self.plan.campaign.settings(self.settings, id).use or id).solver

    def counts_near(self, instance: str) -> bool:
        """Say whether an exact solver, in any study, is asked for all vectors within 0.1 % of an instance's optimum."""
        cells = [cell for (id, _), cell in self.plan.cells.items() if id == instance]
        return any(
            registry.find(cell.variant).solver.exact and cell.options.get("within", 0) >= CLOSE for cell in cells
        )

    def of_dimensions(self) -> Iterator[tuple[str, Description]]:
        """Yield path and description of a picture for each kind and dimension, whatever the translation."""
        firsts: dict[tuple[str, int], InstanceSpec] = {}
        for spec in self.specs:
            firsts.setdefault((spec.kind, spec.D), spec)
        for (kind, D), first in firsts.items():
            yield f"{self.name}/{kind}-D{D}", {"study": self.name, "kind": kind, "D": D, **self.spent(first)}

    def spent(self, spec: InstanceSpec) -> Description:
        """Return what a run of every solver on an instance may spend, and how many runs there are, for captions."""
        budgets: dict[str, list[str | float]] = {}
        runs: dict[str, int] = {}
        for solver in self.settings.solvers:
            budget = self.plan.cells[spec.id, solver].budget
            budgets[solver] = [budget.kind, budget.amount]
            runs[solver] = len(self.plan.campaign.settings(self.settings, solver).seeds or self.settings.seeds)
        return {"budgets": budgets, "runs": runs}


@dataclass(frozen=True)
class Slice:
    """The instances of a study with one kind, D and t."""

    study: PlannedStudy
    name: str
    specs: list[InstanceSpec]

    @property
    def path(self) -> str:
        """What the paths of its pictures begin with."""
        return f"{self.study.name}/{self.name}"

    @cached_property
    def cases(self) -> list[Case]:
        """Its test cases, sphere aside; the nine come first."""
        return captions.in_order(spec.case for spec in self.specs if spec.case != SPHERE)

    @cached_property
    def proven(self) -> bool:
        """Whether an exact solver runs, in any study, on instances of it or on their whole translations."""
        first, hessian = self.specs[0], self.study.settings.hessian
        return any(
            (cell.spec.kind, cell.spec.D, cell.spec.hessian) == (first.kind, first.D, hessian)
            and (cell.spec.t == first.t or (cell.spec.t.is_integer() and first.t.is_integer()))
            and registry.find(cell.variant).solver.exact
            for cell in self.study.plan.cells.values()
        )

    @cached_property
    def has_twin(self) -> bool:
        """Whether it is translated, and the campaign has the same slice untranslated."""
        first = self.specs[0]
        return first.t != 0 and any(
            (cell.spec.kind, cell.spec.D, cell.spec.t) == (first.kind, first.D, 0)
            for cell in self.study.plan.cells.values()
        )

    def of_everyone(self, **options: object) -> Description:
        """Describe a picture of all its solvers."""
        return {"study": self.study.name, "slice": self.name, "options": options, **self.study.spent(self.specs[0])}

    def of_traces(self) -> Description:
        """Describe a picture of all its solvers by what they had spent: to how many entries traces were thinned."""
        points = self.study.plan.campaign.trace_points
        return {**self.of_everyone(), **({"trace_points": points} if points else {})}

    def of_strategies(self, **options: object) -> Description:
        """Describe a picture without the exact solvers: divided by the optimum, all that they prove is 1."""
        exact = self.study.exact
        return {**self.of_everyone(**options), **({"without": exact} if exact else {})}
