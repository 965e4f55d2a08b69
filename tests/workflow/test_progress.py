"""`unbounded progress`: trials done of planned while a run goes on, and in reruns."""

import io
import os
import pty
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from harness.campaigns import INTEGER, MIXED, planned, study, tiny
from harness.running import ROOT
from unbounded.campaign import run_record
from unbounded.campaign.layout import Layout
from unbounded.campaign.plan import Plan
from unbounded.campaign.progress import (
    START_SECONDS,
    Line,
    Observer,
    RunState,
    duration,
    plain_lines,
    run_sentence,
    share,
    table,
)
from unbounded.campaign.reading import load_campaign
from unbounded.campaign.run_record import RunRecord
from unbounded.running.environment import identity


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Return the plan of a campaign in which two studies share their trials of cplex."""
    campaign = tiny()
    campaign["studies"]["again"] = study("benchmark", ["cplex"], seeds=2, reference="cplex")
    return planned(tmp_path / "tiny.yaml", campaign)


def make(results: Path, *trials: tuple[str, str, int], at: float | None = None) -> None:
    for trial in trials:
        path = Layout(results).trial(trial)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        if at is not None:
            os.utime(path, (at, at))


def test_counts_by_study_and_solver_and_shared_trials_once(plan: Plan, tmp_path: Path) -> None:
    make(tmp_path, (MIXED, "cplex", 1), (MIXED, "mies", 2), (MIXED, "mies", 77))
    view = Observer(plan, Layout(tmp_path)).look()
    assert [(line.study, line.solver, line.done, line.planned) for line in view.lines] == [
        ("benchmark", "cplex", 1, 1),
        ("benchmark", "mies", 1, 2),
        ("benchmark", "cma-IH", 0, 2),
        ("all-integer", "cplex", 0, 1),
        ("all-integer", "mies", 0, 1),
        ("again", "cplex", 1, 1),
    ]
    assert (view.total.done, view.total.planned) == (2, 7)
    assert view.total.to_spend == pytest.approx(
        sum(plan.cells[key].cpu_seconds for key in ((MIXED, "mies"), (INTEGER, "cplex"), (INTEGER, "mies")))
        + 2 * plan.cells[MIXED, "cma-IH"].cpu_seconds
        + 5 * START_SECONDS
    )
    assert not view.complete
    assert "again: 1 of 1 trials (100.0 %): cplex 1/1" in "\n".join(plain_lines(view))


def test_a_file_from_before_the_run_that_is_to_make_it_anew_is_not_done(plan: Plan, tmp_path: Path) -> None:
    make(tmp_path, *plan.trials(), at=time.time() - 100)
    assert Observer(plan, Layout(tmp_path)).look().complete
    run_record.begin(Layout(tmp_path).run, [(MIXED, "mies", 1), (MIXED, "mies", 2)], 1)
    view = Observer(plan, Layout(tmp_path)).look()
    assert (view.total.done, view.state.done, view.state.planned) == (5, 0, 2)
    assert "estimated for 1 cores" in run_sentence(view.state)
    make(tmp_path, (MIXED, "mies", 2), at=time.time())
    view = Observer(plan, Layout(tmp_path)).look()
    assert (view.total.done, view.state.done, view.state.planned) == (6, 1, 2)
    assert "1 of 2 trials" in run_sentence(view.state)
    assert "trials an hour" in run_sentence(view.state)
    run_record.end(Layout(tmp_path).run)
    assert "ended after 1 of 2 trials" in run_sentence(Observer(plan, Layout(tmp_path)).look().state)


def test_a_run_whose_process_is_gone_was_cut_off(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    file = tmp_path / "run.json"
    run_record.begin(file, [(MIXED, "mies", 1)], 1)
    record = run_record.read(file)
    assert record.active
    text = file.read_text().replace(f'"pid": {os.getpid()}', f'"pid": {gone.pid}')
    file.write_text(text)
    record = run_record.read(file)
    assert not record.active
    assert record.ended is None
    # One that has its number by now is another process.
    assert not replace(record, pid=os.getpid(), identity=identity(os.getppid())).active
    assert replace(record, pid=os.getpid(), identity=None).active
    # The end of another process's run is not ours to record.
    run_record.end(file)
    assert run_record.read(file).ended is None
    file.write_text("{")
    assert run_record.read(file) is None


def test_time_to_go_weighs_trials_by_what_they_are_expected_to_take() -> None:
    run = RunRecord(started=0.0, ended=None, cores=4, pid=os.getpid(), host="", identity=None, trials=frozenset())
    state = {"run": run, "elapsed": 100.0, "planned": 20}
    # Ten trials of 20 s in 100 s on 4 cores, two CPU seconds a second; ten of 100 s are left.
    assert RunState(**state, done=10, spent=200.0, to_spend=1000.0).to_go == pytest.approx(500)
    assert RunState(**state, done=10, spent=200.0, to_spend=1000.0).per_hour == pytest.approx(360)
    # Before as many are done as run at once, the estimates are all there is.
    assert RunState(**state, done=3, spent=60.0, to_spend=1000.0).to_go == pytest.approx(250)


def test_words() -> None:
    assert [duration(s) for s in (9, 60, 3599, 7260, 200_000)] == [
        "9 s",
        "1 min",
        "1 h 00 min",
        "2 h 01 min",
        "2 d 7 h",
    ]
    assert share(Line("s", "", 9999, 10_000, 0.0)) == "9999 of 10000 trials (99.9 %)"
    assert share(Line("s", "", 10_000, 10_000, 0.0)) == "10000 of 10000 trials (100.0 %)"


def command(finished, *arguments: str, columns: int = 120) -> dict:
    environment = os.environ | finished.environment | {"COLUMNS": str(columns), "TERM": "xterm"}
    return {
        "args": [sys.executable, "-m", "unbounded", "progress", "tiny.yaml", *arguments],
        "cwd": finished.folder,
        "env": environment,
    }


def test_a_run_is_followed_to_its_end_from_another_shell(finished) -> None:
    campaign = tiny()
    campaign["solvers"]["cma-IH"]["options"] = {"population_factor": 4.0}
    finished.write(campaign)
    log = finished.folder / "progress.log"
    # It is there before the run begins, and waits for it: as files go, all would be done.
    (finished.results / "trials" / MIXED / "cma-IH" / "2.parquet").unlink()
    arguments = command(finished, "--watch", "--every", "0.2", "--log", str(log))
    watch = subprocess.Popen(**arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        finished.run("trials")
        output, _ = watch.communicate(timeout=60)
    finally:
        watch.kill()
    assert watch.returncode == 0, output
    totals = re.findall(r"tiny all: (\d) of 7 trials", output)
    assert totals[0] == "6"
    assert "5" in totals
    assert totals[-1] == "7"
    assert re.search(r"run since .*: 0 of 2 trials, estimated for 2 cores, about \d+ \w+ to go", output)
    assert log.read_text() == output


def test_a_run_that_fails_ends_the_watch_too(finished) -> None:
    (finished.results / "trials" / MIXED / "mies" / "1.parquet").unlink()
    # A folder where its log should be: it cannot be written.
    log = finished.results / "logs" / "trials" / MIXED / "mies" / "1.log"
    log.unlink()
    (log / "in the way").mkdir(parents=True)
    arguments = command(finished, "--watch", "--every", "0.2")
    watch = subprocess.Popen(**arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        finished.run("trials", "--retries", "0", code=1)
        output, _ = watch.communicate(timeout=60)
    finally:
        watch.kill()
    assert watch.returncode == 1, output
    assert "all: 6 of 7 trials (85.7 %); no run is active; the last one, of" in output.splitlines()[-1]
    assert output.splitlines()[-1].endswith("ended after 0 of 1 trials")


@pytest.mark.parametrize("columns", [120, 80, 60])
def test_a_terminal_shows_bars_and_whole_words_however_narrow_it_is(finished, columns: int) -> None:
    (finished.results / "trials" / MIXED / "mies" / "1.parquet").unlink()
    ours, theirs = pty.openpty()
    done = subprocess.Popen(**command(finished, columns=columns), stdout=theirs, stderr=theirs)
    os.close(theirs)
    output = b""
    try:
        while chunk := os.read(ours, 4096):
            output += chunk
    except OSError:  # the other end is closed
        pass
    assert done.wait() == 0
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", output.decode()).replace("\r\n", "\n")
    assert max(map(len, text.splitlines())) <= columns
    assert "tiny: 6 of 7 trials (85.7 %)" in text
    assert "CPU hours" in text
    assert "…" not in text
    assert re.search(r"^benchmark +cplex +1 +1 ━{4,} +0\.0 *$", text, re.MULTILINE)
    assert re.search(r"^ +mies +1 +2 ━+.* +0\.0 *$", text, re.MULTILINE)
    assert re.search(r"^ +cma-IH +2 +2 ━{4,} +0\.0 *$", text, re.MULTILINE)
    assert re.search(r"^all-integer +cplex +1 +1 ━{4,}", text, re.MULTILINE)


def test_the_names_of_the_paper_s_campaign_fit_sixty_columns(tmp_path: Path) -> None:
    view = Observer(Plan(load_campaign(ROOT / "config/paper.yaml")), Layout(tmp_path)).look()
    console = Console(width=60, file=io.StringIO(), color_system=None)
    console.print(table(view))
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 60
    assert "…" not in text
    for line in view.lines:
        assert re.search(rf"\b{re.escape(line.solver)} +0 +{line.planned}\b", text), line
