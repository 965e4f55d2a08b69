"""Jobs that a server forks: they do what the same command does alone, and none outlives who waits for it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from harness.campaigns import MIXED
from harness.rows import timeless
from harness.running import PATIENCE, Workflow, all_end, wait_for
from unbounded.running.forking import client, server
from unbounded.trials.reading import read_rows

TRIALS, SCRIPTS = "unbounded.trials", "unbounded.scripts"


@pytest.fixture
def serve(run: Workflow, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return what starts a server for the copy's package."""
    stops = []
    monkeypatch.setenv("PYTHONPATH", run.environment["PYTHONPATH"])

    def started(module: str) -> psutil.Process:
        known = set(psutil.Process().children())
        stops.append(server.start(module))
        (process,) = set(psutil.Process().children()) - known
        return process

    yield started
    for stop in stops:
        stop()


def ask(run: Workflow, module: str, *words: str, **options: Any) -> subprocess.Popen[str]:
    """Start a job as the rules do."""
    sockets = {name: os.environ[name] for name in map(client.variable, (TRIALS, SCRIPTS)) if name in os.environ}
    command = [sys.executable, "-S", client.__file__, module, *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=run.folder, env=run.environment | sockets, **(pipes | options))


def trial(out: str, solver: str = "steady", options: dict[str, Any] | None = None, threads: int = 1) -> list[str]:
    budget = {"kind": "evaluations", "amount": 2000}
    planned = {"solver": solver, "variant": solver, "options": {"seconds": 0.0} if options is None else options}
    planned |= {"budget": budget, "threads": threads, "code": "0" * 16}
    limits = ["--threads", str(threads), "--mem-mb", "2000", "--watchdog", "600"]
    return [MIXED, "1", json.dumps(planned), out, f"{out}.log", *limits]


def row(path: Path) -> dict[str, Any]:
    (found,) = timeless(read_rows([path]).to_pylist())
    return found


@pytest.mark.parametrize("solver", ["steady", "cma-IH"])
def test_a_forked_trial_has_the_row_of_one_that_was_not(run, serve, solver: str) -> None:
    options = None if solver == "steady" else {}
    alone = ask(run, TRIALS, *trial("alone.parquet", solver, options))
    assert alone.wait(PATIENCE) == 0, alone.stderr.read()
    parent = serve(TRIALS)
    forked = ask(run, TRIALS, *trial("forked.parquet", solver, options))
    assert forked.wait(PATIENCE) == 0, forked.stderr.read()
    assert row(run.folder / "alone.parquet") == row(run.folder / "forked.parquet")
    # It was the server that ran it.
    assert wait_for(lambda: parent.cpu_times().children_user + parent.cpu_times().children_system > 0)


def test_what_a_forked_job_says_and_how_it_ends_is_the_command_s(run, serve) -> None:
    script = run.folder / "script.py"
    words = "import os, sys\nprint(os.getcwd(), *sys.argv[1:])\nsys.stdout.flush()\nos.system('echo below')\n"
    long = "a" * 100_000
    ends = {"": 0, "sys.exit(3)": 3, "sys.exit('a reason')": 1, "sys.exit(-1)": 255, "1 / 0": 1}
    parent = serve(SCRIPTS)
    for end, code in ends.items():
        script.write_text(words + end)
        job = ask(run, SCRIPTS, str(script.with_suffix("")), "two words", long)
        output, errors = job.communicate(timeout=PATIENCE)
        assert (output, job.returncode) == (f"{run.folder} two words {long}\nbelow\n", code)
        assert ("a reason" in errors, "ZeroDivisionError" in errors) == ("reason" in end, end == "1 / 0")
    # None was left, waited for or not.
    assert wait_for(lambda: not parent.children())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_forked_job_ends_with_the_command_that_waits_for_it(run, serve, number: signal.Signals) -> None:
    sleeper = run.folder / "sleep.py"
    sleeper.write_text("import time\ntime.sleep(600)\n")
    for module, words, forks in (
        (TRIALS, trial("out.parquet", options={"seconds": 600.0}), 2),
        (SCRIPTS, [str(sleeper.with_suffix(""))], 1),
    ):
        parent = serve(module)
        job = ask(run, module, *words)
        wait_for(lambda: len(parent.children(recursive=True)) == forks)  # noqa: B023
        below = parent.children(recursive=True)
        job.send_signal(number)
        assert job.wait(PATIENCE) != 0
        assert all_end(*below)
    assert not (run.folder / "out.parquet").exists()


def test_a_fork_that_was_killed_fails_its_command(run, serve) -> None:
    parent = serve(TRIALS)
    job = ask(run, TRIALS, *trial("out.parquet", options={"seconds": 600.0}))
    wait_for(lambda: len(parent.children(recursive=True)) == 2)
    supervisor, solver = parent.children(recursive=True)
    supervisor.kill()
    _, errors = job.communicate(timeout=PATIENCE)
    assert (job.returncode, errors) == (1, "the process of this job was ended from outside; it has to run again\n")
    assert all_end(solver)


def test_without_its_server_a_job_runs_alone(run, serve) -> None:
    parent = serve(TRIALS)
    parent.kill()
    parent.wait()
    job = ask(run, TRIALS, *trial("out.parquet"))
    assert job.wait(PATIENCE) == 0, job.stderr.read()
    assert row(run.folder / "out.parquet")["status"] == "budget"


def test_threads_are_taken_when_libraries_are_loaded(run, serve) -> None:
    # A server has them loaded for one.
    parent = serve(TRIALS)
    job = ask(run, TRIALS, *trial("out.parquet", threads=2))
    assert job.wait(PATIENCE) == 0, job.stderr.read()
    assert row(run.folder / "out.parquet")["threads"] == 2
    assert parent.cpu_times().children_user == parent.cpu_times().children_system == 0


STARTER = """
import os, time
from unbounded.running.forking import client, server
server.start("unbounded.scripts")
print(os.environ[client.variable("unbounded.scripts")], flush=True)
time.sleep(600)
"""


def test_a_server_ends_with_the_process_that_started_it(run) -> None:
    with subprocess.Popen([sys.executable, "-c", STARTER], env=run.environment, stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        path = Path(starter.stdout.readline().decode().strip())
        (parent,) = psutil.Process(starter.pid).children()
        assert path.is_socket()
        # Nobody else may ask it for anything.
        assert path.parent.stat().st_mode & 0o077 == 0
        starter.kill()
    assert all_end(parent)
    assert wait_for(lambda: not path.parent.exists())
