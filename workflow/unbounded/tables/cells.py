"""Cells: the runs of one solver on one instance in a study, summed up as best, median and worst (paper's heat-maps).

The best is what the paper compares with CPLEX's single run, the median what it reads the strategies' behaviour from.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from unbounded.tables.measures import is_made, median_with_failures, normalise, verdict
from unbounded.tables.schema import CELLS, INSTANCE, MISSING, STUDY, shape

KEY = ["study", "instance", "solver"]
_VALUES = ["reference_f", "best_known_f", "certified", "optimum", "proven", "zero_optimum"]
_COMMON = [*STUDY, *INSTANCE, "solver", "is_reference", *_VALUES, "proof_cpu_seconds"]


def cells_table(runs: pd.DataFrame) -> pd.DataFrame:
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
    return shape(cells, CELLS)


def _against_optimum(cells: pd.DataFrame, normalised: npt.ArrayLike) -> pd.Series:
    """Return verdicts on values normalised to the proven optimum, none where nothing is proven or nothing was made."""
    ratio = np.asarray(normalised, dtype=np.float64)
    words = pd.Series(verdict(ratio, ~np.isnan(ratio), cells["proven"]), index=cells.index, dtype="object")
    return words.where(cells["proven"] & (cells["made"] > 0))
