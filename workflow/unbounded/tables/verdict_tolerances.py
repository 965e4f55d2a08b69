"""Verdict tolerances: how the counts of verdicts move with what counts as similar, and as zero."""

from __future__ import annotations

import pandas as pd

from unbounded.tables.columns import COUNTS, OPTIMA, SLICE
from unbounded.tables.contract import Column, Table
from unbounded.tables.measures import VERDICTS as WORDS
from unbounded.tables.verdict_counts import STATISTICS, Lines, comparisons, parts, slices

#: How near counts as similar, and which values count as zero, where their part in the counts is told.
TOLERANCES, ATOLS = (0.001, 0.01, 0.05), (1e-6, 1e-3, 1e-2)


def make(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the counts of `verdicts`, all test cases together, as they move with the two tolerances."""
    lines: Lines = []
    for slice, block in slices(cells):
        counted = parts(block, by_case=False)
        for comparison in comparisons(cells, block):
            for statistic in STATISTICS:
                for tolerance in TOLERANCES:
                    for atol in ATOLS:
                        codes = comparison.codes(block[f"{statistic}_f"], comparison.other, tolerance, atol)
                        told = {**slice, "against": comparison.against, "statistic": statistic}
                        for _, optima, inside in counted:
                            words = {word: int((codes[inside] == place).sum()) for place, word in enumerate(WORDS)}
                            number = int(comparison.compared[inside].sum())
                            amounts = {"optima": optima, "tolerance": tolerance, "atol": atol, "cells": number}
                            lines.append({**told, **amounts, **words})
    return pd.DataFrame(lines)


TABLE = Table(
    name="verdict_tolerances",
    summary="How the counts of `verdicts`, all test cases together, move with the two tolerances",
    line="the counts of a solver in a slice at a pair of tolerances",
    inputs=("cells",),
    columns={
        **SLICE,
        **OPTIMA,
        "against": Column("str", "what it is compared with, as in `verdicts`"),
        "statistic": Column("str", "what of its runs is compared: `best` or `median`"),
        "tolerance": Column("float64", "what is `similar`: 0.1, 1 or 5 %"),
        "atol": Column("float64", "values are raised to at least this before they are divided"),
        **COUNTS,
    },
    make=make,
)
