"""Tests between every two strategies of a study, on f and on Δz to the proven integers (paper: "with significance").

- On one instance their runs are two samples: Mann & Whitney's rank sum, Holm's correction over a slice's instances.
- On a suite their medians on an instance are a pair: Wilcoxon's signed ranks of the differences, by test case and in
  all, Holm's correction over a study's lines. f is compared by the logarithm of the quotient, Δz by the difference.

p-values are exact, ties included: those of all ways to deal out the ranks, or their signs. A seed says nothing across
strategies, so runs are not paired. Runs without a solution stand above every value. Quotients of zeros say only which
values count as zero, so cells with a zero optimum are tested apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import mannwhitneyu, rankdata

from unbounded.instances.hessians import FloatArray
from unbounded.solvers import registry
from unbounded.tables.measures import ATOL, is_made, median_with_failures
from unbounded.tables.rank_tests import ALPHA, holm
from unbounded.tables.schema import INSTANCE_TESTS, STRATEGY_TESTS, STUDY, TRIAL, shape
from unbounded.tables.verdicts import ABOVE, ALL, ZERO, is_zero

#: What is compared, by its column of `runs`; the lower the better.
MEASURES = ("f", "delta_z_proven")
SLICE = [*STUDY, "group", "kind", "D", "t"]
PAIR = ["solver", "other", "measure"]
#: Up to so many runs of both strategies all ways to deal out the ranks are counted; above, the normal law is as good.
EXACT = 60
#: With fewer pairs nothing can be significant: such test cases would only burden the correction of the others.
LEAST = 6


def instance_tests(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the rank-sum test of every two strategies on every instance of a study, multimodality's aside."""
    lines = []
    rows = _strategies(runs, trials)
    for _, part in rows.groupby(["study", "instance"], sort=False):
        first = part.iloc[0]
        common = {name: first[name] for name in (*SLICE, "instance", "case", "c", "E")}
        common["optima"] = ZERO if first["zero"] else ABOVE
        for measure in MEASURES if first["proven"] else MEASURES[:1]:
            samples = {solver: values.to_numpy() for solver, values in part.groupby("solver", sort=False)[measure]}
            for solver, other in combinations(samples, 2):
                mine, theirs = samples[solver], samples[other]
                p, effect = rank_sum(_raised(mine, measure), _raised(theirs, measure))
                lines.append(
                    {
                        **common,
                        **dict(zip(PAIR, (solver, other, measure), strict=True)),
                        "n": len(mine),
                        "n_other": len(theirs),
                        "median": median_with_failures(mine, len(mine)),
                        "median_other": median_with_failures(theirs, len(theirs)),
                        "p": p,
                        "effect": effect,
                    }
                )
    table = pd.DataFrame(lines, columns=[name for name in INSTANCE_TESTS if name not in ("p_holm", "significant")])
    return shape(_corrected(table, ["study", "group", *PAIR]), INSTANCE_TESTS)


def strategy_tests(instance_tests: pd.DataFrame) -> pd.DataFrame:
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
    table = pd.DataFrame(lines, columns=[name for name in STRATEGY_TESTS if name not in ("p_holm", "significant")])
    return shape(_corrected(table, ["study"]), STRATEGY_TESTS)


# --- The tests -------------------------------------------------------------------------------------------------------


def rank_sum(values: npt.ArrayLike, other: npt.ArrayLike) -> tuple[float, float]:
    """Return the two-sided p, and Vargha & Delaney's A: the chance that a value of the first is lower, ties half."""
    mine, theirs = np.asarray(values, dtype=np.float64), np.asarray(other, dtype=np.float64)
    n, m = len(mine), len(theirs)
    ranks = rankdata(np.concatenate([mine, theirs]))
    above = ranks[:n].sum() - n * (n + 1) / 2
    effect = float(1 - above / (n * m))
    if n + m > EXACT:
        p = 1.0 if np.ptp(ranks) == 0 else float(mannwhitneyu(mine, theirs, method="asymptotic").pvalue)
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
    doubled = np.rint(2 * rankdata(np.abs(found))).astype(np.int64)
    chances = np.zeros(doubled.sum() + 1)
    chances[0] = 1.0
    for rank in doubled:
        moved = np.zeros_like(chances)
        moved[rank:] = chances[: len(chances) - rank]
        chances = (chances + moved) / 2
    lower = int(doubled[found < 0].sum())
    return _two_sided(chances, lower), float(2 * lower / doubled.sum() - 1)


def _two_sided(chances: FloatArray, at: int) -> float:
    return min(1.0, 2 * float(min(chances[: at + 1].sum(), chances[at:].sum())))


# --- What is tested --------------------------------------------------------------------------------------------------


def _strategies(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that strategies made; white-box solvers and references are none."""
    rows = runs[is_made(runs["status"]) & ~runs["is_reference"] & (runs["type"] != "multimodality")]
    rows = rows.merge(trials[[*TRIAL, "variant"]], on=TRIAL, how="left", validate="many_to_one")
    white_box = {variant: _is_white_box(variant) for variant in rows["variant"].unique()}
    rows = rows[~rows["variant"].map(white_box).astype(bool)]
    return rows.assign(zero=is_zero(rows))


def _is_white_box(variant: str) -> bool:
    try:
        return registry.find(variant).solver.white_box
    except ValueError:  # gone since; what it was is not known
        return False


def _raised(values: FloatArray, measure: str) -> FloatArray:
    """Return values as they are ranked: without one above all, and f that counts as zero alike."""
    ranked = np.nan_to_num(values, nan=np.inf)
    return np.maximum(ranked, ATOL) if measure == "f" else ranked


def _differences(cells: pd.DataFrame, measure: str) -> FloatArray:
    """Return what is ranked of pairs of medians; a strategy without one is behind by more than any difference."""
    mine, theirs = (_raised(cells[name].to_numpy(), measure) for name in ("median", "median_other"))
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


def _corrected(table: pd.DataFrame, family: list[str]) -> pd.DataFrame:
    table = table.assign(p_holm=np.nan)
    for index in table.groupby(family).indices.values():
        table.loc[index, "p_holm"] = holm(table.loc[index, "p"].tolist())
    return table.assign(significant=table["p_holm"] < ALPHA)
