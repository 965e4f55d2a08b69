"""Tests between strategies: exact p-values against enumeration, pairs and samples of campaigns made by hand."""

import math
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu, rankdata, wilcoxon
from table_rows import ZERO, A, line, plan, runs_table, study, trial, trials

from unbounded.instances import build
from unbounded.tables.instance_tests import TABLE as instance_tests
from unbounded.tables.rank_tests import holm, rank_sum, signed_rank
from unbounded.tables.strategy_tests import TABLE as strategy_tests

SAMPLES = [
    ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]),
    ([1.0, 5.0, 2.5], [4.0, 2.0, 6.0, 7.0]),
    ([1.0, 1.0, 2.0], [1.0, 2.0, 2.0]),
    ([0.0, 0.0], [0.0, 0.0, 0.0]),
    ([1.0, math.inf, 2.0], [math.inf, math.inf, 3.0]),
]


@pytest.mark.parametrize(("mine", "theirs"), SAMPLES)
def test_the_rank_sum_is_compared_with_all_ways_to_deal_out_the_ranks(mine: list, theirs: list) -> None:
    ranks = rankdata(mine + theirs)
    sums = np.array([sum(chosen) for chosen in combinations(ranks, len(mine))])
    own = ranks[: len(mine)].sum()
    p = min(1.0, 2 * min((sums <= own + 1e-9).mean(), (sums >= own - 1e-9).mean()))
    lower = np.mean([1.0 if a < b else 0.5 if a == b else 0.0 for a in mine for b in theirs])
    assert rank_sum(mine, theirs) == pytest.approx((p, lower))


def test_many_runs_are_compared_by_the_normal_law_which_is_near() -> None:
    generator = np.random.default_rng(3)
    few = generator.random(30), generator.random(30) + 0.2
    p, _ = rank_sum(*few)
    assert p == pytest.approx(mannwhitneyu(*few, method="exact").pvalue)
    many = generator.random(100), generator.random(100) + 0.1
    p, effect = rank_sum(*many)
    assert p == pytest.approx(mannwhitneyu(*many, method="exact").pvalue, rel=0.1)
    assert effect == pytest.approx((many[0][:, None] < many[1]).mean())
    assert rank_sum([1.0] * 40, [1.0] * 40) == (1.0, 0.5)


@pytest.mark.parametrize(
    "differences",
    [
        [-1.0, -2.0, -3.0, -4.0, -5.0, -6.0],
        [0.5, -1.0, 2.0, -3.0, 4.5],
        [1.0, -1.0, 1.0, 1.0, 2.0, -2.0, 2.0, 0.0, 0.0],
        [math.inf, -1.0, math.inf, 2.0],
    ],
)
def test_signed_ranks_are_compared_with_all_signs(differences: list[float]) -> None:
    found = np.array([value for value in differences if value])
    ranks = rankdata(np.abs(found))
    sums = np.array([np.dot(signs, ranks) for signs in product((0, 1), repeat=len(found))])
    lower = ranks[found < 0].sum()
    p = min(1.0, 2 * min((sums <= lower + 1e-9).mean(), (sums >= lower - 1e-9).mean()))
    effect = (lower - ranks[found > 0].sum()) / ranks.sum()
    assert signed_rank(differences) == pytest.approx((p, effect))


def test_signed_ranks_of_a_whole_suite_are_those_of_scipy() -> None:
    differences = np.random.default_rng(5).normal(0.1, 1.0, 216)
    assert signed_rank(differences)[0] == pytest.approx(wilcoxon(differences, method="exact").pvalue, rel=1e-6)
    assert signed_rank([0.0, 0.0]) == (1.0, 0.0)


# --- Tables --------------------------------------------------------------------------------------------------------

#: Instances of one test case, and one of another.
SEVEN = [*(f"mixed-D4-t0-TC0-c1e{k}-E{E}" for k in (1, 2, 3) for E in (10, 30)), "mixed-D4-t0-TC1-c1e1-E30"]


def tables(rows: list[dict], *studies: dict) -> tuple[pd.DataFrame, pd.DataFrame]:
    frame = trials(*rows)
    found = instance_tests(runs_table(frame, plan(*studies)), frame)
    return found, strategy_tests(found)


def campaign(better_by: float = 10.0) -> list[dict]:
    """Return five runs of each strategy on each instance; cma-IH's are the lower ones, a failed one of mies's aside."""
    rows = [trial(id, "cplex", 1, 1.0) for id in SEVEN]
    for id in SEVEN:
        rows += [trial(id, "mies", seed, None if seed == 5 else 100.0 + seed) for seed in range(1, 6)]
        rows += [trial(id, "cma-IH", seed, 100.0 + seed - better_by) for seed in range(1, 6)]
    return rows


SEEDS = [1, 2, 3, 4, 5]
STUDY = study("b", SEVEN, {"cplex": [1], "mies": SEEDS, "cma-IH": SEEDS})


def test_every_two_strategies_are_tested_on_every_instance_and_white_boxes_are_not() -> None:
    found, _ = tables(campaign(), STUDY)
    assert found["instance"].tolist() == SEVEN
    assert set(found["solver"]) == {"mies"}
    assert set(found["other"]) == {"cma-IH"}
    assert set(found["measure"]) == {"f"}  # nothing is proven of these arrays
    one = found.iloc[0]
    p = 2 / math.comb(10, 5)
    assert one[["n", "n_other", "median", "median_other", "effect"]].tolist() == [5, 5, 103.0, 93.0, 0.0]
    assert one["p"] == pytest.approx(p)
    assert one["p_holm"] == pytest.approx(7 * p)
    assert not one["significant"]  # 0.056


def test_instances_are_the_pairs_of_a_suite() -> None:
    _, table = tables(campaign(), STUDY)
    assert table[["case", "optima", "instances"]].to_numpy().tolist() == [["all", "above 0", 7], ["TC0", "above 0", 6]]
    whole, case = table.iloc[0], table.iloc[1]
    assert whole[["better", "equal", "worse", "effect"]].tolist() == [0, 0, 7, -1.0]
    assert whole["difference"] == pytest.approx(math.log(103 / 93))
    assert (whole["p"], case["p"]) == (2 / 2**7, 2 / 2**6)
    assert table["p_holm"].tolist() == holm([2 / 2**7, 2 / 2**6]).tolist() == [1 / 32, 1 / 32]
    assert whole["significant"]
    assert whole[["instances_better", "instances_worse"]].tolist() == [0, 0]


def test_equal_strategies_do_not_differ() -> None:
    rows = [{**row, "f": 100.0, "status": "budget"} for row in campaign()]
    found, table = tables(rows, STUDY)
    assert (found["p"] == 1).all()
    assert (found["effect"] == 0.5).all()
    assert table[["equal", "difference", "p", "effect", "significant"]].iloc[0].tolist() == [7, 0.0, 1.0, 0.0, False]


def test_a_strategy_without_a_median_is_behind_on_that_instance() -> None:
    rows = [
        {**row, "f": None, "status": "no-solution"} if row["solver"] == "cma-IH" and "TC1" in row["instance"] else row
        for row in campaign()
    ]
    _, table = tables(rows, STUDY)
    # Ranks 1 to 6 in ties, all 3.5, for cma-IH; 7 for mies.
    assert table.iloc[0][["better", "equal", "worse"]].tolist() == [1, 0, 6]
    assert table.iloc[0]["effect"] == pytest.approx((7 - 21) / 28)


def test_zero_optima_are_apart_and_what_counts_as_zero_is_equal() -> None:
    arrays = {id: {"instance_digest": build(id).digest} for id in (A, ZERO)}
    proof = {"status": "optimal", "bound": 120.0, "x": [0.0, 0.0, 1.0, 1.0]}
    rows = [trial(A, "lattice", 1, 120.0, **proof, **arrays[A])]
    rows += [trial(id, "cplex", 1, 121.0, **arrays[id]) for id in (A, ZERO)]
    # mies has both integers of the optimum, cma-IH one.
    rows += [trial(A, "mies", 1, 130.0, x=[0.0, 0.0, 1.0, 1.0], **arrays[A])]
    rows += [trial(A, "cma-IH", 1, 125.0, x=[0.0, 0.0, 1.0, 2.0], **arrays[A])]
    centre = build(ZERO).xi0
    rows += [trial(ZERO, "mies", 1, 1e-9, x=centre, **arrays[ZERO])]
    rows += [trial(ZERO, "cma-IH", 1, 1e-12, x=centre, **arrays[ZERO])]
    solvers = {"cplex": [1], "mies": [1], "cma-IH": [1], "lattice": [1]}
    found, table = tables(rows, study("b", [A, ZERO], solvers))
    assert found.groupby("measure").size().to_dict() == {"delta_z_proven": 2, "f": 2}
    integers = line(found, instance=A, measure="delta_z_proven")
    assert integers[["median", "median_other", "effect"]].tolist() == [0.0, 0.5, 1.0]
    counted = {
        (row["measure"], row["optima"]): (row["better"], row["equal"], row["worse"]) for row in table.to_dict("records")
    }
    assert counted == {
        ("f", "above 0"): (0, 0, 1),
        ("f", "zero"): (0, 1, 0),
        ("delta_z_proven", "above 0"): (1, 0, 0),
        ("delta_z_proven", "zero"): (0, 1, 0),
    }


def test_without_two_strategies_there_is_nothing_to_test() -> None:
    rows = [row for row in campaign() if row["solver"] != "mies"]
    found, table = tables(rows, study("b", SEVEN, {"cplex": [1], "cma-IH": SEEDS}))
    assert len(found) == len(table) == 0
