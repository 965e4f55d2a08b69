"""CPLEX's published logs as a table: how long its runs took, how they ended, and if its tables say the same."""

from __future__ import annotations

import numpy as np
import pandas as pd

from unbounded.tables.published import REFERENCE, Published, StoredLog, StoredRun
from unbounded.tables.schema import AUDIT_LOGS, shape

#: Claims in a table and a log are one if they differ by no more than this, relatively: logs print nine decimals.
SAME_CLAIM = 1e-9


def audit_logs(published: Published) -> pd.DataFrame:
    """Return a line for each log."""
    tabled = {run.spec: run for run in published.runs if run.solver == REFERENCE}
    rows = [
        {
            "file": stored.file,
            "instance": stored.spec.id,
            "kind": stored.spec.kind,
            "D": stored.spec.D,
            "t": stored.spec.t,
            "case": stored.spec.case_name,
            "tc": stored.spec.case,
            "c": stored.spec.c,
            "E": stored.spec.E,
            **vars(stored.log),
            "stored": stored.run.stored,
            "in_table": _in_table(stored, tabled.get(stored.spec)),
        }
        for stored in published.logs
    ]
    return shape(pd.DataFrame(rows), AUDIT_LOGS)


def _in_table(stored: StoredLog, run: StoredRun | None) -> str:
    """Say if the table has the log's claim and vector: `same`, `other`, or nothing where the run is the log's own."""
    if run is None or run.file == stored.file:
        return ""
    log = stored.log
    claims = np.isclose(run.claimed, log.claimed, rtol=SAME_CLAIM, atol=0.0, equal_nan=True)
    vectors = log.x is run.x if log.x is None or run.x is None else np.array_equal(log.x, run.x)
    return "same" if claims and vectors else "other"
