"""Rank tests of runs and of instances, and Holm's correction (paper: "with statistical significance").

Their p-values are exact, ties included: those of all ways to deal out the ranks, or their signs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy

from unbounded.instances.hessians import FloatArray

#: Significant means that Holm's p is below this.
ALPHA = 0.05
#: Up to so many runs of both strategies all ways to deal out the ranks are counted; above, the normal law is as good.
EXACT = 60


def rank_sum(values: npt.ArrayLike, other: npt.ArrayLike) -> tuple[float, float]:
    """Return Mann-Whitney's two-sided p, and Vargha & Delaney's A: the chance that the first is lower, ties half.

    A run without a value ranks above all that have one.
    """
    samples = (np.asarray(runs, dtype=np.float64) for runs in (values, other))
    mine, theirs = (np.where(np.isnan(runs), np.inf, runs) for runs in samples)
    n, m = len(mine), len(theirs)
    ranks = scipy.stats.rankdata(np.concatenate([mine, theirs]))
    above = ranks[:n].sum() - n * (n + 1) / 2
    effect = float(1 - above / (n * m))
    if n + m > EXACT:
        p = 1.0 if np.ptp(ranks) == 0 else float(scipy.stats.mannwhitneyu(mine, theirs, method="asymptotic").pvalue)
        return p, effect
    # Twice a rank is a whole number. ways[k, s]: the ways to choose k of the ranks so far with the sum s.
    doubled = np.rint(2 * ranks).astype(np.int64)
    ways = np.zeros((n + 1, doubled.sum() + 1))
    ways[0, 0] = 1.0
    for rank in doubled:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    return _two_sided(ways[n] / ways[n].sum(), int(doubled[:n].sum())), effect


def signed_rank(differences: npt.ArrayLike) -> tuple[float, float]:
    """Return the two-sided p, and the share of the rank sum on the lower side less that on the higher; zeros go."""
    found = np.asarray(differences, dtype=np.float64)
    found = found[found != 0]
    if not len(found):
        return 1.0, 0.0
    doubled = np.rint(2 * scipy.stats.rankdata(np.abs(found))).astype(np.int64)
    chances = np.zeros(doubled.sum() + 1)
    chances[0] = 1.0
    for rank in doubled:
        moved = np.zeros_like(chances)
        moved[rank:] = chances[: len(chances) - rank]
        chances = (chances + moved) / 2
    lower = int(doubled[found < 0].sum())
    return _two_sided(chances, lower), float(2 * lower / doubled.sum() - 1)


def holm(p: Sequence[float]) -> FloatArray:
    """Return Holm's adjusted p-values: the k-th smallest of m times m − k + 1, never decreasing, at most 1."""
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    stepped = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def _two_sided(chances: FloatArray, at: int) -> float:
    return min(1.0, 2 * float(min(chances[: at + 1].sum(), chances[at:].sum())))
