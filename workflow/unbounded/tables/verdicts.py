"""Verdicts: how often a strategy was better than, similar to or worse than the reference (paper's section bestRes)."""

from __future__ import annotations

import pandas as pd

from unbounded.tables.measures import SIMILAR
from unbounded.tables.measures import VERDICTS as WORDS
from unbounded.tables.schema import VERDICTS, shape

SLICE = ["study", "type", "group", "kind", "D", "t", "solver"]
ALL = "all"


def verdicts_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the counts for each test case of a slice and for all of them, by best and by median.

    The reference is left out, as are cells without a verdict; `cells` counts those that have one.
    """
    compared = cells[~cells["is_reference"]]
    both = pd.concat([compared.assign(case=ALL), compared])
    table = pd.concat([_counts(both, statistic) for statistic in ("best", "median")])
    # Slices in the order of the plan; in each first the bests, then the medians.
    position = table.groupby(SLICE, sort=False).ngroup()
    return shape(table.iloc[position.to_numpy().argsort(kind="stable")], VERDICTS)


def _counts(cells: pd.DataFrame, statistic: str) -> pd.DataFrame:
    words = cells[f"verdict_{statistic}"]
    marks = {word: (words == word).astype("int64") for word in WORDS}
    marked = cells[[*SLICE, "case"]].assign(
        **marks,
        cells=words.notna().astype("int64"),
        zero_optima=(cells["zero_optimum"] & words.notna()).astype("int64"),
    )
    counts = marked.groupby([*SLICE, "case"], sort=False).sum().reset_index()
    return counts.assign(statistic=statistic, tolerance=SIMILAR)
