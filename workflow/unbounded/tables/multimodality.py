"""Multimodality: how many different solutions of nearly the same quality there are (paper's section on TC-4)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from unbounded.tables.columns import INSTANCE, SOLVER, STUDY, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.measures import CLOSE, median_with_failures, normalise, within
from unbounded.tables.multimodal_runs import multimodality_runs, points


def make(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return a line for every solver, the reference too, on every instance of the multimodality studies.

    `unique_share` is of its runs with a solution, `within_share` of all of its runs.
    """
    found = []
    rows = multimodality_runs(runs, trials)
    for (study, instance, solver), part in rows.groupby(["study", "instance", "solver"], sort=False):
        solved = part[part["solved"]]
        first = part.iloc[0]
        median = median_with_failures(part["f"], len(part))
        unique = len(np.unique(points(instance, solved["x"]), axis=0)) if len(solved) else 0
        close = within(normalise(solved["f"], solved["best_known_f"]), CLOSE).sum()
        found.append(
            {
                "study": study,
                "instance": instance,
                "D": first["D"],
                "c": first["c"],
                "E": first["E"],
                "solver": solver,
                "runs": len(part),
                "solved": len(solved),
                "unique": unique,
                "unique_share": unique / len(solved) if len(solved) else np.nan,
                "best_f": solved["f"].min(),
                "median_f": median,
                "normalised_median": float(normalise(median, first["reference_f"])),
                "within_share": close / len(part),
            }
        )
    return pd.DataFrame(found)


TABLE = Table(
    name="multimodality",
    summary="How many different solutions of nearly the same quality the runs of a solver, the reference too, found",
    line="a solver on an instance of a multimodality study",
    inputs=("runs", "trials"),
    columns={
        **some(STUDY, "study"),
        **some(INSTANCE, "instance", "D", "c", "E"),
        **SOLVER,
        "runs": Column("int64", "runs that were made"),
        "solved": Column("int64", "of them, those with a verified value"),
        "unique": Column("int64", "different points of these"),
        "unique_share": Column("float64", "`unique` divided by `solved`"),
        "best_f": Column("float64", "the least value of its runs"),
        "median_f": Column("float64", "the median; runs without a solution stand above every value"),
        "normalised_median": Column("float64", "the median divided by the reference's value"),
        "within_share": Column("float64", "the share of its runs that are within 0.1 % of the best known value"),
    },
    make=make,
)
