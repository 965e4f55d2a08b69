"""The loop of `lattice`: integer vectors that lie in LANES ellipsoids at once, one coordinate after another.

Fincke & Pohst's enumeration with children in the order of Schnorr & Euchner. Every lane l is an ellipsoid
Σ_i r_i² (w_i − m_i)² ≤ limit with m_i = centre_i − Σ_{j>i} u_ij (w_j − centre_j) (`unbounded.solvers.lattice` makes
them); coordinates are set from the last to the first.

What a row of partial sums Σ_{j≥k} u_ij (w_j − centre_j) has is kept until a w_j beyond changes, so most nodes add two
or three terms in place of n − i (Ghasemmehdi & Agrell 2011; fplll does the same).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unbounded.compiling import LANES, compiled
from unbounded.solvers.kernels.vectors import (
    add,
    all_at_most,
    ceil,
    first,
    floor,
    largest,
    load,
    multiply,
    not_negative,
    smallest,
    spread,
    square_root,
    store,
    subtract,
    zeros,
)


@compiled()
def find_middle(lanes: Any, search: Any, i: int, n: int) -> Any:
    """Return m_i of every lane, given all w_j with j > i."""
    stale = search.stale[i]
    ratios, sums = i * n, i * (n + 1)
    # Most often there is but one new term.
    j = stale
    total = load(search.sums, 0, (sums + j + 1) * LANES)
    total = add(total, multiply(load(lanes.ratio, 0, (ratios + j) * LANES), load(search.offset, 0, j * LANES)))
    store(search.sums, 0, (sums + j) * LANES, total)
    while j > i + 1:
        j -= 1
        total = add(total, multiply(load(lanes.ratio, 0, (ratios + j) * LANES), load(search.offset, 0, j * LANES)))
        store(search.sums, 0, (sums + j) * LANES, total)
    # Rows below have not seen these changes yet.
    if i > 0:
        search.stale[i - 1] = max(search.stale[i - 1], stale)
    search.stale[i] = i + 1
    return subtract(load(lanes.centre, 0, i * LANES), total)


@compiled()
def reach_of(lanes: Any, i: int, w: float, middle: Any, spent: Any) -> Any:
    """Return what the terms down to level i add up to in every lane, with this w_i."""
    step = subtract(spread(w), middle)
    return add(spent, multiply(load(lanes.scale, 0, i * LANES), multiply(step, step)))


@compiled()
def is_within(lanes: Any, search: Any, i: int, w: float, upwards: bool, limit: Any) -> bool:
    """Say whether no lane forbids w_i for being too far out on its side, whatever it is too far in for."""
    middle = load(search.middle, 0, i * LANES)
    out = not_negative(subtract(spread(w), middle) if upwards else subtract(middle, spread(w)))
    spent = load(search.spent, 0, (i + 1) * LANES)
    return bool(all_at_most(add(spent, multiply(load(lanes.scale, 0, i * LANES), multiply(out, out))), limit))


@compiled()
def find_nearest(lanes: Any, i: int, w: float, least: float, middle: Any, room: Any) -> float:
    """Return the w_i nearest to w that all lanes allow, not below `least`; or NaN if there is none."""
    half = square_root(multiply(not_negative(room), load(lanes.inverse, 0, i * LANES)))
    low = max(largest(ceil(subtract(middle, half))), least)
    high = smallest(floor(add(middle, half)))
    return min(max(w, low), high) if low <= high else np.nan


@compiled()
def advance(lanes: Any, search: Any, quota: int) -> None:
    """Go on with a search for so many nodes, until it ends, or until there is no room for another leaf.

    The w_i that all lanes allow are the whole numbers of an interval. The one nearest to the first lane's middle is
    tried first: most nodes without children are found out by it, and only where it is forbidden by another lane alone
    has the interval to be computed. From there on w_i goes outwards on both sides, the nearer to that middle first, and
    a side is closed (±∞) by the first w_i that a lane forbids for being too far out; one that the first lane forbids
    closes both. Since limits may have fallen since, w_i may also be too far in for a lane: then those beyond are to be
    tried yet.
    """
    n = search.w.size
    i, top, leaves = search.level[0], search.top[0], search.count[0]
    limit = load(lanes.limit, 0, 0)
    nodes = 0
    if i == n:
        # Not begun: the first coordinate is free of all others.
        i = n - 1
        store(search.spent, 0, n * LANES, zeros())
        middle = load(lanes.centre, 0, i * LANES)
        store(search.middle, 0, i * LANES, middle)
        w = find_nearest(lanes, i, np.rint(first(middle)), -np.inf, middle, limit)
        if not np.isnan(w):
            search.up[i] = w
            search.down[i] = w - 1.0
    while i < top and nodes < quota and leaves < search.leaves.shape[0]:
        up, down = search.up[i], search.down[i]
        centre = search.middle[0, i * LANES]
        upwards = up - centre <= centre - down
        w = up if upwards else down
        spent = reach_of(lanes, i, w, load(search.middle, 0, i * LANES), load(search.spent, 0, (i + 1) * LANES))
        if not all_at_most(spent, limit):
            if first(spent) > first(limit):
                i += 1
                continue
            within = is_within(lanes, search, i, w, upwards, limit)
            if upwards:
                search.up[i] = up + 1.0 if within else np.inf
            else:
                search.down[i] = down - 1.0 if within and down > search.least[i] else -np.inf
            continue
        if upwards:
            search.up[i] = up + 1.0
        else:
            search.down[i] = down - 1.0 if down > search.least[i] else -np.inf
        while True:
            # Here w is an allowed w_i, and `spent` what it and all set before it add up to.
            nodes += 1
            search.w[i] = w
            if i == 0:
                for k in range(n):
                    search.leaves[leaves, k] = search.w[k]
                leaves += 1
                break
            store(search.offset, 0, i * LANES, subtract(spread(w), load(lanes.centre, 0, i * LANES)))
            store(search.spent, 0, i * LANES, spent)
            middle = find_middle(lanes, search, i - 1, n)
            w = np.rint(first(middle))
            # Interchangeable coordinates are listed in one order alone.
            least = -np.inf
            other = search.previous[i - 1]
            if other >= 0:
                least = search.w[other]
                w = max(w, least)
            reach = reach_of(lanes, i - 1, w, middle, spent)
            if not all_at_most(reach, limit):
                if first(reach) > first(limit):
                    break
                w = find_nearest(lanes, i - 1, w, least, middle, subtract(limit, spent))
                if np.isnan(w):
                    break
                reach = reach_of(lanes, i - 1, w, middle, spent)
            i -= 1
            spent = reach
            store(search.middle, 0, i * LANES, middle)
            search.least[i] = least
            search.up[i] = w + 1.0
            search.down[i] = w - 1.0 if w > least else -np.inf
            if nodes == quota:
                # Not visited yet: it comes first when the search goes on.
                search.up[i] = w
                break
    search.level[0] = i
    search.nodes[0] += nodes
    search.count[0] = leaves
