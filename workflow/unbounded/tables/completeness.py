"""Completeness: what of the plan is there, and how it ended."""

from __future__ import annotations

import pandas as pd

from unbounded.tables.schema import COMPLETENESS, MISSING, RUN_STATUSES, shape
from unbounded.trials.row import FAILED


def completeness_table(runs: pd.DataFrame) -> pd.DataFrame:
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
    return shape(counted.groupby(["study", "solver"], sort=False).sum().reset_index(), COMPLETENESS)
