"""The best point of a running trial, kept in memory that its supervisor reads too.

A solver that is stopped or crashes hands in nothing. What it had told its report is then still known: the best point,
the number of evaluations, and when the clocks started.
"""

from __future__ import annotations

import mmap
import time
from dataclasses import dataclass, field

import numpy as np

from unbounded.instances.hessians import FloatArray
from unbounded.solvers.contract import Report

#: Cells before the two points: evaluations, improvements, clocks at the start.
_EVALUATIONS, _IMPROVEMENTS, _WALL_START, _CPU_START, _HEAD = range(5)


class Shared:
    """Memory that a forked process has in common with its parent."""

    def __init__(self, D: int) -> None:
        self._cells: FloatArray = np.frombuffer(mmap.mmap(-1, 8 * (_HEAD + 2 * D)), dtype=np.float64)
        # Points are written in turns: one that is half written when the writer dies hides no whole one.
        self._points = self._cells[_HEAD:].reshape(2, D)
        self._cells[_WALL_START] = time.monotonic()

    def start(self) -> None:
        """Take the times at which the solver starts, in the process that runs it."""
        self._cells[_WALL_START], self._cells[_CPU_START] = time.monotonic(), time.process_time()

    @property
    def started(self) -> bool:
        """Whether the solver has started: before that, its libraries are loaded and compiled."""
        return bool(self._cells[_CPU_START])

    def count(self, evaluations: int) -> None:
        """Take note of the number of evaluations."""
        self._cells[_EVALUATIONS] = evaluations

    def improve(self, x: FloatArray) -> None:
        """Take note of a better point."""
        number = int(self._cells[_IMPROVEMENTS]) + 1
        self._points[number % 2] = x
        self._cells[_IMPROVEMENTS] = number

    @property
    def best(self) -> FloatArray | None:
        """The best point that was noted."""
        number = int(self._cells[_IMPROVEMENTS])
        return self._points[number % 2].copy() if number else None

    @property
    def evaluations(self) -> int:
        """Evaluations that were noted."""
        return int(self._cells[_EVALUATIONS])

    @property
    def wall_seconds(self) -> float:
        """Wall-clock time since the start; all processes see the same clock."""
        return float(time.monotonic() - self._cells[_WALL_START])

    def cpu_seconds(self, spent: float) -> float:
        """CPU time since the start, for a process that spent so much in all."""
        return float(max(0.0, spent - self._cells[_CPU_START]))


@dataclass
class SharedReport(Report):
    """A report whose count and best point outlive its process."""

    shared: Shared = field(kw_only=True)
    _known: FloatArray | None = None

    def population(self, X: FloatArray, f: FloatArray, g: FloatArray) -> None:
        """Take note of a batch, and share the count."""
        super().population(X, f, g)
        self._share()

    def generations(self, size: int, started: float, X: FloatArray, f: FloatArray, violation: FloatArray) -> None:
        """Take note of generations, and share the count."""
        super().generations(size, started, X, f, violation)
        self._share()

    def incumbent(self, x: FloatArray, bound: float | None = None) -> None:
        """Take note of an incumbent, and share it."""
        super().incumbent(x, bound)
        self._share()

    def _share(self) -> None:
        self.shared.count(self.evaluations)
        # The report makes a new array of every better point.
        if self.best is not None and self.best is not self._known:
            self.shared.improve(self.best)
            self._known = self.best
