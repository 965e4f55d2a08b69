"""Snakemake and its jobs killed at random moments: a normal run then gives what an undisturbed one gives."""

import hashlib
import random
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pyarrow.parquet as pq

from harness.campaigns import faults
from harness.rows import timeless
from harness.running import PATIENCE, Workflow, all_end, wait_for, workers
from unbounded.trials.broken import find_broken

KILLS = 20
TABLES = ("trials", "cells", "completeness")
#: Trials of `steady` wait at a gate: the campaign ends when the test says so, on fast machines and slow ones.
SOLVERS = {
    "cplex": {"budget": {"ticks": 100}, "seeds": [1, 2]},
    "steady": {"budget": {"evaluations": 2000}, "options": {"seconds": 0, "gate": "gate"}},
}
SEEDS = 14
CAMPAIGN = faults(SOLVERS, SEEDS)
TRIALS = SEEDS + 2
#: Trials that are let through the gate while others are killed: some are always left.
TOKENS = SEEDS - 2


def state(run: Workflow) -> dict[Path, tuple[str, int]]:
    """Return the content and the time of every trial that Snakemake saw end."""
    files = set((run.results / "trials").rglob("*.parquet"))
    files -= run.unfinished()
    return {path: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files}


def tables(run: Workflow) -> dict[str, list[dict[str, Any]]]:
    """Return the tables without what differs from run to run."""
    return {name: timeless(pq.read_table(run.results / "tables" / f"{name}.parquet").to_pylist()) for name in TABLES}


def targets_of(victim: str, process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Return the processes of this kind that run; `snakemake` counts only while trials do, `start` whatever it does."""
    supervisors, solvers = workers(process)
    if victim in ("snakemake", "start"):
        return [psutil.Process(process.pid)] if supervisors or (victim == "start" and process.poll() is None) else []
    return supervisors if victim == "supervisor" else solvers


def makers(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Return the processes below this one that make tables."""
    found = []
    for child in psutil.Process(process.pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if any("/scripts/" in argument for argument in child.cmdline()):
                found.append(child)
    return found


def kill_snakemake(process: subprocess.Popen[bytes]) -> None:
    """Kill it, and see that no job goes on without it."""
    below = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    assert all_end(*below)


def test_twenty_kills_change_nothing(run, tmp_path_factory) -> None:
    targets = ["trials", *(f"results/faults/tables/{name}.parquet" for name in TABLES)]
    rng = random.Random(20)
    run.write(CAMPAIGN)
    gate = run.folder / "gate"
    gate.mkdir()
    victims: list[str] = []
    tokens = 0
    kept: dict[Path, tuple[str, int]] = {}
    process = run.start(*targets)
    while len(victims) < KILLS:
        (victim,) = rng.choices(["snakemake", "start", "supervisor", "solver"], weights=[2, 1, 3, 3])
        if len(victims) == KILLS - 1:
            victim = "snakemake"
        elif len(victims) == 1:
            victim = "start"
        wait_for(lambda: targets_of(victim, process) or process.poll() is not None)  # noqa: B023
        if process.poll() is not None:
            # Trials that were killed twice have failed, and what could go on did.
            assert "Error in rule run_" in run.output(process, 1)
            process = run.start(*targets)
            continue
        waits = len(victims) in (5, 10, 15) and victim != "start"
        if tokens < TOKENS and (waits or rng.random() < 0.3):

            def goes_on() -> bool:
                return len(state(run)) > len(kept) or process.poll() is not None  # noqa: B023

            while True:
                (gate / "token").touch()
                tokens += 1
                try:
                    if waits:
                        wait_for(goes_on, PATIENCE / 3)
                    break
                except TimeoutError:
                    # A trial that was to be killed may have taken the token with it: there is one more.
                    assert tokens < TOKENS
        # Snakemake takes seconds to be loaded and to plan.
        time.sleep(rng.uniform(0, 5 if victim == "start" else 0.7))
        found = targets_of(victim, process)
        if not found:
            continue
        if victim in ("snakemake", "start"):
            kill_snakemake(process)
        else:
            with suppress(psutil.NoSuchProcess):
                rng.choice(found).kill()
        victims.append(victim)
        # What was finished at some moment stays as it was from then on.
        now = state(run)
        assert {path: now.get(path) for path in kept} == kept
        assert list(find_broken(now)) == []
        kept = now
        if victim in ("snakemake", "start") and len(victims) < KILLS:
            process = run.start(*targets)
    assert set(victims) == {"snakemake", "start", "supervisor", "solver"}
    assert 3 <= len(kept) < TRIALS

    # All trials pass now; and Snakemake is killed while it makes tables.
    (gate / "open").touch()
    assert "did not end by itself" in run.run("trials")
    for _ in range(2):
        process = run.start(*targets)
        wait_for(lambda: makers(process))  # noqa: B023
        time.sleep(rng.uniform(0, 0.5))
        kill_snakemake(process)
    now = state(run)
    assert {path: now.get(path) for path in kept} == kept
    assert len(now) == TRIALS
    kept = now

    # A normal run: no --unlock, nothing removed by hand.
    output = run.run(*targets)
    assert "did not end by itself" in output
    now = state(run)
    assert {path: now.get(path) for path in kept} == kept

    with Workflow(tmp_path_factory.mktemp("undisturbed"), run.root, "faults") as undisturbed:
        undisturbed.write(CAMPAIGN)
        (undisturbed.folder / "gate").mkdir()
        (undisturbed.folder / "gate" / "open").touch()
        undisturbed.run(*targets)
    assert len(undisturbed.rows()) == TRIALS
    assert tables(run) == tables(undisturbed)
