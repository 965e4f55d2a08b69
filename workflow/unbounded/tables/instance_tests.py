"""Tests between every two strategies on one instance, on f and on Δz to the proven integers.

Their runs are two samples: Mann & Whitney's rank sum, Holm's correction over a slice's instances.
"""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from unbounded.solvers import registry
from unbounded.tables.columns import INSTANCE, SOLVER, STUDY, TEST, TRIAL, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.measures import is_made, median_with_failures
from unbounded.tables.rank_tests import rank_sum
from unbounded.tables.strategy_pairs import MEASURES, PAIR, SLICE, corrected, raised
from unbounded.tables.verdict_counts import ABOVE, ZERO, is_zero


def make(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the rank-sum test of every two strategies on every instance of a study, multimodality's aside."""
    lines = []
    rows = _strategies(runs, trials)
    for _, part in rows.groupby(["study", "instance"], sort=False):
        first = part.iloc[0]
        common = {name: first[name] for name in (*SLICE, "instance", "case", "c", "E")}
        common["optima"] = ZERO if first["zero"] else ABOVE
        for measure in MEASURES if first["proven"] else MEASURES[:1]:
            samples = {solver: values.to_numpy() for solver, values in part.groupby("solver", sort=False)[measure]}
            for solver, other in combinations(samples, 2):
                mine, theirs = samples[solver], samples[other]
                p, effect = rank_sum(raised(mine, measure), raised(theirs, measure))
                lines.append(
                    {
                        **common,
                        **dict(zip(PAIR, (solver, other, measure), strict=True)),
                        "n": len(mine),
                        "n_other": len(theirs),
                        "median": median_with_failures(mine, len(mine)),
                        "median_other": median_with_failures(theirs, len(theirs)),
                        "p": p,
                        "effect": effect,
                    }
                )
    table = pd.DataFrame(lines, columns=[name for name in TABLE.columns if name not in ("p_holm", "significant")])
    return corrected(table, ["study", "slice", *PAIR])


def _strategies(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that strategies made; white-box solvers and references are none."""
    rows = runs[is_made(runs["status"]) & ~runs["is_reference"] & (runs["type"] != "multimodality")]
    rows = rows.merge(trials[[*TRIAL, "variant"]], on=TRIAL, how="left", validate="many_to_one")
    white_box = {variant: _is_white_box(variant) for variant in rows["variant"].unique()}
    rows = rows[~rows["variant"].map(white_box).astype(bool)]
    return rows.assign(zero=is_zero(rows))


def _is_white_box(variant: str) -> bool:
    try:
        return registry.find(variant).solver.white_box
    except ValueError:  # gone since; what it was is not known
        return False


TABLE = Table(
    name="instance_tests",
    summary="Rank-sum tests between every two strategies on an instance",
    line="a pair of strategies on an instance of a study, multimodality's aside",
    inputs=("runs", "trials"),
    columns={
        **STUDY,
        **some(INSTANCE, "slice", "kind", "D", "t", "instance", "case", "c", "E"),
        "optima": Column("str", "whether the optimum is `above 0` or `zero`"),
        **SOLVER,
        "other": Column("str", "the id of the other"),
        "measure": Column("str", "what is compared: `f`; `delta_z_proven`, where the optimum is proven"),
        "n": Column("int64", "runs of `solver`"),
        "n_other": Column("int64", "runs of `other`"),
        "median": Column("float64", "the median of `solver`"),
        "median_other": Column("float64", "the median of `other`"),
        "p": Column("float64", "of the exact rank-sum test, two-sided"),
        **TEST,
    },
    make=make,
    notes="Holm's correction is over the instances of the slice.",
)
