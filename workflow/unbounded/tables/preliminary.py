"""Preliminary: how the solver ended on the sphere constrained by a sphere (paper's Table preliminaryCPLEXsphere)."""

from __future__ import annotations

import pandas as pd

from unbounded.tables.schema import PRELIMINARY, TRIAL, shape


def preliminary_table(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each solver on each instance of the preliminary studies.

    Of several runs the best one speaks; where none has a solution, the first.
    """
    rows = runs[runs["type"] == "preliminary"].merge(trials[[*TRIAL, "bound"]], on=TRIAL, how="left")
    rows = rows.sort_values(["study", "solver", "kind", "D", "t", "c", "E", "f", "seed"], na_position="last")
    return shape(rows.drop_duplicates(["study", "solver", "instance"]), PRELIMINARY)
