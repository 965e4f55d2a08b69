"""Planning of a large campaign against a bare Snakefile with as many jobs and the same two-level tree.

    python benchmarks/planning.py [TRIALS]

CPU seconds of `snakemake -n` on a campaign of which nothing is done, and of `snakemake` on one that is finished. The
finished one is made by Snakemake's own book-keeping, with one small real row in place of every result. Memory is the
largest resident set.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml
from result import Result, show

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

#: Runs Snakemake, but in place of its jobs writes empty outputs and the records of finished jobs.
FINISH = """
import asyncio, sys
from pathlib import Path
from snakemake.cli import main
from snakemake.scheduling.job_scheduler import JobScheduler

def finish(self):
    dag = self.workflow.dag
    for job in dag.toposorted():
        for job in job:
            for path in job.output:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).touch()
            if job.output:
                asyncio.run(self.workflow.persistence.finished(job))
    return True

JobScheduler.schedule = finish
main(sys.argv[1:])
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
    """Yield planning times and memory."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        large = campaign(trials)
        (folder / "large.yaml").write_text(yaml.safe_dump(large), encoding="utf-8")
        per_group = INSTANCES * (1 + 2 * large["studies"]["benchmark"]["seeds"])  # type: ignore[index]
        (folder / "bare.smk").write_text(BARE.format(groups=len(DIMENSIONS), per_group=per_group), encoding="utf-8")
        count = per_group * len(DIMENSIONS)
        profile = ["--workflow-profile", str(ROOT / "workflow/profiles/default"), "--cores", "2", "--quiet", "all"]
        # The same stages on both sides: trials, and the tables of the groups. What follows is a few dozen jobs.
        groups = [f"results/large/tables/trials/mixed-D{D}-t0.parquet" for D in DIMENSIONS]
        ours = ["trials", *groups, "-s", str(ROOT / "Snakefile"), *profile, "--configfile", "large.yaml"]
        bare = ["-s", "bare.smk", *profile]
        snakemake = [sys.executable, "-m", "snakemake"]
        for what, extra in (("snakemake -n", ["-n"]), ("nothing to be done", [])):
            if not extra:
                for side in (ours, bare):
                    timed([sys.executable, "-c", FINISH, *side], folder)
            (a, memory), (b, peers_memory) = (timed([*snakemake, *side, *extra], folder) for side in (ours, bare))
            yield Result(f"{what}, {count:,} trials", a, "bare Snakefile", b, "CPU s", "at most 1.5×")
            yield Result(f"memory of {what}", memory, "bare Snakefile", peers_memory, "GB", "below 4 GB")


if __name__ == "__main__":
    show(measure(*map(int, sys.argv[1:])))
