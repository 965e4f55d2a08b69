"""Anytime measures: when runs reached targets, what a success is expected to cost, and performance profiles.

A target is a distance to the best known value (table `references`). Its runtime is when a run first had a feasible
point that close, by our own evaluation, read from the trace: as late as the trace's thinning makes it, never early.
Expected running times are those of Hansen et al. (COCO), profiles those of Dolan & Moré (2002) on them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import FEASIBILITY_TOLERANCE
from unbounded.tables.measures import ATOL, is_made
from unbounded.tables.schema import ANYTIME, EXPECTED_RUNTIMES, PROFILES, STUDY, TRIAL, shape

#: Distances to the best known value, relative; absolute where that is zero.
TARGETS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
#: What runtimes are measured in; white-box solvers count no evaluations.
MEASURES = ("evaluations", "cpu_seconds")
#: The clock's unit: two shorter times are not told apart by their ratio.
CLOCK = 1e-6

SLICE = [*STUDY, "group"]


def target_value(known: npt.ArrayLike, target: float) -> FloatArray:
    """Return the f at which a target is reached: (1 + target) times the best known value, or the target itself if zero.

    Up to ATOL values count as zero: no target is smaller, and a best known value up to it is zero.
    """
    best = np.asarray(known, dtype=np.float64)
    value: FloatArray = np.where(best <= ATOL, max(target, ATOL), best * (1 + target))
    return value


def anytime_table(trials: pd.DataFrame, traces: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
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
    return shape(table, ANYTIME)


def expected_runtimes_table(anytime: pd.DataFrame) -> pd.DataFrame:
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
    return shape(table, EXPECTED_RUNTIMES)


def profiles_table(expected_runtimes: pd.DataFrame) -> pd.DataFrame:
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
    return shape(table.assign(share=table["solved"] / table["instances"]), PROFILES)
