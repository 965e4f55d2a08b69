"""The table of formulations counts what verification left of each claim."""

import json
from typing import Any

import pytest
from table_rows import line, plan, runs_table, study, trial, trials

from unbounded.instances import build
from unbounded.tables.best_known import TABLE as best_known_table
from unbounded.tables.formulations import TABLE as formulations_table
from unbounded.tables.refused_bounds import TABLE as refused_bounds_table

HERE, THERE = (f"mixed-D4-t{t}-TC0-c1e1-E80" for t in ("0", "1e4"))
OPTIONS = {"mipgap": 1e-3, "algebra": "direct", "centre": "none", "box": "none"}


def row(instance: str, solver: str, f: float | None = None, **more: Any) -> dict[str, Any]:
    options = {**OPTIONS, **({"centre": "integer"} if "+centre" in solver else {})}
    digest = build(instance).digest
    return trial(instance, solver, 1, f, options=json.dumps(options), instance_digest=digest, **more)


def refused(*rows: dict[str, Any]) -> Any:
    return refused_bounds_table(trials(*rows), best_known_table(trials(*rows)))


def table(
    *rows: dict[str, Any],
    solvers: tuple[str, ...] = ("cplex",),
    type: str = "formulation",
    instances: tuple[str, ...] = (HERE, THERE),
) -> Any:
    all_rows = trials(*rows)
    planned = plan(study("q", instances, {solver: [1] for solver in solvers}, type=type))
    return formulations_table(runs_table(all_rows, planned), all_rows, refused(*rows))


COUNTS = ("planned", "made", "verified", "solved", "proven", "wrong", "no_solution", "errors")


def counts(table: Any, t: float, solver: str = "cplex") -> dict[str, int]:
    found = line(table, t=t, solver=solver)
    return {name: int(found[name]) for name in COUNTS if found[name]}


GOOD = row(HERE, "cplex", 100.0, status="tolerance", bound=99.95)


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        # Proven: the gap is closed, and no verified point contradicts it.
        ({"f": 100.05, "status": "tolerance", "bound": 99.96}, {"verified", "solved", "proven"}),
        ({"f": 100.0, "status": "optimal", "bound": 100.0}, {"verified", "solved", "proven"}),
        # Said to be optimal, but the bound does not close the gap.
        ({"f": 100.0, "status": "optimal", "bound": 90.0}, {"verified", "solved"}),
        ({"f": 100.0, "status": "optimal"}, {"verified", "solved"}),
        ({"f": 100.0, "status": "time-out", "bound": 99.99}, {"verified", "solved"}),
        ({"f": 101.0, "status": "time-out", "bound": 95.0}, {"verified"}),
        # The twin without translation has a better point: what was proven here is not so.
        ({"f": 101.0, "status": "tolerance", "bound": 100.95}, {"verified", "wrong"}),
        ({"f": 101.0, "status": "time-out", "bound": 100.95}, {"verified", "wrong"}),
        ({"f": 100.0, "status": "unproven", "bound": 100.0}, {"verified", "solved", "wrong"}),
        ({"status": "unverified", "bound": 50.0}, {"wrong"}),
        # A point from the way is verified; what the run handed in, or how it ended, counts as ever.
        ({"f": 100.0, "status": "incumbent", "ending": "unverified", "bound": 50.0}, {"verified", "solved", "wrong"}),
        ({"f": 100.0, "status": "incumbent", "ending": "error"}, {"verified", "solved", "errors"}),
        ({"status": "no-solution", "termination": "107: time limit exceeded"}, {"no_solution"}),
        ({"status": "no-solution", "termination": "119: integer Infeasible or unbounded"}, {"no_solution", "wrong"}),
        ({"status": "no-solution", "bound": 150.0}, {"no_solution", "wrong"}),
        ({"status": "error", "termination": "3018"}, {"errors"}),
    ],
)
def test_a_run_counts_as_what_verification_left_of_its_claim(there: dict[str, Any], expected: set[str]) -> None:
    found = table(GOOD, row(THERE, "cplex", **there))
    assert set(counts(found, 1e4)) - {"planned", "made"} == expected
    assert counts(found, 0) == {"planned": 1, "made": 1, "verified": 1, "solved": 1, "proven": 1}


def test_a_solver_that_takes_no_formulation_proves_too_and_refutes_bounds_above_its_optimum() -> None:
    proof = {**row(HERE, "lattice", 120.0, status="optimal", bound=120.0 - 1.2e-7), "options": "{}"}
    late = row(HERE, "cplex", 125.0, status="time-out", bound=124.0)
    found = table(proof, late, solvers=("cplex", "lattice"), instances=(HERE,))
    assert counts(found, 0, "lattice") == {"planned": 1, "made": 1, "verified": 1, "solved": 1, "proven": 1}
    assert counts(found, 0) == {"planned": 1, "made": 1, "verified": 1, "wrong": 1}
    assert line(found, solver="lattice")["base"] == "lattice"


def test_reformulations_have_lines_of_their_own_and_share_what_is_known() -> None:
    rows = [
        GOOD,
        row(THERE, "cplex", 300.0, status="optimal", bound=300.0, cpu_seconds=3.0),
        row(HERE, "cplex+centre", 100.0, status="tolerance", bound=99.95),
        row(THERE, "cplex+centre", 100.0, status="tolerance", bound=99.95, cpu_seconds=7.0),
    ]
    found = table(*rows, solvers=("cplex", "cplex+centre"))
    assert set(counts(found, 1e4)) == {"planned", "made", "verified", "wrong"}
    assert "proven" in counts(found, 1e4, "cplex+centre")
    centred = line(found, t=1e4, solver="cplex+centre")
    assert (centred["base"], centred["algebra"], centred["centre"], centred["box"]) == (
        "cplex",
        "direct",
        "integer",
        "none",
    )
    assert centred["cpu_median"] == 7.0
    assert (centred["study"], centred["kind"], centred["D"], centred["c"]) == ("q", "mixed", 4, 10.0)


def test_runs_that_were_not_made_are_planned_and_say_nothing() -> None:
    found = table(GOOD)
    assert counts(found, 1e4) == {"planned": 1}
    assert line(found, t=1e4)["algebra"] == "direct"  # as the other runs of its id
    skipped = table(GOOD, row(THERE, "cplex", status="skipped", termination="no licence"))
    assert counts(skipped, 1e4) == {"planned": 1}


def test_other_studies_are_not_in_it() -> None:
    assert len(table(GOOD, type="benchmark")) == 0


def test_a_translation_by_half_makes_another_instance() -> None:
    half = "mixed-D4-t0.5-TC0-c1e1-E80"
    found = table(GOOD, row(half, "cplex", 110.0, status="optimal", bound=110.0), instances=(HERE, half))
    assert "proven" in counts(found, 0.5)


@pytest.mark.parametrize("bound", [0.0, -1e-3, -50.0])
def test_a_bound_below_zero_proves_what_zero_proves(bound: float) -> None:
    instance = "mixed-D4-t0-TC2-c1e4-E30"  # its optimum is zero
    found = table(row(instance, "cplex", 5e-7, status="optimal", bound=bound), instances=(instance,))
    assert "proven" in counts(found, 0)


@pytest.mark.parametrize(("share", "expected"), [(0.9e-5, "proven"), (1.1e-5, "wrong"), (0.9e-3, "wrong")])
def test_a_bound_contradicts_a_verified_value_where_best_known_refuses_it(share: float, expected: str) -> None:
    best, above = 120.0, 120.0 * (1 + share)
    rows = [
        row(HERE, "cplex", best * (1 + 2e-5), status="optimal", bound=above),
        row(HERE, "cplex+centre", best, status="time-out", bound=118.0),
    ]
    found = table(*rows, solvers=("cplex", "cplex+centre"), instances=(HERE,))
    assert {"proven", "wrong"} & set(counts(found, 0)) == {expected}
    assert refused(*rows)["solver"].tolist() == (["cplex"] if expected == "wrong" else [])
