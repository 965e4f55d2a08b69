"""Cells: the runs of one solver on one instance in a study, summed up as best, median and worst (paper's heat-maps).

The best is what the paper compares with CPLEX's single run, the median what it reads the strategies' behaviour from.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from unbounded.tables.columns import COMPARED, INSTANCE, SOLVER, STUDY
from unbounded.tables.contract import Column, Table
from unbounded.tables.measures import is_made, median_with_failures, normalise, verdict
from unbounded.tables.statuses import MISSING

KEY = ["study", "instance", "solver"]
_COMMON = [*STUDY, *INSTANCE, "solver", "is_reference", *COMPARED, "proof_cpu_seconds"]


def make(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each solver on each instance of each study.

    A cell has no verdict where its own runs or the reference's were not made (`missing`, `skipped`): nothing was
    measured there. Against the optimum it has one where that is proven and its own runs were made.
    """
    runs = runs.assign(made=is_made(runs["status"]), present=runs["status"] != MISSING)
    cells = runs[_COMMON].drop_duplicates(KEY).set_index(KEY)
    grouped = runs.groupby(KEY, sort=False)
    cells["planned"] = grouped.size()
    cells["present"] = grouped["present"].sum()
    cells["made"] = grouped["made"].sum()
    cells["solved"] = grouped["solved"].sum()
    cells["worst_f"] = grouped["f"].max()
    cells["cpu_seconds"] = grouped["cpu_seconds"].sum()
    made = runs[runs["made"]].groupby(KEY, sort=False)["f"]
    cells["median_f"] = made.agg(lambda f: median_with_failures(f, len(f))).astype("float64")

    best = runs[runs["solved"]].sort_values(["f", "seed"]).drop_duplicates(KEY).set_index(KEY)
    cells["best_f"] = best["f"]
    cells["best_seed"] = best["seed"].astype("Int64")
    cells["repaired_best_f"] = grouped["repaired_f"].min()
    cells["delta_z_best"] = best["delta_z"]
    cells["delta_z_best_known"] = best["delta_z_best_known"]
    cells["delta_z_certified"] = best["delta_z_certified"]
    cells["delta_z_proven"] = best["delta_z_proven"]

    cells = cells.reset_index()
    references = runs[runs["is_reference"]].groupby(["study", "instance"])
    sums = references.agg(reference_made=("made", "any"), reference_cpu_seconds=("cpu_seconds", "sum"))
    cells = cells.merge(sums, on=["study", "instance"], how="left")
    measured = (cells["made"] > 0) & cells["reference_made"].eq(True)
    for statistic in ("best", "median"):
        value, ratio = cells[f"{statistic}_f"], normalise(cells[f"{statistic}_f"], cells["reference_f"])
        cells[f"normalised_{statistic}"] = ratio
        cells[f"normalised_known_{statistic}"] = normalise(value, cells["best_known_f"])
        words = pd.Series(verdict(ratio, value.notna(), cells["reference_f"].notna()), index=cells.index)
        cells[f"verdict_{statistic}"] = words.where(measured)
        ratio = cells[f"normalised_optimum_{statistic}"] = normalise(value, cells["optimum"])
        cells[f"verdict_optimum_{statistic}"] = _against_optimum(cells, ratio)
    return cells


def _against_optimum(cells: pd.DataFrame, normalised: npt.ArrayLike) -> pd.Series:
    """Return verdicts on values normalised to the proven optimum, none where nothing is proven or nothing was made."""
    ratio = np.asarray(normalised, dtype=np.float64)
    words = pd.Series(verdict(ratio, ~np.isnan(ratio), cells["proven"]), index=cells.index, dtype="object")
    return words.where(cells["proven"] & (cells["made"] > 0))


TABLE = Table(
    name="cells",
    summary="The runs of one solver on one instance summed up: best, median, worst, and their verdicts",
    line="a solver on an instance in a study",
    inputs=("runs",),
    columns={
        **STUDY,
        **INSTANCE,
        **SOLVER,
        "is_reference": Column("bool", "whether it is the study's reference solver"),
        "planned": Column("int64", "runs that are planned"),
        "present": Column("int64", "runs that have a row"),
        "made": Column("int64", "runs that were made: not `missing`, not `skipped`"),
        "solved": Column("int64", "runs with a verified value"),
        "best_f": Column("float64", "the least value of its runs"),
        "median_f": Column(
            "float64", "the median over the runs made; those without a solution stand above every value"
        ),
        "worst_f": Column("float64", "the largest value of its runs"),
        "best_seed": Column("Int64", "the seed of the best run"),
        "repaired_best_f": Column("float64", "the least of its runs' repaired values; for the record"),
        **COMPARED,
        "normalised_best": Column("float64", "`best_f` / `reference_f`"),
        "normalised_median": Column("float64", "`median_f` / `reference_f`"),
        "normalised_known_best": Column("float64", "`best_f` / `best_known_f`"),
        "normalised_known_median": Column("float64", "`median_f` / `best_known_f`"),
        "normalised_optimum_best": Column("float64", "`best_f` / `optimum`"),
        "normalised_optimum_median": Column("float64", "`median_f` / `optimum`"),
        "verdict_best": Column("str", "`better`, `similar`, `worse` or `neither`: the best against the reference"),
        "verdict_median": Column("str", "the same of the median"),
        "verdict_optimum_best": Column("str", "the best against the optimum (within 1 % of it: `similar`)"),
        "verdict_optimum_median": Column("str", "the same of the median"),
        "delta_z_best": Column("float64", "Δz of the best run to the reference's best point"),
        "delta_z_best_known": Column("float64", "Δz of the best run to the best known point"),
        "delta_z_certified": Column("float64", "the same, where the best known value is certified"),
        "delta_z_proven": Column("float64", "the least Δz of the best run to integers that attain the proven optimum"),
        "cpu_seconds": Column("float64", "CPU seconds of all its runs"),
        "reference_cpu_seconds": Column("float64", "CPU seconds of all runs of the reference on the instance"),
        "proof_cpu_seconds": Column("float64", "CPU seconds of the run that proved the optimum"),
    },
    make=make,
)
