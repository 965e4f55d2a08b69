"""Trial rows: verified, written whole, read with care."""

import json
import os
import platform
import re
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness.rows import timeless
from unbounded.instances import build
from unbounded.instances.completion import complete_points
from unbounded.running.supervision import BrokenEnvironmentError
from unbounded.running.writing import ABANDONED, replacing
from unbounded.solvers import registry
from unbounded.solvers.contract import Broken, Budget, Ending, Options, Strategy, cannot_import
from unbounded.trials.reading import BrokenRowError, read_rows
from unbounded.trials.row import ENDINGS, FAILED, SCHEMA, SOLVED, STATUSES, VERSION, write_row
from unbounded.trials.run import Trial, run_trial, summary

INSTANCE = "mixed-D4-t0-TC0-c1e1-E30"


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Load what `mies` compiles once: trials run in forked processes, which would each do so."""
    registry.find("mies").solver.prepare()


def trial(solver: str = "mies", budget: str = "evaluations=2000", seed: int = 1, **options: object) -> Trial:
    return Trial(INSTANCE, solver, solver, seed, Budget.parse(budget), options)


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch):
    """Let a test register a solver that answers as the test says."""

    def add(answer, unavailable=lambda: None, white_box: bool = False) -> None:
        class Told(Strategy[Options]):
            summary = "for tests"
            variants = {"told": {}}
            options = Options

            def seconds_of_a_unit(self, D: int) -> float:
                return 0.1

            def unavailable(self) -> str | None:
                return unavailable()

            def solve(self, *given):
                return answer(*given)

        Told.white_box = white_box
        entry = registry.Entry("told", "unbounded.solvers.mies", Told(), {})
        monkeypatch.setattr(registry, "entries", lambda: {"told": entry})

    return add


@pytest.mark.parametrize(
    ("solver", "budget"),
    [("mies", "evaluations=10000"), ("cma-IH", "evaluations=3000"), ("cplex", "ticks=200")],
)
def test_the_same_seed_gives_the_same_row_times_aside(solver: str, budget: str) -> None:
    first, second = (run_trial(trial(solver, budget, seed=7)) for _ in range(2))
    assert timeless(first) == timeless(second)
    assert first["status"] in SOLVED


def test_the_row_says_what_the_instance_says() -> None:
    row = run_trial(trial())
    instance = build(INSTANCE)
    point = instance.verify(np.array(row["x"]))
    assert (row["f"], row["g"], row["violation"]) == (point.f, point.g, point.violation)
    assert row["instance_digest"] == instance.digest
    assert row["integrality_error"] == 0
    assert row["trace"][-1]["f"] == row["f"]
    assert json.loads(row["options"])["parents"] == 15
    assert set(json.loads(row["versions"])) == {"python", "unbounded", "numpy", "numba"}
    assert set(row) == set(SCHEMA.names)
    for word in (INSTANCE, row["status"], "evaluations", "feasible"):
        assert word in summary(row)


def test_a_point_that_is_not_feasible_is_unverified_whatever_the_solver_claims(register) -> None:
    far = np.full(4, 1000.0)
    register(lambda *_: Ending("optimal", "surely optimal", far, claimed_f=0.0, bound=0.0))
    row = run_trial(trial("told", "evaluations=10"))
    assert (row["status"], row["feasible"]) == ("unverified", False)
    assert row["violation"] > 1000
    assert row["claimed_f"] == 0.0
    assert row["f"] > 1000
    assert row["status"] not in SOLVED


def test_a_proof_about_another_value_than_the_point_s_is_unproven(register) -> None:
    instance = build(INSTANCE)
    value = instance.verify(instance.xi1).f
    for claimed, status in ((value, "optimal"), (value * 1.0005, "optimal"), (value * 0.9, "unproven")):
        register(lambda *_, claimed=claimed: Ending("optimal", "", instance.xi1, claimed_f=claimed))
        assert run_trial(trial("told", "evaluations=10"))["status"] == status


# --- The best verified point counts, however the run ended -------------------------------------------------------


def on_ticks(instance: str, ticks: float, solver: str = "cplex") -> dict:
    return run_trial(Trial(instance, solver, solver, 1, Budget(kind="ticks", amount=ticks)))


def cplex_row(shows: Callable[[dict], bool], *instances: str) -> dict:
    """Return the first row of these instances that shows something: on which CPLEX does so, the processor decides."""
    return next(row for instance in instances if shows(row := on_ticks(instance, 300)))


def test_a_point_that_verifies_counts_though_cplex_ends_with_an_error() -> None:
    row = cplex_row(
        lambda row: row["termination"] == "109: error termination",
        "mixed-D8-t0-TC5-c1e6-E80",
        "mixed-D64-t0-TC2-c1e3-E10",
        "mixed-D64-t0-TC5-c1e4-E50",
    )
    assert (row["status"], row["ending"], row["feasible"]) == ("incumbent", "error", True)
    assert row["status"] in SOLVED
    assert row["f"] < 1e-6  # the optimum is 0
    assert "incumbent, ended: error (109: error termination)" in summary(row)


def test_an_earlier_point_that_verifies_counts_though_the_one_that_cplex_hands_in_does_not() -> None:
    row = cplex_row(
        lambda row: (row["status"], row["ending"]) == ("incumbent", "unverified"),
        "mixed-D16-t1e4-TC7-c1e6-E10",
        "mixed-D8-t1e4-TC7-c1e6-E30",
        "mixed-D8-t1e4-TC0-c1e6-E30",
        "mixed-D8-t1e4-TC7-c1e6-E10",
    )
    instance = build(row["instance"])
    assert row["handed_violation"] > instance.tolerance >= row["violation"]
    verified = instance.verify(np.array(row["x"]))
    assert verified.feasible
    assert row["f"] == verified.f == row["trace"][-1]["f"]


def at(instance, distance: float) -> np.ndarray:
    """Return a point on the way from ξ1, which is feasible, along one real coordinate to that of ξ0."""
    x = instance.xi1.copy()
    x[0] += distance
    return x


def ended(how: str, x: np.ndarray | None, claimed_f: float | None = None):
    """Return a solver that tells of two points, the better one first, and then ends like this."""

    def solve(instance, budget, seed, options, report) -> Ending:
        report.incumbent(at(instance, 1.0), bound=5.0)
        report.incumbent(instance.xi1)
        if how == "exit":
            os._exit(7)
        return Ending(how, "", x, claimed_f=claimed_f, bound=5.0)

    return solve


FAR = np.full(4, 1000.0)
NEAR, CENTRE = at(build(INSTANCE), 1.0), build(INSTANCE).xi1
F_NEAR, F_CENTRE = (build(INSTANCE).verify(x).f for x in (NEAR, CENTRE))


@pytest.mark.parametrize(
    ("how", "x", "claimed_f", "status", "ending"),
    [
        # The last word is about no point, or about one that is not feasible, or says nothing of it.
        ("no-solution", None, None, "incumbent", "no-solution"),
        ("time-out", None, None, "incumbent", "no-solution"),
        ("error", None, None, "incumbent", "error"),
        ("error", CENTRE, None, "incumbent", "error"),
        ("optimal", FAR, 0.0, "incumbent", "unverified"),
        ("error", FAR, 0.0, "incumbent", "unverified"),
        ("exit", None, None, "incumbent", "crashed"),
        # A worse one is handed in: the better one counts, and a proof was not about it.
        ("time-out", CENTRE, F_CENTRE, "time-out", "time-out"),
        ("optimal", CENTRE, F_CENTRE, "unproven", "unproven"),
        ("optimal", NEAR, F_NEAR, "optimal", "optimal"),
        ("tolerance", CENTRE, F_NEAR * 1.0005, "tolerance", "tolerance"),
    ],
)
def test_the_best_verified_point_of_a_run_is_the_row_s(
    register, how: str, x: np.ndarray | None, claimed_f: float | None, status: str, ending: str
) -> None:
    register(ended(how, x, claimed_f))
    row = run_trial(trial("told", "evaluations=10"))
    assert (row["status"], row["ending"]) == (status, ending)
    assert (row["x"], row["f"], row["feasible"]) == (NEAR.tolist(), F_NEAR, True)
    assert row["f"] < F_CENTRE
    # The last word is on record, whatever counts.
    assert row["claimed_f"] == claimed_f
    assert (row["handed_violation"] or 0.0) == (0.0 if x is not FAR else build(INSTANCE).verify(FAR).violation)


def test_a_point_that_is_not_feasible_counts_for_nothing_also_on_the_way(register) -> None:
    def solve(instance, budget, seed, options, report) -> Ending:
        report.incumbent(FAR)
        return Ending("error", "", None)

    register(solve)
    row = run_trial(trial("told", "evaluations=10"))
    assert (row["status"], row["ending"], row["feasible"]) == ("error", "error", False)


# --- Repaired values -----------------------------------------------------------------------------------------------


def test_a_point_of_cplex_that_fails_verification_gets_a_repaired_value() -> None:
    row = cplex_row(
        lambda row: row["status"] == "unverified" and row["violation"] > 1 and row["repaired_f"] is not None,
        "mixed-D16-t1e4-TC4-c1e3-E30",
        "mixed-D16-t1e4-TC6-c1e3-E30",
        "mixed-D8-t1e4-TC0-c1e3-E10",
    )
    instance = build(row["instance"])
    assert row["violation"] == row["handed_violation"]
    # The same integers with the best reals: feasible, and as good as these integers can be.
    x = np.array(row["x"])
    (repaired,) = complete_points(instance, x[None, instance.integers])
    point = instance.verify(repaired)
    assert point.feasible
    assert point.integrality_error == 0
    assert row["repaired_f"] == point.f
    assert point.g == pytest.approx(instance.E)
    assert "repaired" in summary(row)
    # It is a value of its own: the row's is still that of the point.
    assert row["f"] == instance.verify(x).f != row["repaired_f"]


@pytest.mark.parametrize(("white_box", "repaired"), [(True, True), (False, False)])
def test_white_box_solvers_points_alone_are_repaired(register, white_box: bool, repaired: bool) -> None:
    out = at(build(INSTANCE), 1000.0)
    register(lambda *_: Ending("optimal", "", out), white_box=white_box)
    row = run_trial(trial("told", "evaluations=10"))
    assert row["status"] == "unverified"
    assert (row["repaired_f"] is not None) is repaired
    if repaired:
        assert 0 < row["repaired_f"] < row["f"]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("out", [FAR, np.full(4, 1e100), np.full(4, np.inf), np.full(4, np.nan)])
def test_integers_that_no_reals_make_feasible_have_no_repaired_value(register, out: np.ndarray) -> None:
    register(lambda *_: Ending("optimal", "", out), white_box=True)
    row = run_trial(trial("told", "evaluations=10"))
    assert (row["status"], row["repaired_f"]) == ("unverified", None)


def test_a_point_that_verifies_needs_no_repair(register) -> None:
    register(lambda *_: Ending("time-out", "", NEAR), white_box=True)
    assert run_trial(trial("told", "evaluations=10"))["repaired_f"] is None


def test_integers_are_rounded_before_anything_is_computed(register) -> None:
    instance = build(INSTANCE)
    x = instance.xi1 + np.array([0.0, 0.0, 0.3, -0.2])
    register(lambda *_: Ending("optimal", "", x))
    row = run_trial(trial("told", "evaluations=10"))
    assert row["x"] == instance.xi1.tolist()
    assert row["integrality_error"] == pytest.approx(0.3)
    assert row["g"] == 0.0
    assert row["status"] == "optimal"


def test_an_exception_inside_a_solver_is_a_row_with_its_traceback_in_the_log(register, tmp_path: Path) -> None:
    def broken(*_: object) -> Ending:
        raise RuntimeError("the solver broke")

    register(broken)
    row = run_trial(trial("told", "evaluations=10"), log=tmp_path / "logs" / "trial.log")
    assert (row["status"], row["termination"]) == ("error", "RuntimeError: the solver broke")
    assert (row["x"], row["f"], row["feasible"]) == (None, None, False)
    assert "Traceback" in (tmp_path / "logs" / "trial.log").read_text(encoding="utf-8")


def test_a_solver_that_cannot_run_here_is_skipped_with_its_reason(register) -> None:
    register(lambda *_: pytest.fail("it must not run"), unavailable=lambda: "no licence")
    row = run_trial(trial("told", "evaluations=10"))
    assert (row["status"], row["termination"]) == ("skipped", "no licence")


def _fail_to_import(*_: object) -> None:
    import unbounded.no_such_module  # noqa: F401


def _fail_to_load(*_: object) -> None:
    raise OSError("libsolver.so: failed to map segment from shared object")


def _ask_for_more_than_there_is(*_: object) -> None:
    """Fill an address space that is limited a little above what it holds."""
    most = psutil.Process().memory_info().vms + 50_000_000
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    np.ones(20_000_000)


@pytest.mark.parametrize(
    ("answer", "unavailable", "words"),
    [
        (_fail_to_import, lambda: None, "told cannot run here: ModuleNotFoundError: No module named"),
        (_ask_for_more_than_there_is, lambda: None, "an allocation was refused, and the address space is limited to"),
        (None, _fail_to_import, "told cannot run here: ModuleNotFoundError"),
        (None, _fail_to_load, "told cannot run here: OSError: libsolver.so: failed to map segment"),
        (None, _ask_for_more_than_there_is, "told cannot run here: "),
        (None, lambda: os.kill(os.getpid(), signal.SIGABRT), "it died while its libraries were loaded (SIGABRT"),
        (
            None,
            lambda: cannot_import("told", ImportError("undefined symbol"), "envs/requirements.txt"),
            "the package told cannot be imported (undefined symbol)",
        ),
    ],
)
def test_a_broken_environment_is_a_sentence_and_no_row(register, answer, unavailable, words: str) -> None:
    register(answer, unavailable=unavailable)
    with pytest.raises(BrokenEnvironmentError, match=re.escape(words)):
        run_trial(trial("told", "evaluations=10"))


def test_a_package_that_is_not_installed_is_no_broken_one(register) -> None:
    def reason(module: str) -> str:
        error = ModuleNotFoundError(f"No module named '{module}'", name=module)
        return cannot_import("told", error, "envs/requirements.txt")

    assert isinstance(reason("another"), Broken)
    assert not isinstance(reason("told"), Broken)
    register(None, unavailable=lambda: reason("told"))
    assert run_trial(trial("told", "evaluations=10"))["status"] == "skipped"


def test_without_a_feasible_point_the_row_keeps_the_least_infeasible_one_under_no_solution() -> None:
    row = run_trial(trial("mies", "evaluations=200"))
    assert (row["status"], row["feasible"]) == ("no-solution", False)
    assert row["violation"] == row["trace"][-1]["violation"] > 0


def test_statuses_are_a_closed_vocabulary() -> None:
    assert set(SOLVED) < set(STATUSES)
    assert {*ENDINGS, "incumbent"} == set(STATUSES)
    assert not set(FAILED) & set(SOLVED)
    assert {"optimal", "tolerance", "time-out", "no-solution", "unverified", "error"} <= set(STATUSES)


@pytest.mark.parametrize(
    ("solver", "budget", "word"),
    [
        ("mies", "ticks=10", "evaluations, seconds"),
        ("nobody", "evaluations=10", "unknown solver 'nobody'"),
    ],
)
def test_wrong_requests_are_refused_before_anything_runs(solver: str, budget: str, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        run_trial(trial(solver, budget))


def test_a_row_is_read_as_it_was_written(tmp_path: Path) -> None:
    row = run_trial(trial())
    path = tmp_path / "deep" / "1.parquet"
    write_row(row, path)
    assert read_rows([path]).to_pylist() == [row]
    assert [entry.name for entry in path.parent.iterdir()] == ["1.parquet"]


def test_what_others_write_is_left_to_them_until_they_must_be_gone(tmp_path: Path) -> None:
    killed, living, other = (tmp_path / f".1.parquet.{name}.tmp" for name in ("a.999", "b.999", "c.7"))
    for path in (killed, living, other):
        path.write_bytes(b"PAR1 half of a row")
    os.utime(killed, (time.time() - 2 * ABANDONED,) * 2)
    with replacing(tmp_path / "1.parquet") as temporary:
        assert platform.node() in temporary.name
        temporary.write_bytes(b"whole")
        assert not (tmp_path / "1.parquet").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"1.parquet", living.name, other.name}


def test_a_failed_write_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = run_trial(trial())

    def full(table: pa.Table, where: Path, **options: Any) -> None:
        Path(where).write_bytes(b"PAR1 half of a row")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(OSError, match="No space left"):
        write_row(row, tmp_path / "1.parquet")
    assert list(tmp_path.iterdir()) == []


def test_all_broken_files_are_named(tmp_path: Path) -> None:
    row = run_trial(trial())
    good, cut, old, other = (tmp_path / f"{name}.parquet" for name in ("good", "cut", "old", "other"))
    write_row(row, good)
    cut.write_bytes(good.read_bytes()[:-100])
    older = SCHEMA.with_metadata({"unbounded.row.version": str(VERSION - 1)})
    pq.write_table(pa.Table.from_pylist([row], schema=older), old)
    pq.write_table(pa.table({"a": [1]}).replace_schema_metadata(SCHEMA.metadata), other)
    absent = tmp_path / "absent.parquet"
    with pytest.raises(BrokenRowError, match="4 trial files are no usable row") as caught:
        read_rows([cut, good, old, other, absent])
    for path, word in ((cut, "unreadable ("), (old, "row version"), (other, "the columns"), (absent, "missing")):
        assert f"{path}: {word}" in str(caught.value)
    assert str(good) not in str(caught.value)
