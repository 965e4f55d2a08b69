"""How far apart the integer vectors near an optimum are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import scipy

from unbounded.tables.columns import INSTANCE, STUDY, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.near_found import found_by, near_studies
from unbounded.tables.near_vectors import IntArray


def make(runs: pd.DataFrame, trials: pd.DataFrame, vectors: pd.DataFrame) -> pd.DataFrame:
    """Return how many pairs of listed vectors, and how many vectors and an optimum, are at each L1 distance.

    Where a vector stands for rearrangements too, distances between representatives are none between vectors: no lines.
    """
    parts = []
    for study, near, rows in near_studies(runs, trials, vectors):
        if not (near.counted and near.plain):
            continue
        size = len(near.distances)
        found = near.z[found_by(near, rows[rows["strategy"]])]
        counts = {
            "pairs": near.distances,
            "to_optimum": _histogram(near.to_optimum.astype(np.int64), size),
            "found_pairs": _histogram(
                scipy.spatial.distance.pdist(found, "cityblock").astype(np.int64) if len(found) > 1 else None, size
            ),
        }
        part = pd.DataFrame({"study": study, "instance": near.instance, "l1": np.arange(size), **counts})
        parts.append(part[part[list(counts)].any(axis=1)])
    return pd.concat(parts) if parts else pd.DataFrame()


def _histogram(values: IntArray | None, size: int) -> IntArray:
    return np.bincount(np.empty(0, dtype=np.int64) if values is None else values, minlength=size)


TABLE = Table(
    name="multimodality_near_distances",
    summary="How many pairs of the listed integer vectors within 0.1 % of a proven optimum are at each L1 distance",
    line="an L1 distance that occurs between listed vectors of an instance",
    inputs=("runs", "trials", "vectors"),
    columns={
        **some(STUDY, "study"),
        **some(INSTANCE, "instance"),
        "l1": Column("int64", "the distance"),
        "pairs": Column("int64", "pairs of listed vectors that far apart"),
        "to_optimum": Column("int64", "listed vectors that far from the nearest optimal one"),
        "found_pairs": Column("int64", "pairs of listed vectors that strategies found"),
    },
    make=make,
)
