"""Aggregation of many trial files into every table of a campaign, against pyarrow merely reading them.

    python benchmarks/aggregation.py [TRIALS]

Rows are those of a few real trials, written again under the names of a large campaign; only times are looked at. Two
cores are used as by a run: a slice is read on both, one slice after the other; other tables are made two at a time.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from graphlib import TopologicalSorter
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from unbounded.running.environment import hold_threads

# As the job of a table in the workflow.
hold_threads(1)

import numpy as np  # noqa: E402
from planning import campaign  # noqa: E402
from result import Result, show  # noqa: E402

from unbounded.campaign.campaign import Campaign  # noqa: E402
from unbounded.campaign.layout import trial_path  # noqa: E402
from unbounded.campaign.plan import Cell, Plan  # noqa: E402
from unbounded.instances import build  # noqa: E402
from unbounded.solvers.contract import Budget  # noqa: E402
from unbounded.tables.files import make, write  # noqa: E402
from unbounded.tables.plan import TABLE as PLAN  # noqa: E402
from unbounded.tables.registry import made_from_tables  # noqa: E402
from unbounded.tables.trials import collect, merge  # noqa: E402
from unbounded.trials.row import write_row  # noqa: E402
from unbounded.trials.run import Trial, run_trial  # noqa: E402

BUDGETS = {"cplex": "ticks=200", "mies": "evaluations=100000", "cma-IH": "evaluations=20000"}


def as_if_of(cell: Cell, template: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a trial with its point on another instance, in order as collecting checks it."""
    if template["x"] is None:
        return template
    point = build(cell.spec).verify(np.array(template["x"]) + cell.spec.t)
    status = template["status"] if point.feasible else "unverified"
    trace = [{**entry, "f": max(entry["f"], point.f)} for entry in template["trace"]]
    values = {name: getattr(point, name) for name in ("feasible", "f", "g", "violation")}
    return {**template, **values, "x": point.x.tolist(), "status": status, "ending": status, "trace": trace}


def write_trials(plan: Plan, folder: Path) -> dict[str, dict[Path, Any]]:
    """Write a file for every planned trial; return them by slice, with what is planned for each."""
    templates = {}
    for D in {cell.spec.D for cell in plan.cells.values()}:
        for solver, budget in BUDGETS.items():
            trial = Trial(f"mixed-D{D}-t0-TC0-c1e1-E30", solver, solver, 1, Budget.parse(budget))
            templates[D, solver] = run_trial(trial)
    rows = {key: as_if_of(cell, templates[cell.spec.D, cell.solver]) for key, cell in plan.cells.items()}
    slices = {
        part: {folder / trial_path(trial): plan.columns(trial) for trial in trials}
        for part, trials in plan.slices.items()
    }
    for files in slices.values():
        for path, planned in files.items():
            write_row({**rows[planned["instance"], planned["solver"]], **planned}, path)
    return slices


def make_table(name: str, folder: Path) -> tuple[int, float]:
    """Make a table from those that are there; return which process did, and the most memory that it had until then."""
    make(made_from_tables()[name], folder)
    return os.getpid(), peak()


def make_tables(folder: Path, pool: Executor) -> float:
    """Make all tables, each as soon as those are there that it is made from; return the memory of the processes."""
    tables = made_from_tables()
    order = TopologicalSorter({name: tables.keys() & set(table.tables) for name, table in tables.items()})
    order.prepare()
    jobs: dict[Future[tuple[int, float]], str] = {}
    peaks = {}
    while order.is_active():
        jobs |= {pool.submit(make_table, name, folder): name for name in order.get_ready()}
        for job in wait(jobs, return_when=FIRST_COMPLETED).done:
            process, most = job.result()
            peaks[process] = most
            order.done(jobs.pop(job))
    return sum(peaks.values())


def peak() -> float:
    """Return the largest resident set that this process had, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def measure(trials: int = 50_000) -> Iterator[Result]:
    """Yield seconds and memory."""
    import pyarrow.dataset as ds

    plan = Plan(Campaign.model_validate(campaign(trials)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        slices = write_trials(plan, folder / "trials")
        paths = [str(path) for files in slices.values() for path in files]

        tables = folder / "tables"
        (tables / "trials").mkdir(parents=True)
        # The processes are forked before this one has anything to read.
        with ProcessPoolExecutor(2, get_context("fork")) as pool:
            pool.submit(int).result()
            began = time.perf_counter()
            for part, files in slices.items():
                collect(files, tables / "trials" / f"{part}.parquet", threads=2)
            merge(
                [tables / "trials" / f"{part}.parquet" for part in slices],
                tables / "trials.parquet",
                tables / "trials.csv",
            )
            write(PLAN(plan), tables / "plan")
            memory = make_tables(tables, pool)
            ours = time.perf_counter() - began
        memory = max(peak(), memory)

        began = time.perf_counter()
        read = ds.dataset(paths, format="parquet").to_table()
        peers = time.perf_counter() - began
        what = f"{read.num_rows:,} trial files into all tables"
        yield Result(what, ours, "pyarrow, only reading", peers, "s", "at most 20 s")
        yield Result("memory of it", memory, "what is read", read.nbytes / 1e9, "GB", "at most 1.5 GB")


if __name__ == "__main__":
    show(measure(*map(int, sys.argv[1:])))
