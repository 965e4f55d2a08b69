"""The audit by cells: the best published values of the strategies against CPLEX's, claimed and recomputed."""

from __future__ import annotations

import pandas as pd

from unbounded.tables.audit_bests import PROBLEM, best_values
from unbounded.tables.columns import COMPARED, INSTANCE, SOLVER, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.measures import normalise, verdict
from unbounded.tables.published import REFERENCE


def make(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each strategy on each instance that CPLEX was run on: its best values against CPLEX's."""
    bests = best_values(runs)
    reference = bests[bests["solver"] == REFERENCE].set_index("instance")
    table = bests[(bests["solver"] != REFERENCE) & bests["instance"].isin(reference.index)].copy()
    table["reference_solved"] = table["instance"].map(reference["solved"])
    agrees = table["solved"] == table["reference_solved"]
    table["same_problem"] = agrees.groupby(table["instance"]).transform("all")
    for name in ("claimed_best", "best_f"):
        table[f"reference_{name}"] = table["instance"].map(reference[name])
        value, against = table[name], table[f"reference_{name}"]
        table[f"verdict_{name}"] = verdict(normalise(value, against), value.notna(), against.notna())
    return table


TABLE = Table(
    name="audit_cells",
    summary="The best values of the strategies against CPLEX's, claimed and recomputed",
    line="a strategy on an instance that CPLEX was run on",
    inputs=("audit",),
    columns={
        **some(INSTANCE, *PROBLEM),
        **SOLVER,
        "runs": Column("int64", "stored runs"),
        "feasible": Column("int64", "of them, those that are feasible"),
        "undecided": Column("int64", "of them, those that may be, within their rounding"),
        "solved": Column("str", "the reading that was solved"),
        "reference_solved": Column("str", "the reading that CPLEX solved"),
        "same_problem": Column("bool", "whether all solvers solved one reading of the instance"),
        **some(COMPARED, "zero_optimum"),
        "claimed_best": Column("float64", "the least value that is claimed"),
        "reference_claimed_best": Column("float64", "the same of CPLEX"),
        "verdict_claimed_best": Column("str", "the one against the other"),
        "best_f": Column("float64", "the least recomputed value of a point that is, or may be, feasible"),
        "reference_best_f": Column("float64", "the same of CPLEX"),
        "verdict_best_f": Column("str", "the one against the other"),
    },
    make=make,
)
