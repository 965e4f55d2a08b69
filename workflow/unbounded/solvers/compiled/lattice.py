"""The loop of `lattice`: integer vectors that lie in LANES ellipsoids at once, one coordinate after another.

Fincke & Pohst's enumeration with children in the order of Schnorr & Euchner. Every lane l is an ellipsoid
Σ_i r_i² (w_i − m_i)² ≤ limit with m_i = centre_i − Σ_{j>i} u_ij (w_j − centre_j) (`unbounded.solvers.lattice` makes
them); coordinates are set from the last to the first.

What a row has of m_i, centre_i − Σ_{j≥k} u_ij (w_j − centre_j), is kept until a w_j beyond changes, so most nodes take
off two or three terms in place of n − i (Ghasemmehdi & Agrell 2011; fplll does the same).

The processor waits here for comparisons whose ending it cannot guess. So a node's next sibling is worked out beside
its first child, before it is known which of them is needed, and what goes up or down is chosen without branches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unbounded.solvers.compiled.compiling import LANES, compiled
from unbounded.solvers.compiled.vectors import (
    ALL,
    add,
    at_most,
    ceil,
    choose,
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
def reach_of(scale: Any, w: float, middle: Any, above: Any) -> Any:
    """Return what the terms down to a level add up to in every lane, with this w there and `above` before it."""
    step = subtract(spread(w), middle)
    return add(above, multiply(scale, multiply(step, step)))


@compiled()
def is_within(scale: Any, w: float, upwards: bool, middle: Any, above: Any, limit: Any) -> bool:
    """Say whether no lane forbids w for being too far out on its side, whatever it is too far in for."""
    out = not_negative(multiply(spread(choose(upwards, 1.0, -1.0)), subtract(spread(w), middle)))
    return bool(at_most(add(above, multiply(scale, multiply(out, out))), limit) == ALL)


@compiled()
def is_upwards(up: float, down: float, middle: Any) -> bool:
    """Say whether up comes before down: the nearer to the first lane's middle does."""
    centre = first(middle)
    return bool(up - centre <= centre - down)


@compiled()
def take(up: float, down: float, upwards: bool, within: bool, least: float) -> tuple[float, float]:
    """Return up and down after the one that comes first was taken; its side is closed if that was not `within`."""
    next_up = choose(within, up + 1.0, np.inf)
    next_down = choose(within and down > least, down - 1.0, -np.inf)
    return choose(upwards, next_up, up), choose(upwards, down, next_down)


@compiled()
def leave(search: Any, i: int, up: float, down: float, ahead: Any) -> None:
    """Write down where level i goes on, and what the one of up and down that comes first adds up to."""
    search.up[i], search.down[i] = up, down
    store(search.ahead, 0, i * LANES, ahead)


@compiled()
def find_nearest(inverse: Any, w: float, least: float, middle: Any, room: Any) -> float:
    """Return the whole number nearest to w that all lanes allow, not below `least`; or NaN if there is none."""
    half = square_root(multiply(not_negative(room), inverse))
    low = max(largest(ceil(subtract(middle, half))), least)
    high = smallest(floor(add(middle, half)))
    return min(max(w, low), high) if low <= high else np.nan


@compiled()
def find_first(
    scale: Any, inverse: Any, w: float, least: float, middle: Any, above: Any, limit: Any
) -> tuple[bool, float, Any]:
    """Say whether lanes allow any whole number not below `least`; return the one nearest to w, and its reach.

    Where the first lane forbids w itself, it forbids all.
    """
    reach = reach_of(scale, w, middle, above)
    allowed = at_most(reach, limit)
    if allowed != ALL and allowed & 1:
        # What is allowed lies on the side of a lane that forbids w; most often the next there is too far out already.
        upwards = (ALL ^ allowed) & ~at_most(middle, spread(w)) != 0
        w += choose(upwards, 1.0, -1.0)
        if w >= least and is_within(scale, w, upwards, middle, above, limit):
            reach = reach_of(scale, w, middle, above)
            allowed = at_most(reach, limit)
            if allowed != ALL:
                w = find_nearest(inverse, w, least, middle, subtract(limit, above))
                if not np.isnan(w):
                    reach = reach_of(scale, w, middle, above)
                    allowed = ALL
    return allowed == ALL, w, reach


@compiled()
def sum_beyond(lanes: Any, search: Any, i: int, n: int, offset: Any) -> Any:
    """Return m_{i-1} but for the term of w_i, given all w_j with j > i; `offset` is that of w_{i+1}, the last set."""
    stale = search.stale[i]
    ratios, sums = (i - 1) * n, (i - 1) * (n + 1)
    total = load(search.sums, 0, (sums + stale + 1) * LANES)
    j = stale
    while j > i + 1:
        term = multiply(load(lanes.ratio, 0, (ratios + j) * LANES), load(search.offset, 0, j * LANES))
        total = subtract(total, term)
        store(search.sums, 0, (sums + j) * LANES, total)
        j -= 1
    total = subtract(total, multiply(load(lanes.ratio, 0, (ratios + j) * LANES), offset))
    store(search.sums, 0, (sums + j) * LANES, total)
    # The row below has not seen these changes yet.
    search.stale[i - 1] = max(search.stale[i - 1], stale)
    search.stale[i] = i + 1
    return total


@compiled()
def advance(lanes: Any, search: Any, quota: int) -> None:
    """Go on with a search for so many nodes, until it ends, or until there is no room for another leaf.

    The w_i that all lanes allow are the whole numbers of an interval. The one nearest to the first lane's middle is
    tried first: most nodes without children are found out by it, and only where it is forbidden by another lane alone
    has the interval to be computed. From there on w_i goes outwards on both sides, the nearer to that middle first, and
    a side is closed (±∞) by the first w_i that a lane forbids for being too far out; one that the first lane forbids
    closes both. Since limits may have fallen since, w_i may also be too far in for a lane: then those beyond are to be
    tried yet. For the same reason what `ahead` keeps is a sum, not whether it was allowed.
    """
    n, capacity = search.w.size, search.leaves.shape[0]
    i, top, leaves, nodes = search.level[0], search.top[0], search.count[0], 0
    limit = load(lanes.limit, 0, 0)
    if i == n:
        # Not begun: the first coordinate is free of all others.
        i = n - 1
        for row in range(n):
            store(search.sums, 0, (row * (n + 1) + n) * LANES, load(lanes.centre, 0, row * LANES))
        middle, above = load(lanes.centre, 0, i * LANES), zeros()
        store(search.middle, 0, i * LANES, middle)
        store(search.spent, 0, n * LANES, above)
        w = find_nearest(load(lanes.inverse, 0, i * LANES), np.rint(first(middle)), -np.inf, middle, limit)
        up, down = (np.inf, -np.inf) if np.isnan(w) else (w, w - 1.0)
        w = choose(is_upwards(up, down, middle), up, down)
        leave(search, i, up, down, reach_of(load(lanes.scale, 0, i * LANES), w, middle, above))
    back = True
    while i < top and nodes < quota and leaves < capacity:
        # What is known of level i is in memory where the search comes back to it.
        if back:
            ahead = load(search.ahead, 0, i * LANES)
        allowed = at_most(ahead, limit)
        if not allowed & 1:
            i += 1
            back = True
            continue
        if back:
            back = False
            up, down, least = search.up[i], search.down[i], search.least[i]
            middle, above = load(search.middle, 0, i * LANES), load(search.spent, 0, (i + 1) * LANES)
            scale = load(lanes.scale, 0, i * LANES)
            beyond = load(search.sums, 0, ((i - 1) * (n + 1) + i + 1) * LANES) if i > 0 else zeros()
            upwards = is_upwards(up, down, middle)
            sibling = choose(upwards, up, down)
        if allowed != ALL:
            outside = at_most(middle, spread(sibling)) ^ (0 if upwards else ALL)
            if (ALL ^ allowed) & outside != 0:
                up = choose(upwards, np.inf, up)
                down = choose(upwards, down, -np.inf)
            else:
                within = is_within(scale, sibling, upwards, middle, above, limit)
                up, down = take(up, down, upwards, within, least)
            upwards = is_upwards(up, down, middle)
            sibling = choose(upwards, up, down)
            ahead = reach_of(scale, sibling, middle, above)
            continue
        w, spent = sibling, ahead
        up, down = take(up, down, upwards, True, least)
        while True:
            # Here w is an allowed w_i, `spent` what it and all set before it add up to; up and down come after it.
            nodes += 1
            search.w[i] = w
            upwards = is_upwards(up, down, middle)
            sibling = choose(upwards, up, down)
            ahead = reach_of(scale, sibling, middle, above)
            if i == 0:
                for k in range(n):
                    search.leaves[leaves, k] = search.w[k]
                leaves += 1
                break
            offset = subtract(spread(w), load(lanes.centre, 0, i * LANES))
            below = subtract(beyond, multiply(load(lanes.ratio, 0, ((i - 1) * n + i) * LANES), offset))
            child, least_child = np.rint(first(below)), -np.inf
            # Interchangeable coordinates are listed in one order alone.
            other = search.previous[i - 1]
            if other >= 0:
                least_child = search.w[other]
                child = max(child, least_child)
            scale_child, inverse = load(lanes.scale, 0, (i - 1) * LANES), load(lanes.inverse, 0, (i - 1) * LANES)
            found, child, reach = find_first(scale_child, inverse, child, least_child, below, spent, limit)
            if not found:
                break
            leave(search, i, up, down, ahead)
            store(search.offset, 0, i * LANES, offset)
            store(search.spent, 0, i * LANES, spent)
            i -= 1
            store(search.middle, 0, i * LANES, below)
            search.least[i] = least_child
            w, least, scale, middle, above, spent = child, least_child, scale_child, below, spent, reach
            if i > 0:
                beyond = sum_beyond(lanes, search, i, n, offset)
            up, down = w + 1.0, choose(w > least, w - 1.0, -np.inf)
            if nodes == quota:
                # Not visited yet: it is to be tried when the search goes on.
                up = w
                ahead = reach_of(scale, choose(is_upwards(up, down, middle), up, down), middle, above)
                break
    if not back:
        leave(search, i, up, down, ahead)
    search.level[0] = i
    search.nodes[0] += nodes
    search.count[0] = leaves
