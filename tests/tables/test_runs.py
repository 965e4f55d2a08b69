"""Runs: the plan joined with its rows."""

import math

import pandas as pd
import pytest
from table_rows import ZERO, A, B, line, plan, runs_table, study, trial, trials

from unbounded.instances import build
from unbounded.tables.best_known import TABLE as best_known_table
from unbounded.tables.cells import TABLE as cells_table
from unbounded.tables.completeness import TABLE as completeness_table
from unbounded.tables.refuted import as_in_runs
from unbounded.tables.runs import TABLE as RUNS


def test_runs_are_normalised_to_the_references_best_run_in_the_study() -> None:
    rows = trials(
        trial(A, "cplex", 1, 100.0, x=[0, 0, 1, 2], status="time-out"),
        trial(A, "cplex", 2, 80.0, x=[0, 0, 1, 3], status="tolerance"),
        trial(A, "mies", 1, 120.0, x=[9, 9, 1, 3]),
        trial(A, "mies", 2, 60.0, x=[0, 0, 5, 5]),
    )
    runs = runs_table(rows, plan(study("benchmark", [A], {"cplex": [1, 2], "mies": [1, 2]})))
    assert list(runs.columns) == list(RUNS.columns)
    assert runs["reference_f"].tolist() == [80.0] * 4
    assert runs["best_known_f"].tolist() == [60.0] * 4
    assert runs["normalised"].tolist() == [1.25, 1.0, 1.5, 0.75]
    assert runs["delta_z"].tolist() == [0.5, 0.0, 0.0, 1.0]
    assert runs["delta_z_best_known"].tolist() == [1.0, 1.0, 1.0, 0.0]
    assert runs["is_reference"].tolist() == [True, True, False, False]
    first = runs.iloc[0]
    assert (first["kind"], first["D"], first["t"], first["case"], first["tc"]) == ("mixed", 4, 0.0, "TC0", 0)
    assert (first["c"], first["E"], first["hessian"], first["slice"]) == (10.0, 30.0, "full", "mixed-D4-t0")


def test_a_planned_trial_without_a_row_is_missing_and_stays_in_the_table() -> None:
    rows = trials(trial(A, "cplex", 1, 100.0))
    runs = runs_table(rows, plan(study("benchmark", [A, B], {"cplex": [1], "mies": [1]})))
    assert runs["status"].tolist() == ["budget", "missing", "missing", "missing"]
    assert runs["solved"].tolist() == [True, False, False, False]
    assert runs["evaluations"].isna().tolist() == [False, True, True, True]
    missing = line(runs, instance=B, solver="mies")
    assert math.isnan(missing["reference_f"])
    assert (missing["case"], missing["zero_optimum"]) == ("TC1", False)


@pytest.mark.parametrize("status", ["unverified", "no-solution", "error", "skipped"])
def test_rows_that_are_not_verified_have_no_value_even_if_they_hold_a_better_point(status: str) -> None:
    rows = trials(trial(A, "cplex", 1, 100.0), trial(A, "mies", 1, 1.0, status=status))
    runs = runs_table(rows, plan(study("benchmark", [A], {"cplex": [1], "mies": [1]})))
    unverified = line(runs, solver="mies")
    assert unverified["status"] == status
    assert not unverified["solved"]
    assert unverified[["f", "normalised", "delta_z", "delta_z_best_known"]].isna().all()
    assert unverified["best_known_f"] == 100.0


def test_an_incumbent_has_its_value_and_its_ending_beside_it() -> None:
    rows = trials(
        trial(A, "cplex", 1, 100.0, status="incumbent", ending="error"),
        trial(A, "mies", 1, 90.0, status="incumbent", ending="overrun"),
    )
    runs = runs_table(rows, plan(study("benchmark", [A], {"cplex": [1], "mies": [1]})))
    assert runs[["status", "ending", "solved", "f"]].to_numpy().tolist() == [
        ["incumbent", "error", True, 100.0],
        ["incumbent", "overrun", True, 90.0],
    ]
    assert runs["normalised"].tolist() == [1.0, 0.9]
    cells = cells_table(runs)
    assert line(cells, solver="mies")["verdict_best"] == "better"


def test_a_refuted_proof_keeps_its_value_and_loses_its_word() -> None:
    here = {"instance_digest": build(ZERO).digest}
    rows = trials(
        trial(ZERO, "cplex", 1, 3.85, status="optimal", bound=3.85, **here), trial(ZERO, "mies", 1, 2.0, **here)
    )
    runs = runs_table(rows, plan(study("benchmark", [ZERO], {"cplex": [1], "mies": [1]})))
    cplex = line(runs, solver="cplex")
    assert (cplex["status"], cplex["ending"], cplex["solved"], cplex["f"]) == ("refuted", "optimal", True, 3.85)
    # Whoever reads the rows with this table is told the same.
    assert as_in_runs(rows, runs)["status"].tolist() == ["refuted", "budget"]
    assert rows["status"].tolist() == ["optimal", "budget"]
    counts = line(completeness_table(runs), solver="cplex")
    assert (counts["solved"], counts["refuted"], counts["optimal"], counts["failed"]) == (1, 1, 0, 0)


def test_a_repaired_value_stands_beside_and_is_used_for_nothing() -> None:
    rows = trials(
        trial(A, "cplex", 1, 500.0, status="unverified", repaired_f=80.0),
        trial(A, "cplex", 2, 120.0, status="incumbent", ending="unverified", repaired_f=70.0),
        trial(A, "mies", 1, 100.0),
    )
    best_known = best_known_table(rows)
    assert best_known["best_f"].tolist() == [100.0]
    runs = runs_table(rows, plan(study("benchmark", [A], {"cplex": [1, 2], "mies": [1]})), best_known)
    assert runs["repaired_f"].tolist()[:2] == [80.0, 70.0]
    assert runs["f"].tolist()[1:] == [120.0, 100.0]
    assert math.isnan(runs["f"].iloc[0])
    cplex = line(cells_table(runs), solver="cplex")
    assert (cplex["best_f"], cplex["repaired_best_f"], cplex["solved"]) == (120.0, 70.0, 1)
    assert line(cells_table(runs), solver="mies")["verdict_best"] == "better"


def test_without_a_reference_value_there_is_no_normalised_value_and_no_delta_z() -> None:
    rows = trials(trial(A, "cplex", 1), trial(A, "mies", 1, 50.0))
    runs = runs_table(rows, plan(study("benchmark", [A], {"cplex": [1], "mies": [1]})))
    alone = line(runs, solver="mies")
    assert alone[["reference_f", "normalised", "delta_z"]].isna().all()
    assert (alone["f"], alone["best_known_f"], alone["delta_z_best_known"]) == (50.0, 50.0, 0.0)


def test_zero_optima_are_marked_and_compared_without_dividing_by_zero() -> None:
    rows = trials(trial(ZERO, "cplex", 1, 2e-9), trial(ZERO, "mies", 1, 0.0), trial(ZERO, "mies", 2, 1e-4))
    runs = runs_table(rows, plan(study("benchmark", [ZERO], {"cplex": [1], "mies": [1, 2]})))
    assert runs["zero_optimum"].all()
    assert runs["normalised"].tolist() == pytest.approx([1.0, 1.0, 100.0])
    assert runs["tc"].isna().all()
    assert set(runs["case"]) == {"sphere"}


def test_a_study_sees_its_own_seeds_of_the_reference_but_the_campaigns_best_known() -> None:
    rows = trials(
        trial(A, "cplex", 1, 100.0),
        trial(A, "cplex", 2, 50.0),
        trial(A, "mies", 1, 200.0),
        trial(A, "cma-IH", 1, 40.0),
    )
    runs = runs_table(
        rows,
        plan(
            study("first", [A], {"cplex": [1], "mies": [1]}),
            study("second", [A], {"cplex": [1, 2], "mies": [1]}),
            study("third", [A], {"cma-IH": [1], "mies": [1]}, reference="cma-IH"),
        ),
    )
    mies = runs[runs["solver"] == "mies"]
    assert mies["normalised"].tolist() == [2.0, 4.0, 5.0]
    assert set(runs["best_known_f"]) == {40.0}
    assert runs[["study", "solver", "is_reference"]].to_numpy().tolist() == [
        ["first", "cplex", True],
        ["first", "mies", False],
        ["second", "cplex", True],
        ["second", "cplex", True],
        ["second", "mies", False],
        ["third", "cma-IH", True],
        ["third", "mies", False],
    ]


def test_runs_are_compared_with_the_best_known_value_and_its_certificate() -> None:
    arrays = {"instance_digest": build(A).digest}
    rows = trials(
        trial(A, "cplex", 1, 150.0, x=[0, 0, 1, 2], bound=119.95, status="time-out", **arrays),
        trial(A, "mies", 1, 120.0, x=[0, 0, 1, 3], **arrays),
        trial(B, "cplex", 1, 100.0, bound=50.0),
        trial(B, "mies", 1, 200.0),
    )
    runs = runs_table(rows, plan(study("b", [A, B], {"cplex": [1], "mies": [1]})))
    assert runs["best_known_f"].tolist() == [120.0, 100.0, 120.0, 100.0]
    assert runs["certified"].tolist() == [True, False, True, False]
    assert runs["normalised_known"].tolist() == [1.25, 1.0, 1.0, 2.0]
    assert runs["normalised"].tolist() == [1.0, 1.0, 0.8, 2.0]  # to cplex, as before
    assert runs["delta_z_certified"].fillna(-1).tolist() == [0.5, -1.0, 0.0, -1.0]
    cells = cells_table(runs)
    assert cells["normalised_known_best"].tolist() == cells["normalised_known_median"].tolist() == [1.25, 1.0, 1.0, 2.0]
    assert cells["delta_z_certified"].fillna(-1).tolist() == [0.5, -1.0, 0.0, -1.0]
    assert cells["certified"].tolist() == [True, False, True, False]


def test_rows_of_different_arrays_are_refused_by_name() -> None:
    rows = trials(
        trial(A, "cplex", 1, 100.0, instance_digest="f011"),
        trial(A, "cma-IH", 1, 90.0, instance_digest="b10c"),
        trial(B, "cplex", 1, 100.0),
    )
    with pytest.raises(ValueError, match="different arrays") as caught:
        runs_table(rows, plan(study("benchmark", [A], {"cplex": [1]})))
    for word in (A, "cplex solved f011", "cma-IH solved b10c"):
        assert word in str(caught.value)
    assert B not in str(caught.value)


def test_two_rows_of_one_trial_are_refused() -> None:
    rows = trials(trial(A, "cplex", 1, 100.0), trial(A, "cplex", 1, 90.0))
    with pytest.raises(ValueError, match=r"not unique|merge keys"):
        runs_table(rows, plan(study("benchmark", [A], {"cplex": [1]})))


def test_vectors_of_several_lengths_are_compared_each_with_its_own() -> None:
    longer = "integer-D8-t0-TC0-c1e1-E30"
    rows = trials(
        trial(A, "cplex", 1, 1.0, x=[0, 0, 1, 1]),
        trial(A, "mies", 1, 1.0, x=[5, 5, 1, 0]),
        trial(longer, "cplex", 1, 1.0, x=[1] * 8),
        trial(longer, "mies", 1, 1.0, x=[1] * 6 + [0, 0]),
    )
    runs = runs_table(rows, plan(study("benchmark", [A, longer], {"cplex": [1], "mies": [1]})))
    assert line(runs, instance=A, solver="mies")["delta_z"] == 0.5
    assert line(runs, instance=longer, solver="mies")["delta_z"] == 0.25


def test_a_campaign_without_rows_has_a_table_of_missing_runs() -> None:
    runs = runs_table(trials(), plan(study("benchmark", [A], {"cplex": [1], "mies": [1, 2]})))
    assert runs["status"].tolist() == ["missing"] * 3
    assert runs.dtypes.astype(str).to_dict() == RUNS.types
    nothing = runs_table(trials(), pd.DataFrame(columns=["study", "type", "reference", "instance", "solver", "seed"]))
    assert len(nothing) == 0
