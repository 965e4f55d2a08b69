"""A full disk: a clear error, no half of a file, and the next run makes what is missing."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from harness.campaigns import MIXED, faults
from unbounded.trials.broken import find_broken


@pytest.fixture
def small_disk(run):
    """Put the trials of a run on a file system of 128 kB; return a function that makes it larger."""
    trials = run.results / "trials"
    trials.mkdir(parents=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "unbounded", str(trials)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"a file system cannot be mounted here: {mounted.stderr.strip()}")
    yield lambda size: subprocess.run(["mount", "-o", f"remount,size={size}", str(trials)], check=True)
    subprocess.run(["umount", "--lazy", str(trials)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system takes root")
def test_a_disk_that_fills_up_during_a_campaign(run, small_disk) -> None:
    run.write(faults({"steady": {"budget": {"evaluations": 20}, "options": {"seconds": 0}}}, seeds=12))
    # One at a time: two at once may both be told that there is room, and there may be for one.
    output = run.run("trials", "--cores", "1", code=1)
    # Said before a solver has run, and as often as the profile tries.
    assert "was not run, since its row cannot be written: [Errno 28] No space left on device" in output
    assert "was not written" not in output

    written = {path for path in (run.results / "trials").rglob("*") if path.is_file()}
    assert 0 < len(written) < 12
    assert {path.suffix for path in written} == {".parquet"}
    assert not any(path.name.startswith(".") for path in written)
    assert list(find_broken(written)) == []

    times = {path: path.stat().st_mtime_ns for path in written}
    small_disk("4m")
    run.run("trials")
    assert len(run.rows()) == 12
    assert {path: path.stat().st_mtime_ns for path in written} == times


@pytest.mark.parametrize("limit", [0, 4096])
def test_a_row_that_cannot_be_written_leaves_nothing(run, limit: int) -> None:
    out = Path("deep") / "row.parquet"
    command = ["trial", MIXED, "--solver", "steady", "--seed", "1", "--option", "seconds=0", "--out", str(out)]

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    # Its output goes through a pipe: that is no file. Python would leave cut bytecode behind, for later tests to load.
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = run.environment | {"PYTHONDONTWRITEBYTECODE": "1"}
    unbounded = [sys.executable, "-m", "unbounded"]
    process = run.launch(*unbounded, *command, **pipes, preexec_fn=small_files, env=environment)
    _, errors = process.communicate()
    assert process.returncode == 2, errors
    assert b"File too large" in errors
    assert b"Traceback" not in errors
    assert list((run.folder / "deep").iterdir()) == []


def test_a_solver_whose_files_fill_the_disk_leaves_no_row(run) -> None:
    run.write(faults({"disk": {"budget": {"evaluations": 20}}, "cplex": {"budget": {"ticks": 100}}}))
    output = run.run("trials", "--retries", "0", code=1)
    assert "disk/1.parquet was not written: [Errno 28] No space left on device" in output
    assert set(run.rows()) == {("cplex", 1)}
