"""Tests between every two strategies over the instances of a slice, on f and on Δz to the proven integers.

Their medians on an instance are a pair: Wilcoxon's signed ranks of the differences, by test case and in all, Holm's
correction over a study's lines. f is compared by the logarithm of the quotient, Δz by the difference.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from unbounded.instances.hessians import FloatArray
from unbounded.tables.columns import INSTANCE, SOLVER, STUDY, TEST, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.rank_tests import signed_rank
from unbounded.tables.strategy_pairs import PAIR, SLICE, corrected, raised
from unbounded.tables.verdict_counts import ALL

#: With fewer pairs nothing can be significant: such test cases would only burden the correction of the others.
LEAST = 6


def make(instance_tests: pd.DataFrame) -> pd.DataFrame:
    """Return the signed-rank test of every two strategies over the instances of a slice, by test case and in all."""
    lines = []
    for key, part in instance_tests.groupby([*SLICE, *PAIR], sort=False):
        common = dict(zip([*SLICE, *PAIR], key, strict=True))
        for (case, optima), cells in _parts(part):
            differences = _differences(cells, str(common["measure"]))
            p, effect = signed_rank(differences)
            # The middle pair itself: a strategy without a median has no difference that could be averaged.
            middle = float(np.quantile(differences, 0.5, method="lower"))
            found = cells[cells["significant"]]
            lines.append(
                {
                    **common,
                    "case": case,
                    "optima": optima,
                    "instances": len(cells),
                    "better": int((differences < 0).sum()),
                    "equal": int((differences == 0).sum()),
                    "worse": int((differences > 0).sum()),
                    "difference": middle,
                    "p": p,
                    "effect": effect,
                    "instances_better": int((found["effect"] > 0.5).sum()),
                    "instances_worse": int((found["effect"] < 0.5).sum()),
                }
            )
    table = pd.DataFrame(lines, columns=[name for name in TABLE.columns if name not in ("p_holm", "significant")])
    return corrected(table, ["study"])


def _differences(cells: pd.DataFrame, measure: str) -> FloatArray:
    """Return what is ranked of pairs of medians; a strategy without one is behind by more than any difference."""
    mine, theirs = (raised(cells[name].to_numpy(), measure) for name in ("median", "median_other"))
    if measure == "f":
        mine, theirs = np.log(mine), np.log(theirs)
    with np.errstate(invalid="ignore"):
        differences: FloatArray = np.where(mine == theirs, 0.0, mine - theirs)
    return differences


def _parts(cells: pd.DataFrame) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """Yield the instances of a slice and of its test cases that have enough, apart by whether the optimum is zero."""
    yield from cells.assign(case=ALL).groupby(["case", "optima"], sort=False)
    for key, part in cells.groupby(["case", "optima"], sort=False):
        if len(part) >= LEAST:
            yield key, part


TABLE = Table(
    name="strategy_tests",
    summary="Signed-rank tests between every two strategies over the instances of a slice",
    line="a pair of strategies on the instances of a slice, or of one of its test cases with at least 6; zero optima "
    "apart",
    inputs=("instance_tests",),
    columns={
        **STUDY,
        **some(INSTANCE, "slice", "kind", "D", "t"),
        **SOLVER,
        "other": Column("str", "the id of the other"),
        "measure": Column("str", "what is compared: `f`, `delta_z_proven`"),
        "case": Column("str", "the test case: `TC0`…, or `all`"),
        "optima": Column("str", "whether the optima are `above 0` or `zero`"),
        "instances": Column("int64", "the pairs of medians"),
        "better": Column("int64", "pairs where the median of `solver` is lower"),
        "equal": Column("int64", "pairs where they are equal"),
        "worse": Column("int64", "pairs where it is higher"),
        "difference": Column("float64", "the middle one: of ln f, or of Δz"),
        "p": Column("float64", "of the exact signed-rank test, two-sided"),
        **TEST,
        "effect": Column("float64", "rank-biserial correlation: 1 if `solver` is lower in all pairs, −1 if in none"),
        "instances_better": Column("int64", "instances where `solver` is significantly lower by `instance_tests`"),
        "instances_worse": Column("int64", "instances where it is significantly higher"),
    },
    make=make,
    notes="Holm's correction is over the lines of the study.",
)
