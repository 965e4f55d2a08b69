"""The record of the run that is under way: when it began, on how many cores, and which trials it is to make.

A trial file from before the run may be one that the run is to make anew; whoever follows the run must know which.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unbounded.campaign.layout import Trial
from unbounded.running.environment import identity, lives
from unbounded.running.writing import write_text


@dataclass(frozen=True)
class RunRecord:
    """One run of the workflow; times are seconds since 1970."""

    started: float
    ended: float | None
    cores: int
    pid: int
    host: str
    #: Of the process (`unbounded.running.environment.identity`).
    identity: str | None
    trials: frozenset[Trial]

    @property
    def active(self) -> bool:
        """Whether it goes on, as far as can be told: one that was killed says no end, but its process is gone."""
        if self.ended is not None:
            return False
        return self.host != platform.node() or lives(self.pid, self.identity)


def begin(file: Path, trials: Iterable[Trial], cores: int) -> None:
    """Record that a run starts, of this process."""
    record = {
        "started": time.time(),
        "ended": None,
        "cores": cores,
        "pid": os.getpid(),
        "host": platform.node(),
        "identity": identity(os.getpid()),
        "trials": sorted(trials),
    }
    _write(file, record)


def end(file: Path) -> None:
    """Record that this process's run has ended."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    if (record["pid"], record["host"]) == (os.getpid(), platform.node()):
        _write(file, {**record, "ended": time.time()})


def read(file: Path) -> RunRecord | None:
    """Return the latest run, or None if none was recorded."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        trials = frozenset((instance, solver, seed) for instance, solver, seed in record.pop("trials"))
        return RunRecord(trials=trials, **record)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(file: Path, record: dict[str, Any]) -> None:
    write_text(file, json.dumps(record))
