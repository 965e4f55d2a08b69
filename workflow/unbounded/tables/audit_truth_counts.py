"""How many of the published values are optimal, close and so on."""

from __future__ import annotations

import pandas as pd

from unbounded.tables.audit_classes import CLASSES
from unbounded.tables.columns import INSTANCE, SOLVER, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.proofs import PROVEN


def make(table: pd.DataFrame) -> pd.DataFrame:
    """Return how many values are optimal, close and so on: by test case and in all, zero optima apart."""
    rows = []
    for (kind, D, t, solver), part in table.groupby(["kind", "D", "t", "solver"]):
        cases = [("all", part), *part.sort_values("tc").groupby("case", sort=False)]
        for case, lines in cases:
            for optima, zero in (("above 0", False), ("zero", True)):
                chosen = lines[lines["zero_optimum"] == zero]
                proven = chosen[chosen["status"] == PROVEN]
                for values in ("claimed", "recomputed"):
                    counts = proven[f"{values}_class"].value_counts()
                    rows.append(
                        {
                            "kind": kind,
                            "D": D,
                            "t": t,
                            "solver": solver,
                            "case": case,
                            "optima": optima,
                            "values": values,
                            **{word.replace(" ", "_"): counts.get(word, 0) for word in CLASSES},
                            "proven": len(proven),
                            "instances": len(chosen),
                        }
                    )
    counted = pd.DataFrame(rows, columns=list(TABLE.columns))
    return counted[counted["instances"] > 0]


TABLE = Table(
    name="audit_truth_counts",
    summary="How many of the published values are optimal, close and so on",
    line="a solver on one test case, or all, of a slice, by one kind of value",
    inputs=("audit_truth",),
    columns={
        **some(INSTANCE, "kind", "D", "t"),
        **SOLVER,
        "case": Column("str", "the test case: `TC0`…, or `all`"),
        "optima": Column("str", "`above 0`, `zero`"),
        "values": Column("str", "`claimed`, `recomputed`"),
        "optimal": Column("int64", "values up to 10⁻⁴ above the optimum, relatively; absolutely where that is zero"),
        "close": Column("int64", "up to 10⁻³"),
        "similar": Column("int64", "up to 10⁻²"),
        "worse": Column("int64", "beyond"),
        "below": Column("int64", "lower than the optimum by more than 10⁻⁴"),
        "undecided": Column("int64", "known too roughly to say"),
        "no_point": Column("int64", "runs without a point"),
        "proven": Column("int64", "the sum of these"),
        "instances": Column("int64", "instances with and without a proven optimum"),
    },
    make=make,
)
