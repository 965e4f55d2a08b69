"""Best known: best verified values, bounds held against them, and the run that broke one."""

import itertools
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_rows import ZERO, A, B, line, trial, trials

from unbounded.instances import build
from unbounded.instances.relaxation import solve_relaxation
from unbounded.solvers.contract import Budget
from unbounded.tables.best_known import TABLE as best_known_table
from unbounded.tables.best_known import ContradictionError
from unbounded.tables.bounds import relative_gap, slack
from unbounded.tables.measures import ATOL
from unbounded.tables.proofs import judged, known_points
from unbounded.tables.refused_bounds import TABLE as REFUSED_BOUNDS
from unbounded.tables.refused_bounds import TABLE as refused_bounds_table
from unbounded.trials.run import Trial, run_trial

#: The relaxation of A ends at 117.47.
RELAXED = solve_relaxation(build(A)).bound


def row(instance: str, solver: str, seed: int = 1, f: float | None = None, **more: Any) -> dict[str, Any]:
    """Return a row of the arrays that this code builds."""
    return trial(instance, solver, seed, f, **{"instance_digest": build(instance).digest, **more})


def both(*rows: dict[str, Any]) -> tuple[pd.DataFrame, pd.DataFrame]:
    table = trials(*rows)
    best_known = best_known_table(table)
    return best_known, refused_bounds_table(table, best_known)


def test_a_value_is_certified_by_the_highest_bound_below_it() -> None:
    best_known, refused = both(
        row(A, "cplex", 1, 120.2, bound=119.0, status="time-out"),
        row(A, "scip", 1, 121.0, bound=119.95, status="time-out"),
        row(A, "cma-IH", 3, 120.0),
        row(A, "mies", 1, 90.0, status="unverified"),  # no value
    )
    (found,) = best_known.to_dict("records")
    assert (found["best_f"], found["best_solver"], found["best_seed"]) == (120.0, "cma-IH", 3)
    assert (found["bound"], found["bound_solver"], found["bound_seed"]) == (119.95, "scip", 1)
    assert found["best_instance"] == found["bound_instance"] == A
    assert found["relaxation_bound"] == RELAXED
    assert found["gap"] == pytest.approx(0.05 / 120)
    assert found["status"] == "certified"
    assert refused.empty


@pytest.mark.parametrize(("bound", "status"), [(119.88, "certified"), (119.87, "gap 0.108 %"), (118.0, "gap 1.67 %")])
def test_certified_means_within_a_thousandth(bound: float, status: str) -> None:
    best_known, _ = both(row(A, "cplex", 1, 120.0, bound=bound, status="time-out"))
    assert best_known["status"].tolist() == [status]


def test_without_a_solvers_bound_our_relaxation_is_the_bound() -> None:
    best_known, _ = both(row(A, "mies", 1, 120.0), row(B, "mies", 1))
    found = line(best_known, instance=A)
    assert (found["bound"], found["bound_solver"]) == (RELAXED, "relaxation")
    assert found["gap"] == pytest.approx(1 - RELAXED / 120)
    assert found["status"] == "gap 2.11 %"
    assert found["bound_seed"] is pd.NA
    nobody = line(best_known, instance=B)
    assert nobody["status"] == "unsolved"
    assert np.isnan(nobody["best_f"])
    assert np.isnan(nobody["gap"])
    assert nobody["bound"] == solve_relaxation(build(B)).bound


def test_a_value_without_a_bound_but_zero_is_the_best_known() -> None:
    # xi0 is feasible, so the relaxation says 0, but it is not integer.
    halfway = "mixed-D4-t0.5-TC2-c1e3-E30"
    best_known, _ = both(row(halfway, "mies", 1, 0.7), trial(A, "mies", 1, 5.0))
    for _, found in best_known.iterrows():
        assert (found["bound"], found["bound_solver"], found["status"]) == (0.0, "trivial", "best known")
    # The digest of the second is not that of our arrays: our relaxation is about something else.
    assert best_known["relaxation_bound"].isna().tolist() == [False, True]


def test_a_bound_above_a_verified_value_is_refused_and_its_run_named() -> None:
    best_known, refused = both(
        row(A, "cplex", 1, 125.0, bound=124.9, status="optimal"),
        row(A, "cplex", 2, 120.1, bound=119.0, status="time-out"),
        row(A, "cma-IH", 7, 120.0),
    )
    found = line(best_known, instance=A)
    assert (found["bound"], found["bound_seed"]) == (119.0, 2)
    (broken,) = refused.to_dict("records")
    assert (broken["instance"], broken["solver"], broken["seed"], broken["bound"]) == (A, "cplex", 1, 124.9)
    assert (broken["best_f"], broken["best_solver"], broken["best_seed"]) == (120.0, "cma-IH", 7)
    assert (broken["status"], broken["reason"]) == ("refuted", "above a verified value")


def test_a_value_below_our_own_bound_is_no_value() -> None:
    forged = row(A, "mies", 3, RELAXED - 0.01)
    with pytest.raises(ContradictionError, match=f"{A} by mies with seed 3: f = {RELAXED - 0.01:.6f}"):
        both(row(A, "mies", 1, 120.0), forged)
    # That much the feasibility tolerance may be worth.
    best_known, _ = both(row(A, "mies", 1, RELAXED - 1e-6))
    assert best_known["status"].tolist() == ["certified"]


def test_what_the_feasibility_tolerance_is_worth_does_not_break_a_bound() -> None:
    best_known, refused = both(row(A, "cplex", 1, 120.0, bound=120.0, status="optimal"), row(A, "mies", 1, 119.9999))
    assert refused.empty
    assert best_known[["bound", "gap", "status"]].to_numpy().tolist() == [[120.0, 0.0, "certified"]]
    _, refused = both(row(A, "cplex", 1, 120.0, bound=120.0, status="optimal"), row(A, "mies", 1, 119.998))
    assert len(refused) == 1


@pytest.mark.parametrize("status", ["unverified", "unproven", "error"])
def test_a_run_that_was_wrong_about_its_own_point_is_not_believed_a_bound(status: str) -> None:
    best_known, refused = both(row(A, "cplex", 1, 500.0, bound=119.99, status=status), row(A, "mies", 1, 120.0))
    assert best_known["bound_solver"].tolist() == ["relaxation"]
    assert refused[["solver", "reason"]].to_numpy().tolist() == [["cplex", f"the run is {status}"]]


@pytest.mark.parametrize(("ending", "heard"), [("error", False), ("unverified", False), ("no-solution", True)])
def test_an_incumbent_s_bound_is_believed_as_its_ending_is(ending: str, heard: bool) -> None:
    found = row(A, "cplex", 1, 120.0, bound=119.99, status="incumbent", ending=ending)
    best_known, refused = both(found)
    assert best_known[["best_f", "bound_solver"]].to_numpy().tolist() == [[120.0, "cplex" if heard else "relaxation"]]
    assert refused["reason"].tolist() == ([] if heard else [f"the run is {ending}"])


def test_a_run_without_a_solution_may_have_a_bound() -> None:
    best_known, _ = both(row(A, "cplex", 1, bound=119.99), row(A, "mies", 1, 120.0))
    assert best_known[["bound_solver", "status"]].to_numpy().tolist() == [["cplex", "certified"]]


def test_a_zero_optimum_is_proven_by_itself() -> None:
    best_known, refused = both(row(ZERO, "cplex", 1, 3e-8, bound=2e-8), row(ZERO, "mies", 1, 2.0))
    (found,) = best_known.to_dict("records")
    assert (found["zero_optimum"], found["best_f"], found["best_solver"]) == (True, 3e-8, "cplex")
    assert (found["bound"], found["bound_solver"], found["gap"]) == (0.0, "trivial", 0.0)
    assert (found["status"], found["optimum"], found["proof_solver"]) == ("proven", 0.0, "xi0")
    assert refused.empty


def test_where_no_run_found_the_zero_optimum_the_centre_is_the_solution() -> None:
    table = trials(row(ZERO, "mies", 1, 2.0), row(ZERO, "cplex", 1, 3.0, bound=1.5))
    best_known = best_known_table(table)
    (found,) = best_known.to_dict("records")
    assert (found["best_f"], found["best_solver"], found["status"]) == (0.0, "xi0", "proven")
    assert pd.isna(found["best_seed"])
    refused = refused_bounds_table(table, best_known)
    assert refused[["solver", "best_solver"]].to_numpy().tolist() == [["cplex", "xi0"]]
    (point,) = known_points(best_known, table)["x_best_known"]
    np.testing.assert_array_equal(point, build(ZERO).xi0)


# --- Proofs --------------------------------------------------------------------------------------------------------


def proof(instance: str, f: float, seed: int = 1, **more: Any) -> dict[str, Any]:
    """Return a run of the exact solver that proved f."""
    return row(instance, "lattice", seed, f, **{"bound": f - 1e-9 * max(1.0, f), "status": "optimal", **more})


def test_what_an_exact_solver_proves_is_the_optimum_and_others_proofs_are_not() -> None:
    best_known, refused = both(proof(A, 120.0, 4), row(A, "mies", 1, 120.5), row(B, "cplex", 1, 90.0, status="optimal"))
    found = line(best_known, instance=A)
    assert (found["status"], found["optimum"], found["best_f"]) == ("proven", 120.0, 120.0)
    assert (found["proof_instance"], found["proof_solver"], found["proof_seed"]) == (A, "lattice", 4)
    assert found["bound"] == 120.0 - 1.2e-7
    cplex = line(best_known, instance=B)
    assert cplex["status"] != "proven"
    assert np.isnan(cplex["optimum"])
    assert refused.empty


def test_an_id_of_the_campaigns_own_proves_as_the_solver_behind_it() -> None:
    own = {"solver": "truth", "variant": "lattice"}
    best_known, _ = both({**proof(A, 120.0), **own})
    assert best_known[["status", "proof_solver"]].to_numpy().tolist() == [["proven", "truth"]]


def test_a_value_below_the_optimum_by_the_feasibility_tolerance_is_the_best_but_not_the_optimum() -> None:
    table = trials(proof(A, 120.0, x=[1, 1, 1, 1]), row(A, "mies", 1, 119.9999, x=[2, 2, 2, 2]))
    best_known = best_known_table(table)
    assert best_known[["best_f", "optimum", "status"]].to_numpy().tolist() == [[119.9999, 120.0, "proven"]]
    (known,) = known_points(best_known, table).to_dict("records")
    assert (known["best_known_f"], known["optimum"], known["certified"]) == (120.0, 120.0, True)
    assert list(known["x_best_known"]) == [1, 1, 1, 1]


def test_a_verified_point_below_a_proof_refutes_it_and_the_proof_is_named() -> None:
    best_known, refused = both(proof(A, 125.0), row(A, "mies", 3, 120.0))
    (found,) = best_known.to_dict("records")
    assert found["status"] == "gap 2.11 %"
    assert np.isnan(found["optimum"])
    assert refused[["solver", "best_solver", "reason"]].to_numpy().tolist() == [
        ["lattice", "mies", "above a verified value"]
    ]
    # Another proof, lower, is such a point too, and stands.
    best_known, refused = both(proof(A, 125.0, 1), proof(A, 120.0, 2))
    assert best_known[["optimum", "proof_seed"]].to_numpy().tolist() == [[120.0, 2]]
    assert refused["seed"].tolist() == [1]


@pytest.mark.parametrize("more", [{"bound": 119.0, "status": "time-out"}, {"bound": 119.0}, {"bound": None}])
def test_an_exact_solver_that_was_stopped_has_a_bound_but_no_proof(more: dict[str, Any]) -> None:
    best_known, _ = both(proof(A, 120.0, **more))
    (found,) = best_known.to_dict("records")
    assert np.isnan(found["optimum"])
    assert found["bound_solver"] == ("lattice" if more["bound"] else "relaxation")


def test_a_bound_above_a_proven_optimum_is_refused_for_that() -> None:
    _, refused = both(
        proof(A, 120.0),
        row(A, "cplex", 1, 125.0, bound=121.0, status="optimal"),
        row(A, "cplex", 2, 120.0, bound=120.0005, status="optimal"),  # within the slack
    )
    assert refused[["solver", "seed", "optimum", "reason"]].to_numpy().tolist() == [
        ["cplex", 1, 120.0, "above a proven optimum"]
    ]


def test_a_proof_holds_on_whole_translations_whose_values_agree() -> None:
    x, f = lattice_optimum(STILL)
    best_known, refused = both(
        proof(STILL, f, x=x.tolist()),
        row(MOVED, "mies", 1, f + 5.0, x=(x + 1e4).tolist(), bound=f + 1.0),
        row(ELSEWHERE, "mies", 1, f + 5.0, x=x.tolist()),
    )
    moved = line(best_known, instance=MOVED)
    assert (moved["status"], moved["optimum"], moved["proof_instance"]) == ("proven", f, STILL)
    assert line(best_known, instance=ELSEWHERE)["status"] != "proven"
    assert refused[["instance", "reason"]].to_numpy().tolist() == [[MOVED, "above a proven optimum"]]
    # No point of the twin is as good, and the proof's, moved, is not feasible there: values do not agree.
    best_known, _ = both(proof(STILL, f, x=(x + 1000.0).tolist()), row(MOVED, "mies", 1, f + 5.0, x=(x + 1e4).tolist()))
    assert line(best_known, instance=MOVED)["status"] != "proven"


# --- Refuted proofs ------------------------------------------------------------------------------------------------


def statuses_of(*rows: dict[str, Any]) -> list[str]:
    table = trials(*rows)
    return judged(table, best_known_table(table))["status"].tolist()


@pytest.mark.parametrize(
    ("mine", "status"),
    [
        ({"f": 125.0, "bound": 125.0, "status": "optimal"}, "refuted"),
        ({"f": 125.0, "bound": 124.9, "status": "tolerance"}, "refuted"),
        ({"f": 125.0, "bound": None, "status": "optimal"}, "refuted"),
        # Within the gap that the run was to close, relative or absolute.
        ({"f": 120.1, "bound": 120.0, "status": "tolerance"}, "tolerance"),
        ({"f": 120.13, "bound": 120.0, "status": "tolerance"}, "refuted"),
        ({"f": 120.3, "bound": 119.9, "status": "tolerance", "options": '{"absmipgap": 0.5}'}, "tolerance"),
        ({"f": 120.001, "bound": 120.0, "status": "optimal", "options": "{}"}, "optimal"),
        ({"f": 120.003, "bound": 120.0, "status": "optimal", "options": "{}"}, "refuted"),
        # Who claims no proof has none to be refuted.
        ({"f": 125.0, "bound": 124.0, "status": "time-out"}, "time-out"),
        ({"f": 125.0, "bound": 124.0, "status": "unproven"}, "unproven"),
    ],
)
def test_a_proof_that_a_verified_value_contradicts_is_refuted(mine: dict[str, Any], status: str) -> None:
    assert statuses_of(row(A, "cplex", **mine), row(A, "mies", 1, 120.0)) == [status, "budget"]
    assert statuses_of(row(A, "cplex", **mine), proof(A, 120.0)) == [status, "optimal"]
    assert statuses_of(row(A, "cplex", **mine))[0] == mine["status"]


def test_a_proof_is_refuted_by_the_zero_at_the_centre_that_no_run_found_and_by_a_twin() -> None:
    assert statuses_of(row(ZERO, "cplex", 1, 3.85, bound=3.85, status="optimal")) == ["refuted"]
    assert statuses_of(row(ZERO, "cplex", 1, 5e-7, bound=0.0, status="optimal")) == ["optimal"]
    x, f = lattice_optimum(STILL)
    twin = row(MOVED, "mies", 1, f, x=(x + 1e4).tolist())
    assert statuses_of(row(STILL, "cplex", 1, f + 5, x=x.tolist(), status="tolerance"), twin)[0] == "refuted"


def test_an_exact_solver_s_proof_can_be_refuted_too() -> None:
    assert statuses_of(proof(A, 125.0), row(A, "mies", 1, 120.0)) == ["refuted", "budget"]


def test_a_false_proof_of_cplex_is_refuted() -> None:
    trial = Trial("mixed-D8-t0-TC2-c1e6-E30", "cplex", "cplex", 1, Budget(kind="ticks", amount=300))
    said = run_trial(trial)
    assert (said["status"], said["termination"]) == ("optimal", "101: integer optimal solution")
    assert said["f"] == pytest.approx(16.0)  # the optimum is 0
    assert statuses_of(said) == ["refuted"]
    _, refused = both(said)
    assert refused[["status", "reason"]].to_numpy().tolist() == [["refuted", "above a proven optimum"]]


# --- One solver's word ---------------------------------------------------------------------------------------------

#: No optimum of these is zero.
STEEP, STEEPER = (f"mixed-D4-t0-TC0-c{c}-E30" for c in ("1e4", "1e5"))


def certified(instance: str, *rows: tuple[str, float]) -> tuple[str, float, str | None]:
    """Return the status of 500, with the second bound, given bounds of solvers."""
    found = [row(instance, solver, 1, 500.0, bound=bound, status="time-out") for solver, bound in rows]
    best_known, _ = both(*found)
    (line,) = best_known.to_dict("records")
    return line["status"], line["second_bound"], line["second_bound_solver"]


def test_at_large_c_a_bound_certifies_only_with_another_solver_s() -> None:
    assert certified(STEEP, ("cplex", 499.9))[0] == "certified"
    assert certified(STEEPER, ("cplex", 499.9))[0] == "one bound"
    assert certified(STEEPER, ("cplex", 499.9), ("scip", 499.8)) == ("certified", 499.8, "scip")
    assert certified(STEEPER, ("cplex", 499.9), ("scip", 490.0)) == ("one bound", 490.0, "scip")
    # The same solver by another name, in another formulation or with other settings, is no second one.
    same = [("cplex", 499.9), ("cplex+eigen", 499.9), ("cplex-plain+box", 499.85)]
    assert certified(STEEPER, *same)[0] == "one bound"
    own = row(STEEPER, "mine", 1, 500.0, bound=499.9, status="time-out", variant="cplex-plain")
    best_known, _ = both(own, row(STEEPER, "cplex", 1, 500.0, bound=499.9, status="time-out"))
    assert best_known["status"].tolist() == ["one bound"]
    assert known_points(best_known, trials(own))["certified"].tolist() == [False]


def test_what_is_no_white_box_solver_s_word_needs_no_second() -> None:
    assert certified(STEEPER, ("lattice", 499.9))[0] == "certified"
    relaxed = solve_relaxation(build(STEEPER)).bound
    best_known, _ = both(row(STEEPER, "mies", 1, relaxed * 1.0005))
    assert best_known[["bound_solver", "status"]].to_numpy().tolist() == [["relaxation", "certified"]]
    best_known, _ = both(proof(STEEPER, 500.0), row(STEEPER, "cplex", 1, 500.0, bound=500.0, status="optimal"))
    assert best_known["status"].tolist() == ["proven"]


# --- Translated twins ----------------------------------------------------------------------------------------------


def lattice_optimum(instance: str) -> tuple[np.ndarray, float]:
    """Return the best point of a small all-integer instance, by looking at all of them."""
    built = build(instance)
    box = built.box()
    points = np.array(
        list(itertools.product(*(np.arange(a, b + 1) for a, b in zip(box.lower, box.upper, strict=True))))
    )
    f, g = built.evaluate(points)
    best = int(np.argmin(np.where(g <= built.E, f, np.inf)))
    return points[best], float(f[best])


STILL, MOVED, ELSEWHERE = (f"integer-D4-t{t}-TC0-c1e1-E30" for t in ("0", "1e4", "0.5"))


def test_points_and_bounds_of_an_instance_hold_on_its_translations() -> None:
    x, f = lattice_optimum(STILL)
    table = trials(
        row(STILL, "cplex", 1, f, x=x.tolist(), bound=f - 0.01, status="tolerance"),
        row(MOVED, "cplex", 1, f + 3.0, x=(x + 1e4).tolist(), status="unverified", bound=f - 90),
        row(MOVED, "mies", 2, f + 5.0, x=(x + 1e4).tolist()),
        row(ELSEWHERE, "mies", 1, f + 5.0, x=x.tolist()),
    )
    best_known = best_known_table(table)
    moved = line(best_known, instance=MOVED)
    assert moved["best_f"] == pytest.approx(f, rel=1e-12)
    assert (moved["best_instance"], moved["best_solver"], moved["best_seed"]) == (STILL, "cplex", 1)
    assert (moved["bound"], moved["bound_instance"], moved["bound_solver"]) == (f - 0.01, STILL, "cplex")
    assert moved["status"] == "certified"
    # Half a step away lies another problem.
    assert line(best_known, instance=ELSEWHERE)["bound_solver"] == "relaxation"
    assert line(best_known, instance=ELSEWHERE)["best_f"] == f + 5.0
    known = known_points(best_known, table)
    np.testing.assert_array_equal(line(known, instance=MOVED)["x_best_known"], x + 1e4)


def test_a_twins_point_counts_only_if_it_is_feasible_here_and_clearly_better() -> None:
    x, f = lattice_optimum(STILL)
    outside = (x + 1000.0).tolist()
    best_known, _ = both(
        row(STILL, "cplex", 1, f - 1.0, x=outside),  # as if verified; moved, it is not
        row(STILL, "cplex", 2, f, x=x.tolist()),
        row(MOVED, "mies", 1, f + 5.0, x=outside),
    )
    assert line(best_known, instance=MOVED)["best_seed"] == 2
    best_known, _ = both(row(STILL, "cplex", 1, f, x=x.tolist()), row(MOVED, "mies", 1, f * (1 + 1e-6), x=outside))
    assert line(best_known, instance=MOVED)["best_solver"] == "mies"


def test_a_bound_is_held_against_values_of_its_twins_too() -> None:
    x, f = lattice_optimum(STILL)
    best_known, refused = both(
        row(STILL, "cplex", 1, f + 5.0, x=x.tolist(), bound=f + 4.0, status="optimal"),
        row(MOVED, "mies", 3, f, x=(x + 1e4).tolist()),
    )
    assert refused[["instance", "solver", "best_instance", "best_seed"]].to_numpy().tolist() == [
        [STILL, "cplex", MOVED, 3]
    ]
    assert set(best_known["bound_solver"]) == {"relaxation"}


@pytest.mark.parametrize(
    ("options", "heard"),
    [
        ({"algebra": "direct", "centre": "none", "box": "ellipsoid"}, False),
        ({"algebra": "epigraph", "centre": "none", "box": "none"}, False),
        ({"algebra": "eigen", "centre": "none", "box": "none"}, True),
        ({"algebra": "direct", "centre": "integer", "box": "none"}, True),
    ],
)
def test_where_polynomials_are_expanded_at_an_offset_a_bound_is_not_believed(
    options: dict[str, str], heard: bool
) -> None:
    x, f = lattice_optimum(STILL)
    bounded = {"bound": f - 0.01, "options": json.dumps(options)}
    best_known, refused = both(row(MOVED, "cplex", 1, **bounded), row(MOVED, "mies", 1, f, x=(x + 1e4).tolist()))
    assert best_known["bound_solver"].tolist() == ["cplex" if heard else "relaxation"]
    assert refused["reason"].tolist() == ([] if heard else ["polynomials expanded at an offset"])
    # Untranslated, every formulation is heard, and its bound holds for the twin.
    best_known, refused = both(
        row(STILL, "cplex", 1, **bounded), row(MOVED, "cplex", 1, f, x=(x + 1e4).tolist(), **bounded)
    )
    assert best_known["bound_instance"].tolist() == [STILL, MOVED if heard else STILL]
    assert set(best_known["status"]) == {"certified"}


def test_a_false_bound_of_cplex_on_expanded_polynomials_certifies_nothing() -> None:
    instance = "mixed-D16-t1e4-TC6-c1e1-E30"
    trial = Trial(instance, "cplex+box", "cplex+box", 1, Budget(kind="ticks", amount=400))
    said = run_trial(trial)
    # The optimum is 163.626, and 165.1 the value of a point that a strategy finds on its way there.
    assert said["bound"] > 165.0
    best_known, refused = both(said, row(instance, "mies", 1, 165.1, x=[0.0] * 16))
    assert best_known["bound_solver"].tolist() == ["relaxation"]
    assert best_known["status"].str.startswith("gap").all()
    assert refused[["solver", "bound"]].to_numpy().tolist() == [["cplex+box", said["bound"]]]


def test_rows_of_other_arrays_say_nothing_about_translations_of_ours() -> None:
    x, f = lattice_optimum(STILL)
    best_known, _ = both(
        row(STILL, "cplex", 1, f - 5.0, x=x.tolist(), bound=f - 5.01, status="optimal", instance_digest="others"),
        row(MOVED, "mies", 1, f, x=(x + 1e4).tolist()),
    )
    moved = line(best_known, instance=MOVED)
    assert (moved["best_f"], moved["bound_solver"]) == (f, "relaxation")
    assert line(best_known, instance=STILL)["bound_solver"] == "cplex"


# --- Any rows ------------------------------------------------------------------------------------------------------

values = st.floats(0.0, 1e6)
statuses = st.sampled_from(["optimal", "time-out", "budget", "no-solution", "unverified"])
#: No verified value is below the relaxation.
lines = st.lists(st.tuples(st.floats(RELAXED, 1e6), st.none() | values, statuses), min_size=1, max_size=8)


@settings(max_examples=15, deadline=None)
@given(lines)
def test_bounds_are_either_used_at_most_or_refused_for_a_reason(rows: list[tuple[float, float | None, str]]) -> None:
    table = trials(
        *(row(A, "cplex", seed, f, bound=bound, status=status) for seed, (f, bound, status) in enumerate(rows))
    )
    best_known = best_known_table(table)
    refused = refused_bounds_table(table, best_known)
    assert best_known.dtypes.astype(str).to_dict() == best_known_table.types
    assert refused.dtypes.astype(str).to_dict() == REFUSED_BOUNDS.types
    (found,) = best_known.to_dict("records")
    solved = [f for f, _, status in rows if status in ("optimal", "time-out", "budget")]
    kept = [b for i, (_, b, _) in enumerate(rows) if b is not None and b > ATOL and i not in set(refused["seed"])]
    if not solved:
        assert found["status"] == "unsolved"
    else:
        assert found["best_f"] == min(solved)
        assert 0 <= found["gap"] <= 1
        assert found["bound"] <= found["best_f"] + slack(found["best_f"], 1e-3)
        assert found["gap"] == relative_gap(found["best_f"], found["bound"])
    assert all(found["bound"] >= bound for bound in kept)


def test_different_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match="different arrays"):
        best_known_table(trials(trial(A, "cplex", 1, 1.0, instance_digest="a"), trial(A, "mies", 1, 1.0)))


# --- What contradicts a proof --------------------------------------------------------------------------------------


def _edge() -> tuple[str, list[float], list[float], float, float]:
    """Return an all-integer instance with the edge of its constraint just inside a vector, that vector and the optimum.

    The vector with the least f violates g ≤ E by half of the tolerance: verification lets it pass, g ≤ E does not.
    """
    plain = build("integer-D4-t0-TC0-c1e1-E30")
    box = np.array(list(itertools.product(range(-8, 9), repeat=4)), dtype=np.float64)
    f, g = (
        np.einsum("ki,ij,kj->k", box - xi, H, box - xi) / plain.c
        for xi, H in ((plain.xi0, plain.Hf), (plain.xi1, plain.Hg))
    )
    inside = g <= 30
    outer = f[inside].min()
    first = min((k for k in np.flatnonzero(~inside) if f[k] < outer), key=lambda k: g[k])
    E = float(g[first]) / (1 + 5e-7)
    within = g <= E
    best = np.flatnonzero(within)[np.argmin(f[within])]
    return f"integer-D4-t0-TC0-c1e1-E{E!r}", box[first].tolist(), box[best].tolist(), float(f[first]), float(f[best])


def test_a_point_in_the_tolerance_of_g_does_not_contradict_a_proof() -> None:
    id, edge, best, below, optimum = _edge()
    assert build(id).verify(edge).feasible
    assert below < 0.999 * optimum
    proof = row(id, "lattice", 1, optimum, status="optimal", bound=optimum * (1 - 1e-9), x=best, options="{}")
    rows = trials(proof, row(id, "mies", 1, below, x=edge))
    table = best_known_table(rows)
    assert (table["status"][0], table["optimum"][0]) == ("proven", optimum)
    assert refused_bounds_table(rows, table).empty
    assert judged(rows, table)["status"].tolist() == ["optimal", "budget"]


def test_a_point_inside_contradicts_a_proof() -> None:
    id, edge, best, _, optimum = _edge()
    wrong = row(id, "lattice", 1, 1.1 * optimum, status="optimal", bound=1.1 * optimum, x=edge, options="{}")
    rows = trials(wrong, row(id, "mies", 1, optimum, x=best))
    table = best_known_table(rows)
    assert table["status"][0] != "proven"
    assert refused_bounds_table(rows, table)["reason"].tolist() == ["above a verified value"]
    assert judged(rows, table)["status"].tolist() == ["refuted", "budget"]
