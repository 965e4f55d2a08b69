"""Intervals of counts, the split by zero optima and the tolerances, each against a computation of another kind."""

import math

import numpy as np
import pandas as pd
import pytest
from table_rows import ZERO, A, B, line, plan, runs_table, study, trial, trials

from unbounded.instances import build
from unbounded.tables.cells import TABLE as cells_table
from unbounded.tables.intervals import RESAMPLES, interval, resample
from unbounded.tables.verdict_counts import Drawn
from unbounded.tables.verdict_tolerances import TABLE as verdict_tolerances
from unbounded.tables.verdicts import TABLE as verdicts_table

#: Forty instances whose optimum is not zero.
MANY = [f"mixed-D4-t0-TC{tc}-c1e{k}-E{E}" for tc in (0, 1, 3, 4) for k in range(1, 6) for E in (10, 30)]


def tables(rows: list[dict], *studies: dict) -> tuple[pd.DataFrame, pd.DataFrame]:
    runs = runs_table(trials(*rows), plan(*studies))
    return cells_table(runs), runs


def campaign(mies: list[float | None], cplex: list[float], instances: list[str] = MANY) -> tuple:
    """Return cells and runs where every instance has the same values, a run each."""
    rows = [trial(id, "mies", seed, f) for id in instances for seed, f in enumerate(mies, 1)]
    rows += [trial(id, "cplex", seed, f) for id in instances for seed, f in enumerate(cplex, 1)]
    seeds = {"cplex": list(range(1, len(cplex) + 1)), "mies": list(range(1, len(mies) + 1))}
    return tables(rows, study("b", instances, seeds))


def total(cells: pd.DataFrame, runs: pd.DataFrame, statistic: str) -> pd.Series:
    table = verdicts_table(cells, runs)
    return line(table, solver="mies", case="all", optima="all", statistic=statistic, against="reference")


# --- Intervals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "n"), [(0, 9), (1, 9), (9, 9), (2, 216), (28, 216), (108, 216), (216, 216)])
def test_binomial_intervals_hold_the_chances_that_the_count_does_not_refute(k: int, n: int) -> None:
    chances = np.linspace(0, 1, 20001)
    terms = np.array([math.comb(n, j) * chances**j * (1 - chances) ** (n - j) for j in range(n + 1)])
    kept = chances[(terms[k:].sum(axis=0) > 0.025) & (terms[: k + 1].sum(axis=0) > 0.025)]
    (low,), (high,) = interval(None, [k], [n])
    assert (low, high) == (math.floor(kept[0] * n + 1e-9), math.ceil(kept[-1] * n - 1e-9))


def test_two_runs_are_drawn_with_replacement_and_the_same_way_each_time() -> None:
    cells, runs = campaign([1.0, 3.0], [1.0])
    mine = cells[cells["solver"] == "mies"]
    best, median = resample(runs, mine)
    assert best.shape == median.shape == (RESAMPLES, len(MANY))
    for found, chances in ((best, {1.0: 0.75, 3.0: 0.25}), (median, {1.0: 0.25, 2.0: 0.5, 3.0: 0.25})):
        assert set(np.unique(found)) == set(chances)
        for value, chance in chances.items():
            # Five standard errors of a share of 40,000.
            assert (found == value).mean() == pytest.approx(chance, abs=0.0125)
    again, _ = resample(runs, mine)
    np.testing.assert_array_equal(best, again)
    # Cells are drawn independently, and campaigns too.
    assert len(np.unique(best, axis=0)) == RESAMPLES
    assert len(np.unique(best, axis=1).T) == len(MANY)


def test_drawn_runs_without_a_solution_stand_above_every_value() -> None:
    cells, runs = campaign([1.0, None], [1.0])
    best, median = resample(runs, cells[cells["solver"] == "mies"])
    assert np.isnan(best).mean() == pytest.approx(0.25, abs=0.0125)
    assert np.isnan(median).mean() == pytest.approx(0.75, abs=0.0125)


def binomial_reach(n: int, chance: float) -> int:
    """Return what two binomial numbers differ by at most, with at least 95 %."""
    one = np.array([math.comb(n, j) * chance**j * (1 - chance) ** (n - j) for j in range(n + 1)])
    difference = np.convolve(one, one[::-1])
    return next(r for r in range(n + 1) if difference[n - r : n + r + 1].sum() >= 0.95)


def test_intervals_over_seeds_are_what_two_drawn_campaigns_differ_by() -> None:
    # The median of two drawn runs is 80, 100 or 120 with chances of 1/4, 1/2 and 1/4.
    found = total(*campaign([80.0, 120.0], [100.0]), "median")
    assert (found["similar"], found["cells"], found["interval"]) == (40, 40, "seeds")
    for word, chance in (("better", 0.25), ("similar", 0.5), ("worse", 0.25)):
        reach = binomial_reach(40, chance)
        low, high = max(0, found[word] - reach), min(40, found[word] + reach)
        assert abs(found[f"{word}_low"] - low) <= 1
        assert abs(found[f"{word}_high"] - high) <= 1


def test_runs_that_never_differ_leave_three_cells_either_way() -> None:
    found = total(*campaign([100.0, 100.0], [100.0]), "best")
    assert found[["better", "better_low", "better_high"]].tolist() == [0, 0, 3]
    assert found[["similar", "similar_low", "similar_high"]].tolist() == [40, 37, 40]


def test_seeds_of_the_reference_are_drawn_too() -> None:
    # Its best of two drawn runs is 110 with a chance of 1/4: then mies is better, else worse.
    found = total(*campaign([100.0, 100.0], [90.0, 110.0]), "best")
    assert (found["worse"], found["interval"]) == (40, "seeds")
    assert abs(40 - found["worse_low"] - binomial_reach(40, 0.25)) <= 1
    assert total(*campaign([100.0, 100.0], [90.0]), "best")["worse_low"] == 37


def test_one_run_in_a_cell_says_nothing_of_seeds() -> None:
    cells, runs = campaign([100.0], [100.0, 110.0])
    assert Drawn.of(cells[cells["solver"] == "mies"], runs) is None
    assert total(cells, runs, "best")["interval"] == "binomial"


@pytest.mark.parametrize("statistic", ["best", "median"])
def test_intervals_hold_what_is_expected(statistic: str) -> None:
    """Of campaigns with known chances, at least 85 % must have the expected count of wins in their interval."""
    generator = np.random.default_rng(7)
    seeds, held, campaigns = 5, 0, 60
    chances = generator.beta(0.5, 1.5, len(MANY))
    wins = 1 - (1 - chances) ** seeds
    if statistic == "median":
        wins = sum(math.comb(seeds, j) * chances**j * (1 - chances) ** (seeds - j) for j in (3, 4, 5))
    rows = [trial(id, "mies", seed, 100.0) for id in MANY for seed in range(1, seeds + 1)]
    rows += [trial(id, "cplex", 1, 100.0) for id in MANY]
    cells, runs = tables(rows, study("b", MANY, {"cplex": [1], "mies": list(range(1, seeds + 1))}))
    mine = (runs["solver"] == "mies").to_numpy()
    for _ in range(campaigns):
        won = generator.random((len(MANY), seeds)) < chances[:, None]
        runs.loc[mine, "f"] = np.where(won, 50.0, 100.0).ravel()
        drawn = resample(runs, cells[cells["solver"] == "mies"])[statistic == "median"]
        own = np.median(won, axis=1) if statistic == "median" else won.max(axis=1)
        (low,), (high,) = interval((drawn < 99).sum(axis=1)[:, None], [int(own.sum())], [len(MANY)])
        held += low <= wins.sum() <= high
    assert held / campaigns >= 0.85


# --- Zero optima ---------------------------------------------------------------------------------------------------


def test_cells_are_split_by_the_proven_optimum_and_else_by_the_best_known_value() -> None:
    ours = {"instance_digest": build(ZERO).digest}
    other = "mixed-D4-t0-sphere-c1-E500"
    rows = [
        *(trial(ZERO, solver, 1, 0.5, **ours) for solver in ("cplex", "mies")),  # proven by its centre, found by none
        *(trial(other, solver, 1, 1e-7) for solver in ("cplex", "mies")),  # other arrays: the best known value
        *(trial(A, solver, 1, 2e-6) for solver in ("cplex", "mies")),
        *(trial(B, solver, 1) for solver in ("cplex", "mies")),  # nothing is known
    ]
    cells, runs = tables(rows, study("b", [ZERO, other, A, B], {"cplex": [1], "mies": [1]}))
    table = verdicts_table(cells, runs)
    table = table[(table["against"] == "reference") & (table["statistic"] == "best")]
    counts = {(row["case"], row["optima"]): (row["cells"], row["proven"]) for row in table.to_dict("records")}
    assert counts == {
        ("all", "all"): (4, 1),
        ("all", "above 0"): (2, 0),
        ("all", "zero"): (2, 1),
        ("sphere", "all"): (2, 1),
        ("sphere", "zero"): (2, 1),
        ("TC0", "all"): (1, 0),
        ("TC0", "above 0"): (1, 0),
        ("TC1", "all"): (1, 0),
        ("TC1", "above 0"): (1, 0),
    }


def test_counts_move_with_the_tolerances_of_similarity_and_of_zero() -> None:
    near, far = {"cplex": 0.0, "mies": 5e-4}, {"cplex": 100.0, "mies": 103.0}
    rows = [trial(ZERO, solver, 1, f) for solver, f in near.items()]
    rows += [trial(A, solver, 1, f) for solver, f in far.items()]
    cells, _ = tables(rows, study("b", [ZERO, A], {"cplex": [1], "mies": [1]}))
    table = verdict_tolerances(cells)
    assert len(table) == 9 * 3 * 2  # tolerances, optima, statistics
    best = table[table["statistic"] == "best"]
    similar = best.set_index(["optima", "tolerance", "atol"])["similar"].to_dict()
    for tolerance in (0.001, 0.01, 0.05):
        for atol in (1e-6, 1e-3, 1e-2):
            zero, above = int(atol >= 1e-3), int(tolerance == 0.05)
            assert similar["zero", tolerance, atol] == zero
            assert similar["above 0", tolerance, atol] == above
            assert similar["all", tolerance, atol] == zero + above
    assert (best["worse"] == best["cells"] - best["similar"]).all()


def test_tolerances_as_in_the_verdicts_give_their_counts() -> None:
    cells, runs = campaign([80.0, 120.0], [100.0])
    same = verdict_tolerances(cells).query("tolerance == 0.01 and atol == 1e-6 and optima == 'all'")
    counted = verdicts_table(cells, runs).query("case == 'all' and optima == 'all'")
    words = ["solver", "statistic", "better", "similar", "worse", "neither", "cells"]
    assert same[words].to_numpy().tolist() == counted[words].to_numpy().tolist()


# --- What it cost --------------------------------------------------------------------------------------------------


def test_both_sides_seconds_stand_beside_the_counts() -> None:
    arrays = {"instance_digest": build(A).digest}
    zero = {"instance_digest": build(ZERO).digest}
    proof = {"status": "optimal", "bound": 120.0, "cpu_seconds": 7.0}
    rows = [
        trial(A, "lattice", 1, 120.0, **proof, **arrays),
        *(trial(A, "cplex", seed, 120.0, cpu_seconds=10.0 * seed, **arrays) for seed in (1, 2)),
        *(trial(A, "mies", seed, 120.0, cpu_seconds=1.0 * seed, **arrays) for seed in (1, 2, 3)),
        trial(ZERO, "cplex", 1, 1.0, cpu_seconds=100.0, **zero),
        trial(ZERO, "mies", 1, 1.0, cpu_seconds=50.0, **zero),
        trial(B, "mies", 1, 1.0, cpu_seconds=1e6),  # cplex was not run here: no verdict, no cost
    ]
    solvers = {"cplex": [1, 2], "mies": [1, 2, 3], "lattice": [1]}
    cells, runs = tables(rows, study("b", [A, ZERO, B], solvers))
    table = verdicts_table(cells, runs)
    where = {"solver": "mies", "case": "all", "statistic": "best", "tolerance": 0.01}
    spent = ["cpu_seconds", "against_cpu_seconds"]
    assert line(table, against="reference", optima="all", **where)[spent].tolist() == [56.0, 130.0]
    assert line(table, against="reference", optima="zero", **where)[spent].tolist() == [50.0, 100.0]
    # ξ0 proves a zero for nothing.
    assert line(table, against="optimum", optima="all", **where)[spent].tolist() == [56.0, 7.0]
    assert line(table, against="optimum", optima="above 0", **where)[spent].tolist() == [6.0, 7.0]
    # Nothing is better than the optimum: that is no question of seeds.
    assert (table.loc[table["against"] == "optimum", ["better_low", "better_high"]] == 0).all(axis=None)
