"""A campaign on a real Slurm, through the profile that users take."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from one_node import ask, one_node_slurm, program, reason_to_skip

from harness.campaigns import study
from harness.rows import timeless
from harness.running import ROOT, Workflow, environment
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.figures.registry import pictures
from unbounded.running.slurm import job_is_over

PROFILE = ROOT / "workflow" / "profiles" / "slurm"
PATIENCE = 1200.0
LOGS = "results/slurm-logs/**/*.log"
#: This Python's programs first.
PROGRAMS = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
#: Tables and figures in one submission: Slurm's jobs start Snakemake twice, and a test need not wait for that so often.
TOGETHER = [f"{rule}=products" for rule in ("collect_slice", "collect_campaign", "make_table", "draw_figure")]

#: Three trials, one of CPLEX, which is submitted alone, and two of mies, which go together; and the fewest figures.
CAMPAIGN: dict[str, Any] = {
    "name": "cluster",
    "solvers": {"cplex": {"budget": {"ticks": 100}, "seeds": [1]}, "mies": {"budget": {"evaluations": 100_000}}},
    "studies": {"preliminary": study("preliminary", ["cplex", "mies"], test_cases=["sphere"], c=[1], seeds=2)},
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Callable[[str], Workflow]]:
    """Return what makes a folder with the campaign in it."""
    with ExitStack() as stack:

        def make(name: str) -> Workflow:
            (tmp_path / name).mkdir()
            made = stack.enter_context(Workflow(tmp_path / name, name="cluster"))
            made.write(CAMPAIGN)
            return made

        yield make


def end(folder: Workflow, process: subprocess.Popen[bytes], code: int = 0) -> str:
    """Wait for Snakemake; return what it and the jobs of Slurm said."""
    ended = process.wait(PATIENCE)
    logs = "".join(f"--- {log}\n{log.read_text(errors='replace')}" for log in folder.folder.glob(LOGS))
    said = folder.output(process) + logs
    assert ended == code, said
    return said


def tables(folder: Workflow) -> dict[str, Any]:
    """Return every table by its name, without what differs from run to run."""
    return {path.name: comparable(path) for path in (folder.results / "tables").rglob("*.parquet")}


def comparable(path: Path) -> str:
    """Return a table as text, in which values that are not there equal each other."""
    return str(timeless(pq.read_table(path).to_pylist()))


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


def test_a_campaign_through_the_slurm_profile_gives_the_tables_of_a_local_run(folder) -> None:
    reason = reason_to_skip()
    if reason is not None:
        pytest.skip(reason)
    cluster, local = folder("cluster"), folder("local")
    quick = ["--slurm-init-seconds-before-status-checks", "1", "--groups", *TOGETHER]
    with one_node_slurm():
        process = cluster.start("figures", "--workflow-profile", str(PROFILE), "--jobs", "100", *quick, **PROGRAMS)
        cancel_when_running("run_cplex", process)
        end(cluster, process)
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
        done = subprocess.run(command, cwd=cluster.folder, env=environment(**PROGRAMS), capture_output=True, text=True)
        said = (cluster.folder / "allocation.log").read_text(encoding="utf-8")
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

    made = [str(path.relative_to(cluster.folder)) for path in (cluster.results / "tables").glob("*.parquet")]
    end(local, local.start(*made))
    assert tables(cluster) == tables(local)
    assert {"trials.parquet", "runs.parquet", "preliminary.parquet"} <= set(tables(cluster))
    drawn = {str(path.relative_to(cluster.results / "figures")) for path in cluster.results.rglob("figures/**/*.svg")}
    assert drawn == {f"{name}.svg" for name in pictures(Plan(load_campaign(cluster.file)))}


def test_a_controller_that_does_not_answer_is_a_sentence_and_the_end(folder, tmp_path: Path) -> None:
    if program("scontrol") is None:
        pytest.skip("scontrol not found: envs/debian-packages installs Slurm")
    cluster = folder("cluster")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        host, port = socket.gethostname().split(".")[0], nobody.getsockname()[1]
        (tmp_path / "slurm.conf").write_text(
            f"ClusterName=none\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={port}\nNodeName={host}\n",
            encoding="utf-8",
        )
        variables = {"SLURM_CONF": str(tmp_path / "slurm.conf"), **PROGRAMS}
        process = cluster.start("trials", "--workflow-profile", str(PROFILE), "--jobs", "100", **variables)
        said = end(cluster, process, code=1)
    assert "Slurm's controller does not answer (scontrol ping: Slurmctld(primary)" in said
    assert not list(cluster.results.glob("trials/*"))
