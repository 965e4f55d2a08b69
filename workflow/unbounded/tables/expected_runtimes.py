"""Expected running times: what a success is expected to cost, as Hansen et al. (COCO) have it."""

from __future__ import annotations

import pandas as pd

from unbounded.tables.columns import INSTANCE, SOLVER, STUDY, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.targets import CLOCK, MEASURES, SLICE


def make(anytime: pd.DataFrame) -> pd.DataFrame:
    """Return what a success costs: all that the runs of a solver on an instance spent up to the target, by successes.

    A run that reached the target spent its runtime, another one all of its own. Without a success there is no
    expectation. Ratios are to the least of all solvers of the study on that instance and target.
    """
    keys = [*SLICE, "instance", "solver", "target"]
    lines = anytime[keys].assign(runs=1, successes=anytime["reached"].astype("int64"))
    for name in MEASURES:
        cost = anytime[name].where(anytime["reached"], anytime[f"spent_{name}"]).astype("float64")
        lines[name] = cost
        # A sum with an unknown part is unknown.
        lines[f"{name}_unknown"] = cost.isna().astype("int64")
    table = lines.groupby(keys, sort=False).sum().reset_index()
    for name in MEASURES:
        known = (table["successes"] > 0) & (table[f"{name}_unknown"] == 0)
        ert = (table[name] / table["successes"].clip(lower=1)).where(known)
        least = ert.groupby([table[key] for key in [*SLICE, "instance", "target"]]).transform("min")
        floor = CLOCK if name == "cpu_seconds" else 1.0
        table[f"ert_{name}"] = ert
        table[f"ratio_{name}"] = ert.clip(lower=floor) / least.clip(lower=floor)
    return table


TABLE = Table(
    name="expected_runtimes",
    summary="What a success is expected to cost: all that was spent up to a target, by successes",
    line="a solver, an instance and a target in a study",
    inputs=("anytime",),
    columns={
        **STUDY,
        **some(INSTANCE, "slice", "instance"),
        **SOLVER,
        "target": Column("float64", "as in `anytime`"),
        "runs": Column("int64", "runs that were made"),
        "successes": Column("int64", "of them, those that reached the target"),
        "ert_evaluations": Column("float64", "expected evaluations of a success; empty without one"),
        "ert_cpu_seconds": Column("float64", "expected CPU seconds of a success"),
        "ratio_evaluations": Column("float64", "the expected evaluations divided by the least of all solvers"),
        "ratio_cpu_seconds": Column("float64", "the expected CPU seconds divided by the least of all solvers"),
    },
    make=make,
)
