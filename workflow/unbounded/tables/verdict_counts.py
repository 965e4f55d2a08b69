"""Verdicts on the cells of a solver, counted: against the reference and against the proven optimum, with intervals.

Where the optimum is zero, a quotient says only whether a value counts as zero, which a constant decides (`atol`). So
such cells are counted apart as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from unbounded.instances.hessians import FloatArray
from unbounded.tables.columns import SLICE as SLICE_COLUMNS
from unbounded.tables.intervals import BINOMIAL, SEEDS, interval, resample
from unbounded.tables.measures import ATOL, BoolArray, CodeArray, normalise, verdict_codes
from unbounded.tables.measures import VERDICTS as WORDS

SLICE = list(SLICE_COLUMNS)
ALL = "all"
#: Whether the optimum is zero.
ABOVE, ZERO = "above 0", "zero"
STATISTICS = ("best", "median")
#: What a line compares with.
REFERENCE, OPTIMUM = "reference", "optimum"
#: The verdicts that have intervals.
MEASURED = WORDS[:3]

Lines = list[dict[str, Any]]
#: Cells that are counted together, as (case, optima, which they are).
Parts = list[tuple[str, str, BoolArray]]


def is_zero(cells: pd.DataFrame) -> pd.Series:
    """Say where the optimum is zero: by the proven one, else by the best known value; where neither is, it is not."""
    return cells["optimum"].fillna(cells["best_known_f"]) <= ATOL


@dataclass(frozen=True)
class Comparison:
    """What the cells of a solver are compared with: its value in each, where there is a verdict, and what it cost."""

    against: str
    other: pd.Series
    compared: BoolArray
    cpu_seconds: pd.Series

    def codes(self, value: Any, other: Any, tolerance: float, atol: float = ATOL) -> CodeArray:
        """Return verdicts as places in WORDS, −1 where there is none; rows of cells, or one."""
        mine, theirs = np.asarray(value, dtype=np.float64), np.asarray(other, dtype=np.float64)
        found = verdict_codes(normalise(mine, theirs, atol), ~np.isnan(mine), ~np.isnan(theirs), tolerance)
        return np.where(self.compared, found, np.int8(-1))


def to_reference(cells: pd.DataFrame) -> Comparison:
    """Compare the cells of a solver with the best runs of the reference."""
    compared = cells["verdict_best"].notna().to_numpy()
    return Comparison(REFERENCE, cells["reference_f"], compared, cells["reference_cpu_seconds"])


def to_optimum(cells: pd.DataFrame) -> Comparison:
    """Compare the cells of a solver with the optimum, where it is proven."""
    compared = (cells["proven"] & (cells["made"] > 0)).to_numpy()
    return Comparison(OPTIMUM, cells["optimum"], compared, cells["proof_cpu_seconds"])


@dataclass(frozen=True)
class Drawn:
    """Drawn campaigns of a solver's cells: its bests and medians, and the bests of the reference."""

    best: FloatArray
    median: FloatArray
    reference: FloatArray

    @classmethod
    def of(cls, cells: pd.DataFrame, runs: pd.DataFrame) -> Drawn | None:
        """Draw from the runs of a solver and of the reference; None unless the solver has several in every cell."""
        made = cells.loc[cells["made"] > 0, "made"]
        if made.empty or made.min() < 2:
            return None
        best, median = resample(runs, cells)
        names = runs.loc[runs["is_reference"], ["study", "instance", "solver"]].drop_duplicates(["study", "instance"])
        others = cells[["study", "instance"]].merge(names, on=["study", "instance"], how="left")
        reference, _ = resample(runs, others.fillna(""))
        return cls(best, median, reference)


@dataclass(frozen=True)
class Counts:
    """The verdicts on a solver's cells, counted here and in drawn campaigns."""

    cells: pd.DataFrame
    comparison: Comparison
    drawn: Drawn | None
    statistic: str
    tolerance: float

    @property
    def rests_on(self) -> str:
        """What intervals rest on."""
        return SEEDS if self.drawn else BINOMIAL

    def words(self) -> CodeArray:
        """Return the verdicts on the cells, as places in WORDS, in one row."""
        value = self.cells[f"{self.statistic}_f"]
        return self.comparison.codes(value, self.comparison.other, self.tolerance)[None, :]

    def drawn_words(self) -> CodeArray | None:
        """Return the verdicts of drawn campaigns, a row for each."""
        if self.drawn is None:
            return None
        value = self.drawn.best if self.statistic == "best" else self.drawn.median
        other = self.drawn.reference if self.comparison.against == REFERENCE else self.comparison.other
        return self.comparison.codes(value, other, self.tolerance)

    def of(self, words: Sequence[str]) -> tuple[int, int, int]:
        """Return how many cells have one of these verdicts, and the ends of the interval of this number."""
        places, drawn = [WORDS.index(word) for word in words], self.drawn_words()
        count = np.isin(self.words(), places).sum(axis=1)
        counts = None if drawn is None else np.isin(drawn, places).sum(axis=1)[:, None]
        low, high = interval(counts, count, self.comparison.compared.sum()[None])
        return int(count[0]), int(low[0]), int(high[0])

    def lines(self, parts: Parts) -> Lines:
        """Return a line of the table for each part of the cells."""
        inside = np.stack([part for _, _, part in parts], axis=1) & self.comparison.compared[:, None]
        cells, drawn = inside.sum(axis=0), self.drawn_words()
        counted = _count(self.words(), inside)[:, 0]
        campaigns = [None] * len(MEASURED) if drawn is None else [*_count(drawn, inside)]
        columns: dict[str, Any] = dict(zip(WORDS, counted, strict=True))
        for word, count, drawn_counts in zip(MEASURED, counted, campaigns, strict=False):
            # Nothing is better than the optimum, whatever the seeds.
            sure = word == "better" and self.comparison.against == OPTIMUM
            low, high = (count, count) if sure else interval(drawn_counts, count, cells)
            columns |= {f"{word}_low": _where(cells > 0, low), f"{word}_high": _where(cells > 0, high)}
        columns |= {
            "case": [case for case, _, _ in parts],
            "optima": [optima for _, optima, _ in parts],
            "cells": cells,
            "proven": (inside & self.cells["proven"].to_numpy()[:, None]).sum(axis=0),
            "interval": _where(cells > 0, [self.rests_on] * len(parts)),
            "cpu_seconds": _total(self.cells["cpu_seconds"], inside),
            "against_cpu_seconds": _total(self.comparison.cpu_seconds, inside),
        }
        common = {"against": self.comparison.against, "statistic": self.statistic, "tolerance": self.tolerance}
        return [{**common, **dict(zip(columns, line, strict=True))} for line in zip(*columns.values(), strict=True)]


def slices(cells: pd.DataFrame) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield the cells of each solver in each slice, in the order of the plan, with the slice's columns."""
    for key, block in cells.groupby(SLICE, sort=False):
        yield dict(zip(SLICE, key, strict=True)), block


def comparisons(cells: pd.DataFrame, block: pd.DataFrame) -> Iterator[Comparison]:
    """Yield what the cells of a solver in a slice are compared with."""
    if not block["is_reference"].all():
        yield to_reference(block)
    if cells.loc[cells["study"] == block["study"].iloc[0], "proven"].any():
        yield to_optimum(block)


def parts(block: pd.DataFrame, by_case: bool) -> Parts:
    """Return the parts of a slice that are counted; where there is no such optimum there is no part."""
    zero = is_zero(block).to_numpy()
    kinds = {ALL: np.ones(len(block), dtype=bool), ABOVE: ~zero, ZERO: zero}
    cases = {ALL: kinds[ALL]} | (
        {case: (block["case"] == case).to_numpy() for case in block["case"].unique()} if by_case else {}
    )
    found = [(case, optima, of & kind) for case, of in cases.items() for optima, kind in kinds.items()]
    return [(case, optima, part) for case, optima, part in found if optima == ALL or part.any()]


def _count(codes: CodeArray, inside: BoolArray) -> FloatArray:
    """Return how often each word is said (first axis) in each campaign (second) in each part of the cells (third)."""
    weights = inside.astype(np.float64)
    return np.stack([(codes == word).astype(np.float64) @ weights for word in range(len(WORDS))])


def _where(holds: BoolArray, values: Any) -> list[Any]:
    return [value if held else None for held, value in zip(holds, values, strict=True)]


def _total(seconds: pd.Series, inside: BoolArray) -> FloatArray:
    total: FloatArray = seconds.fillna(0.0).to_numpy(dtype=np.float64) @ inside
    return total
