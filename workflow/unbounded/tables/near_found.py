"""Lists of the integer vectors near an optimum beside the runs of a study: which of them its solvers found.

Where an exact solver has listed these vectors, nothing has to be inferred from samples: how many there are, how far
apart, how many are optima of their own neighbourhood, and what share of them many runs come across.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from unbounded.tables.measures import BoolArray
from unbounded.tables.multimodal_runs import multimodality_runs, points
from unbounded.tables.near_vectors import Near, near_lists
from unbounded.tables.refuted import as_in_runs


def near_studies(
    runs: pd.DataFrame, trials: pd.DataFrame, vectors: pd.DataFrame
) -> Iterator[tuple[str, Near, pd.DataFrame]]:
    """Yield every study and instance that has a list, with the list and the study's runs."""
    rows = multimodality_runs(runs, trials)
    lists = near_lists(rows["instance"], as_in_runs(trials, runs), vectors)
    for (study, instance), part in rows.groupby(["study", "instance"], sort=False):
        if instance in lists:
            yield study, lists[instance], part


def found_by(near: Near, rows: pd.DataFrame) -> BoolArray:
    """Say which of the listed vectors, or of their rearrangements, runs have found."""
    result = np.zeros(len(near.f), dtype=bool)
    result[_close(near, rows)["place"].to_numpy(dtype=np.int64)] = True
    return result


def distinct(near: Near, rows: pd.DataFrame) -> int:
    """Return how many vectors runs have found; rearrangements of one are several."""
    x = _close(near, rows)["x"]
    return len(np.unique(points(near.instance, x)[:, -near.z.shape[1] :], axis=0)) if len(x) else 0


def _close(near: Near, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the runs within 0.1 % of the optimum whose vector is listed, with its place."""
    close = rows[rows["solved"] & (rows["f"] <= near.limit)]
    close = close.assign(place=near.positions(close["x"]))
    return close[close["place"] >= 0]
