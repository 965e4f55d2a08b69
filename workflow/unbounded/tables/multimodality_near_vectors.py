"""The integer vectors near an optimum, one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd

from unbounded.tables.columns import INSTANCE, STUDY, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.near_found import found_by, near_studies


def make(runs: pd.DataFrame, trials: pd.DataFrame, vectors: pd.DataFrame) -> pd.DataFrame:
    """Return a line for every listed vector within 0.1 % of the optimum, the best first."""
    parts = []
    for study, near, rows in near_studies(runs, trials, vectors):
        if not near.counted:
            continue
        single, local = near.local
        parts.append(
            pd.DataFrame(
                {
                    "study": study,
                    "instance": near.instance,
                    "rank": 1.0 + np.cumsum(near.orbit) - near.orbit,
                    "f": near.f,
                    "orbit": near.orbit,
                    "local_optimum": local,
                    "local_optimum_single": single,
                    "l1": near.to_optimum if near.plain else np.nan,
                    "found": found_by(near, rows[rows["strategy"]]),
                }
            )
        )
    return pd.concat(parts) if parts else pd.DataFrame()


TABLE = Table(
    name="multimodality_near_vectors",
    summary="The listed integer vectors within 0.1 % of a proven optimum, the best first",
    line="a listed vector, by instance and f",
    inputs=("runs", "trials", "vectors"),
    columns={
        **some(STUDY, "study"),
        **some(INSTANCE, "instance"),
        "rank": Column("float64", "1 + how many are listed before"),
        "f": Column("float64", "its value, computed by us"),
        "orbit": Column("float64", "how many vectors it stands for"),
        "local_optimum": Column("bool", "whether no better one is at ±1 of one or two coordinates"),
        "local_optimum_single": Column("bool", "whether no better one is at ±1 of one coordinate"),
        "l1": Column("Int64", "its L1 distance to the nearest optimal one"),
        "found": Column("bool", "whether a strategy found it"),
    },
    make=make,
)
