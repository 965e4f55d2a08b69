"""Claims on where a strategy is strong and weak, on suites whose values are a formula of test case, c and E."""

from collections.abc import Callable

import pandas as pd
import pytest
from claim_rows import CPLEX, claim, claims_table, evidence
from table_rows import study, trial, trials

from unbounded.tables.claim_answers import Measured
from unbounded.tables.claim_integers import far_on_tc4, mies_lower_on_tc3
from unbounded.tables.claim_patterns import (
    declines_on_tc1,
    degrades_on_tc6,
    dimensions_alike,
    integers_alike,
    mies_diverges,
    mies_wins,
    wins_have_the_hadellipse,
)
from unbounded.tables.claim_suite import at_the_origin, ten_within_the_hour, unsolved_when_translated
from unbounded.tables.evidence import Evidence, NotMeasured

PLACES = [(tc, k, E) for tc in range(9) for k in range(1, 7) for E in (10, 30, 50, 80)]
#: f of a solver by test case, log₁₀ c and E; no value is a run without a solution.
Formula = Callable[[int, int, int], float | None]


def ids(D: int = 64, kind: str = "mixed", t: str = "0", places: list = PLACES) -> list[str]:
    return [f"{kind}-D{D}-t{t}-TC{tc}-c1e{k}-E{E}" for tc, k, E in places]


def failed(tc: int, k: int, E: int) -> bool:
    """Where the paper's CPLEX has no solution."""
    return (tc, k) == (7, 6) and E != 50


def cplex(tc: int, k: int, E: int) -> float | None:
    return None if failed(tc, k, E) else 100.0


def suite(
    mies: Formula | None = None,
    cma: Formula | None = None,
    reference: Formula = cplex,
    where: tuple = (64, "mixed", "0"),
    type: str = "benchmark",
    more: dict | None = None,
) -> tuple[list[dict], dict]:
    """Return the rows of a suite and its study; each strategy has one run on an instance."""
    names, solvers = ids(*where), {"cplex": [1]}
    formulas = {"cplex": reference, "mies": mies, "cma-IH": cma}
    rows = []
    for solver, formula in formulas.items():
        if formula is not None:
            solvers[solver] = [1]
            kept = CPLEX if solver == "cplex" else {}
            rows += [
                trial(name, solver, 1, formula(*place), x=[1.0] * 64, **kept, **(more or {}))
                for name, place in zip(names, PLACES, strict=True)
            ]
    return rows, study(type, names, solvers, type=type)


def measure(claim: Callable[[Evidence], Measured], *suites: tuple[list[dict], dict]) -> Measured:
    rows = [row for rows, _ in suites for row in rows]
    return claim(evidence(trials(*rows), *(plan for _, plan in suites)))


# --- Wins ----------------------------------------------------------------------------------------------------------


def test_wins_are_looked_up_by_test_case() -> None:
    had = measure(wins_have_the_hadellipse, suite(cma=lambda tc, k, E: 90.0 if tc in (2, 7) else 100.0))
    assert (had.agrees, had.measured) == ("yes", "48 of 48 wins with the HadEllipse, 3 of the 3 of TC-7 among them")
    other = measure(wins_have_the_hadellipse, suite(cma=lambda tc, k, E: 90.0 if tc in (4, 7) else 100.0))
    assert (other.agrees, other.measured[:8]) == ("no", "24 of 48")
    # Where CPLEX fails it is a win only for who has a solution.
    none = measure(
        wins_have_the_hadellipse, suite(cma=lambda tc, k, E: None if tc == 7 else 90.0 if tc == 2 else 100.0)
    )
    assert (none.agrees, none.measured) == ("no", "24 of 24 wins with the HadEllipse, 0 of the 3 of TC-7 among them")


def test_the_two_wins_of_mies_are_named() -> None:
    def as_printed(tc: int, k: int, E: int) -> float | None:
        return None if failed(tc, k, E) else 90.0 if (tc, k) == (5, 1) and E < 50 else 120.0

    found = measure(mies_wins, suite(mies=as_printed))
    assert (found.agrees, found.measured) == ("yes", "2 wins: TC-5 c = 1e1 E = 10, TC-5 c = 1e1 E = 30")
    three = measure(mies_wins, suite(mies=lambda tc, k, E: 90.0 if (tc, k, E) == (0, 1, 10) else as_printed(tc, k, E)))
    assert (three.agrees, three.measured[:6]) == ("no", "3 wins")


# --- Patterns ------------------------------------------------------------------------------------------------------


def test_mies_diverges_but_at_c_10_and_with_the_cigar() -> None:
    def as_printed(tc: int, k: int, E: int) -> float | None:
        return 100.5 if tc % 3 == 0 or k == 1 else None if k == 6 else 140.0 if k < 4 else 151.0

    found = measure(mies_diverges, suite(mies=as_printed))
    assert found.measured == (
        "poor on 120 of 120 with c > 10, 72 of them diverged; on 0 of 24 with c = 10; "
        "with the Cigar as constraint on 0 of 72"
    )
    assert found.agrees == "yes"
    assert measure(mies_diverges, suite(mies=lambda tc, k, E: 100.5)).agrees == "no"
    assert measure(mies_diverges, suite(mies=lambda tc, k, E: 140.0)).agrees == "no"


def test_steps_of_c_and_e_on_tc6() -> None:
    def rising(tc: int, k: int, E: int) -> float:
        return 100.0 + k * E / 10

    found = measure(degrades_on_tc6, suite(rising, rising))
    step = "higher, or nothing lost, on {} of 20 steps of c and {} of 18 of E"
    assert found.measured == f"mies: {step.format(20, 18)}; cma-IH: {step.format(20, 18)}"
    assert found.agrees == "yes"
    falling = measure(degrades_on_tc6, suite(rising, lambda tc, k, E: 200.0 - k * E / 10))
    assert (falling.agrees, falling.measured.split("; ")[1]) == ("no", f"cma-IH: {step.format(0, 0)}")
    # Within 1 % nothing is lost, whichever is lower.
    assert measure(degrades_on_tc6, suite(rising, lambda tc, k, E: 101.0 - k / 10)).agrees == "yes"


def test_the_median_gap_on_tc1() -> None:
    def as_printed(tc: int, k: int, E: int) -> float:
        return 100.5 if k < 3 else 105.0 if k < 5 else 112.0

    found = measure(declines_on_tc1, suite(cma=as_printed))
    assert (found.agrees, found.cells) == ("yes", 24)
    assert found.measured == "the median cell is 0.5 % above cplex at c ≤ 100, 12 % at c ≥ 10⁵"
    assert measure(declines_on_tc1, suite(cma=lambda tc, k, E: 100.5)).agrees == "no"
    assert measure(declines_on_tc1, suite(cma=lambda tc, k, E: 112.0)).agrees == "no"
    rows, plan = suite(cma=as_printed)
    rows += [trial(name, "lattice", 1, 80.0, status="optimal", bound=80.0, x=[1.0] * 64) for name in ids()]
    plan["rows"] += study("benchmark", ids(), {"lattice": [1]})["rows"]
    found = measure(declines_on_tc1, (rows, plan))
    assert found.measured == "the median cell is 26 % above the proven optimum at c ≤ 100, 40 % at c ≥ 10⁵"


def falling_with_tc(tc: int, k: int, E: int) -> float:
    return 100.0 + 20 * tc + k + E / 100


def test_other_suites_are_alike_if_instances_rank_alike() -> None:
    here = suite(falling_with_tc, falling_with_tc)
    where = (64, "integer", "0")
    same = measure(integers_alike, here, suite(falling_with_tc, falling_with_tc, where=where, type="all-integer"))
    alike = "all-integer: rank correlation {}, the same verdict on 216 of 216"
    assert same.measured == f"mies, {alike.format('1.00')}; cma-IH, {alike.format('1.00')}"
    assert same.agrees == "yes"
    reverse = suite(falling_with_tc, lambda *place: 500.0 - falling_with_tc(*place), where=where, type="all-integer")
    other = measure(integers_alike, here, reverse)
    assert other.agrees == "no"
    assert "cma-IH, all-integer: rank correlation -1.00" in other.measured


def test_dimensions_need_both_others() -> None:
    here = suite(falling_with_tc, falling_with_tc)
    two = [suite(falling_with_tc, falling_with_tc, where=(D, "mixed", "0")) for D in (32, 128)]
    found = measure(dimensions_alike, here, *two)
    assert (found.agrees, found.measured.count("rank correlation 1.00")) == ("yes", 4)
    with pytest.raises(NotMeasured) as lacking:
        measure(dimensions_alike, here, two[0])
    assert lacking.value.why == "the campaign has no benchmark at D = 128"


# --- CPLEX and time ------------------------------------------------------------------------------------------------


def test_translated_failures_are_compared_with_those_without() -> None:
    def more(tc: int, k: int, E: int) -> float | None:
        return None if tc > 5 else 100.0

    moved = {"where": (64, "mixed", "1e4"), "type": "translation"}
    found = measure(unsolved_when_translated, suite(), suite(reference=more, **moved))
    assert (found.agrees, found.measured) == ("yes", "72 of 216 translated, 3 not")
    assert measure(unsolved_when_translated, suite(), suite(**moved)).agrees == "no"


def test_solutions_at_the_origin_are_counted() -> None:
    rows, plan = suite()
    zero = {name for name, (tc, k, _) in zip(ids(), PLACES, strict=True) if k == 2 and tc in (4, 8)}
    moved = [{**row, "x": [0.0] * 64} if row["instance"] in zero else row for row in rows]
    found = measure(at_the_origin, (moved, plan))
    assert (found.agrees, found.measured) == ("yes", "8 of 216 instances, 4 of them with the HadEllipse")
    assert measure(at_the_origin, (rows, plan)).agrees == "no"
    nowhere = measure(at_the_origin, suite(reference=lambda *place: None))
    assert (nowhere.agrees, nowhere.measured) == ("no", "0 of 216 instances, 0 of them with the HadEllipse")


def ten_runs(seconds: float, worst: float = 100.0, seeds: int = 10) -> tuple[list[dict], dict]:
    places = [place for place in PLACES if place[0] == 0]
    names = ids(places=places)
    rows = [trial(name, "cplex", 1, 100.0, **CPLEX) for name in names]
    rows += [trial(name, "lattice", 1, 100.0, status="optimal", bound=100.0) for name in names]
    for name in names:
        values = {seed: worst if seed == 1 else 100.0 for seed in range(1, seeds + 1)}
        rows += [trial(name, "cma-IH", seed, f, wall_seconds=seconds) for seed, f in values.items()]
    solvers = {"cplex": [1], "lattice": [1], "cma-IH": list(range(1, seeds + 1))}
    return [{**row, "x": [0.0] * 64} for row in rows], study("benchmark", names, solvers)


def test_ten_runs_one_after_the_other_within_the_hour() -> None:
    found = measure(ten_within_the_hour, ten_runs(300.0))
    assert found.agrees == "yes"
    assert found.measured == (
        "24 of 24 instances within the hour, the longest 3,000 s; 240 of 240 runs within 1 % of the proven optimum, "
        "all ten on 24"
    )
    assert measure(ten_within_the_hour, ten_runs(361.0)).agrees == "no"
    assert measure(ten_within_the_hour, ten_runs(300.0, worst=102.0)).agrees == "no"
    with pytest.raises(NotMeasured) as lacking:
        measure(ten_within_the_hour, ten_runs(300.0, seeds=3))
    assert lacking.value.why == "cma-IH has 3 runs on an instance of TC-0, the statement is about 10"


# --- Integers ------------------------------------------------------------------------------------------------------


def wrong(share: float) -> list[float]:
    """Return a point of which a share of the integers, the last 32, is wrong: the optimum is the origin."""
    count = round(32 * share)
    return [0.0] * (64 - count) + [5.0] * count


def on_case(tc: int, shares: dict[str, float], least: int = 1, f: float = 100.0) -> tuple[list[dict], dict]:
    names = ids(places=[(tc, k, E) for tc_, k, E in PLACES if tc_ == tc and k >= least])
    rows = []
    for name in names:
        rows.append(trial(name, "cplex", 1, 100.0, x=wrong(0), **CPLEX))
        rows.append(trial(name, "lattice", 1, 100.0, x=wrong(0), status="optimal", bound=100.0))
        for solver, share in shares.items():
            rows += [trial(name, solver, seed, f, x=wrong(share + seed / 32)) for seed in range(1, 11)]
    solvers = {"cplex": [1], "lattice": [1], **{solver: list(range(1, 11)) for solver in shares}}
    return rows, study("benchmark", names, solvers)


def test_wrong_integers_on_tc3_are_ranked() -> None:
    lower = measure(mies_lower_on_tc3, on_case(3, {"mies": 0.0, "cma-IH": 0.5}, least=5))
    assert lower.agrees == "yes"
    assert lower.measured == (
        "significantly lower on 8, higher on 0 of 8 instances; medians 0.17 of mies and 0.67 of cma-IH"
    )
    assert measure(mies_lower_on_tc3, on_case(3, {"mies": 0.2, "cma-IH": 0.2}, least=5)).agrees == "no"
    higher = measure(mies_lower_on_tc3, on_case(3, {"mies": 0.5, "cma-IH": 0.0}, least=5))
    assert higher.agrees == "no"
    assert higher.measured.startswith("significantly lower on 0, higher on 8 of 8")


def test_good_values_with_wrong_integers_on_tc4() -> None:
    far = measure(far_on_tc4, on_case(4, {"cma-IH": 0.5}, f=100.5))
    assert far.agrees == "yes"
    assert far.measured == (
        "240 of 240 runs within 1 % of the optimum, 240 of them with at least half of the integers wrong"
    )
    assert measure(far_on_tc4, on_case(4, {"cma-IH": 0.0}, f=100.5)).agrees == "no"
    assert (
        measure(far_on_tc4, on_case(4, {"cma-IH": 0.5}, f=102.0)).measured == "0 of 240 runs within 1 % of the optimum"
    )


def test_without_proven_optima_integers_are_not_judged() -> None:
    rows, plan = on_case(4, {"cma-IH": 0.5})
    rows = [row for row in rows if row["solver"] != "lattice"]
    with pytest.raises(NotMeasured) as lacking:
        measure(far_on_tc4, (rows, plan))
    assert lacking.value.why == "the optimum of 24 instances of TC-4 at D = 64 is not proven"


def test_the_statements_are_in_the_table() -> None:
    rows, plan = suite(cma=lambda tc, k, E: 90.0 if tc == 7 else 100.0)
    table: pd.DataFrame = claims_table(evidence(trials(*rows), plan))
    assert claim(table, "cma-IH-wins")["agrees"] == "yes"
    assert claim(table, "mies-wins")["agrees"] == "not measured"
    assert claim(table, "cma-IH-wins")["cells"] == 216
