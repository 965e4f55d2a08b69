"""Invariance: the same solver on the same problem, moved by t, from the same and from other radii."""

import json

import numpy as np
import pandas as pd
import pytest
from table_rows import line, plan, runs_table, study, trial, trials

from unbounded.instances import build
from unbounded.tables.invariance import TABLE as invariance_table

T = ("0", "1e2", "1e6")
#: TC-0 and TC-1 by translation.
IDS = {t: [f"mixed-D4-t{t}-TC{k}-c1e1-E30" for k in (0, 1)] for t in T}
SOLVERS = {"cplex": [1], "mies": [1, 2], "mies-far": [1]}


def proof(t: str, k: int, f: float) -> dict:
    """A proof by `lattice`, whose integers are those of ξ1."""
    id = IDS[t][k]
    return trial(id, "lattice", 1, f, status="optimal", bound=f, x=build(id).xi1.tolist(), options="{}")


def run(t: str, k: int, solver: str, seed: int, f: float | None, off: float = 0.0, **options: float) -> dict:
    """A run that ends `off` beside the integers of ξ1."""
    x = build(IDS[t][k]).xi1
    x[-1] += off
    variant = "mies" if solver.startswith("mies") else solver
    return trial(IDS[t][k], solver, seed, f, x=x.tolist(), variant=variant, options=json.dumps(options))


def made(*rows: dict) -> pd.DataFrame:
    table = trials(*rows)
    instances = [id for t in T for id in IDS[t]]
    planned = plan(study("i", instances, {**SOLVERS, "lattice": [1]}, type="invariance"), study("b", IDS["0"], SOLVERS))
    return invariance_table(runs_table(table, planned), table)


def test_a_line_tells_how_a_solver_fares_at_a_translation() -> None:
    R = {"radius": 1e6}
    table = made(
        *(proof(t, k, 1000.0) for t in T for k in (0, 1)),
        run("0", 0, "mies", 1, 1010.0, **R),
        run("0", 0, "mies", 2, 1020.0, off=1, **R),
        run("0", 1, "mies", 1, 1030.0, **R),
        run("0", 1, "mies", 2, None, **R),
        run("1e2", 0, "mies", 1, 1005.0, **R),
        run("1e2", 0, "mies", 2, 1020.0 * (1 + 1e-7), off=2, **R),
        run("1e2", 1, "mies", 1, None, **R),
        run("1e2", 1, "mies", 2, None, **R),
        run("1e6", 0, "mies-far", 1, 1100.0, radius=1e3),
    )
    still = line(table, solver="mies", t=0.0)
    assert (still["study"], still["kind"], still["D"], still["variant"], still["radius"]) == (
        "i",
        "mixed",
        4,
        "mies",
        1e6,
    )
    counts = ["planned", "made", "solved", "proven", "integers", "measured"]
    assert still[counts].tolist() == [4, 4, 3, 4, 2, 4]
    assert (still["solved_share"], still["integers_share"]) == (0.75, 0.5)
    # Regrets 0.01, 0.02, 0.03 and none.
    assert still["regret_median"] == pytest.approx(0.025)
    assert still["pairs"] == 0
    assert np.isnan(still["p"])

    moved = line(table, solver="mies", t=1e2)
    assert moved[counts].tolist() == [4, 4, 2, 4, 1, 4]
    # The median falls on runs without a solution, by half.
    assert np.isnan(moved["regret_median"])
    # Lower; alike; a solution lost; none on either side.
    assert moved[["pairs", "lower", "higher", "alike"]].tolist() == [4, 1, 1, 2]
    assert moved["p"] == 1.0

    # Not made at this t, or not at t = 0: no pairs. R and variant are known from the id's other rows.
    nothing = line(table, solver="mies", t=1e6)
    assert nothing[["planned", "made", "pairs", "radius"]].tolist() == [4, 0, 0, 1e6]
    assert np.isnan(nothing["solved_share"])
    far = line(table, solver="mies-far", t=1e6)
    assert far[["made", "pairs", "radius", "variant"]].tolist() == [1, 0, 1e3, "mies"]
    assert far["regret_median"] == pytest.approx(0.1)
    lattice = line(table, solver="lattice", t=0.0)
    assert np.isnan(lattice["radius"])
    assert lattice[["integers_share", "regret_median"]].tolist() == [1.0, 0.0]
    assert set(table["study"]) == {"i"}


def test_a_solver_that_is_higher_in_every_pair_differs_and_one_that_is_the_same_does_not() -> None:
    ids = {t: [f"mixed-D4-t{t}-TC{k}-c1e1-E{E}" for k in range(9) for E in (20, 30)] for t in ("0", "1e4")}
    rows = [trial(id, "cma", 1, 100.0 + (t != "0")) for t in ids for id in ids[t]]
    rows += [trial(id, "cplex+centre", 1, 100.0) for t in ids for id in ids[t]]
    planned = plan(study("i", [*ids["0"], *ids["1e4"]], {"cma": [1], "cplex+centre": [1]}, type="invariance"))
    table = invariance_table(runs_table(trials(*rows), planned), trials(*rows))
    moved = line(table, solver="cma", t=1e4)
    assert moved[["pairs", "lower", "higher", "alike"]].tolist() == [18, 0, 18, 0]
    assert moved["p"] == pytest.approx(2 * 0.5**18)
    assert moved["p_holm"] == pytest.approx(2 * moved["p"])
    same = line(table, solver="cplex+centre", t=1e4)
    assert same[["pairs", "alike", "p", "p_holm"]].tolist() == [18, 18, 1.0, 1.0]


def test_zero_optima_have_no_regret_but_integers() -> None:
    zero = "mixed-D4-t0-sphere-c1-E484"
    instance = build(zero)
    rows = trials(trial(zero, "mies", 1, 0.5, x=instance.xi0.tolist(), instance_digest=instance.digest))
    table = invariance_table(runs_table(rows, plan(study("i", [zero], {"mies": [1]}, type="invariance"))), rows)
    (found,) = table.itertuples()
    assert (found.proven, found.integers, found.measured) == (1, 1, 0)
    assert np.isnan(found.regret_median)


def test_other_studies_have_no_lines() -> None:
    rows = trials(trial(IDS["0"][0], "mies", 1, 1.0))
    table = invariance_table(runs_table(rows, plan(study("b", IDS["0"], {"mies": [1]}))), rows)
    assert table.empty
