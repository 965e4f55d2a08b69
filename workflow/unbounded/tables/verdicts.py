"""Verdicts: how often a solver was better than, similar to or worse than the reference (paper's section bestRes), and
the same against the proven optimum, than which nothing is better.
"""

from __future__ import annotations

import pandas as pd

from unbounded.tables.cells import against_optimum
from unbounded.tables.measures import CLOSE, OPTIMAL, SIMILAR
from unbounded.tables.measures import VERDICTS as WORDS
from unbounded.tables.schema import VERDICTS, shape

SLICE = ["study", "type", "group", "kind", "D", "t", "solver"]
ALL = "all"
STATISTICS = ("best", "median")
#: What a line compares with.
REFERENCE, OPTIMUM = "reference", "optimum"
#: How near the optimum counts as similar to it: as near as to the reference, as the gap of the study's white-box
#: solvers, and as good as there.
NEARNESS = (SIMILAR, CLOSE, OPTIMAL)


def verdicts_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the counts for each test case of a slice and for all of them, by best and by median.

    Against the reference, it is left out itself; against the optimum, where any of a study's is proven, all solvers
    are compared, at several tolerances. Cells without a verdict are left out; `cells` counts those that have one.
    """
    both = pd.concat([cells.assign(case=ALL), cells])
    compared = both[~both["is_reference"]]
    parts = [_counts(compared, compared[f"verdict_{name}"], REFERENCE, name, SIMILAR) for name in STATISTICS]
    proven = both[both.groupby("study")["proven"].transform("any")]
    for tolerance in NEARNESS:
        for name in STATISTICS:
            words = against_optimum(proven, proven[f"normalised_optimum_{name}"], tolerance)
            parts.append(_counts(proven, words, OPTIMUM, name, tolerance))
    table = pd.concat(parts)
    # Slices in the order of the plan; in each first the bests, then the medians, and the optimum after the reference.
    slices = pd.MultiIndex.from_frame(cells[SLICE].drop_duplicates())
    position = slices.get_indexer(pd.MultiIndex.from_frame(table[SLICE]))
    return shape(table.iloc[position.argsort(kind="stable")], VERDICTS)


def _counts(cells: pd.DataFrame, words: pd.Series, against: str, statistic: str, tolerance: float) -> pd.DataFrame:
    marks = {word: (words == word).astype("int64") for word in WORDS}
    marked = cells[[*SLICE, "case"]].assign(
        **marks,
        cells=words.notna().astype("int64"),
        zero_optima=(cells["zero_optimum"] & words.notna()).astype("int64"),
    )
    counts = marked.groupby([*SLICE, "case"], sort=False).sum().reset_index()
    return counts.assign(against=against, statistic=statistic, tolerance=tolerance)
