"""Cells and verdicts: runs summed up and compared with the reference."""

import math

import pandas as pd
import pytest
from table_rows import ZERO, A, B, line, plan, runs_table, study, trial, trials

from unbounded.instances import build
from unbounded.tables.cells import TABLE as cells_table
from unbounded.tables.completeness import TABLE as completeness_table
from unbounded.tables.verdicts import TABLE as verdicts_table

C, D, E, F = (f"mixed-D4-t0-TC{k}-c1e1-E30" for k in (3, 4, 6, 7))


def cells_of(rows: pd.DataFrame, *studies: dict) -> pd.DataFrame:
    return cells_table(runs_table(rows, plan(*studies)))


def verdicts_of(rows: pd.DataFrame, *studies: dict) -> pd.DataFrame:
    """Return the verdicts on all cells, whatever their optima."""
    runs = runs_table(rows, plan(*studies))
    table = verdicts_table(cells_table(runs), runs)
    return table[table["optima"] == "all"]


def test_best_median_and_worst_of_a_cell() -> None:
    rows = trials(
        trial(A, "cplex", 1, 100.0, x=[0, 0, 1, 1]),
        trial(A, "mies", 1, 110.0, x=[0, 0, 1, 1]),
        trial(A, "mies", 2, 99.5, x=[0, 0, 2, 1]),
        trial(A, "mies", 3, 130.0, x=[0, 0, 1, 1]),
        trial(A, "cma-IH", 1, 90.0, x=[0, 0, 2, 2]),
    )
    cells = cells_of(rows, study("benchmark", [A], {"cplex": [1], "mies": [1, 2, 3], "cma-IH": [1]}))
    mies = line(cells, solver="mies")
    assert (mies["planned"], mies["present"], mies["solved"]) == (3, 3, 3)
    assert (mies["best_f"], mies["median_f"], mies["worst_f"], mies["best_seed"]) == (99.5, 110.0, 130.0, 2)
    assert (mies["normalised_best"], mies["normalised_median"]) == (0.995, 1.1)
    assert (mies["verdict_best"], mies["verdict_median"]) == ("similar", "worse")
    assert (mies["delta_z_best"], mies["delta_z_best_known"]) == (0.5, 0.5)
    cma = line(cells, solver="cma-IH")
    assert (cma["verdict_best"], cma["delta_z_best"], cma["delta_z_best_known"]) == ("better", 1.0, 0.0)
    cplex = line(cells, solver="cplex")
    assert (cplex["is_reference"], cplex["normalised_best"], cplex["verdict_best"]) == (True, 1.0, "similar")


def test_failed_runs_count_in_medians_and_missing_or_skipped_ones_do_not() -> None:
    rows = trials(
        trial(A, "cplex", 1, 100.0),
        *(trial(A, "mies", seed, 100.0) for seed in (1, 2)),
        *(trial(A, "mies", seed) for seed in (3, 4)),
        *(trial(A, "cma-IH", seed, 100.0 + seed) for seed in (1, 2)),
        *(trial(A, "cma-IH", seed, status="skipped") for seed in (3, 4)),
        *(trial(A, "cma-wM", seed, 100.0 + seed) for seed in (1, 2)),
    )
    seeds = [1, 2, 3, 4]
    cells = cells_of(rows, study("b", [A], {"cplex": [1], "mies": seeds, "cma-IH": seeds, "cma-wM": seeds}))
    mies, cma, wm = (line(cells, solver=solver) for solver in ("mies", "cma-IH", "cma-wM"))
    assert math.isnan(mies["median_f"])
    assert (mies["verdict_best"], mies["verdict_median"]) == ("similar", "worse")
    assert (cma["planned"], cma["present"], cma["solved"], cma["median_f"]) == (4, 4, 2, 101.5)
    assert (wm["planned"], wm["present"], wm["solved"], wm["median_f"]) == (4, 2, 2, 101.5)


@pytest.mark.parametrize(
    ("reference", "mies", "expected"),
    [
        ("no-solution", "budget", "better"),
        ("unverified", "budget", "better"),
        ("error", "budget", "better"),
        ("error", "no-solution", "neither"),
        ("budget", "no-solution", "worse"),
        ("skipped", "budget", None),  # a reference that did not run is beaten by nobody
        (None, "budget", None),
        ("budget", "skipped", None),
        ("budget", None, None),
        ("no-solution", None, None),
    ],
)
def test_verdicts_where_a_side_has_no_value(reference: str | None, mies: str | None, expected: str | None) -> None:
    statuses = {"cplex": reference, "mies": mies}
    rows = [trial(A, solver, 1, 5.0, status=status) for solver, status in statuses.items() if status]
    found = line(cells_of(trials(*rows), study("b", [A], {"cplex": [1], "mies": [1]})), solver="mies")
    for column in ("verdict_best", "verdict_median"):
        assert found[column] == expected if expected else pd.isna(found[column])


def test_counts_by_test_case_and_over_all_of_them() -> None:
    values = {A: 98.0, B: 101.0, C: 99.0, D: 102.0}  # better, similar (tie), similar (tie), worse
    rows = [trial(instance, "cplex", 1, 100.0) for instance in (*values, F)]
    rows += [trial(instance, "mies", 1, f) for instance, f in values.items()]
    rows += [trial(E, "cplex", 1), trial(E, "mies", 1), trial(ZERO, "cplex", 1, 0.0), trial(ZERO, "mies", 1, 1e-7)]
    unmade = "mixed-D4-t0-sphere-c1-E500"  # another zero optimum
    ids = [A, B, C, D, E, F, ZERO, unmade]
    table = verdicts_of(trials(*rows), study("benchmark", ids, {"cplex": [1], "mies": [1]}))
    assert set(table["solver"]) == {"mies"}
    assert set(table["against"]) == {"reference"}  # nothing is proven of these arrays
    for statistic in ("best", "median"):
        total = line(table, case="all", statistic=statistic)
        assert [total[word] for word in ("better", "similar", "worse", "neither")] == [1, 3, 1, 1]
        assert (total["cells"], total["tolerance"], total["interval"]) == (6, 0.01, "binomial")
        first = line(table, case="TC0", statistic=statistic)
        assert [first[word] for word in ("better", "similar", "worse", "neither", "cells")] == [1, 0, 0, 0, 1]
        nothing = line(table, case="TC7", statistic=statistic)  # mies has not run there
        assert nothing["cells"] == 0
        assert nothing[["better_low", "better_high", "interval"]].isna().all()


def test_more_than_two_strategies_slices_and_studies_are_counted_apart_in_the_order_of_the_plan() -> None:
    moved = "mixed-D4-t1e4-TC0-c1e1-E30"
    solvers = {"cplex": [1], "mies": [1], "cma-IH": [1], "cma-IC": [1]}
    factors = {"cplex": 1.0, "mies": 2.0, "cma-IH": 1.0, "cma-IC": 0.5}
    rows = [trial(id, solver, 1, 10.0 * factors[solver]) for id in (A, moved) for solver in solvers]
    table = verdicts_of(
        trials(*rows),
        study("z", [A, moved], solvers),
        study("a", [A], {"cplex": [1], "cma-IC": [1]}),
    )
    best = table[(table["case"] == "all") & (table["statistic"] == "best")]
    lines = best[["study", "slice", "solver", "better", "similar", "worse"]].to_numpy().tolist()
    assert lines == [
        ["z", "mixed-D4-t0", "mies", 0, 0, 1],
        ["z", "mixed-D4-t1e4", "mies", 0, 0, 1],
        ["z", "mixed-D4-t0", "cma-IH", 0, 1, 0],
        ["z", "mixed-D4-t1e4", "cma-IH", 0, 1, 0],
        ["z", "mixed-D4-t0", "cma-IC", 1, 0, 0],
        ["z", "mixed-D4-t1e4", "cma-IC", 1, 0, 0],
        ["a", "mixed-D4-t0", "cma-IC", 1, 0, 0],
    ]


def test_against_the_proven_optimum_the_reference_is_compared_too_and_tolerances_are_strict() -> None:
    arrays = {"instance_digest": build(A).digest}
    proof = {"bound": 120.0 - 1.2e-7, "status": "optimal"}
    rows = trials(
        trial(A, "lattice", 1, 120.0, **proof, **arrays),
        trial(A, "cplex", 1, 120.06, **arrays),  # 5e-4 above
        trial(A, "mies", 1, 119.9999, **arrays),  # lower by the feasibility tolerance
        trial(A, "mies", 2, 130.0, **arrays),
        trial(A, "cma-IH", 1, **arrays),
        trial(B, "cplex", 1, 100.0),  # nothing is proven here
        trial(B, "mies", 1, 100.0),
    )
    solvers = {"cplex": [1], "mies": [1, 2], "cma-IH": [1], "cma-wM": [1], "lattice": [1]}
    cells = cells_of(rows, study("b", [A, B], solvers))
    found = cells[cells["instance"] == A].set_index("solver")["verdict_optimum_best"]
    assert found.fillna("").to_dict() == {
        "cplex": "similar",
        "mies": "similar",
        "cma-IH": "worse",
        "cma-wM": "",  # not made
        "lattice": "similar",
    }
    assert line(cells, instance=A, solver="mies")["verdict_optimum_median"] == "worse"
    assert cells.loc[cells["instance"] == B, "verdict_optimum_best"].isna().all()
    table = verdicts_of(rows, study("b", [A, B], solvers))
    table = table[(table["case"] == "all") & (table["statistic"] == "best") & (table["against"] == "optimum")]
    assert list(dict.fromkeys(table["solver"])) == list(solvers)  # the order of the plan, the reference in its place
    words = ["better", "similar", "worse", "cells"]
    counted = {(row["solver"], row["tolerance"]): [row[word] for word in words] for row in table.to_dict("records")}
    assert counted["cplex", 0.01] == counted["cplex", 0.001] == [0, 1, 0, 1]
    assert counted["cplex", 1e-4] == [0, 0, 1, 1]
    assert counted["mies", 1e-4] == counted["lattice", 1e-4] == [0, 1, 0, 1]
    assert counted["cma-IH", 0.01] == [0, 0, 1, 1]
    assert counted["cma-wM", 0.01] == [0, 0, 0, 0]


def test_completeness_counts_every_status() -> None:
    rows = trials(
        trial(A, "mies", 1, 1.0),
        trial(A, "mies", 2, 1.0, status="unverified"),
        trial(A, "mies", 3),
        trial(A, "mies", 6, 1.0, status="incumbent", ending="overrun"),
        trial(A, "mies", 7, status="crashed"),
        trial(A, "cplex", 1, 1.0, status="time-out"),
    )
    runs = runs_table(rows, plan(study("b", [A], {"cplex": [1], "mies": [1, 2, 3, 4, 5, 6, 7]})))
    table = completeness_table(runs)
    mies, cplex = line(table, solver="mies"), line(table, solver="cplex")
    assert (mies["planned"], mies["present"], mies["solved"], mies["failed"]) == (7, 5, 2, 2)
    assert (mies["incumbent"], mies["crashed"], mies["overrun"], mies["refuted"]) == (1, 1, 0, 0)
    assert (mies["budget"], mies["unverified"], mies["no-solution"], mies["missing"]) == (1, 1, 1, 2)
    assert (cplex["planned"], cplex["time-out"], cplex["missing"], cplex["skipped"]) == (1, 1, 0, 0)
