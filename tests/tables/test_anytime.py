"""Anytime tables: runtimes to targets, expected running times and profiles, each number checked by hand."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_rows import ZERO, A, B, line, plan, runs_table, study, trial, trials

from unbounded.instances import build
from unbounded.tables.anytime import TABLE as ANYTIME
from unbounded.tables.anytime import TABLE as anytime_table
from unbounded.tables.expected_runtimes import TABLE as EXPECTED_RUNTIMES
from unbounded.tables.expected_runtimes import TABLE as expected_runtimes_table
from unbounded.tables.profiles import TABLE as PROFILES
from unbounded.tables.profiles import TABLE as profiles_table
from unbounded.tables.targets import TARGETS, target_value

Entry = tuple[int, float, float, float]


def traces(*of_rows: list[Entry]) -> pd.DataFrame:
    """Return entries (evaluations, CPU seconds, f, violation) of the trials, in their order."""
    lines = [(number, *entry) for number, entries in enumerate(of_rows) for entry in entries]
    table = pd.DataFrame(lines, columns=["row", "evaluations", "cpu_seconds", "f", "violation"])
    return table.astype({"row": "int64", **dict.fromkeys(["cpu_seconds", "f", "violation"], "float64")})


def anytime(rows: list[dict[str, Any]], entries: list[list[Entry]], *studies: dict[str, Any]) -> pd.DataFrame:
    table = trials(*rows)
    return anytime_table(table, traces(*entries), runs_table(table, plan(*studies)))


ROWS = [
    trial(A, "cplex", 1, 100.0, evaluations=0, cpu_seconds=9.0, status="optimal"),
    trial(A, "mies", 1, 100.005, evaluations=1000, cpu_seconds=10.0),
    trial(A, "mies", 2, 105.0, evaluations=2000, cpu_seconds=20.0),
    trial(A, "mies", 3, evaluations=500, cpu_seconds=5.0),  # no solution
]
ENTRIES: list[list[Entry]] = [
    [(0, 1.0, 104.0, 0.0), (0, 4.0, 100.0, 0.0)],
    [
        (10, 0.1, 90.0, 5.0),  # infeasible: reaches nothing
        (20, 0.2, 150.0, 0.0),
        (30, 0.3, 110.0, 2e-5),  # exactly at 10⁻¹, and within the tolerance of g: 3e-5 at E = 30
        (40, 0.4, 100.1, 0.0),
        (50, 0.5, 100.005, 0.0),
    ],
    [(100, 1.0, 108.0, 0.0), (200, 2.0, 105.0, 0.0)],
    [(50, 0.5, 100.0, 0.0)],  # it came across the optimum, and handed in nothing
]
BENCHMARK = study("b", [A], {"cplex": [1], "mies": [1, 2, 3]})


def test_the_first_feasible_entry_that_is_close_enough_is_the_runtime() -> None:
    table = anytime(ROWS, ENTRIES, BENCHMARK)
    assert table.dtypes.astype(str).to_dict() == ANYTIME.types
    assert len(table) == 4 * len(TARGETS)
    first = table[(table["solver"] == "mies") & (table["seed"] == 1)].sort_values("target", ascending=False)
    assert first["target"].tolist() == [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6]
    assert first["reached"].tolist() == [True, True, True, True, False, False]
    assert first["evaluations"].fillna(-1).tolist() == [30, 40, 40, 50, -1, -1]
    assert first["cpu_seconds"].tolist()[:4] == [0.3, 0.4, 0.4, 0.5]
    assert set(first["spent_evaluations"]) == {1000}
    second = table[(table["solver"] == "mies") & (table["seed"] == 2)]
    assert second["reached"].tolist() == [True, False, False, False, False, False]


def test_a_run_without_a_verified_solution_reaches_nothing_and_spends_everything() -> None:
    third = anytime(ROWS, ENTRIES, BENCHMARK).query("solver == 'mies' and seed == 3")
    assert not third["reached"].any()
    assert third["evaluations"].isna().all()
    assert set(third["spent_evaluations"]) == {500}
    assert set(third["spent_cpu_seconds"]) == {5.0}


def test_white_box_solvers_have_seconds_and_no_evaluations() -> None:
    cplex = anytime(ROWS, ENTRIES, BENCHMARK).query("solver == 'cplex'").sort_values("target")
    assert cplex["evaluations"].isna().all()
    assert cplex["spent_evaluations"].isna().all()
    assert cplex["cpu_seconds"].tolist() == [4.0, 4.0, 4.0, 4.0, 4.0, 1.0]


def test_targets_are_distances_to_the_proven_optimum_where_there_is_one() -> None:
    arrays = {"instance_digest": build(A).digest}
    rows = [
        trial(A, "cplex", 1, 120.0 + 1e-5, evaluations=0, status="optimal", **arrays),
        trial(A, "lattice", 1, 120.0, evaluations=0, status="optimal", bound=120.0 - 1.2e-7, **arrays),
        trial(A, "mies", 1, 119.9995, **arrays),  # lower by the feasibility tolerance: nobody else gets there
    ]
    table = anytime(rows, [[], [], []], study("b", [A], {"cplex": [1], "lattice": [1], "mies": [1]}))
    assert table[table["target"] == 1e-6]["reached"].tolist() == [True, True, True]


def test_expected_running_time_is_all_that_was_spent_by_successes() -> None:
    table = expected_runtimes_table(anytime(ROWS, ENTRIES, BENCHMARK))
    assert table.dtypes.astype(str).to_dict() == EXPECTED_RUNTIMES.types
    far = line(table, solver="mies", target=1e-1)
    assert (far["runs"], far["successes"]) == (3, 2)
    assert far["ert_evaluations"] == (30 + 100 + 500) / 2
    assert far["ert_cpu_seconds"] == pytest.approx((0.3 + 1.0 + 5.0) / 2)
    near = line(table, solver="mies", target=1e-4)
    assert (near["successes"], near["ert_evaluations"]) == (1, 50 + 2000 + 500)
    assert near["ert_cpu_seconds"] == pytest.approx(0.5 + 20.0 + 5.0)
    never = line(table, solver="mies", target=1e-6)
    assert (never["runs"], never["successes"]) == (3, 0)
    assert never[["ert_evaluations", "ert_cpu_seconds", "ratio_evaluations", "ratio_cpu_seconds"]].isna().all()
    cplex = line(table, solver="cplex", target=1e-1)
    assert (cplex["ert_cpu_seconds"], cplex["ratio_cpu_seconds"]) == (1.0, 1.0)
    assert math.isnan(cplex["ert_evaluations"])
    assert far["ratio_cpu_seconds"] == pytest.approx(3.15)
    assert far["ratio_evaluations"] == 1.0  # of those that count


def test_a_run_that_spent_an_unknown_time_leaves_the_expectation_unknown() -> None:
    rows = [ROWS[0], ROWS[1], trial(A, "mies", 2, status="error", evaluations=7, cpu_seconds=None)]
    table = expected_runtimes_table(anytime(rows, [*ENTRIES[:2], []], study("b", [A], {"cplex": [1], "mies": [1, 2]})))
    mies = line(table, solver="mies", target=1e-1)
    assert mies["successes"] == 1
    assert math.isnan(mies["ert_cpu_seconds"])
    assert mies["ert_evaluations"] == 30 + 7


def test_profiles_count_the_instances_solved_at_up_to_a_ratio() -> None:
    rows = [
        trial(A, "fast", 1, 100.0, cpu_seconds=9.0),
        trial(A, "slow", 1, 100.0, cpu_seconds=9.0),
        trial(B, "fast", 1, 200.0, cpu_seconds=9.0),
        trial(B, "slow", 1, 100.0, cpu_seconds=9.0),
    ]
    entries: list[list[Entry]] = [
        [(10, 1.0, 100.0, 0.0)],
        [(40, 4.0, 100.0, 0.0)],
        [(10, 1.0, 200.0, 0.0)],
        [(80, 8.0, 100.0, 0.0)],
    ]
    planned = study("b", [A, B], {"fast": [1], "slow": [1]}, reference="fast")
    table = profiles_table(expected_runtimes_table(anytime(rows, entries, planned)))
    assert table.dtypes.astype(str).to_dict() == PROFILES.types
    shown = table[(table["measure"] == "cpu_seconds") & (table["target"] == 1e-3)]
    assert shown[["solver", "ratio", "instances", "share"]].to_numpy().tolist() == [
        ["fast", 1.0, 2, 0.5],
        ["slow", 1.0, 2, 0.5],  # on B it is the only one, hence the best
        ["slow", 4.0, 2, 1.0],
    ]
    assert set(table["measure"]) == {"cpu_seconds", "evaluations"}


def test_targets_are_relative_and_absolute_where_the_optimum_is_zero() -> None:
    assert target_value(200.0, 1e-1) == pytest.approx(220.0)
    assert [float(target_value(0.0, target)) for target in TARGETS] == list(TARGETS)
    assert float(target_value(5e-7, 1e-6)) == 1e-6
    assert float(target_value(0.0, 1e-9)) == 1e-6  # what counts as zero is reached
    rows = [trial(ZERO, "mies", 1, 2e-7, evaluations=9), trial(ZERO, "cma-IH", 1, 0.05, evaluations=9)]
    entries: list[list[Entry]] = [[(1, 0.1, 0.01, 0.0), (2, 0.2, 2e-7, 0.0)], [(3, 0.3, 0.05, 0.0)]]
    planned = study("b", [ZERO], {"mies": [1], "cma-IH": [1]}, reference="mies")
    table = anytime(rows, entries, planned).sort_values("target", ascending=False)
    assert table.query("solver == 'mies'")["evaluations"].tolist() == [1, 1, 2, 2, 2, 2]
    assert table.query("solver == 'cma-IH'")["reached"].tolist() == [True, *[False] * 5]


def test_an_answer_that_the_trace_does_not_hold_was_reached_at_the_end() -> None:
    rows = [trial(A, "scip", 1, 100.0, evaluations=0, cpu_seconds=3.0), trial(A, "mies", 1, 100.0, cpu_seconds=2.0)]
    table = anytime(rows, [[], [(5, 0.5, 100.0, 0.0)]], study("b", [A], {"scip": [1], "mies": [1]}, reference="scip"))
    assert set(table.query("solver == 'scip'")["cpu_seconds"]) == {3.0}
    assert set(table.query("solver == 'mies'")["cpu_seconds"]) == {0.5}


def test_runs_that_were_not_made_are_not_in_it_and_shared_ones_are_in_every_study() -> None:
    rows = [*ROWS[:2], trial(A, "mies", 2, status="skipped")]
    again = study("again", [A], {"cplex": [1], "mies": [1]})
    table = anytime(rows, [*ENTRIES[:2], []], BENCHMARK, again)
    runs = table[["study", "solver", "seed"]].drop_duplicates().to_numpy().tolist()
    assert runs == [["b", "cplex", 1], ["b", "mies", 1], ["again", "cplex", 1], ["again", "mies", 1]]


def test_a_campaign_without_rows_has_empty_tables() -> None:
    table = anytime([], [], BENCHMARK)
    assert table.dtypes.astype(str).to_dict() == ANYTIME.types
    runtimes = expected_runtimes_table(table)
    assert runtimes.dtypes.astype(str).to_dict() == EXPECTED_RUNTIMES.types
    assert profiles_table(runtimes).dtypes.astype(str).to_dict() == PROFILES.types


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.floats(100.0, 130.0), st.sampled_from([0.0, 1e-5, 1.0])), min_size=1, max_size=12),
        min_size=1,
        max_size=5,
    )
)
def test_whole_columns_give_what_a_loop_over_entries_gives(drawn: list[list[tuple[float, float]]]) -> None:
    entries = [[(10 * k, float(k), f, v) for k, (f, v) in enumerate(run, start=1)] for run in drawn]
    # The answer is the best feasible entry; a run without one has no solution.
    best = [min((f for f, v in run if v <= 3e-5), default=None) for run in drawn]
    rows = [trial(A, "mies", seed, f, evaluations=1000) for seed, f in enumerate(best)]
    rows.append(trial(A, "cplex", 1, 100.0, evaluations=0))
    table = anytime(rows, [*entries, []], study("b", [A], {"cplex": [1], "mies": list(range(len(drawn)))}))
    for found in table[table["solver"] == "mies"].itertuples():
        close = [e for e in entries[found.seed] if e[3] <= 3e-5 and e[2] <= 100.0 * (1 + found.target)]
        assert found.reached == bool(close)
        assert (found.evaluations if found.reached else 0) == (close[0][0] if close else 0)
        assert np.isnan(found.cpu_seconds) or found.cpu_seconds == close[0][1]
