"""The measures that tables are made of: normalised values, verdicts, Δz (paper's Eq. iER), medians, zero optima.

Arrays in, arrays out; NaN stands for "no value".
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from unbounded.instances import build
from unbounded.instances.hessians import FloatArray
from unbounded.tables.statuses import REFUTED
from unbounded.trials.row import SOLVED

#: Values of f up to this count as zero.
ATOL = 1e-6
#: "Similar" means within 1 % of the reference.
SIMILAR = 0.01
#: "Within 0.1 % of the best", the paper's words on multimodality.
CLOSE = 0.001
#: Up to this above the optimum a value is the optimum.
OPTIMAL = 1e-4
#: Runs that were not made: they say nothing of a solver, whereas a run that ended without a solution does.
NOT_MADE = ("missing", "skipped")
#: A quotient that is 1.01 on paper may come out a bit above; ties belong to the tolerance.
_HAIR = 1e-9

VERDICTS = ("better", "similar", "worse", "neither")
TextArray = npt.NDArray[np.object_]
BoolArray = npt.NDArray[np.bool_]
CodeArray = npt.NDArray[np.int8]


def normalise(f: npt.ArrayLike, reference: npt.ArrayLike, atol: float = ATOL) -> FloatArray:
    """Return f / reference, both raised to at least `atol`: 1 where both are zero, NaN where either has no value."""
    value, against = np.asarray(f, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    ratio: FloatArray = np.maximum(value, atol) / np.maximum(against, atol)
    return ratio


def within(normalised: npt.ArrayLike, tolerance: float) -> BoolArray:
    """Say where a normalised value is at most `tolerance` above 1; ties are, NaN is not."""
    result: BoolArray = np.asarray(normalised, dtype=np.float64) - 1.0 <= tolerance * (1 + _HAIR)
    return result


def verdict(
    normalised: npt.ArrayLike, solved: npt.ArrayLike, reference_solved: npt.ArrayLike, tolerance: float = SIMILAR
) -> TextArray:
    """Say `better`, `similar` (within the tolerance, ties included), `worse` or `neither` of normalised values.

    Where one side alone has a solution it is the better one; where no side has, it is `neither`.
    """
    return np.array(VERDICTS, dtype=object)[verdict_codes(normalised, solved, reference_solved, tolerance)]


def verdict_codes(
    normalised: npt.ArrayLike, solved: npt.ArrayLike, reference_solved: npt.ArrayLike, tolerance: float = SIMILAR
) -> CodeArray:
    """Return verdicts as places in VERDICTS: words of a thousand resamples would cost a hundred times as much."""
    ratio = np.asarray(normalised, dtype=np.float64)
    mine, theirs = np.asarray(solved, dtype=bool), np.asarray(reference_solved, dtype=bool)
    margin = tolerance * (1 + _HAIR)
    both = mine & theirs
    conditions = [both & (ratio < 1 - margin), both & (ratio <= 1 + margin), theirs, mine]
    codes: CodeArray = np.select(conditions, [np.int8(0), np.int8(1), np.int8(2), np.int8(0)], default=np.int8(3))
    return codes


def delta_z(x: npt.ArrayLike, x_reference: npt.ArrayLike, n_z: int) -> FloatArray:
    """Return Δz: the share of the last n_z coordinates that differ after rounding; of points, or of rows of points."""
    z = np.rint(np.asarray(x, dtype=np.float64)[..., -n_z:])
    z_reference = np.rint(np.asarray(x_reference, dtype=np.float64)[..., -n_z:])
    share: FloatArray = np.asarray((z != z_reference).mean(axis=-1), dtype=np.float64)
    return share


def median_with_failures(values: npt.ArrayLike, n: int) -> float:
    """Return the median over n runs of which only some have a value; the others stand above every value.

    NaNs among the values are runs without one. Where the median falls on such a run, even by half, it is NaN.
    """
    found = np.asarray(values, dtype=np.float64)
    found = found[~np.isnan(found)]
    if n == 0 or len(found) == 0:
        return float("nan")
    if len(found) > n:
        raise ValueError(f"{len(found)} values of {n} runs")
    median = float(np.median(np.concatenate([found, np.full(n - len(found), np.inf)])))
    return median if np.isfinite(median) else float("nan")


@cache
def zero_optimum(instance: str) -> bool:
    """Say whether f* = 0: ξ0 is feasible, and integer where it must be."""
    built = build(instance)
    centre = built.verify(built.xi0)
    return centre.feasible and centre.integrality_error == 0.0


def is_solved(status: npt.ArrayLike) -> BoolArray:
    """Say of statuses which have a verified value; one whose proof is refuted has, and is no worse a point for it."""
    result: BoolArray = np.isin(np.asarray(status, dtype=object).astype(str), (*SOLVED, REFUTED))
    return result


def is_made(status: npt.ArrayLike) -> BoolArray:
    """Say of statuses which belong to runs that were made, with or without a solution."""
    result: BoolArray = ~np.isin(np.asarray(status, dtype=object).astype(str), NOT_MADE)
    return result
