"""Multimodality, exactly: all integer vectors within 0.1 % of the optimum, how many and how far apart."""

from __future__ import annotations

import numpy as np
import pandas as pd

from unbounded.instances import InstanceSpec
from unbounded.tables.columns import INSTANCE, STUDY, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.near_found import distinct, near_studies
from unbounded.tables.near_vectors import Near

#: The shares of which distances have quantiles, and the names of these.
SHARES = {
    0.0: ("l1_least", "least"),
    0.25: ("l1_quartile", "first quartile"),
    0.5: ("l1_median", "median"),
    0.75: ("l1_third_quartile", "third quartile"),
    1.0: ("l1_largest", "largest"),
}


def make(
    runs: pd.DataFrame,
    trials: pd.DataFrame,
    vectors: pd.DataFrame,
    near_vectors: pd.DataFrame,
    near_distances: pd.DataFrame,
) -> pd.DataFrame:
    """Return a line for every instance of the multimodality studies that an exact solver has proven."""
    lines = []
    for study, near, rows in near_studies(runs, trials, vectors):
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
                **(_pieces(near) if near.plain else {}),
                **_quantiles(others["l1"], others["pairs"], ""),
                **_quantiles(others["l1"], others["to_optimum"], "optimum_"),
                "found": distinct(near, rows[rows["strategy"]]),
            }
        lines.append(line)
    return pd.DataFrame(lines)


def _of(table: pd.DataFrame, study: str, instance: str) -> pd.DataFrame:
    return table[(table["study"] == study) & (table["instance"] == instance)].reset_index(drop=True)


def _pieces(near: Near) -> dict[str, object]:
    """Return how many pieces steps of 1 and of up to 2 leave, and which steps leave one."""
    lengths = list(near.pieces)
    single, paired = (near.pieces[max(length for length in lengths if length <= most)] for most in (1, 2))
    return {"pieces_single": single, "pieces": paired, "joined_by": lengths[-1]}


def _quantiles(values: pd.Series, counts: pd.Series, prefix: str) -> dict[str, object]:
    """Return the quantiles of values that occur so many times: for each share the least that so many do not exceed."""
    total = int(counts.sum())
    if not total:
        return {}
    up_to = counts.cumsum().to_numpy()
    needed = [max(1, int(np.ceil(share * total))) for share in SHARES]
    at = values.to_numpy()[np.searchsorted(up_to, needed)]
    return {f"{prefix}{name}": int(value) for (name, _), value in zip(SHARES.values(), at, strict=True)}


TABLE = Table(
    name="multimodality_near",
    summary="All integer vectors within 0.1 % of a proven optimum: how many there are, and how far apart",
    line="an instance of a multimodality study that an exact solver has proven",
    inputs=("runs", "trials", "vectors", "multimodality_near_vectors", "multimodality_near_distances"),
    columns={
        **some(STUDY, "study"),
        **some(INSTANCE, "instance", "D", "c", "E"),
        "solver": Column("str", "the exact solver"),
        "seed": Column("int64", "the seed of its run"),
        "within": Column("float64", "how far above the optimum it counted"),
        "status": Column(
            "str",
            "`counted`, `within … alone`: less than 0.1 %, `nothing was counted`, `the list ends before 0.1 %`, "
            "`refused: …`; without `counted` all that follows is empty",
        ),
        "optimum": Column("float64", "the proven optimum"),
        "vectors": Column("float64", "integer vectors within 0.1 % of it"),
        "optimal": Column("float64", "of them, those that attain it"),
        "listed": Column("float64", "of `vectors`, those that are listed"),
        "capped": Column("bool", "whether not all are listed"),
        "local_optima": Column("float64", "of `listed`, those without a better one at ±1 of one or two coordinates"),
        "local_optima_single": Column("float64", "of `listed`, those without a better one at ±1 of one coordinate"),
        "pieces_single": Column(
            "Int64", "how many pieces the listed fall into that no step of ±1 of one coordinate joins"
        ),
        "pieces": Column("Int64", "how many pieces that no step of the L1 length 2 joins either"),
        "joined_by": Column("Int64", "the least L1 length of steps by which any listed vector can be reached from any"),
        **{
            name: Column("Int64", f"the {word} of the L1 distances of two listed vectors")
            for name, word in SHARES.values()
        },
        **{
            f"optimum_{name}": Column(
                "Int64", f"the {word} of the L1 distances of listed vectors to the nearest optimal one"
            )
            for name, word in SHARES.values()
        },
        "found": Column("Int64", "distinct ones that the strategies found"),
    },
    make=make,
)
