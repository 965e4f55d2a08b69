"""The loop of `lattice`: integer vectors that lie in LANES ellipsoids at once, one coordinate after another.

Fincke & Pohst's enumeration with children in the order of Schnorr & Euchner. Every lane l is an ellipsoid
Σ_i r_i² (w_i − m_i)² ≤ limit with m_i = centre_i − Σ_{j>i} u_ij (w_j − centre_j) (`unbounded.solvers.lattice` makes
them); from the last coordinate to the first, the w_i allowed by all lanes are the whole numbers of an interval.

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
def find_middle(lanes: Any, search: Any, i: int) -> Any:
    """Return m_i of every lane, given all w_j with j > i."""
    stale = search.stale[i]
    total = load(search.sums, i, (stale + 1) * LANES)
    j = stale
    while j > i:
        total = add(total, multiply(load(lanes.ratio, i, j * LANES), load(search.offset, j, 0)))
        store(search.sums, i, j * LANES, total)
        j -= 1
    # Rows below have not seen these changes yet.
    if i > 0:
        search.stale[i - 1] = max(search.stale[i - 1], stale)
    search.stale[i] = i + 1
    return subtract(load(lanes.centre, i, 0), total)


@compiled()
def find_interval(lanes: Any, search: Any, i: int, middle: Any, room: Any, least: float) -> None:
    """Write which w_i all lanes allow, from `least` on."""
    half = square_root(multiply(not_negative(room), load(lanes.inverse, i, 0)))
    search.low[i] = max(largest(ceil(subtract(middle, half))), least)
    search.high[i] = smallest(floor(add(middle, half)))


@compiled()
def advance(lanes: Any, search: Any, quota: int) -> None:
    """Go on with a search for so many nodes, until it ends, or until there is no room for another leaf.

    Of the w_i that an interval allows, the nearest to the first lane's middle is visited first. That one is tested
    directly: most nodes without children are found out by it, and the interval of the others, whose roots take longer
    than all else, is computed while their first child is visited.
    """
    n = search.w.size
    i, top, leaves = search.level[0], search.top[0], search.count[0]
    limit = load(lanes.limit, 0, 0)
    nodes = 0
    w = 0.0
    spent = zeros()
    if i == n:
        # Above the root: its interval is that of a level whose parent was visited.
        store(search.spent, n, 0, spent)
        i = n - 1
        middle = find_middle(lanes, search, i)
        store(search.middle, i, 0, middle)
        find_interval(lanes, search, i, middle, limit, -np.inf)
        search.up[i] = min(max(np.rint(first(middle)), search.low[i]), search.high[i])
        search.down[i] = search.up[i] - 1.0
    while i < top and nodes < quota and leaves < search.leaves.shape[0]:
        up, down = search.up[i], search.down[i]
        # The nearer of the two; one beyond its end gives way to the other.
        centre = search.middle[i, 0]
        if up <= search.high[i] and (down < search.low[i] or up - centre <= centre - down):
            w = up
            search.up[i] = up + 1.0
        elif down >= search.low[i]:
            w = down
            search.down[i] = down - 1.0
        else:
            i += 1
            continue
        step = subtract(spread(w), load(search.middle, i, 0))
        spent = add(load(search.spent, i + 1, 0), multiply(load(lanes.scale, i, 0), multiply(step, step)))
        while True:
            nodes += 1
            search.w[i] = w
            if i == 0:
                for k in range(n):
                    search.leaves[leaves, k] = search.w[k]
                leaves += 1
                break
            store(search.offset, i, 0, subtract(spread(w), load(lanes.centre, i, 0)))
            store(search.spent, i, 0, spent)
            search.stale[i - 1] = max(search.stale[i - 1], i)
            middle = find_middle(lanes, search, i - 1)
            w = np.rint(first(middle))
            # Interchangeable coordinates are listed in one order alone.
            least = -np.inf
            other = search.previous[i - 1]
            if other >= 0:
                least = search.w[other]
                w = max(w, least)
            step = subtract(spread(w), middle)
            reach = add(spent, multiply(load(lanes.scale, i - 1, 0), multiply(step, step)))
            if all_at_most(reach, limit):
                i -= 1
                find_interval(lanes, search, i, middle, subtract(limit, spent), least)
            elif first(reach) > first(limit):
                break
            else:
                find_interval(lanes, search, i - 1, middle, subtract(limit, spent), least)
                if search.low[i - 1] > search.high[i - 1]:
                    break
                i -= 1
                w = min(max(w, search.low[i]), search.high[i])
                step = subtract(spread(w), middle)
                reach = add(spent, multiply(load(lanes.scale, i, 0), multiply(step, step)))
            spent = reach
            store(search.middle, i, 0, middle)
            search.up[i] = w + 1.0
            search.down[i] = w - 1.0
            if nodes == quota:
                # Not visited yet: it comes first when the search goes on.
                search.up[i] = w
                break
    search.level[0] = i
    search.nodes[0] += nodes
    search.count[0] = leaves
