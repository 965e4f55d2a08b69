"""A campaign on a real Slurm, through the profile that users take."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from one_node import ask, one_node_slurm, program, reason_to_skip

from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.figures.registry import pictures
from unbounded.running.slurm import job_is_over
from unbounded.trials.row import MEASURED

ROOT = Path(__file__).parents[2]
PROFILE = ROOT / "workflow" / "profiles" / "slurm"
PATIENCE = 1200.0
#: Tables and figures in one submission: Slurm's jobs start Snakemake twice, and a test need not wait for that so often.
TOGETHER = [f"{rule}=products" for rule in ("collect_slice", "collect_campaign", "make_table", "draw_figure")]

#: Three trials, one of CPLEX, which is submitted alone, and two of mies, which go together; and the fewest figures.
CAMPAIGN: dict[str, Any] = {
    "name": "cluster",
    "solvers": {"cplex": {"budget": {"ticks": 100}, "seeds": [1]}, "mies": {"budget": {"evaluations": 100_000}}},
    "studies": {
        "preliminary": {
            "type": "preliminary",
            "dimensions": [4],
            "test_cases": ["sphere"],
            "c": [1],
            "E": [30],
            "seeds": 2,
            "solvers": {"cplex": {}, "mies": {}},
        }
    },
}


def environment() -> dict[str, str]:
    """Return the environment with this Python's programs first, and without coverage, which slows every job down."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    return {**kept, "PATH": f"{Path(sys.executable).parent}:{kept['PATH']}"}


class Folder:
    """A folder with the campaign in it, and what Snakemake made there."""

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.path = path
        self.results = path / "results" / "cluster"
        self.file = path / "cluster.yaml"
        self.environment: dict[str, str] = {}
        self.file.write_text(yaml.safe_dump(CAMPAIGN, sort_keys=False), encoding="utf-8")
        self.arguments = ["--snakefile", str(ROOT / "Snakefile"), "--configfile", str(self.file)]

    @contextmanager
    def snakemake(self, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
        """Start Snakemake here; whatever happens, it ends."""
        with (self.path / "output.log").open("wb") as output:
            command = [sys.executable, "-m", "snakemake", *arguments, *self.arguments]
            variables = environment() | self.environment
            process = subprocess.Popen(command, cwd=self.path, env=variables, stdout=output, stderr=output)
            try:
                yield process
            finally:
                process.kill()
                process.wait()

    def said(self) -> str:
        """Return what Snakemake and the jobs of Slurm printed here."""
        logs = [self.path / "output.log", *(self.path / "results" / "slurm-logs").rglob("*.log")]
        return "\n".join(f"--- {log}\n{log.read_text(encoding='utf-8', errors='replace')}" for log in logs)

    def tables(self) -> dict[str, str]:
        """Return every table by its name, as text, without what differs from run to run."""
        return {path.name: comparable(path) for path in (self.results / "tables").rglob("*.parquet")}


def comparable(path: Path) -> str:
    """Return a table as text, without what is measured, or made from seconds that were."""

    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: strip(entry) for key, entry in value.items() if key not in MEASURED and not key.endswith("seconds")
            }
        return [strip(entry) for entry in value] if isinstance(value, list) else value

    return json.dumps(strip(pq.read_table(path).to_pylist()), default=str)


def submissions() -> list[dict[str, str]]:
    """Return all jobs that Slurm remembers, in the order of their submission."""
    columns = {"id": "%i", "state": "%T", "cpus": "%C", "memory": "%m", "minutes": "%l", "about": "%k"}
    lines = ask("squeue", "--noheader", "--states=all", "--sort=i", f"--format={'|'.join(columns.values())}")
    return [dict(zip(columns, line.split("|", len(columns) - 1), strict=True)) for line in lines.splitlines()]


def cancel_when_running(rule: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until a job of this rule runs, then end it as an operator would."""
    while process.poll() is None:
        for job in submissions():
            if job["state"] == "RUNNING" and job["about"].startswith(f"rule_{rule}"):
                ask("scancel", job["id"])
                return
        time.sleep(0.2)


def test_a_campaign_through_the_slurm_profile_gives_the_tables_of_a_local_run(tmp_path: Path) -> None:
    reason = reason_to_skip()
    if reason is not None:
        pytest.skip(reason)
    cluster, local = Folder(tmp_path / "cluster"), Folder(tmp_path / "local")
    quick = ["--slurm-init-seconds-before-status-checks", "1", "--groups", *TOGETHER]
    with one_node_slurm():
        with cluster.snakemake("figures", "--workflow-profile", str(PROFILE), *quick) as process:
            cancel_when_running("run_cplex", process)
            assert process.wait(PATIENCE) == 0, cluster.said()
        jobs = submissions()

        # One submission for the two short trials, which asks for the time of both; CPLEX alone, and twice: the job that
        # was cancelled was submitted again, with more memory and time.
        (short,) = (job for job in jobs if "run_mies" in job["about"])
        assert short == {**short, "state": "COMPLETED", "cpus": "1", "memory": "2000M", "minutes": "22:00"}
        first, second = (job for job in jobs if "run_cplex" in job["about"])
        assert (first["state"], second["state"]) == ("CANCELLED", "COMPLETED")
        assert (first["memory"], second["memory"]) == ("2000M", "4000M")
        assert (first["minutes"], second["minutes"]) == ("11:00", "22:00")

        # The other way: one allocation, and Snakemake inside it runs what is missing.
        trial = cluster.results / "trials" / "mixed-D4-t0-sphere-c1-E30" / "mies" / "1.parquet"
        row = comparable(trial)
        trial.unlink()
        command = ["sbatch", "--wait", "--cpus-per-task=2", "--mem=4000", "--output=allocation.log"]
        command += [str(PROFILE / "allocation.sh"), "trials", *cluster.arguments]
        done = subprocess.run(command, cwd=cluster.path, env=environment(), capture_output=True, text=True)
        said = (cluster.path / "allocation.log").read_text(encoding="utf-8")
        assert done.returncode == 0, done.stderr + said
        assert "2 of 2 steps (100%) done" in said
        assert comparable(trial) == row

        # Its job is over, and so is one that Slurm does not know; this is how the next run learns that it may begin.
        (inside,) = (job for job in submissions() if job["id"] not in {earlier["id"] for earlier in jobs})
        assert inside["state"] == "COMPLETED"
        assert job_is_over(inside["id"])
        assert job_is_over("999999")
        waiting = ask("sbatch", "--parsable", "--hold", "--wrap=true").strip()
        assert not job_is_over(waiting)

    made = [str(path.relative_to(cluster.path)) for path in (cluster.results / "tables").glob("*.parquet")]
    with local.snakemake(*made, "--cores", "2") as process:
        assert process.wait(PATIENCE) == 0, local.said()
    assert cluster.tables() == local.tables()
    assert {"trials.parquet", "runs.parquet", "preliminary.parquet"} <= set(cluster.tables())
    drawn = {str(path.relative_to(cluster.results / "figures")) for path in cluster.results.rglob("figures/**/*.svg")}
    assert drawn == {f"{name}.svg" for name in pictures(Plan(load_campaign(cluster.file)))}


def test_a_controller_that_does_not_answer_is_a_sentence_and_the_end(tmp_path: Path) -> None:
    if program("scontrol") is None:
        pytest.skip("scontrol not found: envs/debian-packages installs Slurm")
    folder = Folder(tmp_path / "cluster")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        host, port = socket.gethostname().split(".")[0], nobody.getsockname()[1]
        (tmp_path / "slurm.conf").write_text(
            f"ClusterName=none\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={port}\nNodeName={host}\n",
            encoding="utf-8",
        )
        folder.environment = {"SLURM_CONF": str(tmp_path / "slurm.conf")}
        with folder.snakemake("trials", "--workflow-profile", str(PROFILE)) as process:
            assert process.wait(PATIENCE) == 1
    assert "Slurm's controller does not answer (scontrol ping: Slurmctld(primary)" in folder.said()
    assert not list(folder.results.glob("trials/*"))
