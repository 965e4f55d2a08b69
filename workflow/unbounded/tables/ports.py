"""Ports: whether a solver that reimplements the reference of its study finds the same values at the same cost.

Runs of both are two samples, since a seed says nothing across implementations: Mann & Whitney's rank sum of f and of
the evaluations spent, Holm's correction over all lines of the study.
"""

from __future__ import annotations

import pandas as pd

from unbounded.tables.columns import INSTANCE, SOLVER, STUDY, TEST, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.measures import is_made, median_with_failures
from unbounded.tables.rank_tests import rank_sum
from unbounded.tables.strategy_pairs import corrected, raised

#: What is compared, by its column of `runs`.
MEASURES = ("f", "evaluations")


def make(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the tests of every solver against the reference on every instance of the studies of ports."""
    lines = []
    rows = runs[(runs["type"] == "port") & is_made(runs["status"])]
    for _, part in rows.groupby(["study", "instance"], sort=False):
        first = part.iloc[0]
        reference = part[part["is_reference"]]
        for solver, own in part[~part["is_reference"]].groupby("solver", sort=False):
            for measure in MEASURES if len(reference) else ():
                mine, theirs = (each[measure].to_numpy(dtype="float64") for each in (own, reference))
                p, effect = rank_sum(raised(mine, measure), raised(theirs, measure))
                lines.append(
                    {
                        **{name: first[name] for name in (*STUDY, *_INSTANCE)},
                        "solver": solver,
                        "reference": reference["solver"].iloc[0],
                        "measure": measure,
                        "n": len(mine),
                        "reference_n": len(theirs),
                        "median": median_with_failures(mine, len(mine)),
                        "reference_median": median_with_failures(theirs, len(theirs)),
                        "p": p,
                        "effect": effect,
                        "times_faster": _cost(reference) / _cost(own),
                    }
                )
    table = pd.DataFrame(lines, columns=[name for name in TABLE.columns if name not in ("p_holm", "significant")])
    return corrected(table, ["study"])


def _cost(runs: pd.DataFrame) -> float:
    """Return the CPU seconds of an evaluation."""
    return float(runs["cpu_seconds"].sum() / runs["evaluations"].sum())


_INSTANCE = some(INSTANCE, "instance", "slice", "kind", "D", "t", "case", "c", "E")

TABLE = Table(
    name="ports",
    summary="Rank-sum tests of a reimplemented strategy against the one it stands for",
    line="a measure of a solver against the reference on an instance of a study of ports",
    inputs=("runs",),
    columns={
        **STUDY,
        **_INSTANCE,
        **SOLVER,
        "reference": Column("str", "the id of the reference"),
        "measure": Column("str", "what is compared: `f`, `evaluations`"),
        "n": Column("int64", "runs of `solver`"),
        "reference_n": Column("int64", "runs of the reference"),
        "median": Column("float64", "the median of `solver`"),
        "reference_median": Column("float64", "the median of the reference"),
        "p": Column("float64", "of the exact rank-sum test, two-sided"),
        **TEST,
        "times_faster": Column("float64", "CPU seconds of an evaluation, those of the reference by those of `solver`"),
    },
    make=make,
    notes="Holm's correction is over the lines of the study. That nothing is significant is no proof of equality: the "
    "medians stand beside it.",
)
