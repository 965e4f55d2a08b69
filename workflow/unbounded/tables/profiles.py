"""Performance profiles, those of Dolan & Moré (2002), on expected running times."""

from __future__ import annotations

import pandas as pd

from unbounded.tables.columns import INSTANCE, SOLVER, STUDY, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.targets import MEASURES, SLICE


def make(expected_runtimes: pd.DataFrame) -> pd.DataFrame:
    """Return performance profiles as steps: the share of a slice's instances that a solver solves at up to a ratio.

    `instances` are all that the study has there, so a profile ends at the share that was solved at all; a solver that
    never succeeds has no steps.
    """
    size = expected_runtimes.groupby(SLICE)["instance"].nunique().rename("instances")
    parts = []
    for name in MEASURES:
        lines = expected_runtimes[[*SLICE, "target", "solver"]].assign(
            measure=name, ratio=expected_runtimes[f"ratio_{name}"]
        )
        keys = [*SLICE, "measure", "target", "solver"]
        steps = lines.dropna(subset="ratio").groupby([*keys, "ratio"], sort=True).size().rename("solved").reset_index()
        steps["solved"] = steps.groupby(keys)["solved"].cumsum()
        parts.append(steps)
    table = pd.concat(parts).merge(size, on=SLICE, how="left")
    return table.assign(share=table["solved"] / table["instances"])


TABLE = Table(
    name="profiles",
    summary="Performance profiles as steps; a solver that never succeeds has none",
    line="a step of a solver's performance profile in a slice",
    inputs=("expected_runtimes",),
    columns={
        **STUDY,
        **some(INSTANCE, "slice"),
        "measure": Column("str", "what runtimes are measured in: `evaluations`, `cpu_seconds`"),
        "target": Column("float64", "as in `anytime`"),
        **SOLVER,
        "ratio": Column("float64", "how many times as much as the cheapest solver"),
        "instances": Column("int64", "instances of the slice"),
        "share": Column("float64", "of them, those that are solved at up to this ratio"),
    },
    make=make,
)
