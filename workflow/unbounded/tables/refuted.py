"""Refuted proofs, where rows are read beside the table of runs, which alone knows of them."""

from __future__ import annotations

import pandas as pd

from unbounded.tables.columns import TRIAL
from unbounded.tables.statuses import REFUTED


def as_in_runs(trials: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return trials with the status `refuted` where the table of runs has it: their rows alone do not know."""
    refuted = pd.MultiIndex.from_frame(runs.loc[runs["status"] == REFUTED, TRIAL])
    return trials.assign(status=trials["status"].mask(pd.MultiIndex.from_frame(trials[TRIAL]).isin(refuted), REFUTED))
