"""Multimodality: distinct solutions, distances, rank tests."""

import math

import numpy as np
import pytest
from table_rows import line, plan, runs_table, study, trial, trials

from unbounded.tables.multimodality import TABLE as multimodality_table
from unbounded.tables.multimodality_distances import TABLE as multimodality_distances
from unbounded.tables.multimodality_tests import TABLE as multimodality_tests
from unbounded.tables.rank_tests import holm, rank_sum

M = "integer-D4-t0-TC4-c1e1-E30"
N = "integer-D4-t0-TC4-c1e3-E30"


def tables(rows, seeds, *more):
    strategies = {name: list(range(1, seeds + 1)) for name in ("mies", "cma-IH", "cma-wM")}
    studies = [
        study("modes", [M], {"cplex": [1], "tight": [1], **strategies}, type="multimodality"),
        study("benchmark", [M], {"cplex": [1], "mies": [1]}),
        *more,
    ]
    runs = runs_table(rows, plan(*studies))
    return multimodality_table(runs, rows), multimodality_tests(runs, rows), multimodality_distances(runs, rows)


def test_distinct_solutions_and_the_share_near_the_best_known() -> None:
    rows = trials(
        trial(M, "cplex", 1, 200.0, x=[0, 0, 0, 0]),
        trial(M, "tight", 1, 100.0, x=[1, 0, 0, 0], variant="cplex"),
        trial(M, "mies", 1, 100.1, x=[1, 1, 0, 0]),  # exactly 0.1 % above
        trial(M, "mies", 2, 100.2, x=[1, 1, 0, 0]),
        trial(M, "mies", 3, 150.0, x=[1, 1, -0.0, 1]),
        trial(M, "mies", 4),
    )
    table, _, _ = tables(rows, 4)
    assert table["solver"].tolist() == ["cplex", "tight", "mies"]
    mies = line(table, solver="mies")
    assert (mies["study"], mies["D"], mies["c"], mies["E"]) == ("modes", 4, 10.0, 30.0)
    assert (mies["runs"], mies["solved"], mies["unique"]) == (4, 3, 2)
    assert mies["unique_share"] == pytest.approx(2 / 3)
    assert mies["within_share"] == 0.25
    assert (mies["best_f"], mies["median_f"]) == (100.1, pytest.approx(125.1))
    assert mies["normalised_median"] == pytest.approx(0.6255)
    assert line(table, solver="cplex")["within_share"] == 0.0


def test_real_coordinates_count_to_six_decimals() -> None:
    mixed = "mixed-D4-t0-TC4-c1e1-E30"
    points = [[0.1, 0, 1, 1], [0.1 + 1e-9, -0.0, 1, 1], [0.1001, 0, 1, 1]]
    rows = trials(*(trial(mixed, "mies", seed, 1.0, x=x) for seed, x in enumerate(points, 1)))
    runs = runs_table(rows, plan(study("m", [mixed], {"mies": [1, 2, 3]}, type="multimodality", reference="cplex")))
    assert line(multimodality_table(runs, rows), solver="mies")["unique"] == 2


def test_distances_are_between_strategies_alone_ordered_by_solver_then_f() -> None:
    rows = trials(
        trial(M, "cplex", 1, 1.0, x=[9, 9, 9, 9]),
        trial(M, "tight", 1, 1.0, x=[8, 8, 8, 8], variant="cplex"),
        trial(M, "mies", 1, 5.0, x=[0, 0, 0, 0]),
        trial(M, "mies", 2, 4.0, x=[1, 0, 0, -2]),
        trial(M, "mies", 3),
        trial(M, "cma-IH", 1, 3.0, x=[0, 0, 0, 1]),
    )
    _, _, distances = tables(rows, 3)
    assert distances[["i", "j", "solver_i", "seed_i", "solver_j", "seed_j", "l1"]].to_numpy().tolist() == [
        [0, 1, "mies", 2, "mies", 1, 3.0],
        [0, 2, "mies", 2, "cma-IH", 1, 4.0],
        [1, 2, "mies", 1, "cma-IH", 1, 1.0],
    ]
    assert set(distances["study"]) == {"modes"}


def test_every_two_of_three_strategies_are_tested_with_holm_over_the_instances_of_a_study() -> None:
    base = {"mies": 20.0, "cma-IH": 10.0, "cma-wM": 0.0}
    rows = [trial(M, solver, seed, start + seed + 1) for solver, start in base.items() for seed in range(1, 6)]
    rows += [trial(M, "cplex", 1, 5.0)]
    _, tests, _ = tables(trials(*rows), 5)
    assert tests[["solver", "other"]].to_numpy().tolist() == [
        ["mies", "cma-IH"],
        ["mies", "cma-wM"],
        ["cma-IH", "cma-wM"],
    ]
    # Five runs all above five: exact p = 2 / C(10, 5) = 2 / 252; three tests.
    assert tests["p"].tolist() == pytest.approx([2 / 252] * 3)
    assert tests["p_holm"].tolist() == pytest.approx([6 / 252] * 3)
    assert tests["significant"].all()
    assert tests["effect"].tolist() == [0.0, 0.0, 0.0]
    assert tests.loc[0, ["n", "n_other", "median", "median_other"]].tolist() == [5, 5, 24.0, 14.0]

    # On a second instance of the study all are alike: six tests now, and 2/252 · 6 = 0.048, 2/252 · 5, 2/252 · 4.
    alike = [trial(N, solver, seed, 1.0) for solver in base for seed in range(1, 6)]
    seeds = {solver: [1, 2, 3, 4, 5] for solver in base}
    everything = trials(*rows, *alike)
    studies = study("modes", [M, N], {"cplex": [1], **seeds}, type="multimodality")
    tests = multimodality_tests(runs_table(everything, plan(studies)), everything)
    assert tests["p_holm"].tolist() == pytest.approx([12 / 252] * 3 + [1.0] * 3)
    assert tests["effect"].tolist() == [0.0] * 3 + [0.5] * 3


def test_runs_without_a_solution_rank_last() -> None:
    p, effect = rank_sum([1.0, math.nan, math.nan], [2.0, 3.0, 4.0])
    assert effect == pytest.approx(1 / 3)  # one run beats all three, two beat none
    assert 0 < p <= 1
    assert rank_sum([math.nan], [math.nan]) == (1.0, 0.5)
    assert rank_sum([math.inf], [math.nan]) == (1.0, 0.5)
    p, effect = rank_sum([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    assert (p, effect) == (pytest.approx(0.1), 1.0)
    assert rank_sum([1.0, 2.0], [1.0, 3.0])[1] == pytest.approx((0.5 + 1 + 1) / 4)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx(np.array([0.03, 0.06, 0.06]))
    assert holm([0.5, 0.6]) == pytest.approx(np.array([1.0, 1.0]))
    assert holm([]).tolist() == []


def test_two_studies_of_multimodality_are_kept_apart() -> None:
    rows = trials(*(trial(M, "mies", seed, 1.0 + seed, x=[seed, 0, 0, 0]) for seed in (1, 2, 3)))
    other = study("few", [M], {"mies": [1, 2]}, type="multimodality")
    table, tests, distances = tables(rows, 3, other)
    assert table[["study", "solver", "runs"]].to_numpy().tolist() == [["modes", "mies", 3], ["few", "mies", 2]]
    assert distances["study"].tolist() == ["modes"] * 3 + ["few"]
    assert len(tests) == 0


def test_different_arrays_are_refused_here_too() -> None:
    rows = trials(trial(M, "mies", 1, 1.0), trial(M, "cma-IH", 1, 1.0))
    runs = runs_table(rows, plan(study("m", [M], {"mies": [1], "cma-IH": [1]}, type="multimodality")))
    rows.loc[1, "instance_digest"] = "other"
    with pytest.raises(ValueError, match="different arrays"):
        multimodality_distances(runs, rows)
