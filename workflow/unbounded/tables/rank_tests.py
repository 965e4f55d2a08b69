"""Mann-Whitney's U, two-sided, and Holm's correction (paper: "with statistical significance")."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy

from unbounded.instances.hessians import FloatArray

#: Significant means that Holm's p is below this.
ALPHA = 0.05


def rank_test(f: npt.ArrayLike, other: npt.ArrayLike) -> tuple[float, float]:
    """Return p and Vargha-Delaney's A: the chance that a run of the first has the lower f, ties counted half."""
    mine, theirs = (np.nan_to_num(np.asarray(values, dtype=np.float64), nan=np.inf) for values in (f, other))
    if len(np.unique(np.concatenate([mine, theirs]))) == 1:
        return 1.0, 0.5  # all alike: nothing to rank
    test = scipy.stats.mannwhitneyu(mine, theirs, alternative="two-sided")
    return float(test.pvalue), float(1.0 - test.statistic / (len(mine) * len(theirs)))


def holm(p: Sequence[float]) -> FloatArray:
    """Return Holm's adjusted p-values: the k-th smallest of m times m − k + 1, never decreasing, at most 1."""
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    stepped = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted
