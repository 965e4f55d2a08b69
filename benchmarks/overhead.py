"""What a trial costs beside its solver, and how fast the workflow starts trials.

    python benchmarks/overhead.py

The start of a trial is the wall time of its command less what the solver took, beyond that of a Python that does
nothing: forked, as the workflow has it, and alone, where all is loaded anew. Jobs a second are those of the local run
and of GNU parallel launching the same commands, each alone, two at a time, from the first result to the last.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from result import Result, show

from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.running.forking import client, server
from unbounded.trials.reading import read_rows

ROOT = Path(__file__).parents[1]
REPEATS, SEEDS = 7, 60
SOLVERS = {
    "cplex": {"ticks": 1},
    "mies": {"evaluations": 200},
    "cma-IH": {"evaluations": 200},
    "cma-IH-fast": {"evaluations": 200},
    "cma-wM": {"evaluations": 200},
}


def campaign(solvers: dict[str, dict[str, int]], seeds: int) -> dict[str, Any]:
    """Return a campaign of short trials on one instance."""
    study = {"type": "benchmark", "dimensions": [64], "test_cases": [0], "c": [10], "E": [30], "seeds": seeds}
    chosen = {id: {"budget": budget, "seeds": seeds} for id, budget in solvers.items()}
    return {"name": "short", "studies": {"benchmark": {**study, "reference": next(iter(chosen)), "solvers": chosen}}}


def commands(file: Path, results: str) -> dict[Path, list[str]]:
    """Return the command of every trial of a campaign, by the file that it writes: those that the workflow runs."""
    plan = Plan(load_campaign(file))
    found = {}
    for instance, solver, seed in plan.trials():
        cell, stem = plan.cells[instance, solver], f"{instance}/{solver}/{seed}"
        out = file.parent / results / f"{stem}.parquet"
        arguments = [instance, str(seed), json.dumps(cell.params), str(out), f"{results}-logs/{stem}.log"]
        limits = ["--threads", "1", "--mem-mb", str(cell.needs.mem_mb), "--watchdog", str(cell.needs.watchdog)]
        found[out] = [sys.executable, "-S", client.__file__, "unbounded.trials", *arguments, *limits]
    return found


def seconds(command: list[str], folder: Path, forked: bool = False) -> float:
    """Return the wall time of a command."""
    socket = client.variable("unbounded.trials")
    environment = {name: value for name, value in os.environ.items() if forked or name != socket}
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - began


def starts(folder: Path) -> Iterator[Result]:
    """Yield the start of a trial of each solver; of a few times the least, since other work only ever adds."""
    file = folder / "starts.yaml"
    file.write_text(yaml.safe_dump(campaign(SOLVERS, 1)), encoding="utf-8")
    planned = commands(file, "starts")
    for command in planned.values():
        seconds(command, folder)
    stop = server.start("unbounded.trials")
    idle, taken = [], {(out, forked): [] for forked in (True, False) for out in planned}
    for _ in range(REPEATS):
        idle.append(seconds([sys.executable, "-c", "pass"], folder))
        for (out, forked), times in taken.items():
            whole = seconds(planned[out], folder, forked)
            times.append(whole - read_rows([out])["wall_seconds"][0].as_py())
    stop()
    for (out, forked), times in taken.items():
        beyond = min(times) - min(idle)
        what = f"start of a {out.parent.name} trial, {'forked' if forked else 'alone'}"
        aim = f"at most {0.15 if forked else 0.6} s beyond"
        yield Result(what, beyond, "python -c pass", min(idle), "s", aim)


def rate(folder: Path) -> float:
    """Return files a second, from the first that was written to the last."""
    times = sorted(path.stat().st_mtime for path in folder.rglob("*.parquet"))
    return (len(times) - 1) / (times[-1] - times[0])


def throughput(folder: Path) -> Iterator[Result]:
    """Yield the rate at which trials are run."""
    parallel = shutil.which("parallel")
    if parallel is None:
        print("GNU parallel is not installed: its rate is left out", file=sys.stderr)
        return
    file = folder / "short.yaml"
    file.write_text(yaml.safe_dump(campaign({"mies": SOLVERS["mies"]}, SEEDS)), encoding="utf-8")
    lines = "\n".join(shlex.join(command) for command in commands(file, "parallel").values())
    snakemake = [sys.executable, "-m", "snakemake", "trials", "-s", str(ROOT / "Snakefile"), "--cores", "2"]
    command = [*snakemake, "--quiet", "all", "--configfile", str(file)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    subprocess.run([parallel, "--jobs", "2"], input=lines, text=True, cwd=folder, check=True)
    a, b = rate(folder / "results/short/trials"), rate(folder / "parallel")
    yield Result(f"{SEEDS} short trials on 2 cores", a, "GNU parallel", b, "trials/s", "at least 1/1.5")


def measure() -> Iterator[Result]:
    """Yield both."""
    with tempfile.TemporaryDirectory() as name:
        yield from starts(Path(name))
        yield from throughput(Path(name))


if __name__ == "__main__":
    show(measure())
