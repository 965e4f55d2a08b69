"""When a measurement agrees with the print, and how it is told.

- Counts, and percentages of cells, agree where the printed number lies within the interval of the measured one
  (`intervals`); of several numbers in one statement each must. A whole percentage is taken as a rounded one.
- "Always" and "everywhere" agree where the statement holds on at least 97 % of the cells (POINTS).
- "Usually", "often" and "many" agree above one half, "nearly all" from 90 % on.
- Named sets and tables agree when they are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from unbounded.tables.evidence import SUITE_SIZE, Evidence
from unbounded.tables.intervals import BINOMIAL, interval

#: "Always" leaves out so many per cent at most.
POINTS = 3.0
#: A whole percentage may be off by so many points.
ROUNDING = 0.5
HALF, NEARLY_ALL = 0.5, 0.9

Answer = Literal["yes", "no", "not measured"]


@dataclass(frozen=True)
class Measured:
    """What the campaign says to a statement."""

    measured: str
    cells: int
    agrees: Answer
    why: str = ""
    #: Where the count of another campaign that differs by its seeds alone should lie.
    interval: str = ""


Measure = Callable[[Evidence], Measured]


def answer(agrees: bool) -> Answer:
    """Return the word for whether the measurement agrees."""
    return "yes" if agrees else "no"


def agree(intervals: Mapping[str, tuple[int, int]], cells: int, printed: Mapping[str, float]) -> bool:
    """Say whether every printed percentage lies within its interval, which is one of counts of cells; ends agree."""

    def inside(share: float, low: int, high: int) -> bool:
        slack = (ROUNDING if share == round(share) else 0.0) + 1e-9
        return 100 * low / cells - slack <= share <= 100 * high / cells + slack

    return all(inside(share, *intervals[word]) for word, share in printed.items())


def tell_intervals(intervals: Mapping[str, tuple[int, int]], rests_on: str) -> str:
    """Write the intervals of counts, and what they rest on."""
    return " / ".join(f"{low}–{high} {word}" for word, (low, high) in intervals.items()) + f" ({rests_on})"


def share_interval(count: int, runs: int) -> str:
    """Write the binomial interval of a share of runs."""
    (low,), (high,) = interval(None, [count], [runs])
    return f"{low}–{high} of {runs} ({BINOMIAL})"


def of_suite(**counts: int) -> dict[str, float]:
    """Return counts of the suite's instances as percentages."""
    return {word: 100 * count / SUITE_SIZE for word, count in counts.items()}


def tell(counts: Mapping[str, int], cells: int, words: tuple[str, ...]) -> str:
    """Write counts and their percentages; `neither` only where there is any."""
    shown = [word for word in words if word != "neither" or counts[word]]
    share = f" ({', '.join(f'{100 * counts[word] / cells:.0f}' for word in shown)} %)" if cells else ""
    return " / ".join(f"{counts[word]} {word}" for word in shown) + f" of {cells}{share}"


def join(*remarks: str) -> str:
    """Write remarks one after the other, each once."""
    return "; ".join(dict.fromkeys(remark for remark in remarks if remark))


def runs_a_cell(id: str, planned: pd.Series, paper: int) -> str:
    """Remark on a number of runs that is not the paper's."""
    numbers = sorted(int(n) for n in planned.unique())
    made = " or ".join(map(str, numbers))
    return "" if numbers == [paper] else f"runs of {id} on a cell: {made}, in the paper {paper}"
