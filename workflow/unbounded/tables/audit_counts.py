"""The audit counted: how often each strategy was better, similar or worse, by claims and recomputed."""

from __future__ import annotations

import pandas as pd

from unbounded.tables.columns import COUNTS, INSTANCE, SOLVER, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.measures import SIMILAR, VERDICTS


def make(cells: pd.DataFrame) -> pd.DataFrame:
    """Return how often each strategy was better, similar or worse: by claims and recomputed, on all cells and on those
    where all solvers solved the same problem.
    """
    rows = []
    for (kind, D, t, solver), part in cells.groupby(["kind", "D", "t", "solver"]):
        for values, column in (("claimed", "verdict_claimed_best"), ("recomputed", "verdict_best_f")):
            for which, chosen in (("all", part), ("same problem", part[part["same_problem"]])):
                counts = {word: int((chosen[column] == word).sum()) for word in VERDICTS}
                rows.append(
                    {
                        "kind": kind,
                        "D": D,
                        "t": t,
                        "solver": solver,
                        "values": values,
                        "which": which,
                        **counts,
                        "cells": len(chosen),
                        "zero_optima": int(chosen["zero_optimum"].sum()),
                        "tolerance": SIMILAR,
                    }
                )
    return pd.DataFrame(rows)


TABLE = Table(
    name="audit_counts",
    summary="How often each strategy was better than, similar to or worse than CPLEX, by claims and recomputed",
    line="a strategy, by one kind of value, on some cells",
    inputs=("audit_cells",),
    columns={
        **some(INSTANCE, "kind", "D", "t"),
        **SOLVER,
        "values": Column("str", "`claimed`, `recomputed`"),
        "which": Column("str", "`all` cells, or those where all solved the `same problem`"),
        **COUNTS,
        "zero_optima": Column("int64", "cells whose optimum is zero"),
        "tolerance": Column("float64", "what is `similar`: 1 %"),
    },
    make=make,
)
