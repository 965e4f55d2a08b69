"""Invariance: how a solver's results move with the translation t, and with the radius R that strategies start from.

Whole translations change coordinates and nothing else, so a solver that is invariant fares alike at every t. Runs at t
are paired with those of the same solver and seed on the untranslated twin.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import scipy

from unbounded.tables.columns import INSTANCE, SOLVER, STUDY, TRIAL, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.measures import is_made, median_with_failures, normalise
from unbounded.tables.rank_tests import holm

#: Values this close, relatively, are alike: the tolerance of feasibility alone is worth as much.
ALIKE = 1e-5
_LINE = ["study", "kind", "D", "solver", "variant", "radius", "t"]
_TWIN = ["study", "kind", "D", "case", "c", "E", "hessian", "solver", "seed"]
_WORDS = ("lower", "higher", "alike")
_COUNTS = ["planned", "made", "solved", "proven", "integers", "pairs", *_WORDS]


def make(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each solver and translation of the studies of invariance, by kind and dimension.

    The regret is f/f* − 1 against the proven optimum f*, over the runs made where that is above zero; a run without a
    solution stands above all others. `lower`, `higher` and `alike` count the pairs with t = 0, `p` is that of the sign
    test on them, and Holm's correction is over the study.
    """
    rows = runs[runs["type"] == "invariance"].merge(trials[[*TRIAL, "variant", "options"]], on=TRIAL, how="left")
    if rows.empty:
        return pd.DataFrame()
    rows = _with_pairs(_with_start(rows))
    rows["planned"], rows["proven"] = True, rows["made"] & rows["proven"]
    rows["integers"] = rows["proven"] & rows["delta_z_proven"].eq(0.0)
    measured = rows["proven"] & ~rows["zero_optimum"]
    lines = rows.groupby(_LINE, sort=False, dropna=False)
    table = lines[_COUNTS].sum().assign(measured=measured.groupby(lines.ngroup()).sum().to_numpy()).reset_index()
    regrets = rows[measured].assign(regret=rows["normalised_optimum"] - 1)
    medians = regrets.groupby(_LINE, dropna=False)["regret"].agg(
        lambda values: median_with_failures(values, len(values))
    )
    table = table.merge(medians.rename("regret_median").reset_index(), on=_LINE, how="left")
    table["solved_share"] = table["solved"] / table["made"].where(table["made"] > 0)
    table["integers_share"] = table["integers"] / table["proven"].where(table["proven"] > 0)
    tested = table["pairs"] > 0
    table["p"] = [_sign_test(line.lower, line.higher) if line.pairs else np.nan for line in table.itertuples()]
    for index in table[tested].groupby("study").groups.values():
        table.loc[index, "p_holm"] = holm(table.loc[index, "p"].tolist())
    return table


def _with_start(rows: pd.DataFrame) -> pd.DataFrame:
    """Add the R of the rows' options; a planned trial without a row is counted with the others of its id."""
    options = rows["options"].map(lambda text: json.loads(text) if isinstance(text, str) else {})
    rows = rows.assign(radius=options.map(lambda found: found.get("radius")).astype("float64"))
    for column in ("variant", "radius"):
        rows[column] = rows.groupby(["study", "solver"])[column].transform("first")
    return rows.assign(variant=rows["variant"].fillna(rows["solver"]))


def _with_pairs(rows: pd.DataFrame) -> pd.DataFrame:
    """Add whether a run has a pair at t = 0, both made, and on which side of it its f lies."""
    rows = rows.assign(made=is_made(rows["status"]))
    still = rows.loc[rows["t"] == 0, [*_TWIN, "f", "made"]]
    rows = rows.merge(still, on=_TWIN, how="left", suffixes=("", "_still"))
    pairs = rows["made"] & rows["made_still"].eq(True) & (rows["t"] != 0)
    mine, other = rows["f"].notna(), rows["f_still"].notna()
    ratio = normalise(rows["f"], rows["f_still"])
    lower = pairs & ((mine & ~other) | (ratio < 1 - ALIKE))
    higher = pairs & ((other & ~mine) | (ratio > 1 + ALIKE))
    return rows.assign(pairs=pairs, lower=lower, higher=higher, alike=pairs & ~lower & ~higher)


def _sign_test(lower: int, higher: int) -> float:
    """Return p, two-sided; where all pairs are alike there is nothing to test."""
    return float(scipy.stats.binomtest(lower, lower + higher).pvalue) if lower + higher else 1.0


TABLE = Table(
    name="invariance",
    summary="How the results of a solver move with the translation t, and with the radius R that strategies start from",
    line="a solver at a translation in a study of invariance, by kind and dimension",
    inputs=("runs", "trials"),
    columns={
        **some(STUDY, "study"),
        **some(INSTANCE, "kind", "D"),
        **SOLVER,
        "variant": Column("str", "the solver behind the id"),
        "radius": Column("float64", "R, where a strategy starts from one"),
        **some(INSTANCE, "t"),
        "planned": Column("int64", "runs that are planned"),
        "made": Column("int64", "runs that were made"),
        "solved": Column("int64", "runs with a verified value"),
        "solved_share": Column("float64", "`solved` divided by `made`"),
        "proven": Column("int64", "runs made where the optimum is proven"),
        "integers": Column("int64", "of `proven`, those with the integers of an optimum"),
        "integers_share": Column("float64", "`integers` divided by `proven`"),
        "measured": Column("int64", "of `proven`, those where the optimum is above zero"),
        "regret_median": Column(
            "float64", "the median of f/f* − 1 of these; empty where the median run has no solution"
        ),
        "pairs": Column("int64", "runs made at t and, with the same seed, on the twin at t = 0"),
        "lower": Column("int64", "pairs whose f is lower at t"),
        "higher": Column("int64", "pairs whose f is higher at t"),
        "alike": Column("int64", "pairs whose values are within 10⁻⁵"),
        "p": Column("float64", "of the sign test on the pairs"),
        "p_holm": Column("float64", "p with Holm's correction over the study"),
    },
    make=make,
)
