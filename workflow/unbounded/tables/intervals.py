"""Intervals of counts: how far the count of another campaign, the same but for its seeds, may lie from this one's.

Where every cell has several runs, campaigns are drawn from the runs at hand: in each cell as many runs as it has, with
replacement. The interval is the count, give or take what 95 % of the pairs of such campaigns differ by. Pairs, since
the best of drawn runs is never better than the best of all: drawn counts of bests lie to one side of the count, but
two of them differ as two campaigns do. And at least three cells either way: what happened in none of the runs would
have been missed with 5 % where three are expected (the rule of three).

One run a cell says nothing of seeds. There the interval is the exact binomial one (Clopper & Pearson). A sum of
independent verdicts, each with a chance of its own, varies at most as the binomial one of the same mean does.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
import numpy.typing as npt
import pandas as pd

from unbounded.instances.hessians import FloatArray
from unbounded.tables.measures import is_made

KEY = ["study", "instance", "solver"]
#: What an interval rests on.
SEEDS, BINOMIAL = "seeds", "binomial"
LEVEL = 0.95
RESAMPLES = 1000
LEAST = 3
_SEED = 1
#: Numbers drawn at once; more would only take memory.
_AT_ONCE = 20_000_000

IntArray = npt.NDArray[np.int64]


def resample(runs: pd.DataFrame, cells: pd.DataFrame) -> tuple[FloatArray, FloatArray]:
    """Return best and median f of RESAMPLES drawn campaigns (rows) in each cell (columns), NaN where there is none.

    Runs without a solution stand above every value; runs that were not made are not drawn. The same cells and runs
    give the same draws.
    """
    keys = cells[KEY].reset_index(drop=True)
    rows = runs.loc[is_made(runs["status"]), [*KEY, "seed", "f"]].merge(keys.assign(cell=keys.index), on=KEY)
    rows = rows.sort_values(["cell", "seed"])
    f = rows["f"].fillna(np.inf).to_numpy(dtype=np.float64)
    sizes = np.bincount(rows["cell"].to_numpy(dtype=np.int64), minlength=len(keys))
    starts = np.cumsum(sizes) - sizes
    generator = np.random.default_rng([_SEED, crc32("\n".join(keys.agg(" ".join, axis=1)).encode())])
    best, median = (np.full((RESAMPLES, len(keys)), np.inf) for _ in range(2))
    for size in np.unique(sizes[sizes > 0]):
        alike = np.flatnonzero(sizes == size)
        for part in np.array_split(alike, -(-len(alike) * size * RESAMPLES // _AT_ONCE)):
            values = f[starts[part][:, None] + np.arange(size)]
            drawn = generator.integers(size, size=(RESAMPLES, len(part), size))
            taken = np.take_along_axis(values[None], drawn, axis=2)
            best[:, part], median[:, part] = taken.min(axis=2), np.median(taken, axis=2)
    return tuple(np.where(np.isfinite(found), found, np.nan) for found in (best, median))  # type: ignore[return-value]


def interval(drawn: npt.ArrayLike | None, counted: npt.ArrayLike, cells: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    """Return the ends of the intervals of counts of so many cells each; without drawn campaigns, binomial ones.

    `drawn` has a row for each campaign and a column for each count.
    """
    return binomial(counted, cells) if drawn is None else _from_seeds(drawn, counted, cells)


def _from_seeds(drawn: npt.ArrayLike, counted: npt.ArrayLike, cells: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    counts = np.asarray(drawn, dtype=np.float64)
    differences = np.abs(counts - np.roll(counts, 1, axis=0))
    reach = np.maximum(np.ceil(np.quantile(differences, LEVEL, axis=0)), LEAST).astype(np.int64)
    count = np.asarray(counted, dtype=np.int64)
    return np.maximum(count - reach, 0), np.minimum(count + reach, np.asarray(cells, dtype=np.int64))


def binomial(counted: npt.ArrayLike, cells: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    """Return the ends of the exact binomial intervals, as counts, rounded outwards."""
    # Captions import this module whenever a campaign is planned, which needs no scipy.
    from scipy.special import betaincinv

    k, n = np.asarray(counted, dtype=np.float64), np.asarray(cells, dtype=np.float64)
    tail = (1 - LEVEL) / 2
    # Where the first argument is zero there is nothing to solve, and what the function makes of it is not used.
    low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)
    high = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail), 1.0)
    return np.floor(low * n).astype(np.int64), np.ceil(high * n).astype(np.int64)
