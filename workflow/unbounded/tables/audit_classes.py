"""How far published values are from a proven optimum, in words.

A value is `optimal` up to 10⁻⁴ above the optimum, `close` up to 10⁻³, `similar` up to 10⁻² and `worse` beyond,
relatively; absolutely where the optimum is zero. What is lower than the optimum by more than 10⁻⁴ is `below`, as no
feasible point is. A recomputed value is known up to the rounding of its vector; where that leaves the word open, it is
`undecided`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unbounded.instances.hessians import FloatArray
from unbounded.tables.measures import CLOSE, OPTIMAL, SIMILAR, TextArray
from unbounded.tables.published import NO_POINT

UNDECIDED = "undecided"
CLASSES = ("optimal", "close", "similar", "worse", "below", UNDECIDED, NO_POINT)


def distance(f: npt.ArrayLike, optimum: npt.ArrayLike, zero: npt.ArrayLike) -> FloatArray:
    """Return how far values are above the optimum, relatively; absolutely where the optimum is zero."""
    best = np.asarray(optimum, dtype=np.float64)
    above: FloatArray = (np.asarray(f, dtype=np.float64) - best) / np.where(np.asarray(zero, dtype=bool), 1.0, best)
    return above


def classes(lowest: npt.ArrayLike, highest: npt.ArrayLike, optimum: npt.ArrayLike, zero: npt.ArrayLike) -> TextArray:
    """Say what values are that lie between these two; nothing where there is no optimum."""
    words = []
    for end in (lowest, highest):
        off = distance(end, optimum, zero)
        limits = [off < -OPTIMAL, off <= OPTIMAL, off <= CLOSE, off <= SIMILAR]
        words.append(np.select(limits, ["below", "optimal", "close", "similar"], default="worse"))
    found = np.where(words[0] == words[1], words[0], UNDECIDED)
    found = np.where(np.isnan(np.asarray(highest, dtype=np.float64)), NO_POINT, found)
    return np.where(np.isnan(np.asarray(optimum, dtype=np.float64)), "", found).astype(object)
