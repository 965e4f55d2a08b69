"""Multimodality, exactly: all integer vectors within 0.1 % of the optimum, and which of them the strategies found.

Where an exact solver has listed these vectors, nothing has to be inferred from samples: how many there are, how far
apart, how many are optima of their own neighbourhood, and what share of them many runs come across.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist

from unbounded.instances import InstanceSpec
from unbounded.tables.measures import BoolArray
from unbounded.tables.multimodality import multimodality_runs, points
from unbounded.tables.near_vectors import IntArray, Near, near_lists
from unbounded.tables.runs import as_in_runs
from unbounded.tables.schema import (
    L1_QUANTILES,
    MULTIMODALITY_FOUND,
    MULTIMODALITY_NEAR,
    MULTIMODALITY_NEAR_DISTANCES,
    MULTIMODALITY_NEAR_VECTORS,
    shape,
)

#: The shares that `L1_QUANTILES` are for.
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


def multimodality_near(
    runs: pd.DataFrame,
    trials: pd.DataFrame,
    vectors: pd.DataFrame,
    near_vectors: pd.DataFrame,
    near_distances: pd.DataFrame,
) -> pd.DataFrame:
    """Return a line for every instance of the multimodality studies that an exact solver has proven."""
    lines = []
    for study, near, rows in _studies(runs, trials, vectors):
        spec = InstanceSpec.parse(near.instance)
        line: dict[str, object] = {
            "study": study,
            "instance": near.instance,
            "D": spec.D,
            "c": spec.c,
            "E": spec.E,
            "solver": near.solver,
            "seed": near.seed,
            "within": near.within,
            "status": near.status,
            "optimum": near.optimum,
            "vectors": near.count,
            "capped": near.capped,
        }
        if near.counted:
            listed = _of(near_vectors, study, near.instance)
            orbit = listed["orbit"]
            distances = _of(near_distances, study, near.instance)
            others = distances[distances["l1"] > 0]
            line |= {
                "optimal": orbit[near.optimal].sum(),
                "listed": orbit.sum(),
                "local_optima": orbit[listed["local_optimum"]].sum(),
                "local_optima_single": orbit[listed["local_optimum_single"]].sum(),
                **_quantiles(others["l1"], others["pairs"], ""),
                **_quantiles(others["l1"], others["to_optimum"], "optimum_"),
                "found": _distinct(near, rows[rows["strategy"]]),
            }
        lines.append(line)
    return shape(pd.DataFrame(lines, columns=list(MULTIMODALITY_NEAR)), MULTIMODALITY_NEAR)


def multimodality_found(runs: pd.DataFrame, trials: pd.DataFrame, vectors: pd.DataFrame) -> pd.DataFrame:
    """Return a line for every solver of a study but the exact one on every instance whose near vectors were counted."""
    lines = []
    for study, near, rows in _studies(runs, trials, vectors):
        if not near.counted:
            continue
        for solver, part in rows[rows["solver"] != near.solver].groupby("solver", sort=False):
            close = part[part["solved"] & (part["f"] <= near.limit)]
            places = near.positions(close["x"])
            found = _distinct(near, part)
            lines.append(
                {
                    "study": study,
                    "instance": near.instance,
                    "solver": solver,
                    "strategy": part["strategy"].iloc[0],
                    "runs": len(part),
                    "runs_within": len(close),
                    "found": found,
                    "share": found / near.count,
                    "unlisted": int((places < 0).sum()),
                    "optimum_found": bool(near.optimal[places[places >= 0]].any()),
                    "best_f": part["f"].min(),
                    "best_rank": near.rank(float(part["f"].min())),
                }
            )
    return shape(pd.DataFrame(lines), MULTIMODALITY_FOUND)


def multimodality_near_vectors(runs: pd.DataFrame, trials: pd.DataFrame, vectors: pd.DataFrame) -> pd.DataFrame:
    """Return a line for every listed vector within 0.1 % of the optimum, the best first."""
    parts = []
    for study, near, rows in _studies(runs, trials, vectors):
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
                    "found": _found(near, rows[rows["strategy"]]),
                }
            )
        )
    return shape(pd.concat(parts) if parts else pd.DataFrame(), MULTIMODALITY_NEAR_VECTORS)


def multimodality_near_distances(runs: pd.DataFrame, trials: pd.DataFrame, vectors: pd.DataFrame) -> pd.DataFrame:
    """Return how many pairs of listed vectors, and how many vectors and an optimum, are at each L1 distance.

    Where a vector stands for rearrangements too, distances between representatives are none between vectors: no lines.
    """
    parts = []
    for study, near, rows in _studies(runs, trials, vectors):
        if not (near.counted and near.plain):
            continue
        size = len(near.distances)
        found = near.z[_found(near, rows[rows["strategy"]])]
        counts = {
            "pairs": near.distances,
            "to_optimum": _histogram(near.to_optimum.astype(np.int64), size),
            "found_pairs": _histogram(pdist(found, "cityblock").astype(np.int64) if len(found) > 1 else None, size),
        }
        part = pd.DataFrame({"study": study, "instance": near.instance, "l1": np.arange(size), **counts})
        parts.append(part[part[list(counts)].any(axis=1)])
    return shape(pd.concat(parts) if parts else pd.DataFrame(), MULTIMODALITY_NEAR_DISTANCES)


def _studies(
    runs: pd.DataFrame, trials: pd.DataFrame, vectors: pd.DataFrame
) -> Iterator[tuple[str, Near, pd.DataFrame]]:
    """Yield every study and instance that has a list, with the list and the study's runs."""
    rows = multimodality_runs(runs, trials)
    lists = near_lists(rows["instance"], as_in_runs(trials, runs), vectors)
    for (study, instance), part in rows.groupby(["study", "instance"], sort=False):
        if instance in lists:
            yield study, lists[instance], part


def _close(near: Near, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the runs within 0.1 % of the optimum whose vector is listed, with its place."""
    close = rows[rows["solved"] & (rows["f"] <= near.limit)]
    close = close.assign(place=near.positions(close["x"]))
    return close[close["place"] >= 0]


def _found(near: Near, rows: pd.DataFrame) -> BoolArray:
    """Say which of the listed vectors, or of their rearrangements, runs have found."""
    result = np.zeros(len(near.f), dtype=bool)
    result[_close(near, rows)["place"].to_numpy(dtype=np.int64)] = True
    return result


def _distinct(near: Near, rows: pd.DataFrame) -> int:
    """Return how many vectors runs have found; rearrangements of one are several."""
    x = _close(near, rows)["x"]
    return len(np.unique(points(near.instance, x)[:, -near.z.shape[1] :], axis=0)) if len(x) else 0


def _of(table: pd.DataFrame, study: str, instance: str) -> pd.DataFrame:
    return table[(table["study"] == study) & (table["instance"] == instance)].reset_index(drop=True)


def _histogram(values: IntArray | None, size: int) -> IntArray:
    return np.bincount(np.empty(0, dtype=np.int64) if values is None else values, minlength=size)


def _quantiles(values: pd.Series, counts: pd.Series, prefix: str) -> dict[str, object]:
    """Return the quantiles of values that occur so many times: for each share the least that so many do not exceed."""
    total = int(counts.sum())
    if not total:
        return {}
    up_to = counts.cumsum().to_numpy()
    needed = [max(1, int(np.ceil(share * total))) for share in SHARES]
    at = values.to_numpy()[np.searchsorted(up_to, needed)]
    return {f"{prefix}{name}": int(value) for name, value in zip(L1_QUANTILES, at, strict=True)}
