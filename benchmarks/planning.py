"""Planning of a large campaign against a bare Snakefile with as many jobs and the same two-level tree.

    python benchmarks/planning.py [TRIALS]

CPU seconds of `snakemake -n` on a campaign of which nothing is done, and of `snakemake` on one that is finished. The
finished one is made by Snakemake's own book-keeping; ours has rows that are in order, since they are looked at, and the
bare one copies of a row. Memory is the largest resident set.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml
from result import Result, show

from unbounded.campaign.campaign import Campaign
from unbounded.campaign.plan import Plan
from unbounded.solvers.contract import Budget
from unbounded.trials.row import write_row
from unbounded.trials.run import Trial, run_trial

ROOT = Path(__file__).parents[1]
INSTANCES, DIMENSIONS = 216, [32, 64, 128]

BARE = """
GROUPS = {groups}


def files(group):
    return [f"results/bare/trials/i{{group}}-{{k // 77}}/s{{k % 2}}/{{k}}.parquet" for k in range({per_group})]


rule all:
    input:
        lambda wildcards: [file for group in range(GROUPS) for file in files(group)],
        lambda wildcards: [f"results/bare/tables/{{group}}.parquet" for group in range(GROUPS)],


rule trial:
    output: "results/bare/trials/{{instance}}/{{solver}}/{{seed}}.parquet"
    wildcard_constraints: instance=r"i\\d+-\\d+", solver=r"s\\d", seed=r"\\d+"
    shell: "touch {{output}}"


rule group:
    input: lambda wildcards: files(int(wildcards.group))
    output: "results/bare/tables/{{group}}.parquet"
    wildcard_constraints: group=r"\\d+"
    shell: "touch {{output}}"
"""

#: Runs Snakemake, but in place of its jobs writes a row as every output that is not there, and the records of jobs.
FINISH = """
import asyncio, sys
from pathlib import Path
from snakemake.cli import main
from snakemake.scheduling.job_scheduler import JobScheduler

row = Path(sys.argv[1]).read_bytes()

def finish(self):
    dag = self.workflow.dag
    for job in dag.toposorted():
        for job in job:
            for path in job.output:
                if not Path(path).exists():
                    Path(path).parent.mkdir(parents=True, exist_ok=True)
                    Path(path).write_bytes(row)
            if job.output:
                asyncio.run(self.workflow.persistence.finished(job))
    return True

JobScheduler.schedule = finish
main(sys.argv[2:])
"""


def campaign(trials: int) -> dict[str, object]:
    """Return a campaign of about as many trials: the benchmark's instances in three dimensions, by three solvers."""
    seeds = max(1, round((trials / INSTANCES / len(DIMENSIONS) - 1) / 2))
    study = {
        "type": "benchmark",
        "dimensions": DIMENSIONS,
        "test_cases": list(range(9)),
        "c": [10.0**k for k in range(1, 7)],
        "E": [10, 30, 50, 80],
        "seeds": seeds,
        "solvers": {"cplex": {"seeds": [1]}, "mies": {}, "cma-IH": {}},
    }
    return {"name": "large", "studies": {"benchmark": study}}


def timed(command: list[str], folder: Path) -> tuple[float, float]:
    """Run a command in a folder; return its CPU seconds and its largest resident set, in GB."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed:\n{errors.decode()}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e6


def measure(trials: int = 50_000) -> Iterator[Result]:
    """Yield planning times and memory. Both sides run at once, a core each, which halves the wait; CPU time counts."""
    from aggregation import write_trials

    large = campaign(trials)
    per_group = INSTANCES * (1 + 2 * large["studies"]["benchmark"]["seeds"])  # type: ignore[index]
    count = per_group * len(DIMENSIONS)
    # The same stages on both sides: trials, and the tables of the groups. What follows is a few dozen jobs.
    groups = [f"results/large/tables/trials/mixed-D{D}-t0.parquet" for D in DIMENSIONS]
    profile = ["--workflow-profile", str(ROOT / "workflow/profiles/default"), "--cores", "2", "--quiet", "all"]
    sides = {
        "ours": ["trials", *groups, "-s", str(ROOT / "Snakefile"), "--configfile", "../large.yaml", *profile],
        "bare": ["-s", "../bare.smk", *profile],
    }
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(len(sides)) as pool:
        folder = Path(name)
        (folder / "large.yaml").write_text(yaml.safe_dump(large), encoding="utf-8")
        (folder / "bare.smk").write_text(BARE.format(groups=len(DIMENSIONS), per_group=per_group), encoding="utf-8")
        row = folder / "row.parquet"
        trial = Trial("mixed-D64-t0-TC0-c1e1-E30", "mies", "mies", 1, Budget.parse("evaluations=1e5"))
        write_row(run_trial(trial), row)

        def both(*command: str, extra: Sequence[str] = ()) -> list[tuple[float, float]]:
            runs = [
                pool.submit(timed, [sys.executable, *command, *arguments, *extra], folder / side)
                for side, arguments in sides.items()
            ]
            return [run.result() for run in runs]

        for side in sides:
            (folder / side).mkdir()
        planned = both("-m", "snakemake", extra=["-n"])
        write_trials(Plan(Campaign.model_validate(large)), folder / "ours/results/large/trials")
        both("-c", FINISH, str(row))
        finished = time.time()
        done = both("-m", "snakemake")
        if any(path.stat().st_mtime > finished for path in folder.rglob("*.parquet")):
            sys.exit("The finished campaign ran again: there was something to be done.")
        for what, ((a, memory), (b, peers)) in (("snakemake -n", planned), ("nothing to be done", done)):
            yield Result(f"{what}, {count:,} trials", a, "bare Snakefile", b, "CPU s", "at most 1.2×")
            yield Result(f"memory of {what}", memory, "bare Snakefile", peers, "GB", "below 4 GB")


if __name__ == "__main__":
    show(measure(*map(int, sys.argv[1:])))
