"""Translation: a solver's best on a translated instance against its best without translation (paper's Fig. Trelative).

A pair has the same kind, D, test case, c, E and reading of the hadellipse, t ≠ 0 against t = 0.
"""

from __future__ import annotations

import pandas as pd

from unbounded.tables.columns import COMPARED, INSTANCE, SOLVER, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.measures import is_made, normalise, verdict

PAIR = ["kind", "D", "case", "tc", "c", "E", "hessian", "solver"]


def make(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of instances that the campaign has for each solver; the best is over all runs of all studies.

    The verdict is `same` within 1 %. It is empty where the runs of one side were not made.
    """
    bests = _bests(runs)
    still, moved = bests[bests["t"] == 0], bests[bests["t"] != 0]
    # pandas matches missing tc (the sphere's) to missing tc, as is meant here.
    pairs = moved.merge(still.drop(columns="t"), on=PAIR, suffixes=("_moved", "_still"))
    pairs["best_f"], pairs["translated_best_f"] = pairs["f_still"], pairs["f_moved"]
    pairs["ratio"] = normalise(pairs["translated_best_f"], pairs["best_f"])
    words = verdict(pairs["ratio"], pairs["translated_best_f"].notna(), pairs["best_f"].notna())
    named = pd.Series(words, index=pairs.index, dtype="object").replace("similar", "same")
    pairs["verdict"] = named.where(pairs["made_moved"] & pairs["made_still"])
    pairs["zero_optimum"] = pairs["zero_optimum_moved"] & pairs["zero_optimum_still"]
    return pairs


def _bests(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the best value of each solver on each instance, and whether any of its runs was made."""
    columns = [*PAIR, "t", "zero_optimum"]
    once = runs.drop_duplicates(["instance", "solver", "seed"]).assign(made=lambda rows: is_made(rows["status"]))
    grouped = once.groupby(columns, sort=False, dropna=False)
    return grouped.agg(f=("f", "min"), made=("made", "any")).reset_index()


TABLE = Table(
    name="translation",
    summary="The best of a solver on a translated instance against its best without translation, over all studies",
    line="a solver on a pair of instances, translated and not",
    inputs=("runs",),
    columns={
        **some(INSTANCE, "kind", "D", "t", "case", "tc", "c", "E", "hessian"),
        **SOLVER,
        "best_f": Column("float64", "its best without translation"),
        "translated_best_f": Column("float64", "its best at t"),
        "ratio": Column("float64", "the second divided by the first"),
        "verdict": Column("str", "`same` (within 1 %), `better`, `worse`, `neither`; empty where a side was not run"),
        **some(COMPARED, "zero_optimum"),
    },
    make=make,
)
