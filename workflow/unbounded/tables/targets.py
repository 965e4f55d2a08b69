"""Targets: distances to the best known value (table `best_known`), and what it costs to reach them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unbounded.instances.hessians import FloatArray
from unbounded.tables.columns import STUDY
from unbounded.tables.measures import ATOL

#: Distances to the best known value, relative; absolute where that is zero.
TARGETS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
#: What runtimes are measured in; white-box solvers count no evaluations.
MEASURES = ("evaluations", "cpu_seconds")
#: The clock's unit: two shorter times are not told apart by their ratio.
CLOCK = 1e-6

SLICE = [*STUDY, "slice"]


def target_value(known: npt.ArrayLike, target: float) -> FloatArray:
    """Return the f at which a target is reached: (1 + target) times the best known value, or the target itself if zero.

    Up to ATOL values count as zero: no target is smaller, and a best known value up to it is zero.
    """
    best = np.asarray(known, dtype=np.float64)
    value: FloatArray = np.where(best <= ATOL, max(target, ATOL), best * (1 + target))
    return value
