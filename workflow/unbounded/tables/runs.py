"""Runs: every planned trial of every study beside the reference's value, the best known and the optimum, with Δz.

A planned trial without a row stays in the table as `missing`, so whatever is counted here is counted of the plan.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from unbounded.instances import InstanceSpec
from unbounded.instances.hessians import FloatArray
from unbounded.tables.columns import COMPARED, INSTANCE, SEED, SOLVER, STUDY, TRIAL
from unbounded.tables.contract import Column, Table, shape
from unbounded.tables.measures import delta_z, is_solved, normalise, zero_optimum
from unbounded.tables.optimal_integers import least_delta_z, optimal_integers
from unbounded.tables.proofs import CENTRE, judged, known_points
from unbounded.tables.statuses import MISSING
from unbounded.tables.twins import check_digests

_OF_THE_ROW = ["status", "ending", "x", "f", "repaired_f", "evaluations", "cpu_seconds", "wall_seconds"]
#: What is said of an instance by its id.
_SPEC = {**INSTANCE, "n_z": Column("int64", "integers"), "zero_optimum": COMPARED["zero_optimum"]}


def make(trials: pd.DataFrame, plan: pd.DataFrame, best_known: pd.DataFrame, vectors: pd.DataFrame) -> pd.DataFrame:
    """Return the planned trials joined with their rows, normalised, with Δz to the reference and to the best known.

    Rows whose proof is contradicted are `refuted` here, and so wherever this table is read.
    The reference's value is the best of its runs in the study; the best known value and the optimum are those of the
    table `best_known`. `vectors` are the integers of proven optima, where rows list them. Raises ValueError where rows
    of one instance solved different arrays.
    """
    check_digests(trials)
    known = known_points(best_known, trials)
    rows = judged(trials, best_known)[TRIAL + _OF_THE_ROW]
    runs = plan.merge(rows, on=TRIAL, how="left", validate="many_to_one")
    runs["status"] = runs["status"].fillna(MISSING)
    runs["solved"] = is_solved(runs["status"])
    runs["f"] = runs["f"].where(runs["solved"]).astype("float64")
    runs["is_reference"] = runs["solver"] == runs["reference"]
    runs = runs.merge(spec_table(runs["instance"]), on="instance", how="left")

    compared = _references(runs)
    runs = runs.merge(compared, on=["study", "instance"], how="left").merge(known, on="instance", how="left")
    runs["certified"], runs["proven"] = runs["certified"].eq(True), runs["optimum"].notna()
    runs["normalised"] = normalise(runs["f"], runs["reference_f"])
    runs["normalised_known"] = normalise(runs["f"], runs["best_known_f"])
    runs["normalised_optimum"] = normalise(runs["f"], runs["optimum"])
    runs["delta_z"] = _delta_z(runs, "x_reference")
    runs["delta_z_best_known"] = _delta_z(runs, "x_best_known")
    runs["delta_z_certified"] = runs["delta_z_best_known"].where(runs["certified"])
    runs["delta_z_proven"] = _delta_z_proven(runs, optimal_integers(best_known, vectors, trials))
    runs["proof_cpu_seconds"] = runs["instance"].map(_proof_seconds(best_known, trials))
    return runs


def spec_table(instances: pd.Series) -> pd.DataFrame:
    """Return what the ids of instances stand for, n_z and whether the optimum is zero, a line for each."""
    rows = []
    for id in instances.drop_duplicates():
        spec = InstanceSpec.parse(id)
        rows.append(
            {
                "instance": id,
                "slice": spec.slice,
                "kind": spec.kind,
                "D": spec.D,
                "t": spec.t,
                "case": spec.case_name,
                "tc": pd.NA if spec.tc is None else spec.tc,
                "c": spec.c,
                "E": spec.E,
                "hessian": spec.hessian,
                "n_z": spec.n_z,
                "zero_optimum": zero_optimum(id),
            }
        )
    return shape(pd.DataFrame(rows), _SPEC)


def _references(runs: pd.DataFrame) -> pd.DataFrame:
    """Return f and x of the reference's best run on each instance of a study; of equal ones the first by seed."""
    solved = runs[runs["is_reference"] & runs["solved"]].sort_values(["f", "solver", "seed"])
    best = solved.drop_duplicates(["study", "instance"])[["study", "instance", "f", "x"]]
    return best.rename(columns={"f": "reference_f", "x": "x_reference"})


def _proof_seconds(best_known: pd.DataFrame, trials: pd.DataFrame) -> pd.Series:
    """Return what the proof of each instance's optimum has cost: none where ξ0 is the proof."""
    proofs = best_known.loc[best_known["optimum"].notna(), ["instance", *(f"proof_{key}" for key in TRIAL)]]
    spent = trials[[*TRIAL, "cpu_seconds"]].set_axis([*(f"proof_{key}" for key in TRIAL), "cpu_seconds"], axis=1)
    spent = spent.astype({"proof_seed": "Int64"})
    merged = proofs.merge(spent, on=[f"proof_{key}" for key in TRIAL], how="left")
    seconds = merged["cpu_seconds"].astype("float64").mask(merged["proof_solver"] == CENTRE, 0.0)
    return seconds.set_axis(merged["instance"])


def _delta_z(runs: pd.DataFrame, against: str) -> FloatArray:
    """Return Δz of every run's point to another point, NaN where one of the two is missing."""
    result = np.full(len(runs), np.nan)
    comparable = runs["solved"] & runs[against].notna()
    # One slice for each shape of vector: the comparison itself is then one operation on whole matrices.
    for (_, n_z), rows in runs[comparable].groupby(["D", "n_z"]):
        result[rows.index] = delta_z(np.stack(rows["x"].tolist()), np.stack(rows[against].tolist()), int(n_z))
    return result


def _delta_z_proven(runs: pd.DataFrame, optima: Mapping[str, FloatArray]) -> FloatArray:
    """Return Δz of every run's point to the nearest integers that attain the optimum, NaN where it is not proven."""
    result = np.full(len(runs), np.nan)
    for instance, rows in runs[runs["solved"] & runs["proven"]].groupby("instance"):
        X = np.stack(rows["x"].tolist()).astype(np.float64)
        result[rows.index] = least_delta_z(str(instance), X, optima[str(instance)])
    return result


TABLE = Table(
    name="runs",
    summary="Every planned trial beside the reference's value, the best known one and the optimum, with Δz",
    line="a planned trial of a study",
    inputs=("trials", "plan", "best_known", "vectors"),
    columns={
        **STUDY,
        **INSTANCE,
        **SOLVER,
        "is_reference": Column("bool", "whether it is the study's reference solver"),
        **SEED,
        "status": Column("str", "as in the row; `missing` if there is none, `refuted` if its proof is"),
        "ending": Column(
            "str", "what the solver's last word is worth: the status of the row, where that is not `incumbent`"
        ),
        "solved": Column("bool", "whether the run has a verified value"),
        "f": Column("float64", "that value: of the best verified point of the run"),
        "repaired_f": Column(
            "float64", "what a point that failed verification is worth with its integers; for the record"
        ),
        **COMPARED,
        "normalised": Column("float64", "f / `reference_f`"),
        "normalised_known": Column("float64", "f / `best_known_f`"),
        "normalised_optimum": Column("float64", "f / `optimum`"),
        "delta_z": Column("float64", "Δz to the reference's best point: the share of integers that differ"),
        "delta_z_best_known": Column("float64", "Δz to the best known point"),
        "delta_z_certified": Column("float64", "the same, where the best known value is certified"),
        "delta_z_proven": Column("float64", "the least Δz to integers that attain the proven optimum"),
        "evaluations": Column("Int64", "evaluations that the run made"),
        "cpu_seconds": Column("float64", "CPU seconds that it took"),
        "wall_seconds": Column("float64", "seconds by the clock"),
        "proof_cpu_seconds": Column("float64", "CPU seconds of the run that proved the optimum"),
    },
    make=make,
)
