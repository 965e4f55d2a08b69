"""Rank tests between the strategies of a multimodality study (paper: "with statistical significance").

Mann-Whitney's U, two-sided, for every two strategies on every instance; Holm's correction over all of a study's tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import mannwhitneyu

from unbounded.instances.hessians import FloatArray
from unbounded.tables.measures import median_with_failures
from unbounded.tables.multimodality import multimodality_runs
from unbounded.tables.schema import MULTIMODALITY_TESTS, shape

#: Significant means that Holm's p is below this.
ALPHA = 0.05


def multimodality_tests(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the test of every two strategies on every instance; runs without a solution rank above all others."""
    rows = multimodality_runs(runs, trials)
    rows = rows[rows["strategy"]]
    tests = []
    for (study, instance), part in rows.groupby(["study", "instance"], sort=False):
        samples = {solver: f.to_numpy() for solver, f in part.groupby("solver", sort=False)["f"]}
        for solver, other in combinations(samples, 2):
            p, effect = rank_test(samples[solver], samples[other])
            tests.append(
                {
                    "study": study,
                    "instance": instance,
                    "solver": solver,
                    "other": other,
                    "n": len(samples[solver]),
                    "n_other": len(samples[other]),
                    "median": median_with_failures(samples[solver], len(samples[solver])),
                    "median_other": median_with_failures(samples[other], len(samples[other])),
                    "p": p,
                    "p_holm": np.nan,
                    "effect": effect,
                }
            )
    table = pd.DataFrame(tests, columns=[name for name in MULTIMODALITY_TESTS if name != "significant"])
    for index in table.groupby("study").groups.values():
        table.loc[index, "p_holm"] = holm(table.loc[index, "p"].tolist())
    return shape(table.assign(significant=table["p_holm"] < ALPHA), MULTIMODALITY_TESTS)


def rank_test(f: npt.ArrayLike, other: npt.ArrayLike) -> tuple[float, float]:
    """Return p and Vargha-Delaney's A: the chance that a run of the first has the lower f, ties counted half."""
    mine, theirs = (np.nan_to_num(np.asarray(values, dtype=np.float64), nan=np.inf) for values in (f, other))
    if len(np.unique(np.concatenate([mine, theirs]))) == 1:
        return 1.0, 0.5  # all alike: nothing to rank
    test = mannwhitneyu(mine, theirs, alternative="two-sided")
    return float(test.pvalue), float(1.0 - test.statistic / (len(mine) * len(theirs)))


def holm(p: Sequence[float]) -> FloatArray:
    """Return Holm's adjusted p-values: the k-th smallest of m times m − k + 1, never decreasing, at most 1."""
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    stepped = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted
