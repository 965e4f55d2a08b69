"""The best published values of every solver on every instance, claimed and recomputed."""

from __future__ import annotations

import pandas as pd

#: What the audit says of an instance.
PROBLEM = ["instance", "kind", "D", "t", "case", "tc", "c", "E"]

KEY = ["instance", "solver"]


def best_values(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each solver on each instance: its best values, claimed and recomputed.

    Recomputed values are of runs that are feasible, or may be within their rounding.
    """
    possible = runs[runs["feasible"].isin(["yes", "undecided"])].sort_values("f", kind="stable").drop_duplicates(KEY)
    best = possible.set_index(KEY)
    grouped = runs.groupby(KEY, sort=False)
    table = runs.drop_duplicates(KEY)[[*PROBLEM, "solver", "zero_optimum"]].set_index(KEY)
    table["runs"] = grouped.size()
    for column, word in (("feasible", "yes"), ("undecided", "undecided")):
        table[column] = grouped["feasible"].agg(lambda words, word=word: int((words == word).sum()))
    table["solved"] = grouped["solved"].agg(lambda readings: "/".join(sorted(set(readings))))
    table["claimed_best"] = grouped["claimed"].min()
    table["best_f"], table["best_f_rounding"] = best["f"], best["f_rounding"]
    # Without the tolerance that feasibility is granted: with whole numbers that may be worth a step of f.
    table["inside_f"] = runs[(runs["feasible"] == "yes") & (runs["violation"] == 0)].groupby(KEY)["f"].min()
    return table.reset_index()
