"""Rows and plans made by hand, for tables whose every number can be checked on paper."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from unbounded.tables.best_known import TABLE as BEST_KNOWN
from unbounded.tables.files import TRIAL_COLUMNS
from unbounded.tables.plan import TABLE as PLAN
from unbounded.tables.runs import TABLE as RUNS

#: n_z = 2: the last two coordinates are integer. Its optimum is not zero.
A = "mixed-D4-t0-TC0-c1e1-E30"
B = "mixed-D4-t0-TC1-c1e1-E30"
#: Spheres at D = 4: g(ξ0) = 4 · 11² = 484, so ξ0 is feasible at E = 484 and f* = 0.
ZERO = "mixed-D4-t0-sphere-c1-E484"


def trial(instance: str, solver: str, seed: int = 1, f: float | None = None, **more: Any) -> dict[str, Any]:
    """Return a row; without f it is a run that ended without a solution."""
    defaults = {
        "variant": solver,
        "instance_digest": f"arrays of {instance}",
        "status": "no-solution" if f is None else "budget",
        "termination": "",
        "x": [0.0, 0.0, 0.0, 0.0],
        "bound": None,
        "evaluations": 100,
        "wall_seconds": 1.0,
        "cpu_seconds": 1.0,
        "options": json.dumps({"mipgap": 1e-3}),
        "budget_kind": "evaluations",
        "budget_amount": 1e6,
        "threads": 1,
        "versions": "{}",
    }
    row = {"instance": instance, "solver": solver, "seed": seed, "f": f, **defaults, **more}
    return {"ending": row["status"], "repaired_f": None, **row}


def trials(*rows: Mapping[str, Any]) -> pd.DataFrame:
    return pd.DataFrame([dict(row) for row in rows], columns=list(TRIAL_COLUMNS))


def plan(*studies: Mapping[str, Any]) -> pd.DataFrame:
    return pd.concat(
        [pd.DataFrame(list(study["rows"]), columns=list(PLAN.columns)) for study in studies], ignore_index=True
    )


def study(
    name: str,
    instances: Sequence[str],
    solvers: Mapping[str, Sequence[int]],
    type: str = "benchmark",
    reference: str = "cplex",
) -> dict[str, Any]:
    """Return the planned trials of a study: solver ids with their seeds, on every instance."""
    rows = [
        (name, type, reference, instance, solver, seed)
        for solver, seeds in solvers.items()
        for instance in instances
        for seed in seeds
    ]
    return {"rows": rows}


def runs_table(
    trials: pd.DataFrame,
    plan: pd.DataFrame,
    best_known: pd.DataFrame | None = None,
    vectors: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the table `runs`, from best_known that are made from the trials, and without lists of integer vectors."""
    listed = pd.DataFrame(columns=["row", "vector_f", "vector_z"]) if vectors is None else vectors
    return RUNS(trials, plan, BEST_KNOWN(trials) if best_known is None else best_known, listed)


def line(table: pd.DataFrame, **where: Any) -> pd.Series:
    """Return the only line of a table where columns have these values."""
    for column, value in where.items():
        table = table[table[column] == value]
    assert len(table) == 1, f"{len(table)} lines where {where}"
    return table.iloc[0]
