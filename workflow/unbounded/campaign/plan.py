"""The plan of a campaign: which trials there are, with all that each of them needs.

Trials are identified by (instance, solver id, seed); studies that name the same ones share them.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from unbounded.campaign.campaign import Campaign, resolve
from unbounded.campaign.studies import LandscapeStudy, ReadStudy, RunStudy
from unbounded.instances import InstanceSpec, build
from unbounded.running.supervision import default_watchdog
from unbounded.solvers import registry
from unbounded.solvers.compiled.compiling import counted
from unbounded.solvers.contract import Budget
from unbounded.trials.run import trial_code

DEFAULT_MEM_MB = 2000
#: Minutes up to which trials are short: a cluster gets many of them in one submission.
SHORT_RUNTIME = 60


@cache
def instance_digest(spec: InstanceSpec) -> str:
    """Return the digest of an instance's arrays; computed once for the trials of all solvers and seeds."""
    return build(spec).digest


@dataclass(frozen=True)
class Needs:
    """What a job asks of the machine."""

    threads: int
    mem_mb: int
    #: Minutes.
    runtime: int
    #: Seconds after which a trial that has not ended is stopped.
    watchdog: int
    #: Whose licences it holds, one of each.
    licences: frozenset[str] = frozenset()

    @property
    def group(self) -> str | None:
        """The name under which a cluster may run many such jobs in one submission, or None.

        Within a submission nobody counts licences, so a job that holds one is submitted alone.
        """
        return "trials" if self.runtime <= SHORT_RUNTIME and not self.licences else None


@dataclass(frozen=True)
class Cell:
    """The trials of one solver on one instance: they differ in the seed alone."""

    spec: InstanceSpec
    solver: str
    variant: str
    options: dict[str, Any]
    budget: Budget
    threads: int
    needs: Needs
    cpu_seconds: float

    @cached_property
    def params(self) -> dict[str, Any]:
        """What makes a trial stale when it changes, and nothing else."""
        return {
            "solver": self.solver,
            "variant": self.variant,
            "options": self.options,
            "budget": {"kind": self.budget.kind, "amount": self.budget.amount},
            "threads": self.threads,
            "instance_digest": instance_digest(self.spec),
            "code": trial_code(registry.find(self.variant), *self.spec.modules),
        }

    def columns(self, seed: int) -> dict[str, Any]:
        """Return what the row of a trial will say of itself, whatever comes out: `trials.row.PLANNED`, and the code."""
        return {**self._columns, "seed": seed}

    @cached_property
    def _columns(self) -> dict[str, Any]:
        params = self.params
        return {
            "instance": self.spec.id,
            "solver": self.solver,
            "variant": self.variant,
            "instance_digest": params["instance_digest"],
            "options": json.dumps(self.options, sort_keys=True),
            "budget_kind": self.budget.kind,
            "budget_amount": self.budget.amount,
            "threads": self.threads,
            "code_digest": params["code"],
        }


@dataclass(frozen=True)
class StudyCount:
    """A study in numbers."""

    study: str
    instances: int
    trials: int
    new: int
    cpu_hours: float


class Plan:
    """All trials of a campaign."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.cells: dict[tuple[str, str], Cell] = {}
        self.seeds: dict[tuple[str, str], dict[int, None]] = {}
        self._studies: dict[str, dict[tuple[str, str], list[int]]] = {}
        for name, study in campaign.run_studies.items():
            self._studies[name] = dict(self._add(study))

    def _add(self, study: RunStudy) -> Iterator[tuple[tuple[str, str], list[int]]]:
        specs = [(spec, spec.id) for spec in study.specs()]
        for solver in study.solvers:
            settings = self.campaign.settings(study, solver)
            seeds = settings.seeds or study.seeds
            at_dimension = {D: self._cell(study, solver, D) for D in study.sizes}
            for spec, id in specs:
                key = (id, solver)
                if key not in self.cells:
                    self.cells[key] = Cell(spec=spec, **at_dimension[spec.D])
                self.seeds.setdefault(key, {}).update(dict.fromkeys(seeds))
                yield key, seeds

    def _cell(self, study: RunStudy, solver: str, D: int) -> dict[str, Any]:
        settings = self.campaign.settings(study, solver)
        trial = resolve(self.campaign, study, solver, D)
        description = registry.find(trial["variant"]).solver
        seconds = description.estimate(D, trial["budget"])
        watchdog = 60 * settings.watchdog if settings.watchdog else default_watchdog(seconds, trial["budget"].kind)
        # A cluster must not end a trial before the watchdog does: that would leave no row.
        runtime = settings.runtime or math.ceil(watchdog / 60) + 5
        return {
            **trial,
            "solver": solver,
            "needs": Needs(
                threads=trial["threads"],
                mem_mb=settings.mem_mb or DEFAULT_MEM_MB,
                runtime=runtime,
                watchdog=math.ceil(min(watchdog, 0.9 * 60 * runtime) if settings.runtime else watchdog),
                licences=frozenset(filter(None, [description.licence])),
            ),
            "cpu_seconds": seconds * (trial["threads"] if description.white_box else 1),
        }

    def trials(self, study: str | None = None) -> Iterator[tuple[str, str, int]]:
        """Yield (instance, solver, seed) of a study, or of the campaign, each once."""
        if study is None:
            for (instance, solver), seeds in self.seeds.items():
                yield from ((instance, solver, seed) for seed in seeds)
            return
        seen: dict[tuple[str, str, int], None] = {}
        for name in self._sources(study):
            for (instance, solver), numbers in self._studies[name].items():
                seen.update(dict.fromkeys((instance, solver, seed) for seed in numbers))
        yield from seen

    def columns(self, trial: tuple[str, str, int]) -> dict[str, Any] | None:
        """Return what the row of a trial will say of itself; None if it is not planned."""
        instance, solver, seed = trial
        cell = self.cells.get((instance, solver))
        return None if cell is None or seed not in self.seeds[instance, solver] else cell.columns(seed)

    def _sources(self, study: str) -> list[str]:
        found = self.campaign.studies[study]
        if isinstance(found, ReadStudy):
            return found.of
        return [] if isinstance(found, LandscapeStudy) else [study]

    def needs(self) -> dict[str, Needs]:
        """Return what every solver's jobs ask for: the most that any of its cells does."""
        found: dict[str, Needs] = {}
        for (_, solver), cell in self.cells.items():
            known = found.get(solver, cell.needs)
            found[solver] = Needs(
                max(known.threads, cell.needs.threads),
                max(known.mem_mb, cell.needs.mem_mb),
                max(known.runtime, cell.needs.runtime),
                max(known.watchdog, cell.needs.watchdog),
                known.licences | cell.needs.licences,
            )
        return found

    @cached_property
    def digest(self) -> str:
        """Sixteen hex digits for which trials are planned, by study."""
        lines = (f"{name} {trial}" for name in self.campaign.run_studies for trial in self.trials(name))
        references = (f"{name} {study.type} {study.reference}" for name, study in self.campaign.run_studies.items())
        return hashlib.sha256("\n".join([*references, *lines]).encode()).hexdigest()[:16]

    @cached_property
    def unavailable(self) -> dict[str, str]:
        """Why solvers cannot run here, by their ids in the campaign; their trials are skipped with that reason."""
        variants = {solver: registry.find(cell.variant) for (_, solver), cell in self.cells.items()}
        reasons = {entry.module: entry.solver.unavailable() for entry in variants.values()}
        return {id: reason for id, entry in variants.items() if (reason := reasons[entry.module]) is not None}

    def prepare(self) -> None:
        """Have the campaign's solvers compile what they compile, once, before many trials would do so at once."""
        found = (registry.find(cell.variant) for (_, id), cell in self.cells.items() if id not in self.unavailable)
        solvers = {entry.module: entry.solver for entry in found if entry.solver.compiled}
        for number, solver in enumerate(solvers.values(), start=1):
            with counted(number, len(solvers)):
                solver.prepare()

    @cached_property
    def slices(self) -> dict[str, list[tuple[str, str, int]]]:
        """The trials by slice of the suite (kind, dimension, translation), in the order of the tables."""
        slices: dict[str, list[tuple[str, str, int]]] = {}
        for instance, solver, seed in self.trials():
            slices.setdefault(self.cells[instance, solver].spec.slice, []).append((instance, solver, seed))
        return slices

    def counts(self) -> list[StudyCount]:
        """Return every study in numbers; `new` leaves out trials that an earlier study has already."""
        seen: set[tuple[str, str, int]] = set()
        rows = []
        for name in self.campaign.studies:
            trials = list(self.trials(name))
            new = [trial for trial in trials if trial not in seen]
            seen.update(new)
            hours = sum(self.cells[instance, solver].cpu_seconds for instance, solver, _ in new) / 3600
            rows.append(StudyCount(name, len({trial[0] for trial in trials}), len(trials), len(new), hours))
        return rows

    def table(self) -> str:
        """Return the counts as text, with their sum, and which solvers are not there."""
        lines = [f"{'study':<20}{'instances':>10}{'trials':>10}{'of them new':>14}{'CPU hours, about':>18}"]
        counts = self.counts()
        lines += [
            f"{row.study:<20}{row.instances:>10}{row.trials:>10}{row.new:>14}{row.cpu_hours:>18.1f}" for row in counts
        ]
        instances = len({instance for instance, _ in self.cells})
        new, hours = sum(row.new for row in counts), sum(row.cpu_hours for row in counts)
        lines.append(f"{'all':<20}{instances:>10}{new:>10}{new:>14}{hours:>18.1f}")
        if self.unavailable:
            lines += ["", "Not available here; these trials are skipped, until they are:"]
            lines += [f"    {id}: {reason}" for id, reason in self.unavailable.items()]
        return "\n".join(lines)
