"""The supervised process: what it hands in, how it may end, and that it never outlives the one that waits."""

import ast
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from harness.campaigns import MIXED
from harness.running import PATIENCE, ROOT, all_end, wait_for
from unbounded.instances import build
from unbounded.running.environment import LAUNCHER, identity
from unbounded.running.supervision import Limits, default_watchdog, supervise
from unbounded.solvers import registry
from unbounded.solvers.contract import Budget, Report
from unbounded.trials.run import Trial, run_trial
from unbounded.trials.shared import Shared, SharedReport


@pytest.mark.parametrize(
    ("solver", "budget"),
    [("mies", "evaluations=5000"), ("cma-IH", "evaluations=2000"), ("cplex", "ticks=200")],
)
def test_a_supervised_solver_does_what_it_does_alone(solver: str, budget: str) -> None:
    row = run_trial(Trial(MIXED, solver, solver, 3, Budget.parse(budget)))
    entry, instance = registry.find(solver), build(MIXED)
    report = Report(instance, Budget.parse(budget))
    ending = entry.solver.solve(instance, report.budget, 3, entry.options({}), report)
    point = instance.verify(ending.x)
    assert (row["f"], row["x"], row["evaluations"]) == (point.f, point.x.tolist(), report.evaluations)
    assert (row["termination"], row["claimed_f"], row["ticks"]) == (
        ending.termination,
        ending.claimed_f,
        ending.ticks,
    )
    assert [(p["evaluations"], p["f"], p["violation"], p["bound"]) for p in row["trace"]] == [
        (p.evaluations, p.f, p.violation, p.bound) for p in report.trace
    ]


def test_an_answer_comes_back_whole_however_long(tmp_path: Path) -> None:
    log = tmp_path / "deep" / "log.txt"
    ended = supervise(lambda log: (print("said", file=log), np.arange(1e6))[1], Limits(60, 4000), log)
    assert (ended.fault, ended.text) == (None, "")
    assert np.array_equal(ended.answer, np.arange(1e6))
    assert log.read_text(encoding="utf-8") == "said\n"
    assert ended.max_rss_mb > 10


def test_time_is_the_child_s_own() -> None:
    def burn(log: object) -> float:
        until = time.process_time() + 0.2
        while time.process_time() < until:
            pass
        return time.process_time()

    before = time.process_time()
    ended = supervise(burn, Limits())
    assert ended.cpu_seconds >= 0.2
    assert time.process_time() - before < 0.2


def refuse(log: object) -> None:
    np.ones((10**8, 10**8))


def leave(log: object) -> None:
    raise SystemExit(4)


@pytest.mark.parametrize(
    ("work", "fault", "words"),
    [
        (lambda log: time.sleep(60), "overrun", "stopped by the watchdog after 0.3 s"),
        (lambda log: signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)) or time.sleep(60), "overrun", "watchdog"),
        (lambda log: os.kill(os.getpid(), signal.SIGSEGV), "crashed", "SIGSEGV"),
        (lambda log: os.abort(), "crashed", "SIGABRT"),
        (lambda log: os._exit(0), "crashed", "exited with code 0 and no answer"),
        (lambda log: lambda: "functions cannot be handed over", "crashed", "exited with code 1 and no answer"),
        (leave, "crashed", "exited with code 4 and no answer"),
        (refuse, "out-of-memory", "MemoryError"),
    ],
)
def test_ends_without_an_answer(work, fault: str, words: str, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    ended = supervise(work, Limits(seconds=0.3 if fault == "overrun" else 60), log)
    assert (ended.answer, ended.fault) == (None, fault)
    assert words in ended.text
    assert ended.text.endswith(f"see {log}")
    assert log.read_text(encoding="utf-8").splitlines()[-1].startswith(f"{fault}: ")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_who_is_ended_by_others_has_said_nothing_about_the_solver(number: signal.Signals) -> None:
    def end(log: object) -> None:
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)  # whoever runs the tests may ignore it
        os.kill(os.getpid(), number)

    with pytest.raises(ChildProcessError, match=rf"from outside by {number.name}.*has to run again"):
        supervise(end, Limits())


def test_a_full_disk_is_no_fault_of_the_solver() -> None:
    with pytest.raises(OSError, match="No space left"):
        supervise(lambda log: Path("/dev/full").write_text("a"), Limits())


def test_what_a_solver_started_goes_with_it(tmp_path: Path) -> None:
    def start(log: object) -> int:
        return subprocess.Popen(["sleep", "600"]).pid

    ended = supervise(start, Limits())
    assert ended.answer is not None
    assert wait_for(lambda: not psutil.pid_exists(ended.answer) or psutil.Process(ended.answer).status() == "zombie")


def test_the_best_point_outlives_the_process() -> None:
    instance = build(MIXED)
    shared = Shared(instance.D)
    assert shared.best is None

    def work(log: object) -> None:
        shared.start()
        report = SharedReport(instance, Budget.parse("evaluations=100"), shared=shared)
        for far in (3.0, 1.0, 2.0):
            X = instance.xi1[None, :] + far
            report.population(X, *instance.evaluate(X))
        os._exit(1)

    supervise(work, Limits())
    assert shared.evaluations == 3
    assert np.array_equal(shared.best, instance.xi1 + 1.0)


def test_the_watchdog_stands_above_the_solver_s_own_limit() -> None:
    assert default_watchdog(3600, "seconds") == 300 + 1.2 * 3600
    assert default_watchdog(100, "evaluations") == 300 + 4 * 100


def test_a_trial_ends_with_the_snakemake_that_started_it() -> None:
    snakemake = subprocess.Popen(["sleep", "600"])
    launcher = identity(snakemake.pid)
    assert supervise(lambda log: 1, Limits(launcher=launcher)).answer == 1
    threading.Timer(0.3, snakemake.kill).start()
    with pytest.raises(ChildProcessError, match="is gone"):
        supervise(lambda log: time.sleep(600), Limits(launcher=launcher))
    snakemake.wait()
    # One that is gone before the trial begins; then one that has its number; then one that cannot be seen from here.
    with pytest.raises(ChildProcessError, match="is gone"):
        supervise(lambda log: 1, Limits(launcher=launcher))
    pid, start, *place = (identity(os.getpid()) or "").split()
    with pytest.raises(ChildProcessError, match="is gone"):
        supervise(lambda log: 1, Limits(launcher=" ".join([pid, f"{start}0", *place])))
    assert supervise(lambda log: 1, Limits(launcher=f"{snakemake.pid} {start} pid:[1] elsewhere")).answer == 1


def test_a_script_ends_with_the_snakemake_that_started_it(run) -> None:
    code = "import time; from unbounded.running.environment import begin_script; begin_script(); print(flush=True)"
    script = [sys.executable, "-c", f"{code}; time.sleep(600)"]
    with subprocess.Popen(["sleep", "600"]) as snakemake:
        environment = {**run.environment, LAUNCHER: identity(snakemake.pid) or ""}
        with subprocess.Popen(script, env=environment, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"\n"
            snakemake.kill()
            assert process.wait(PATIENCE) == 1
    # One that starts when the other is gone already; and one that none has started.
    assert subprocess.run(script, env=environment, timeout=PATIENCE).returncode == 1
    assert subprocess.run([sys.executable, "-c", code], env=run.environment, timeout=PATIENCE).returncode == 0


@pytest.mark.parametrize("script", sorted((ROOT / "scripts").glob("*.py")), ids=lambda path: path.stem)
def test_every_script_sees_to_that_before_it_does_anything(script: Path) -> None:
    _, *statements = ast.parse(script.read_text(encoding="utf-8")).body
    first = next(statement for statement in statements if not isinstance(statement, ast.Import | ast.ImportFrom))
    assert ast.unparse(first) == "begin_script()"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_the_solver_dies_with_the_one_that_waits_for_it(run, number: signal.Signals) -> None:
    out = run.folder / "row.parquet"
    command = ["trial", MIXED, "--solver", "steady", "--seed", "1", "--option", "seconds=600", "--out", str(out)]

    # Tests that run in the background ignore SIGINT, and what they start does so too.
    heed = "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    start = [sys.executable, "-c", f"{heed}; runpy.run_module('unbounded', run_name='__main__', alter_sys=True)"]
    process = run.launch(*start, *command)
    wait_for(lambda: process.poll() is not None or psutil.Process(process.pid).children())
    assert process.poll() is None, run.output(process)
    (solver,) = psutil.Process(process.pid).children()
    os.kill(process.pid, number)
    assert all_end(solver)
    assert process.wait(30) != 0
    assert not out.exists()


CTRL_C_AT_THE_FORK = """
import os, signal, time
from unbounded.running.supervision import Limits, supervise

def child(log):
    time.sleep(600)

signal.signal(signal.SIGINT, signal.default_int_handler)
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGINT))
try:
    supervise(child, Limits())
except KeyboardInterrupt:
    print("stopped")
try:
    os.waitpid(-1, 0)
except ChildProcessError:
    print("no child is left")
"""


def test_ctrl_c_at_the_moment_of_the_fork_ends_the_trial(run) -> None:
    command = [sys.executable, "-c", CTRL_C_AT_THE_FORK]
    done = subprocess.run(command, env=run.environment, capture_output=True, text=True, timeout=120)
    assert done.stdout == "stopped\nno child is left\n", done.stderr


def test_the_solver_hears_the_signals_that_it_would_hear_alone() -> None:
    ended = supervise(lambda log: signal.pthread_sigmask(signal.SIG_BLOCK, ()), Limits())
    assert ended.answer == signal.pthread_sigmask(signal.SIG_BLOCK, ())
