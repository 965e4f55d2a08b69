"""`lattice`: the optimum, proven, by enumerating the integer vectors that could be better (docs/exact.md).

Every point with f ≤ v has its integers in a few ellipsoids (`unbounded.solvers.ellipsoids`), however unbounded its
variables are; a compiled loop lists them (`unbounded.solvers.kernels.lattice`), and for each the best reals are found by a
secular equation (`unbounded.instances.completion`). v rises from the relaxation in rounds: what a finished round has not
found does not exist, so v is then a proven lower bound; the round that finds the optimum never looks far beyond it.

A round is a set of subtrees that advance in turns of a fixed number of nodes; between turns, leaves are settled and large
subtrees are split. Neither depends on how many threads take the turns, so the answer does not either.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from pydantic import Field

from unbounded.compiling import LANES, Kernel
from unbounded.instances.completion import Completion
from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.instances.relaxation import solve_relaxation
from unbounded.instances.spec import InstanceSpec
from unbounded.instances.symmetry import find_symmetry, none
from unbounded.solvers.contract import Budget, Options, Outcome, Report, Solver, Vectors
from unbounded.solvers.ellipsoids import Ellipsoid, Frame, Order, greedy_order

#: Two values are the same up to this, times max(1, f): what "proven" leaves open (docs/exact.md).
SLACK = 1e-9
#: Multipliers of Babai's points, and of those that the tuning chooses from, over the relaxation's.
STARTS = (0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 8.0, 15.0, 50.0)
CANDIDATES = (0.6, 0.8, 1.0, 1.2, 1.4, 1.7, 2.1, 3.0)
#: Nodes of a turn, and subtrees of a round.
TURN, SUBTREES = 1 << 18, 16
#: A round whose predicted nodes are fewer than this goes straight to the incumbent; rounds grow by this factor.
SMALL_ROUND, GROWTH = 1e5, 3.0
#: Babai's points that are descended from, and neighbours of a point that are settled in a step.
DESCENTS, NEIGHBOURS = 3, 512
#: Leaves that a subtree may find before it has to wait for them to be settled.
LEAVES = 512


class LatticeOptions(Options):
    """Options of `lattice`."""

    within: float = Field(
        0.0, ge=0, le=1, description="Count and keep every integer vector whose best f is within (1 + this) of the optimum"
    )
    keep: int = Field(10_000, ge=1, le=1_000_000, description="How many of them are kept at most; all are counted")
    symmetry: bool = Field(True, description="Whether interchangeable coordinates are listed in one order alone")
    multipliers: tuple[float, ...] = Field(
        (1.0, 0.6, 0.75, 0.88, 1.15, 1.35, 1.7),
        min_length=1,
        max_length=LANES - 1,
        description="Multipliers of the ellipsoids that prune together, over the one that is tuned",
    )
    order: str = Field(
        "greedy", pattern="^(greedy|reverse)$", description="Order of the coordinates: greedy (tightest first) or reverse"
    )


class Lanes(NamedTuple):
    """Ellipsoids side by side, as the compiled loop takes them: r_i², 1/r_i², u_ij = R_ij/R_ii, centres and limits."""

    scale: FloatArray
    inverse: FloatArray
    ratio: FloatArray
    centre: FloatArray
    limit: FloatArray


class Search(NamedTuple):
    """The state of one subtree's enumeration; scalars sit in arrays of one element."""

    w: FloatArray
    #: The interchangeable coordinate that is set before this one, or −1.
    previous: Any
    low: FloatArray
    high: FloatArray
    up: FloatArray
    down: FloatArray
    middle: FloatArray
    offset: FloatArray
    spent: FloatArray
    sums: FloatArray
    stale: Any
    level: Any
    #: The level at which it ends.
    top: Any
    nodes: Any
    count: Any
    leaves: FloatArray

    @staticmethod
    def root(previous: Any) -> Search:
        """Return the search of the whole tree."""
        n = len(previous)

        def whole(value: int, size: int = 1) -> Any:
            return np.full(size, value, dtype=np.int64)

        return Search(
            w=np.zeros(n),
            previous=previous,
            low=np.zeros(n),
            high=np.full(n, -1.0),
            up=np.zeros(n),
            down=np.full(n, -1.0),
            middle=np.zeros((n, LANES)),
            offset=np.zeros((n, LANES)),
            spent=np.zeros((n + 1, LANES)),
            sums=np.zeros((n, (n + 1) * LANES)),
            stale=whole(n - 1, n),
            level=whole(n),
            top=whole(n),
            nodes=whole(0),
            count=whole(0),
            leaves=np.empty((LEAVES, n)),
        )

    @property
    def ended(self) -> bool:
        """Whether all of its nodes were visited."""
        return bool(self.nodes[0] > 0 or self.level[0] != len(self.w)) and bool(self.level[0] >= self.top[0])

    @property
    def open_level(self) -> int:
        """The highest level above its own with a node that was not visited, or −1."""
        own = int(self.level[0])
        left = (self.up <= self.high) | (self.down >= self.low)
        levels = np.flatnonzero(left[own + 1 : self.top[0]])
        return own + 1 + int(levels[-1]) if len(levels) else -1

    def split(self) -> Search:
        """Give what is left on the highest open level away, to a search of its own."""
        level = self.open_level
        other = Search(*(array if array is self.previous else array.copy() for array in self))
        other.level[0], other.nodes[0], other.count[0] = level, 0, 0
        self.top[0] = level
        return other


def _advance() -> Any:
    from unbounded.solvers.kernels.lattice import advance

    return advance


ADVANCE = Kernel(_advance)


def make_lanes(ellipsoids: list[Ellipsoid]) -> Lanes:
    """Return ellipsoids in one order of coordinates side by side; lanes that are left over exclude nothing."""
    n = len(ellipsoids[0].R)
    lanes = Lanes(
        scale=np.ones((n, LANES)),
        inverse=np.ones((n, LANES)),
        ratio=np.zeros((n, n * LANES)),
        centre=np.zeros((n, LANES)),
        limit=np.full((1, LANES), np.inf),
    )
    for lane, ellipsoid in enumerate(ellipsoids):
        diagonal = np.diagonal(ellipsoid.R)
        lanes.scale[:, lane] = diagonal**2
        lanes.inverse[:, lane] = 1.0 / diagonal**2
        lanes.ratio[:, lane::LANES] = ellipsoid.R / diagonal[:, None]
        lanes.centre[:, lane] = ellipsoid.centre
    return lanes


class Stopped(Exception):
    """The budget is spent."""


class Enumeration:
    """One run: the incumbent, the bound, and the rounds that bring them together."""

    def __init__(self, instance: Instance, options: LatticeOptions, report: Report) -> None:
        self.options, self.report = options, report
        self.symmetry = find_symmetry(instance) if options.symmetry else none(instance.n_z)
        self.frame = Frame.of(instance, self.symmetry)
        self.relaxation = solve_relaxation(instance)
        frame = self.frame
        self.completion = Completion(
            frame.A_, frame.B_, frame.d, frame.E, frame.n_r, self.relaxation.multiplier
        )
        self.bound = max(0.0, self.relaxation.bound)
        self.nodes = 0
        self.f = math.inf
        self.w: FloatArray | None = None
        self.found: dict[bytes, tuple[float, FloatArray]] = {}

    # --- Values ---------------------------------------------------------------------------------------------------

    def tie(self, f: float) -> float:
        """Return by how much values may differ that are taken for the same."""
        return SLACK * max(1.0, f)

    def settle(self, W: FloatArray) -> FloatArray:
        """Return the best f for every row of integers, and take note of a better incumbent."""
        completed = self.completion.complete(W - self.frame.phi, allowance=1e-12 * self.frame.E)
        if len(W):
            best = int(np.argmin(completed.f))
            if completed.f[best] < self.f - 1e-13 * max(1.0, self.f if math.isfinite(self.f) else 1.0):
                self.f, self.w = float(completed.f[best]), W[best].copy()
                self.report.incumbent(self.frame.point(completed.r[best], self.w), self.bound)
        return completed.f

    # --- Where to start -------------------------------------------------------------------------------------------

    @cached_property
    def base(self) -> float:
        """The relaxation's multiplier, or one that is small against the values where that is zero."""
        return self.relaxation.multiplier or 0.01 * max(self.completion.least_f(-self.frame.phi[None, :])[0], 1.0) / self.frame.E

    @cached_property
    def first_order(self) -> Order:
        natural = np.arange(self.frame.n_z)
        return self.ordered(Ellipsoid(self.frame, 1.2 * self.base, natural), natural)

    def ordered(self, ellipsoid: Ellipsoid, order: Order) -> Order:
        """Return the order of coordinates that the options ask for, of an ellipsoid in another order."""
        found = order[greedy_order(ellipsoid.R)]
        return found if self.options.order == "greedy" else found[::-1].copy()

    def start(self) -> None:
        """Round the centres of several ellipsoids (Babai), and descend from the best by steps of one or two ±1."""
        ellipsoids = [Ellipsoid(self.frame, factor * self.base, self.first_order) for factor in STARTS]
        R = np.stack([e.R for e in ellipsoids])
        centre = np.stack([e.centre for e in ellipsoids])
        W = np.zeros_like(centre)
        for i in range(self.frame.n_z - 1, -1, -1):
            pull = ((W - centre)[:, i + 1 :] * R[:, i, i + 1 :]).sum(axis=1) / R[:, i, i]
            W[:, i] = np.rint(centre[:, i] - pull)
        points = np.empty_like(W)
        points[:, self.first_order] = W
        # And those of the two centres: ξ0 is the solution where it is feasible, ξ1 is always feasible if it is integer.
        centres = np.rint(np.stack([self.frame.d[self.frame.n_r :] + self.frame.phi, self.frame.phi]))
        values = self.settle(np.vstack([points, centres]))
        starts = [points[k] for k in np.argsort(values[:-2], kind="stable")[:DESCENTS] if math.isfinite(values[k])]
        for w in np.unique(np.array(starts), axis=0) if starts else ():
            self.descend(w)

    def descend(self, w: FloatArray) -> None:
        """Go from w to the best neighbour at a step of ±1 of one or two coordinates, as long as that is better.

        What a neighbour's f is at least follows from q(w + s) = q(w) + 2 sᵀS(w−ŵ) + sᵀSs for φ and for the ellipsoid of
        w's own multiplier, what its g is at least from γ: only those that could be better are settled.
        """
        n = self.frame.n_z
        same = np.tile(np.eye(n, dtype=bool), (2, 2))
        while True:
            completed = self.completion.complete((w - self.frame.phi)[None, :])
            f, multiplier = completed.f[0], completed.multiplier[0]
            natural = np.arange(n)
            below = [_step_values(self.completion.factor_f, w - self.frame.phi - self.completion.d_z, 0.0)]
            if 0 < multiplier < math.inf:
                e = Ellipsoid(self.frame, float(multiplier), natural)
                below.append(_step_values(e.R, w - e.centre, e.bound))
            lowest = np.maximum.reduce(below)
            g = _step_values(self.completion.factor_g, w - self.frame.phi, 0.0)
            lowest[(g > self.frame.E) | (same & ~np.eye(2 * n, dtype=bool))] = np.inf
            first, second = np.nonzero(np.triu(lowest < f - self.tie(f)))
            best = np.argsort(lowest[first, second], kind="stable")[:NEIGHBOURS]
            first, second = first[best], second[best]
            if not len(first):
                return
            W = np.tile(w, (len(first), 1))
            rows = np.arange(len(first))
            W[rows, first % n] += np.where(first < n, 1.0, -1.0)
            pair = first != second
            W[rows[pair], second[pair] % n] += np.where(second[pair] < n, 1.0, -1.0)
            values = self.settle(W)
            k = int(np.argmin(values))
            if not values[k] < f - self.tie(f):
                return
            w = W[k]

    # --- Rounds ---------------------------------------------------------------------------------------------------

    @property
    def target(self) -> float:
        """What a round that proves the incumbent has to look up to."""
        return self.f * (1.0 + self.within) + self.tie(self.f)

    def solve(self) -> None:
        """Raise v in rounds until it reaches the incumbent, or raise Stopped."""
        self.within = 0.0
        self.start()
        guide = Ellipsoid(self.frame, self.base, self.first_order)
        expected = math.log(SMALL_ROUND)
        while True:
            v = self.target
            if guide.log_nodes(v) > expected:
                v = min(v, guide.value_at(expected, v))
            multiplier = self.tune(v)
            guide = Ellipsoid(self.frame, multiplier, self.first_order)
            before = self.nodes
            self.round(v, multiplier)
            self.raise_bound(min(v, self.f))
            if v >= self.target:
                break
            counted = math.log(max(self.nodes - before, 1.0))
            expected = guide.log_nodes(v) + max(math.log(GROWTH), math.log(SMALL_ROUND) - counted)

    def raise_bound(self, value: float) -> None:
        """Take note of a proven lower bound."""
        self.bound = max(self.bound, value)
        self.report.bound(self.bound)

    def tune(self, v: float) -> float:
        """Return the multiplier whose ellipsoid is expected to have the fewest nodes."""
        candidates = [factor * self.base for factor in CANDIDATES]
        if self.relaxation.multiplier == 0:
            candidates.append(0.0)
        return min(candidates, key=lambda mu: Ellipsoid(self.frame, mu, self.first_order).log_nodes(v))

    def round(self, v: float, multiplier: float) -> None:
        """Settle every integer vector whose f may be at most v, or than the incumbent's if that is less."""
        frame = self.frame
        order = self.ordered(Ellipsoid(frame, multiplier, self.first_order), self.first_order)
        around = [factor * (multiplier or self.base) for factor in self.options.multipliers]
        ellipsoids = [Ellipsoid(frame, mu, order) for mu in ([0.0, *around[1:]] if multiplier == 0 else around)]
        boundary = Ellipsoid(frame, None, order)
        lanes = make_lanes([*ellipsoids, boundary])
        self.found.clear()

        def limit() -> None:
            for lane, ellipsoid in enumerate(ellipsoids):
                lanes.limit[0, lane] = ellipsoid.limit(min(v, self.target))
            lanes.limit[0, len(ellipsoids)] = boundary.limit(frame.E)

        limit()
        searches = [Search.root(self.previous(order))]
        while searches:
            quota = self.quota(len(searches))
            for search in searches:
                ADVANCE(lanes, search, quota)
            self.nodes += sum(int(search.nodes[0]) for search in searches)
            known = self.f
            for search in searches:
                W = np.empty((int(search.count[0]), frame.n_z))
                W[:, order] = search.leaves[: len(W)]
                self.leaves += len(W)
                self.keep(W, self.settle(W))
                search.nodes[0] = search.count[0] = 0
            if self.f < known:
                limit()
            searches = [search for search in searches if search.level[0] < search.top[0]]
            while searches and len(searches) < SUBTREES:
                largest = max(searches, key=lambda search: search.open_level)
                if largest.open_level < 0:
                    break
                searches.append(largest.split())

    leaves = 0
    def keep(self, W: FloatArray, f: FloatArray) -> None:
        for k in np.flatnonzero(f <= self.target):
            self.found[W[k].tobytes()] = float(f[k]), W[k].copy()

    def previous(self, order: Order) -> Any:
        """Return, for every place in the order, the place of the interchangeable coordinate that is set before it."""
        found = np.full(len(order), -1, dtype=np.int64)
        last: dict[int, int] = {}
        for place in range(len(order) - 1, -1, -1):
            block = int(self.symmetry.block[order[place]])
            found[place] = last.get(block, -1)
            last[block] = place
        return found

    def quota(self, searches: int) -> int:
        """Return how many nodes each of so many subtrees may visit now; raises Stopped if none."""
        if self.report.remaining <= 0:
            raise Stopped
        budget = self.report.budget
        left = int(budget.amount) - self.nodes if budget.kind == "nodes" else TURN * SUBTREES
        if left <= 0:
            raise Stopped
        return max(1, min(TURN, left // searches))


def _step_values(R: FloatArray, offset: FloatArray, constant: float) -> FloatArray:
    """Return constant + ‖R(w + s)‖² for the steps s = ±e_i on the diagonal (minus after plus), their sums beside it."""
    S = R.T @ R
    S = np.block([[S, -S], [-S, S]])
    gradient = S[: len(offset), : len(offset)] @ offset
    one = 2 * np.concatenate([gradient, -gradient]) + np.diagonal(S)
    values = constant + offset @ gradient + one[:, None] + one + 2 * S
    np.fill_diagonal(values, constant + offset @ gradient + one)
    result: FloatArray = values
    return result


def solve(instance: Instance, budget: Budget, seed: int, options: LatticeOptions, report: Report) -> Outcome:
    run = Enumeration(instance, options, report)
    try:
        run.solve()
        run.done=True
    except Stopped:
        run.done=False
    return run
