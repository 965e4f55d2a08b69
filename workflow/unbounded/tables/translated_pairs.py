"""Pairs of instances, translated and not, and how solvers fare on them in drawn campaigns.

A pair has the same kind, D, test case, c, E and reading of the hadellipse, t ≠ 0 against t = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from unbounded.instances import InstanceSpec
from unbounded.instances.spec import read_case
from unbounded.tables.columns import TRIAL
from unbounded.tables.intervals import interval, resample
from unbounded.tables.measures import TextArray, is_made, normalise, verdict

WORDS = ("same", "better", "worse", "neither")


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
    return InstanceSpec(pair.kind, pair.D, t, read_case(pair.case), pair.c, pair.E, pair.hessian).id
