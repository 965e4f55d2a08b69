"""Two runs on one campaign's results: the second is refused, and told by whom."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from harness.campaigns import faults
from harness.running import wait_for, workers
from unbounded.running.lock import NAME, LockedError, hold


def test_the_second_run_is_refused_from_whichever_folder(run) -> None:
    run.write(faults({"steady": {"budget": {"evaluations": 20}, "options": {"seconds": 0, "gate": "gate"}}}))
    first = run.start("trials")
    wait_for(lambda: workers(first)[1])

    # Another checkout whose results are the same folder.
    elsewhere = run.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "results").symlink_to(run.folder / "results")
    for folder in (run.folder, elsewhere):
        output = run.run("trials", code=1, folder=folder)
        assert "results/faults is in use by another run" in output
        assert f"process {first.pid} on {platform.node()}, since 20" in output
        assert f"in {run.folder}: snakemake trials" in output
        assert f"kill {first.pid}" in output
        assert "Traceback" not in output
    assert not run.rows()

    # Looking is allowed; and the first is not disturbed.
    assert "run_steady" in run.run("trials", "-n")
    (run.folder / "gate").mkdir()
    (run.folder / "gate" / "open").touch()
    run.output(first, 0)
    assert set(run.rows()) == {("steady", 1)}
    assert (run.results / NAME).read_text(encoding="utf-8") == ""


HOLD = """
import sys
from pathlib import Path
from unbounded.running.lock import hold
print(hold(Path(sys.argv[1])), flush=True)
"""


def holder(folder: Path, ending: str) -> subprocess.Popen[str]:
    """Start a process that holds the folder, and ends when it is told to."""
    command = [sys.executable, "-c", f"{HOLD}input(); {ending}", str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline()
    return process


def test_a_lock_ends_with_its_process_and_a_killed_one_is_told_of(tmp_path: Path) -> None:
    for ending, told in (("pass", False), ("import os; os._exit(1)", True)):
        process = holder(tmp_path, ending)
        with pytest.raises(LockedError, match=f"process {process.pid} on"):
            hold(tmp_path)
        process.communicate("\n")
        after = subprocess.run([sys.executable, "-c", HOLD, str(tmp_path)], capture_output=True, text=True, check=True)
        assert (f"The last run (process {process.pid} on" in after.stdout) == told


def test_a_run_on_another_machine_is_believed_until_its_name_is_removed(tmp_path: Path) -> None:
    record = {
        "pid": 1,
        "host": "elsewhere",
        "since": "2024-01-01T00:00:00+00:00",
        "folder": "/x",
        "command": "snakemake",
    }
    (tmp_path / NAME).write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(LockedError, match=rf"only be seen on elsewhere.*rm {tmp_path / NAME}"):
        hold(tmp_path)
    (tmp_path / NAME).unlink()
    process = holder(tmp_path, "pass")
    process.communicate("\n")
    assert process.returncode == 0


def test_a_run_whose_name_was_removed_leaves_the_next_one_its_own(tmp_path: Path) -> None:
    first = holder(tmp_path, "pass")
    (tmp_path / NAME).unlink()
    second = holder(tmp_path, "pass")
    first.communicate("\n")
    with pytest.raises(LockedError, match=f"process {second.pid} on"):
        hold(tmp_path)
    second.communicate("\n")


def unsupported(descriptor: int, operation: int) -> None:
    raise OSError(95, "Operation not supported")


def test_without_locks_of_the_kernel_the_name_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fcntl.flock", unsupported)
    record = {"pid": os.getppid(), "host": platform.node(), "since": "", "folder": "", "command": ""}
    (tmp_path / NAME).write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(LockedError, match="is in use"):
        hold(tmp_path)
    gone = subprocess.Popen(["true"])
    gone.wait()
    (tmp_path / NAME).write_text(json.dumps({**record, "pid": gone.pid}), encoding="utf-8")
    assert f"process {gone.pid} on" in (hold(tmp_path) or "")


def test_a_number_that_was_given_to_another_process_is_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fcntl.flock", unsupported)
    process = holder(tmp_path, "import os; os._exit(1)")
    record = json.loads((tmp_path / NAME).read_text(encoding="utf-8"))
    process.communicate("\n")
    (tmp_path / NAME).write_text(json.dumps({**record, "pid": os.getppid()}), encoding="utf-8")
    assert f"process {os.getppid()} on" in (hold(tmp_path) or "")


@pytest.mark.parametrize(
    ("squeue", "refused"),
    [
        ("echo '  7 test job root R 1:00 1 node'", True),
        ("true", False),
        ("echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1", False),
        ("echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1", True),
        (None, True),
    ],
)
def test_an_allocation_on_another_machine_is_gone_when_slurm_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, squeue: str | None, refused: bool
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    process = holder(tmp_path, "import os; os._exit(1)")
    process.communicate("\n")
    record = json.loads((tmp_path / NAME).read_text(encoding="utf-8"))
    (tmp_path / NAME).write_text(json.dumps({**record, "host": "elsewhere"}), encoding="utf-8")
    programs = tmp_path / "bin"
    programs.mkdir()
    if squeue is not None:
        (programs / "squeue").write_text(f'#!/bin/sh\n[ "$*" = "--noheader --jobs 7" ] || exit 9\n{squeue}\n')
        (programs / "squeue").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    if refused:
        with pytest.raises(LockedError, match="elsewhere"):
            hold(tmp_path)
    else:
        assert "on elsewhere" in (hold(tmp_path) or "")


def test_results_that_cannot_be_written_are_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder" / NAME).mkdir(parents=True)
    for folder, words in {
        tmp_path / "file": f"{tmp_path / 'file'} cannot be written (File exists)",
        tmp_path / "file" / "below": "cannot be written (Not a directory)",
        tmp_path / "folder": f"{tmp_path / 'folder' / NAME} cannot be written (Is a directory)",
    }.items():
        with pytest.raises(LockedError) as caught:
            hold(folder)
        assert words in str(caught.value)
