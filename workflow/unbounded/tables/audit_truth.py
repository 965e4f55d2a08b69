"""How far the published results are from proven optima: of the problem, and of the reading of it, that each run solved.

An optimum is the `best_f` of an instance whose status in the table `best_known` is `proven`. A translation by whole
numbers changes no optimum, so that of the untranslated instance is taken.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

from unbounded.instances import InstanceSpec, build
from unbounded.instances.hessians import FloatArray
from unbounded.instances.relaxation import solve_relaxation
from unbounded.tables.audit_bests import KEY, PROBLEM, best_values
from unbounded.tables.audit_classes import UNDECIDED, classes, distance
from unbounded.tables.bounds import slack
from unbounded.tables.columns import COMPARED, INSTANCE, SOLVER, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.cplex_logs import BOUND_PRINTED
from unbounded.tables.proofs import PROVEN
from unbounded.tables.published import NO_POINT, NO_VECTOR, REFERENCE, VECTOR
from unbounded.tables.twins import family

#: What a log tells of a run.
LOGGED = ["seconds", "limit", "ending", "objective", "bound", "absolute_gap", "integrality", "feasibility"]


def make(runs: pd.DataFrame, logs: pd.DataFrame, best_known: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each solver on each instance: its best values against the optimum, CPLEX's with its log.

    Where there is none, all that needs an optimum is empty.
    """
    table = best_values(runs)
    claims = runs.drop_duplicates(KEY)["claim"].reset_index(drop=True)
    table["stored"] = claims.where(claims.isin([NO_POINT, NO_VECTOR]), VECTOR)
    table = table.merge(logs[["instance", *LOGGED]].assign(solver=REFERENCE), on=KEY, how="left")
    table["problem"] = [_problem(*pair) for pair in zip(table["instance"], table["solved"], strict=True)]
    truth = best_known.set_index("instance")
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
    multiplier, tolerance = np.array([_sensitivity(id) if id else (np.nan, np.nan) for id in proven]).reshape(-1, 2).T
    tolerated = slack(optimum, multiplier * tolerance)
    table["allowance"] = tolerated + _worth_of_tolerances(table, multiplier)
    table["claim_below"] = table["claimed_best"] < optimum - table["allowance"]
    table["objective_below"] = table["objective"] < optimum - table["allowance"] - table["feasibility"]
    table["bound_above"] = table["bound"] > optimum + tolerated + table["absolute_gap"] + BOUND_PRINTED
    table["contradiction"] = table["inside_f"] < optimum - tolerated
    return table


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


TABLE = Table(
    name="audit_truth",
    summary="How far the published results are from proven optima: of the problem, and its reading, that was solved",
    line="a solver on an instance",
    inputs=("audit", "audit_logs", "best_known"),
    columns={
        **some(INSTANCE, *PROBLEM),
        **SOLVER,
        "solved": Column("str", "the reading that was solved"),
        "problem": Column("str", "the untranslated instance, in the reading that was solved"),
        **some(COMPARED, "zero_optimum"),
        "optimum": Column("float64", "the best known value of `problem`"),
        "status": Column("str", "of that value: `proven`, or as in `best_known`"),
        "claimed_best": Column("float64", "the least value that is claimed"),
        "claimed_distance": Column(
            "float64", "how far it is from the optimum, relatively; absolutely where that is zero"
        ),
        "claimed_class": Column("str", "`optimal`, `close`, `similar`, `worse`, `below`, `no point`"),
        "best_f": Column("float64", "the least recomputed value of a point that is, or may be, feasible"),
        "best_f_rounding": Column("float64", "by how much it may be off for the rounding of the vector"),
        "distance": Column("float64", "how far `best_f` is from the optimum, as `claimed_distance`"),
        "recomputed_class": Column("str", "as `claimed_class`, of `best_f`; also `undecided`"),
        "stored": Column("str", "as in `audit_logs`"),
        "seconds": Column("float64", "as in `audit_logs`"),
        "limit": Column("float64", "as in `audit_logs`"),
        "ending": Column("str", "as in `audit_logs`"),
        "objective": Column("float64", "as in `audit_logs`"),
        "bound": Column("float64", "as in `audit_logs`"),
        "allowance": Column("float64", "by how much an honest claim may be below the optimum"),
        "claim_below": Column("bool", "whether the claim is lower than that"),
        "objective_below": Column("bool", "whether CPLEX's own objective is"),
        "bound_above": Column("bool", "whether CPLEX's bound lies above the optimum"),
        "contradiction": Column("bool", "whether a feasible vector is below an optimum that is said to be proven"),
    },
    make=make,
)
