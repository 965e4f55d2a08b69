"""Translation, counted: how often a solver fared the same, better and worse under it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from unbounded.tables.columns import INSTANCE, OPTIMA, SOLVER, intervals, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.intervals import BINOMIAL, SEEDS
from unbounded.tables.measures import SIMILAR, BoolArray, TextArray
from unbounded.tables.translated_pairs import WORDS, drawn_verdicts, moved_instances, pair_interval
from unbounded.tables.verdict_counts import ABOVE, ALL, ZERO, is_zero


def make(translation: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
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
    return pd.DataFrame(lines)


def _counts(words: TextArray, drawn: TextArray | None, inside: BoolArray) -> dict[str, Any]:
    cells = int(inside.sum())
    found: dict[str, Any] = {word: int((words[inside] == word).sum()) for word in WORDS}
    for word in WORDS[:3] if cells else ():
        low, high = pair_interval(word, found[word], cells, None if drawn is None else drawn[:, inside])
        found |= {f"{word}_low": low, f"{word}_high": high}
    rests_on = BINOMIAL if drawn is None else SEEDS
    return {**found, "cells": cells, "tolerance": SIMILAR, "interval": rests_on if cells else None}


TABLE = Table(
    name="translation_counts",
    summary="How often a solver fared the same, better and worse under translation; runs of both sides are drawn",
    line="a solver in a slice",
    inputs=("translation", "runs"),
    columns={
        **some(INSTANCE, "kind", "D", "t"),
        **SOLVER,
        **OPTIMA,
        "same": Column("int64", "pairs whose values are within the tolerance"),
        "better": Column("int64", "pairs whose translated one is better"),
        "worse": Column("int64", "pairs whose translated one is worse"),
        "neither": Column("int64", "pairs where no side has a solution"),
        "cells": Column("int64", "pairs that have a verdict"),
        "tolerance": Column("float64", "what is `same`: 1 %"),
        **intervals(WORDS[:3]),
    },
    make=make,
)
