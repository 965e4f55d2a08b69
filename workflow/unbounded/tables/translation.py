"""Translation: a solver's best on a translated instance against its best without translation (paper's Fig. Trelative).

A pair has the same kind, D, test case, c, E and form of the hadellipse, t ≠ 0 against t = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from unbounded.instances import InstanceSpec
from unbounded.instances.spec import read_case
from unbounded.tables.intervals import BINOMIAL, SEEDS, interval, resample
from unbounded.tables.measures import SIMILAR, BoolArray, TextArray, is_made, normalise, verdict
from unbounded.tables.schema import TRANSLATION, TRANSLATION_COUNTS, TRIAL, shape
from unbounded.tables.verdicts import ABOVE, ALL, ZERO, is_zero

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


def translation_counts(translation: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return how often a solver fared the same, better and worse in a slice, with intervals, zero optima apart too.

    Pairs without a verdict are left out; `cells` counts the others.
    """
    zeros = set(runs.loc[is_zero(runs), "instance"])
    lines = []
    for slice, part in translation.groupby(["kind", "D", "t", "solver"], sort=False):
        pairs = part[part["verdict"].notna()]
        zero = np.array([id in zeros for id in moved_instances(pairs)], dtype=bool)
        drawn = drawn_verdicts(pairs, runs)
        for optima, inside in ((ALL, zero | ~zero), (ABOVE, ~zero), (ZERO, zero)):
            if optima == ALL or inside.any():
                common = dict(zip(("kind", "D", "t", "solver"), slice, strict=True))
                lines.append({**common, "optima": optima, **_counts(pairs["verdict"].to_numpy(), drawn, inside)})
    return shape(pd.DataFrame(lines, columns=list(TRANSLATION_COUNTS)), TRANSLATION_COUNTS)


def _counts(words: TextArray, drawn: TextArray | None, inside: BoolArray) -> dict[str, Any]:
    cells = int(inside.sum())
    found: dict[str, Any] = {word: int((words[inside] == word).sum()) for word in WORDS}
    for word in WORDS[:3] if cells else ():
        low, high = pair_interval(word, found[word], cells, None if drawn is None else drawn[:, inside])
        found |= {f"{word}_low": low, f"{word}_high": high}
    rests_on = BINOMIAL if drawn is None else SEEDS
    return {**found, "cells": cells, "tolerance": SIMILAR, "interval": rests_on if cells else None}


def pair_interval(word: str, counted: int, cells: int, drawn: TextArray | None) -> tuple[int, int]:
    """Return the ends of the interval of how often a verdict was said of pairs."""
    campaigns = None if drawn is None else (drawn == word).sum(axis=1)[:, None]
    (low,), (high,) = interval(campaigns, [counted], [cells])
    return int(low), int(high)


def moved_instances(pairs: pd.DataFrame) -> list[str]:
    """Return the ids of the translated instances."""
    return [_instance(row, row.t) for row in pairs.itertuples()]


def drawn_verdicts(pairs: pd.DataFrame, runs: pd.DataFrame) -> TextArray | None:
    """Return the verdicts on pairs in drawn campaigns, a row for each; None unless all sides have several runs."""
    once = runs[is_made(runs["status"])].drop_duplicates(TRIAL).assign(study="")
    sizes = once.groupby(["instance", "solver"]).size()
    bests = []
    for ids in (moved_instances(pairs), [_instance(row, 0.0) for row in pairs.itertuples()]):
        cells = pd.DataFrame({"study": "", "instance": ids, "solver": pairs["solver"].tolist()})
        if cells.empty or sizes.reindex(pd.MultiIndex.from_frame(cells[["instance", "solver"]])).min() < 2:
            return None
        bests.append(resample(once, cells)[0])
    moved, still = bests
    words = verdict(normalise(moved, still), ~np.isnan(moved), ~np.isnan(still))
    return np.where(words == "similar", WORDS[0], words)


def _instance(pair: Any, t: float) -> str:
    case = read_case(pair.case)
    return InstanceSpec(pair.kind, pair.D, t, case, pair.c, pair.E, pair.hessian).id
