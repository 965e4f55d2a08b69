"""Rank tests between the strategies of a multimodality study (paper: "with statistical significance").

Mann-Whitney's U, two-sided, for every two strategies on every instance; Holm's correction over all of a study's tests.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from unbounded.tables.columns import INSTANCE, SOLVER, STUDY, TEST, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.measures import median_with_failures
from unbounded.tables.multimodal_runs import multimodality_runs
from unbounded.tables.rank_tests import ALPHA, holm, rank_sum


def make(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the test of every two strategies on every instance; runs without a solution rank above all others."""
    rows = multimodality_runs(runs, trials)
    rows = rows[rows["strategy"]]
    tests = []
    for (study, instance), part in rows.groupby(["study", "instance"], sort=False):
        samples = {solver: f.to_numpy() for solver, f in part.groupby("solver", sort=False)["f"]}
        for solver, other in combinations(samples, 2):
            p, effect = rank_sum(samples[solver], samples[other])
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
    table = pd.DataFrame(tests, columns=[name for name in TABLE.columns if name != "significant"])
    for index in table.groupby("study").groups.values():
        table.loc[index, "p_holm"] = holm(table.loc[index, "p"].tolist())
    return table.assign(significant=table["p_holm"] < ALPHA)


TABLE = Table(
    name="multimodality_tests",
    summary="Rank tests between every two strategies of a multimodality study, on f",
    line="a pair of strategies on an instance",
    inputs=("runs", "trials"),
    columns={
        **some(STUDY, "study"),
        **some(INSTANCE, "instance"),
        **SOLVER,
        "other": Column("str", "the id of the other"),
        "n": Column("int64", "runs of `solver`"),
        "n_other": Column("int64", "runs of `other`"),
        "median": Column("float64", "the median of `solver`"),
        "median_other": Column("float64", "the median of `other`"),
        "p": Column("float64", "of Mann-Whitney's test, two-sided"),
        **TEST,
    },
    make=make,
    notes="Holm's correction is over all tests of the study.",
)
