"""How far apart the strategies' solutions of an instance are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import scipy

from unbounded.tables.columns import INSTANCE, STUDY, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.multimodal_runs import multimodality_runs, points


def make(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the L1 distance of every two strategies' solutions of an instance, each pair once (i < j).

    i and j number the runs from 0: by solver in the study's order, then from the best f on.
    """
    rows = multimodality_runs(runs, trials)
    parts = list(_distances(rows[rows["strategy"] & rows["solved"]]))
    return pd.concat(parts) if parts else pd.DataFrame()


def _distances(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    for (study, instance), part in rows.groupby(["study", "instance"], sort=False):
        order = {solver: position for position, solver in enumerate(part["solver"].drop_duplicates())}
        part = part.assign(order=part["solver"].map(order)).sort_values(["order", "f", "seed"])
        solver, seed = part["solver"].to_numpy(dtype=object), part["seed"].to_numpy()
        i, j = np.triu_indices(len(part), k=1)
        yield pd.DataFrame(
            {
                "study": study,
                "instance": instance,
                "i": i,
                "j": j,
                "solver_i": solver[i],
                "seed_i": seed[i],
                "solver_j": solver[j],
                "seed_j": seed[j],
                "l1": scipy.spatial.distance.pdist(points(instance, part["x"]), "cityblock")
                if len(part) > 1
                else np.empty(0),
            }
        )


TABLE = Table(
    name="multimodality_distances",
    summary="How far apart the strategies' solutions of an instance are",
    line="a pair of strategies' solutions of an instance, each once: i < j, numbered from 0 by solver, then f",
    inputs=("runs", "trials"),
    columns={
        **some(STUDY, "study"),
        **some(INSTANCE, "instance"),
        "i": Column("int64", "the number of one solution"),
        "j": Column("int64", "the number of the other"),
        "solver_i": Column("str", "who found the one"),
        "seed_i": Column("int64", "the seed of that run"),
        "solver_j": Column("str", "who found the other"),
        "seed_j": Column("int64", "the seed of that run"),
        "l1": Column("float64", "their L1 distance"),
    },
    make=make,
)
