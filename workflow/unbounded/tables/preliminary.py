"""Preliminary: how the solver ended on the sphere constrained by a sphere (paper's Table preliminaryCPLEXsphere)."""

from __future__ import annotations

import pandas as pd

from unbounded.tables.columns import INSTANCE, SOLVER, STUDY, TRIAL, some
from unbounded.tables.contract import Column, Table


def make(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each solver on each instance of the preliminary studies.

    Of several runs the best one speaks; where none has a solution, the first.
    """
    rows = runs[runs["type"] == "preliminary"].merge(trials[[*TRIAL, "bound"]], on=TRIAL, how="left")
    rows = rows.sort_values(["study", "solver", "kind", "D", "t", "c", "E", "f", "seed"], na_position="last")
    return rows.drop_duplicates(["study", "solver", "instance"])


TABLE = Table(
    name="preliminary",
    summary="How solvers ended on the sphere constrained by a sphere; of several runs the best one speaks",
    line="a solver on a dimension and a level",
    inputs=("runs", "trials"),
    columns={
        **some(STUDY, "study"),
        **some(INSTANCE, "instance"),
        **SOLVER,
        **some(INSTANCE, "D", "E"),
        "status": Column("str", "the status of the run"),
        "f": Column("float64", "its verified value"),
        "bound": Column("float64", "the lower bound that the solver said"),
        "wall_seconds": Column("float64", "seconds by the clock"),
    },
    make=make,
)
