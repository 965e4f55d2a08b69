"""Anytime: when runs reached targets.

The runtime of a target is when a run first had a feasible point that close, by our own evaluation, read from the trace:
as late as the trace's thinning makes it, never early.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from unbounded.instances.instance import FEASIBILITY_TOLERANCE
from unbounded.tables.columns import INSTANCE, SEED, SOLVER, STUDY, TRIAL, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.measures import is_made
from unbounded.tables.targets import MEASURES, SLICE, TARGETS, target_value


def make(trials: pd.DataFrame, traces: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return a line for every run that was made, of every study, and every target.

    `row` of the traces counts the lines of the trials. A run without a verified solution reaches no target, whatever
    it came across. One whose answer is close enough, but whose trace does not say when, reached it at its end.
    """
    made = runs[is_made(runs["status"])].reset_index(drop=True)
    once = made.drop_duplicates(TRIAL)
    # The lines of the trials, in their order, with what is known of each.
    rows = trials[[*TRIAL, "evaluations", "cpu_seconds"]].reset_index(drop=True)
    rows = rows.merge(once[[*TRIAL, "f", "solved", "best_known_f", "E"]], on=TRIAL, how="left", validate="one_to_one")
    solved = rows["solved"].eq(True).to_numpy()
    violation = (FEASIBILITY_TOLERANCE * np.maximum(1.0, rows["E"])).to_numpy(dtype=np.float64)
    spent = {name: rows[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in MEASURES}
    entry_row = traces["row"].to_numpy()
    usable = np.flatnonzero(solved[entry_row] & (traces["violation"].to_numpy() <= violation[entry_row]))
    entry_row, entry_f = entry_row[usable], traces["f"].to_numpy()[usable]
    spending = {name: traces[name].to_numpy(dtype=np.float64)[usable] for name in MEASURES}

    parts = []
    for target in TARGETS:
        enough = target_value(rows["best_known_f"], target)
        # Entries are in the order of time: the first of a row is when it got there.
        close = np.flatnonzero(entry_f <= enough[entry_row])
        found, first = np.unique(entry_row[close], return_index=True)
        reached = solved & (rows["f"].to_numpy() <= enough)
        reached[found] = True
        part = rows[TRIAL].assign(target=target, reached=reached)
        for name in MEASURES:
            times = np.where(reached, spent[name], np.nan)
            times[found] = spending[name][close[first]]
            part[name], part[f"spent_{name}"] = times, spent[name]
        parts.append(part)
    table = made[[*SLICE, *TRIAL]].merge(pd.concat(parts), on=TRIAL, how="left")
    # A solver none of whose runs ever evaluated a point is one that reads the model and counts nothing.
    counts = table.groupby("solver")["spent_evaluations"].transform("max") > 0
    for name in ("evaluations", "spent_evaluations"):
        table[name] = table[name].where(counts).astype("Int64")
    return table


TABLE = Table(
    name="anytime",
    summary="When runs reached targets: distances to the best known value",
    line="a run that was made and a target",
    inputs=("trials", "traces", "runs"),
    columns={
        **STUDY,
        **some(INSTANCE, "slice", "instance"),
        **SOLVER,
        **SEED,
        "target": Column("float64", "the distance to the best known value, relatively; absolutely where that is zero"),
        "reached": Column("bool", "whether the run got there"),
        "evaluations": Column("Int64", "evaluations up to the target; empty for solvers that count none"),
        "cpu_seconds": Column("float64", "CPU seconds up to the target"),
        "spent_evaluations": Column("Int64", "evaluations in all"),
        "spent_cpu_seconds": Column("float64", "CPU seconds in all"),
    },
    make=make,
)
