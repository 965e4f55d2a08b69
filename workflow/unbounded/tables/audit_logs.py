"""CPLEX's published logs as a table: how long its runs took, how they ended, and if its tables say the same."""

from __future__ import annotations

import numpy as np
import pandas as pd

from unbounded.tables.audit_bests import PROBLEM
from unbounded.tables.columns import INSTANCE, some
from unbounded.tables.contract import CLONE, Column, Table
from unbounded.tables.published import REFERENCE, Published, StoredLog, StoredRun

#: Claims in a table and a log are one if they differ by no more than this, relatively: logs print nine decimals.
SAME_CLAIM = 1e-9


def make(published: Published) -> pd.DataFrame:
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
    return pd.DataFrame(rows)


def _in_table(stored: StoredLog, run: StoredRun | None) -> str:
    """Say if the table has the log's claim and vector: `same`, `other`, or nothing where the run is the log's own."""
    if run is None or run.file == stored.file:
        return ""
    log = stored.log
    claims = np.isclose(run.claimed, log.claimed, rtol=SAME_CLAIM, atol=0.0, equal_nan=True)
    vectors = log.x is run.x if log.x is None or run.x is None else np.array_equal(log.x, run.x)
    return "same" if claims and vectors else "other"


TABLE = Table(
    name="audit_logs",
    summary="CPLEX's published logs: how long its runs took, how they ended, and if its tables say the same",
    line="a log of CPLEX's",
    inputs=(CLONE,),
    columns={
        "file": Column("str", "the file of the log"),
        "line": Column("int64", "the line where its point is"),
        **some(INSTANCE, *PROBLEM),
        "seconds": Column("float64", "how long the run took"),
        "limit": Column("float64", "the time limit of the run"),
        "ending": Column(
            "str",
            "`time limit`, `relative gap`, `absolute gap`, `crossed`, `ended`, `unbounded`, `no point`, `error` and a "
            "number",
        ),
        "objective": Column("float64", "the objective, CPLEX's own"),
        "claimed": Column("float64", "f, as its authors evaluated it"),
        "bound": Column("float64", "the last bound that was printed"),
        "absolute_gap": Column("float64", "the absolute gap at which the run was to stop"),
        "relative_gap": Column("float64", "the relative gap at which the run was to stop"),
        "integrality": Column("float64", "the integrality tolerance of the run"),
        "feasibility": Column("float64", "the feasibility tolerance of the run"),
        "stored": Column("str", "`vector`; `no vector`: a claim that cannot be checked; `no point`"),
        "in_table": Column("str", "`same`, `other`, or empty where CPLEX has no table"),
    },
    make=make,
)
