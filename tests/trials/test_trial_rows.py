"""Trial rows: verified, written whole, read with care."""

import json
import os
import platform
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unbounded.instances import build
from unbounded.solvers import registry
from unbounded.solvers.contract import Budget, Options, Outcome, Solver
from unbounded.trials.row import MEASURED, SCHEMA, SOLVED, STATUSES, VERSION, BrokenRowError, read_rows, write_row
from unbounded.trials.run import Trial, run_trial, summary
from unbounded.writing import ABANDONED, replacing

INSTANCE = "mixed-D4-t0-TC0-c1e1-E30"


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Load what `mies` compiles once: trials run in forked processes, which would each do so."""
    registry.find("mies").solver.prepare()


def trial(solver: str = "mies", budget: str = "evaluations=2000", seed: int = 1, **options: object) -> Trial:
    return Trial(INSTANCE, solver, solver, seed, Budget.parse(budget), options)


def without_times(row: dict) -> dict:
    bare = {key: value for key, value in row.items() if key not in MEASURED}
    trace = [{key: value for key, value in point.items() if key != "cpu_seconds"} for point in row["trace"]]
    return {**bare, "trace": trace}


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch):
    """Let a test register a solver that answers as the test says."""

    def add(answer, unavailable=lambda: None) -> None:
        solver = Solver(
            summary="for tests",
            variants={"told": {}},
            options=Options,
            budgets=("evaluations",),
            default_budget=lambda D: Budget(kind="evaluations", amount=10),
            solve=answer,
            estimate=lambda D, budget: 1.0,
            unavailable=unavailable,
        )
        entry = registry.Entry("told", "unbounded.solvers.mies", solver, {})
        monkeypatch.setattr(registry, "entries", lambda: {"told": entry})

    return add


@pytest.mark.parametrize(
    ("solver", "budget"),
    [("mies", "evaluations=10000"), ("cma-IH", "evaluations=3000"), ("cplex", "ticks=200")],
)
def test_the_same_seed_gives_the_same_row_times_aside(solver: str, budget: str) -> None:
    first, second = (run_trial(trial(solver, budget, seed=7)) for _ in range(2))
    assert without_times(first) == without_times(second)
    assert first["status"] in SOLVED


def test_the_row_says_what_the_instance_says() -> None:
    row = run_trial(trial())
    instance = build(INSTANCE)
    verdict = instance.verify(np.array(row["x"]))
    assert (row["f"], row["g"], row["violation"]) == (verdict.f, verdict.g, verdict.violation)
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
    register(lambda *_: Outcome("optimal", "surely optimal", far, claimed_f=0.0, bound=0.0))
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
        register(lambda *_, claimed=claimed: Outcome("optimal", "", instance.xi1, claimed_f=claimed))
        assert run_trial(trial("told", "evaluations=10"))["status"] == status


def test_integers_are_rounded_before_anything_is_computed(register) -> None:
    instance = build(INSTANCE)
    x = instance.xi1 + np.array([0.0, 0.0, 0.3, -0.2])
    register(lambda *_: Outcome("optimal", "", x))
    row = run_trial(trial("told", "evaluations=10"))
    assert row["x"] == instance.xi1.tolist()
    assert row["integrality_error"] == pytest.approx(0.3)
    assert row["g"] == 0.0
    assert row["status"] == "optimal"


def test_an_exception_inside_a_solver_is_a_row_with_its_traceback_in_the_log(register, tmp_path: Path) -> None:
    def broken(*_: object) -> Outcome:
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


def test_without_a_feasible_point_the_row_keeps_the_least_infeasible_one_under_no_solution() -> None:
    row = run_trial(trial("mies", "evaluations=200"))
    assert (row["status"], row["feasible"]) == ("no-solution", False)
    assert row["violation"] == row["trace"][-1]["violation"] > 0


def test_statuses_are_a_closed_vocabulary() -> None:
    assert set(SOLVED) < set(STATUSES)
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

    def full(table: pa.Table, where: Path) -> None:
        Path(where).write_bytes(b"PAR1 half of a row")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(OSError, match="No space left"):
        write_row(row, tmp_path / "1.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_broken_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    row = run_trial(trial())
    good, cut, old, other = (tmp_path / f"{name}.parquet" for name in ("good", "cut", "old", "other"))
    write_row(row, good)
    cut.write_bytes(good.read_bytes()[:-100])
    older = SCHEMA.with_metadata({"unbounded.row.version": str(VERSION - 1)})
    pq.write_table(pa.Table.from_pylist([row], schema=older), old)
    pq.write_table(pa.table({"a": [1]}).replace_schema_metadata(SCHEMA.metadata), other)
    for path, word in ((cut, "no readable trial row"), (old, "row version"), (other, "columns")):
        with pytest.raises(BrokenRowError, match=word) as caught:
            read_rows([good, path])
        assert f"rm {path}" in str(caught.value)
    with pytest.raises(BrokenRowError, match="is missing"):
        read_rows([tmp_path / "absent.parquet"])
