"""Completeness: what of the plan is there, and how it ended."""

from __future__ import annotations

import pandas as pd

from unbounded.tables.columns import SOLVER, STUDY, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.statuses import MISSING, RUN_STATUSES
from unbounded.trials.row import FAILED


def make(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the number of planned, present and solved trials of each solver in each study, and of each status.

    Those whose solver failed are counted too, whether or not they had a verified point by then.
    """
    counted = runs[["study", "solver"]].assign(
        planned=1,
        present=(runs["status"] != MISSING).astype("int64"),
        solved=runs["solved"].astype("int64"),
        failed=runs["ending"].isin(FAILED).astype("int64"),
        **{status: (runs["status"] == status).astype("int64") for status in RUN_STATUSES},
    )
    return counted.groupby(["study", "solver"], sort=False).sum().reset_index()


TABLE = Table(
    name="completeness",
    summary="What of the plan is there, and how it ended",
    line="a solver in a study",
    inputs=("runs",),
    columns={
        **some(STUDY, "study"),
        **SOLVER,
        "planned": Column("int64", "trials that are planned"),
        "present": Column("int64", "trials that have a row"),
        "solved": Column("int64", "trials with a verified value"),
        "failed": Column(
            "int64",
            "trials whose solver failed, by ending (`error`, `overrun`, `crashed`, `out-of-memory`), with or without a "
            "verified point",
        ),
        **{status: Column("int64", f"trials with the status `{status}`") for status in RUN_STATUSES},
    },
    make=make,
)
