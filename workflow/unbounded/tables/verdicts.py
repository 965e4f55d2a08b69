"""Verdicts: how often a solver was better than, similar to or worse than the reference (paper's section bestRes), and
the same against the proven optimum, than which nothing is better.
"""

from __future__ import annotations

import pandas as pd

from unbounded.tables.columns import COUNTS, OPTIMA, SLICE, intervals
from unbounded.tables.contract import Column, Table
from unbounded.tables.measures import CLOSE, OPTIMAL, SIMILAR
from unbounded.tables.verdict_counts import (
    MEASURED,
    REFERENCE,
    STATISTICS,
    Counts,
    Drawn,
    Lines,
    comparisons,
    parts,
    slices,
)

#: How near the optimum counts as similar to it: as near as to the reference, as the gap of the study's white-box
#: solvers, and as good as there.
NEARNESS = (SIMILAR, CLOSE, OPTIMAL)


def make(cells: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the counts for each test case of a slice and for all of them, by best and by median, with intervals.

    Against the reference, it is left out itself; against the optimum, where any of a study's is proven, all solvers
    are compared, at several tolerances. Cells without a verdict are left out; `cells` counts those that have one.
    """
    lines: Lines = []
    for slice, block in slices(cells):
        drawn, counted = Drawn.of(block, runs), parts(block, by_case=True)
        for comparison in comparisons(cells, block):
            for tolerance in (SIMILAR,) if comparison.against == REFERENCE else NEARNESS:
                for statistic in STATISTICS:
                    counts = Counts(block, comparison, drawn, statistic, tolerance)
                    lines += [{**slice, **line} for line in counts.lines(counted)]
    return pd.DataFrame(lines)


TABLE = Table(
    name="verdicts",
    summary="How often a solver was better than, similar to or worse than the reference, and the proven optimum",
    line="a solver on one test case, or all, of a slice",
    inputs=("cells", "runs"),
    columns={
        **SLICE,
        "case": Column("str", "the test case: `TC0`…, or `all`"),
        **OPTIMA,
        "against": Column("str", "what it is compared with: `reference`, or `optimum` on cells where it is proven"),
        "statistic": Column("str", "what of its runs is compared: `best` or `median`"),
        **COUNTS,
        "proven": Column("int64", "of `cells`, those whose optimum is proven"),
        "tolerance": Column("float64", "what is `similar`: 1 %; against the optimum also 10⁻³ and 10⁻⁴"),
        **intervals(MEASURED),
        "cpu_seconds": Column("float64", "CPU seconds of all its runs in these cells"),
        "against_cpu_seconds": Column("float64", "CPU seconds of the other side: of the reference, or of the proofs"),
    },
    make=make,
)
