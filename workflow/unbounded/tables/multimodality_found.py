"""Which of the integer vectors near an optimum the solvers found."""

from __future__ import annotations

import pandas as pd

from unbounded.tables.columns import INSTANCE, SOLVER, STUDY, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.near_found import distinct, near_studies


def make(runs: pd.DataFrame, trials: pd.DataFrame, vectors: pd.DataFrame) -> pd.DataFrame:
    """Return a line for every solver of a study but the exact one on every instance whose near vectors were counted."""
    lines = []
    for study, near, rows in near_studies(runs, trials, vectors):
        if not near.counted:
            continue
        for solver, part in rows[rows["solver"] != near.solver].groupby("solver", sort=False):
            close = part[part["solved"] & (part["f"] <= near.limit)]
            places = near.positions(close["x"])
            found = distinct(near, part)
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
    return pd.DataFrame(lines)


TABLE = Table(
    name="multimodality_found",
    summary="Which of the integer vectors within 0.1 % of a proven optimum the solvers found",
    line="a solver, the exact one aside, on an instance with the status `counted` in `multimodality_near`",
    inputs=("runs", "trials", "vectors"),
    columns={
        **some(STUDY, "study"),
        **some(INSTANCE, "instance"),
        **SOLVER,
        "strategy": Column("bool", "whether it is one: neither the reference nor a white-box solver"),
        "runs": Column("int64", "runs that were made"),
        "runs_within": Column("Int64", "of them, those within 0.1 % of the optimum"),
        "found": Column("Int64", "distinct listed vectors that they found"),
        "share": Column("float64", "of all vectors within 0.1 %"),
        "unlisted": Column(
            "Int64",
            "runs within 0.1 % whose vector is not listed: feasible by tolerance alone, or the list is capped",
        ),
        "optimum_found": Column("bool", "whether a run found a vector that attains the optimum"),
        "best_f": Column("float64", "the least value of its runs"),
        "best_rank": Column("float64", "1 + how many vectors are better; empty above 0.1 %"),
    },
    make=make,
)
