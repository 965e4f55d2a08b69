"""What trials are expected to cost, by those that are done; for planning and progress."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import get_args

import pyarrow as pa
import pyarrow.parquet as pq

from unbounded.campaign.layout import Trial, trial_path
from unbounded.campaign.plan import Cell, Plan
from unbounded.running.supervision import Fault

#: Rows without a whole run, which say nothing about what a run costs.
NOT_RUN = ("skipped", "error", *get_args(Fault))


class CostModel:
    """What a trial is expected to take, from trials of the same solver and dimension where there are any.

    It is the median of their CPU seconds, scaled to the budget where that was another; elsewhere the plan's estimate.
    A sample is enough for a median, so only some files are read, each once.
    """

    #: Files read for each solver and dimension.
    SAMPLE = 40

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan = plan
        self._folder = folder
        self._read: dict[Trial, None] = {}
        #: (solver, D, kind of budget) → CPU seconds for each unit of the budget.
        self._per_unit: dict[tuple[str, int, str], list[float]] = {}

    def learn(self, trials: Iterable[Trial]) -> None:
        """Read the times of these trials, spread evenly, as far as the samples are not full yet."""
        groups: dict[tuple[str, int], list[Trial]] = {}
        for trial in trials:
            cell = self._plan.cells.get(trial[:2])
            if cell is not None:
                groups.setdefault((cell.solver, cell.spec.D), []).append(trial)
        for (solver, D), known in groups.items():
            wanted = self.SAMPLE - sum(map(len, (self._samples(solver, D)).values()))
            unread = [trial for trial in known if trial not in self._read]
            step = max(1, -(-len(unread) // max(1, wanted)))
            for trial in unread[::step] if wanted > 0 else ():
                self._read[trial] = None
                self._note(solver, D, trial)

    def _samples(self, solver: str, D: int) -> Mapping[str, list[float]]:
        return {key[2]: values for key, values in self._per_unit.items() if key[:2] == (solver, D)}

    def _note(self, solver: str, D: int, trial: Trial) -> None:
        columns = ["status", "cpu_seconds", "budget_kind", "budget_amount"]
        try:
            path = self._folder / trial_path(trial)
            (row,) = pq.ParquetFile(path).read(columns=columns, use_threads=False).to_pylist()
        except (OSError, ValueError, KeyError, pa.ArrowException):
            return  # broken or gone; whoever collects the rows says so
        if row["status"] not in NOT_RUN and row["cpu_seconds"] is not None:
            per_unit = row["cpu_seconds"] / row["budget_amount"]
            self._per_unit.setdefault((solver, D, row["budget_kind"]), []).append(per_unit)

    def recorded(self, cell: Cell) -> bool:
        """Whether the times of trials are known; else what is expected is the plan's estimate."""
        return (cell.solver, cell.spec.D, cell.budget.kind) in self._per_unit

    def seconds(self, cell: Cell) -> float:
        """Return the CPU seconds that a trial of this cell is expected to take."""
        if not self.recorded(cell):
            return cell.cpu_seconds
        return median(self._per_unit[cell.solver, cell.spec.D, cell.budget.kind]) * cell.budget.amount
