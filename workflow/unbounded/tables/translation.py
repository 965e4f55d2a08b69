"""Translation: a solver's best on a translated instance against its best without translation (paper's Fig. Trelative).

A pair has the same kind, D, test case, c, E and form of the hadellipse, t ≠ 0 against t = 0.
"""

from __future__ import annotations

import pandas as pd

from unbounded.tables.measures import SIMILAR, is_made, normalise, verdict
from unbounded.tables.schema import TRANSLATION, TRANSLATION_COUNTS, shape

PAIR = ["kind", "D", "case", "tc", "c", "E", "hessian", "solver"]
WORDS = ("same", "better", "worse", "neither")


def translation_table(runs: pd.DataFrame) -> pd.DataFrame:
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
    return shape(pairs, TRANSLATION)


def _bests(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the best value of each solver on each instance, and whether any of its runs was made."""
    columns = [*PAIR, "t", "zero_optimum"]
    once = runs.drop_duplicates(["instance", "solver", "seed"]).assign(made=lambda rows: is_made(rows["status"]))
    grouped = once.groupby(columns, sort=False, dropna=False)
    return grouped.agg(f=("f", "min"), made=("made", "any")).reset_index()


def translation_counts(translation: pd.DataFrame) -> pd.DataFrame:
    """Return how often a solver fared the same, better and worse in a slice; pairs without a verdict are left out."""
    words = translation["verdict"]
    marked = translation[["kind", "D", "t", "solver"]].assign(
        **{word: (words == word).astype("int64") for word in WORDS}, cells=words.notna().astype("int64")
    )
    counts = marked.groupby(["kind", "D", "t", "solver"], sort=False).sum().reset_index()
    return shape(counts.assign(tolerance=SIMILAR), TRANSLATION_COUNTS)
