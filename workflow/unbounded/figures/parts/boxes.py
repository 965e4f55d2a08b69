"""The numbers behind a boxplot: quartiles that count failed runs, where the axis ends, which boxes are beyond it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

#: A run without a solution stands above every value; finite, so that quartiles between it and values are defined.
FAILED = 1e300
#: From these medians on an arrow has two and three heads.
HEADS = (1e2, 1e6)
#: The axis ends where the next median is JUMP times farther from 1 than the one below it, and at CEILING at most;
#: medians within NEVER_EXTREME of 1 are always inside.
JUMP, CEILING, NEVER_EXTREME = 4.0, 5.0, 0.1


@dataclass(frozen=True)
class Box:
    """The runs of one strategy on one instance; quartiles count failed runs above every value."""

    x: float
    c: float
    low: float
    q1: float
    median: float
    q3: float
    high: float
    outliers: tuple[float, ...]

    @property
    def failed(self) -> bool:
        """Whether half of the runs or more have no solution."""
        return self.median >= FAILED / 4


def box(x: float, c: float, values: Sequence[float], failures: int = 0) -> Box:
    """Return the box of these runs, whiskers at the last values within 1.5 interquartile ranges."""
    data = np.sort(np.concatenate([values, np.full(failures, FAILED)]))
    q1, median, q3 = (float(q) for q in np.quantile(data, (0.25, 0.5, 0.75)))
    reach = 1.5 * (q3 - q1)
    inside = data[(data >= q1 - reach) & (data <= q3 + reach)]
    outside = data[((data < q1 - reach) | (data > q3 + reach)) & (data < FAILED)]
    return Box(x, c, float(min(inside.min(), q1)), q1, median, q3, float(max(inside.max(), q3)), tuple(outside))


def robust_limit(boxes: Iterable[Box]) -> float:
    """Return where the axis of normalised values ends: a box that is above it, or reaches above it, is extreme."""
    above = sorted((max(b.median - 1, 0.005), max(b.q3 - 1, 0.005)) for b in boxes if not b.failed)
    reach = NEVER_EXTREME
    for median, _ in above:
        if median <= min(JUMP * reach, CEILING - 1):
            reach = max(reach, median)
    inside = [(median, q3) for median, q3 in above if median <= reach]
    if not inside:
        return 1.5  # Every box is far away: the axis shows where the reference is, and arrows the rest.
    longest = max(NEVER_EXTREME, 2 * max(median for median, _ in inside))
    return 1 + max(min(q3, longest) for _, q3 in inside)


def heads(median: float) -> int:
    """Return the number of arrow heads for an extreme box."""
    return 1 + sum(median >= threshold for threshold in HEADS)
