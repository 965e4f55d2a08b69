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
def reach_of(scale: Any, w: float, middle: Any, spent: Any) -> Any:
    """Return what the terms down to a level add up to in every lane, with this w there."""
    step = subtract(spread(w), middle)
    return add(spent, multiply(scale, multiply(step, step)))


@compiled()
def is_within(scale: Any, w: float, side: float, middle: Any, spent: Any, limit: Any) -> bool:
    """Say whether no lane forbids w for being too far out on its side (±1), whatever it is too far in for."""
    out = not_negative(multiply(spread(side), subtract(spread(w), middle)))
    return bool(at_most(add(spent, multiply(scale, multiply(out, out))), limit) == ALL)


@compiled()
def find_nearest(inverse: Any, w: float, least: float, middle: Any, room: Any) -> float:
    """Return the whole number nearest to w that all lanes allow, not below `least`; or NaN if there is none."""
    half = square_root(multiply(not_negative(room), inverse))
    low = max(largest(ceil(subtract(middle, half))), least)
    high = smallest(floor(add(middle, half)))
    return min(max(w, low), high) if low <= high else np.nan


@compiled()
def sum_beyond(lanes: Any, search: Any, i: int, n: int, offset: Any) -> Any:
    """Return m_{i-1} but for the term of w_i, given all w_j with j > i; w_{i+1} has just been set, with this offset."""
    stale = search.stale[i]
    ratios, sums = (i - 1) * n, (i - 1) * (n + 1)
    total = load(search.sums, 0, (sums + stale + 1) * LANES)
    j = stale
    while j > i + 1:
        total = subtract(total, multiply(load(lanes.ratio, 0, (ratios + j) * LANES), load(search.offset, 0, j * LANES)))
        store(search.sums, 0, (sums + j) * LANES, total)
        j -= 1
    total = subtract(total, multiply(load(lanes.ratio, 0, (ratios + j) * LANES), offset))
    store(search.sums, 0, (sums + j) * LANES, total)
    # The row below has not seen these changes yet.
    search.stale[i - 1] = max(search.stale[i - 1], stale)
    search.stale[i] = i + 1
    return total


@compiled()
def is_upwards(up: float, down: float, middle: Any) -> bool:
    """Say whether up comes before down: the nearer to the first lane's middle does."""
    centre = first(middle)
    return bool(up - centre <= centre - down)


@compiled()
def take(up: float, down: float, upwards: bool, within: bool, least: float) -> tuple[float, float]:
    """Return what up and down are after one of them was taken, its side closed if that was no more `within`."""
    beyond_up = choose(within, up + 1.0, np.inf)
    beyond_down = choose(within and down > least, down - 1.0, -np.inf)
    return choose(upwards, beyond_up, up), choose(upwards, down, beyond_down)


@compiled()
def leave(search: Any, i: int, up: float, down: float, scale: Any, middle: Any, above: Any) -> None:
    """Write down where level i is to go on."""
    search.up[i], search.down[i] = up, down
    w = choose(is_upwards(up, down, middle), up, down)
    store(search.ahead, 0, i * LANES, reach_of(scale, w, middle, above))


@compiled()
def advance(lanes: Any, search: Any, quota: int) -> None:
    n = search.w.size
    i, top, leaves, nodes = search.level[0], search.top[0], search.count[0], 0
    limit = load(lanes.limit, 0, 0)
    if i == n:
        # Not begun: the first coordinate is free of all others.
        for row in range(n):
            store(search.sums, 0, (row * (n + 1) + n) * LANES, load(lanes.centre, 0, row * LANES))
        i = n - 1
        store(search.spent, 0, n * LANES, zeros())
        middle = load(lanes.centre, 0, i * LANES)
        store(search.middle, 0, i * LANES, middle)
        w = find_nearest(load(lanes.inverse, 0, i * LANES), np.rint(first(middle)), -np.inf, middle, limit)
        up, down = (np.inf, -np.inf) if np.isnan(w) else (w, w - 1.0)
        leave(search, i, up, down, load(lanes.scale, 0, i * LANES), middle, zeros())
    capacity = search.leaves.shape[0]
    while i < top and nodes < quota and leaves < capacity:
        spent = load(search.ahead, 0, i * LANES)
        allowed = at_most(spent, limit)
        if not allowed & 1:
            i += 1
            continue
        up, down, least = search.up[i], search.down[i], search.least[i]
        middle, above = load(search.middle, 0, i * LANES), load(search.spent, 0, (i + 1) * LANES)
        scale = load(lanes.scale, 0, i * LANES)
        upwards = is_upwards(up, down, middle)
        w = choose(upwards, up, down)
        if allowed != ALL:
            within = is_within(scale, w, choose(upwards, 1.0, -1.0), middle, above, limit)
            up, down = take(up, down, upwards, within, least)
            leave(search, i, up, down, scale, middle, above)
            continue
        up, down = take(up, down, upwards, True, least)
        beyond = load(search.sums, 0, ((i - 1) * (n + 1) + i + 1) * LANES) if i > 0 else zeros()
        while True:
            # Here w is an allowed w_i, and `spent` what it and all set before it add up to.
            nodes += 1
            search.w[i] = w
            # The next sibling
            upwards = is_upwards(up, down, middle)
            sibling = choose(upwards, up, down)
            ahead = reach_of(scale, sibling, middle, above)
            if i > 0:
                offset = subtract(spread(w), load(lanes.centre, 0, i * LANES))
                ratio = load(lanes.ratio, 0, ((i - 1) * n + i) * LANES)
                below = subtract(beyond, multiply(ratio, offset))
                child = np.rint(first(below))
                # Interchangeable coordinates are listed in one order alone.
                least_child = -np.inf
                other = search.previous[i - 1]
                if other >= 0:
                    least_child = search.w[other]
                    child = max(child, least_child)
                scale_child = load(lanes.scale, 0, (i - 1) * LANES)
                reach = reach_of(scale_child, child, below, spent)
                allowed = at_most(reach, limit)
                if allowed != ALL and allowed & 1:
                    side = choose((ALL ^ allowed) & ~at_most(below, spread(child)) != 0, 1.0, -1.0)
                    if is_within(scale_child, child + side, side, below, spent, limit):
                        inverse = load(lanes.inverse, 0, (i - 1) * LANES)
                        child = find_nearest(inverse, child, least_child, below, subtract(limit, spent))
                        if not np.isnan(child):
                            reach = reach_of(scale_child, child, below, spent)
                            allowed = ALL
                if allowed == ALL:
                    store(search.offset, 0, i * LANES, offset)
                    store(search.spent, 0, i * LANES, spent)
                    store(search.ahead, 0, i * LANES, ahead)
                    search.up[i], search.down[i] = up, down
                    i -= 1
                    store(search.middle, 0, i * LANES, below)
                    search.least[i] = least_child
                    w, least = child, least_child
                    middle, above, spent, scale = below, spent, reach, scale_child
                    if i > 0:
                        beyond = sum_beyond(lanes, search, i, n, offset)
                    up, down = w + 1.0, choose(w > least, w - 1.0, -np.inf)
                    if nodes == quota:
                        # Not visited yet: it comes first when the search goes on.
                        leave(search, i, w, down, scale, middle, above)
                        break
                    continue
            else:
                for k in range(n):
                    search.leaves[leaves, k] = search.w[k]
                leaves += 1
            allowed = at_most(ahead, limit)
            if allowed != ALL or nodes == quota or leaves == capacity:
                if not allowed & 1 and nodes < quota and leaves < capacity:
                    i += 1
                else:
                    search.up[i], search.down[i] = up, down
                    store(search.ahead, 0, i * LANES, ahead)
                break
            w, spent = sibling, ahead
            up, down = take(up, down, upwards, True, least)
    search.level[0] = i
    search.nodes[0] += nodes
    search.count[0] = leaves
