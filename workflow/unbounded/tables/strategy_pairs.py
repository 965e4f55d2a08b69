"""What tests between every two strategies of a study share: what is compared, how it is ranked, Holm's correction.

A seed says nothing across strategies, so runs are not paired. Runs without a solution stand above every value.
Quotients of zeros say only which values count as zero, so cells with a zero optimum are tested apart.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from unbounded.instances.hessians import FloatArray
from unbounded.tables.columns import SLICE as SLICE_COLUMNS
from unbounded.tables.measures import ATOL
from unbounded.tables.rank_tests import ALPHA, holm

#: What is compared, by its column of `runs`; the lower the better.
MEASURES = ("f", "delta_z_proven")
SLICE = [name for name in SLICE_COLUMNS if name != "solver"]
PAIR = ["solver", "other", "measure"]


def raised(values: FloatArray, measure: str) -> FloatArray:
    """Return values as they are ranked: without one above all, and f that counts as zero alike."""
    ranked = np.nan_to_num(values, nan=np.inf)
    return np.maximum(ranked, ATOL) if measure == "f" else ranked


def corrected(table: pd.DataFrame, family: list[str]) -> pd.DataFrame:
    """Add the p-values with the correction over the lines of each family, and which are significant."""
    table = table.assign(p_holm=np.nan)
    for index in table.groupby(family).indices.values():
        table.loc[index, "p_holm"] = holm(table.loc[index, "p"].tolist())
    return table.assign(significant=table["p_holm"] < ALPHA)
