"""How far the published results are from proven optima: of the problem, and of the form of it, that each run solved.

An optimum is the `best_f` of an instance whose status in the table `references` is `proven`. A translation by whole
numbers changes no optimum, so that of the untranslated instance is taken.

A value is `optimal` up to 10⁻⁴ above the optimum, `close` up to 10⁻³, `similar` up to 10⁻² and `worse` beyond,
relatively; absolutely where the optimum is zero. What is lower than the optimum by more than 10⁻⁴ is `below`, as no
feasible point is. A recomputed value is known up to the rounding of its vector; where that leaves the word open, it is
`undecided`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from unbounded.instances import InstanceSpec, build
from unbounded.instances.hessians import FloatArray
from unbounded.instances.relaxation import solve_relaxation
from unbounded.tables.audit import KEY, best_values
from unbounded.tables.cplex_logs import BOUND_PRINTED
from unbounded.tables.measures import CLOSE, OPTIMAL, SIMILAR, TextArray
from unbounded.tables.published import NO_POINT, NO_VECTOR, REFERENCE, VECTOR
from unbounded.tables.references import PROVEN, family, slack
from unbounded.tables.schema import AUDIT_TRUTH, AUDIT_TRUTH_COUNTS, shape

UNDECIDED = "undecided"
CLASSES = ("optimal", "close", "similar", "worse", "below", UNDECIDED, NO_POINT)
#: What a log tells of a run.
LOGGED = ["seconds", "limit", "ending", "objective", "bound", "absolute_gap", "integrality", "feasibility"]


def audit_truth(runs: pd.DataFrame, logs: pd.DataFrame, references: pd.DataFrame | None) -> pd.DataFrame:
    """Return a line for each solver on each instance: its best values against the optimum, CPLEX's with its log.

    Without references all that needs an optimum is empty.
    """
    table = best_values(runs)
    claims = runs.drop_duplicates(KEY)["claim"].reset_index(drop=True)
    table["stored"] = claims.where(claims.isin([NO_POINT, NO_VECTOR]), VECTOR)
    table = table.merge(logs[["instance", *LOGGED]].assign(solver=REFERENCE), on=KEY, how="left")
    table["problem"] = [_problem(*pair) for pair in zip(table["instance"], table["solved"], strict=True)]
    truth = pd.DataFrame({"instance": [], "best_f": [], "status": []}) if references is None else references
    truth = truth.set_index("instance")
    table["optimum"] = table["problem"].map(truth["best_f"]).astype("float64")
    table["status"] = table["problem"].map(truth["status"])

    optimum, zero = table["optimum"], table["zero_optimum"]
    table["claimed_distance"] = distance(table["claimed_best"], optimum, zero)
    table["claimed_class"] = classes(table["claimed_best"], table["claimed_best"], optimum, zero)
    table["distance"] = distance(table["best_f"], optimum, zero)
    # Nothing feasible is below the optimum: what is stored may be, for its rounding, but not what was rounded.
    lowest = np.maximum(table["best_f"] - table["best_f_rounding"], np.minimum(table["best_f"], optimum))
    recomputed = classes(lowest, table["best_f"] + table["best_f_rounding"], optimum, zero)
    table["recomputed_class"] = np.where((table["stored"] == NO_VECTOR) & optimum.notna(), UNDECIDED, recomputed)

    proven = table["problem"].where(table["status"] == PROVEN, "")
    multiplier, tolerance = np.array([_sensitivity(id) if id else (np.nan, np.nan) for id in proven]).T
    tolerated = slack(optimum, multiplier * tolerance)
    table["allowance"] = tolerated + _worth_of_tolerances(table, multiplier)
    table["claim_below"] = table["claimed_best"] < optimum - table["allowance"]
    table["objective_below"] = table["objective"] < optimum - table["allowance"] - table["feasibility"]
    table["bound_above"] = table["bound"] > optimum + tolerated + table["absolute_gap"] + BOUND_PRINTED
    table["contradiction"] = table["inside_f"] < optimum - tolerated
    return shape(table, AUDIT_TRUTH)


def audit_truth_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Return how many values are optimal, close and so on: by test case and in all, zero optima apart."""
    rows = []
    for (kind, D, t, solver), part in table.groupby(["kind", "D", "t", "solver"]):
        cases = [("all", part), *part.sort_values("tc").groupby("case", sort=False)]
        for case, lines in cases:
            for optima, zero in (("above 0", False), ("zero", True)):
                chosen = lines[lines["zero_optimum"] == zero]
                proven = chosen[chosen["status"] == PROVEN]
                for values in ("claimed", "recomputed"):
                    counts = proven[f"{values}_class"].value_counts()
                    rows.append(
                        {
                            "kind": kind,
                            "D": D,
                            "t": t,
                            "solver": solver,
                            "case": case,
                            "optima": optima,
                            "values": values,
                            **{word.replace(" ", "_"): counts.get(word, 0) for word in CLASSES},
                            "proven": len(proven),
                            "instances": len(chosen),
                        }
                    )
    counted = pd.DataFrame(rows)
    return shape(counted[counted["instances"] > 0], AUDIT_TRUTH_COUNTS)


def distance(f: npt.ArrayLike, optimum: npt.ArrayLike, zero: npt.ArrayLike) -> FloatArray:
    """Return how far values are above the optimum, relatively; absolutely where the optimum is zero."""
    best = np.asarray(optimum, dtype=np.float64)
    above: FloatArray = (np.asarray(f, dtype=np.float64) - best) / np.where(np.asarray(zero, dtype=bool), 1.0, best)
    return above


def classes(lowest: npt.ArrayLike, highest: npt.ArrayLike, optimum: npt.ArrayLike, zero: npt.ArrayLike) -> TextArray:
    """Say what values are that lie between these two; nothing where there is no optimum."""
    words = []
    for end in (lowest, highest):
        off = distance(end, optimum, zero)
        limits = [off < -OPTIMAL, off <= OPTIMAL, off <= CLOSE, off <= SIMILAR]
        words.append(np.select(limits, ["below", "optimal", "close", "similar"], default="worse"))
    found = np.where(words[0] == words[1], words[0], UNDECIDED)
    found = np.where(np.isnan(np.asarray(highest, dtype=np.float64)), NO_POINT, found)
    return np.where(np.isnan(np.asarray(optimum, dtype=np.float64)), "", found).astype(object)


def _problem(instance: str, solved: str) -> str:
    """Return the id of the untranslated problem that was solved; none where runs solved different ones."""
    if "/" in solved:
        return ""
    spec = InstanceSpec.parse(instance)
    return family(replace(spec, hessian="block").id if solved == "block" else spec.id)


@cache
def _sensitivity(instance: str) -> tuple[float, float]:
    """Return the relaxation's multiplier, and the violation that a verified point may have."""
    built = build(instance)
    return solve_relaxation(built).multiplier, built.tolerance


def _worth_of_tolerances(table: pd.DataFrame, multiplier: FloatArray) -> pd.Series:
    """Return by how much an honest claim may lie below the optimum for the tolerances of its run, to first order.

    Integers that are off by the integrality tolerance move the point by u at most. Since no eigenvalue of H/c is above
    1, f then moves by 2 √f u + u², and g alike, which is worth the multiplier, as a violation of g ≤ E is.
    """
    n_z = table["D"].where(table["kind"] == "integer", table["D"] // 2)
    u = table["integrality"] * np.sqrt(n_z)
    f, g = (2 * np.sqrt(value) * u + u**2 for value in (table["optimum"], table["E"]))
    return f + multiplier * (table["feasibility"] + g)
