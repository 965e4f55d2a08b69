"""Snakemake and trials killed at random moments: a normal run then gives what an undisturbed one gives."""

import hashlib
import random
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pyarrow.parquet as pq

from conftest import Run, wait_for, workers
from unbounded.trials.broken import find_broken
from unbounded.trials.row import MEASURED

KILLS = 20
TABLES = ("trials", "cells", "completeness")
#: Trials of `steady` wait at a gate: the campaign ends when the test says so, on fast machines and slow ones.
CAMPAIGN = {
    "cplex": {"budget": {"ticks": 100}, "seeds": [1, 2]},
    "steady": {"budget": {"evaluations": 2000}, "options": {"seconds": 0, "gate": "gate"}},
}
SEEDS = 10
TRIALS = SEEDS + 2


def state(run: Run) -> dict[Path, tuple[str, int]]:
    """Return the content and the time of every trial that Snakemake saw end."""
    files = set((run.results / "trials").rglob("*.parquet"))
    files -= run.unfinished()
    return {path: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files}


def tables(run: Run) -> dict[str, list[dict[str, Any]]]:
    """Return the tables without what differs from run to run."""
    made = {}
    for name in TABLES:
        table = pq.read_table(run.results / "tables" / f"{name}.parquet")
        made[name] = table.drop_columns([column for column in MEASURED if column in table.column_names]).to_pylist()
    for row in made["trials"]:
        row["trace"] = [{**point, "cpu_seconds": None} for point in row["trace"]]
    return made


def targets_of(victim: str, process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Return the processes of this kind that run; Snakemake counts only while trials do."""
    supervisors, solvers = workers(process)
    if victim == "snakemake":
        return [psutil.Process(process.pid)] if supervisors else []
    return supervisors if victim == "supervisor" else solvers


def test_twenty_kills_change_nothing(run, tmp_path_factory) -> None:
    targets = ["trials", *(f"results/faults/tables/{name}.parquet" for name in TABLES)]
    rng = random.Random(20)
    run.write(CAMPAIGN, SEEDS)
    gate = run.folder / "gate"
    gate.mkdir()
    victims: list[str] = []
    kept: dict[Path, tuple[str, int]] = {}
    process = run.start(*targets)
    while len(victims) < KILLS:
        (victim,) = rng.choices(["snakemake", "supervisor", "solver"], weights=[1, 2, 2])
        if len(victims) == KILLS - 1:
            victim = "snakemake"
        wait_for(lambda: targets_of(victim, process) or process.poll() is not None)  # noqa: B023
        if process.poll() is not None:
            # Trials that were killed twice have failed, and what could go on did.
            assert "Error in rule run_" in run.output(process, 1)
            process = run.start(*targets)
            continue
        if len(victims) in (5, 10, 15):
            (gate / "token").touch()
            wait_for(lambda: len(state(run)) > len(kept) or process.poll() is not None)  # noqa: B023
        elif rng.random() < 0.3:
            (gate / "token").touch()
        time.sleep(rng.uniform(0, 0.7))
        found = targets_of(victim, process)
        if not found:
            continue
        below = psutil.Process(process.pid).children(recursive=True)
        with suppress(psutil.NoSuchProcess):
            rng.choice(found).kill()
        if victim == "snakemake":
            process.wait()
            # No trial goes on without it.
            _, alive = psutil.wait_procs(below, timeout=60)
            assert not [found for found in alive if found.status() != psutil.STATUS_ZOMBIE]
        victims.append(victim)
        # What was finished at some moment stays as it was from then on.
        now = state(run)
        assert {path: now.get(path) for path in kept} == kept
        assert list(find_broken(now)) == []
        kept = now
        if victim == "snakemake" and len(victims) < KILLS:
            process = run.start(*targets)
    assert set(victims) == {"snakemake", "supervisor", "solver"}
    assert 3 <= len(kept) < TRIALS

    # A normal run: no --unlock, nothing removed by hand.
    (gate / "open").touch()
    output = run.run(*targets)
    assert "did not end by itself" in output
    now = state(run)
    assert {path: now.get(path) for path in kept} == kept
    assert [path for path in (run.results / "trials").rglob("*") if path.name.startswith(".")] == []

    undisturbed = Run(run.project, tmp_path_factory.mktemp("undisturbed"))
    undisturbed.write(CAMPAIGN, SEEDS)
    (undisturbed.folder / "gate").mkdir()
    (undisturbed.folder / "gate" / "open").touch()
    undisturbed.run(*targets)
    assert len(undisturbed.rows()) == TRIALS
    assert tables(run) == tables(undisturbed)
