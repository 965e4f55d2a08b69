"""`lattice`: the optimum, proven, by enumerating the integer vectors that could be better (docs/exact.md).

Every point with f ≤ v has its integers in a few ellipsoids (`unbounded.solvers.ellipsoids`), however unbounded its
variables are; a compiled loop lists them (`unbounded.solvers.compiled.lattice`), and for each the best reals are found
by a secular equation (`unbounded.instances.completion`). v rises from the relaxation in rounds: what a finished round
has not found does not exist, so v is then a proven lower bound; the round that finds the optimum never looks far
beyond it.

A round is a set of subtrees that advance in turns of a fixed number of nodes; between turns, leaves are settled and
large subtrees are split. Neither depends on how many threads take the turns, so the answer does not either.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import product
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from unbounded.instances.completion import Completion
from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.instances.relaxation import solve_relaxation
from unbounded.instances.symmetry import find_symmetry, none
from unbounded.solvers.compiled.compiling import LANES, Kernel, aligned
from unbounded.solvers.contract import Budget, Ending, Options, Report, Vectors, WhiteBox
from unbounded.solvers.ellipsoids import Cut, Ellipsoid, Frame, NotPositiveDefiniteError, Order, greedy_order, make_cut

#: Two values are the same up to this, times max(1, f): what "proven" leaves open (docs/exact.md).
SLACK = 1e-9
#: γ may be above E by this share, or by what its evaluation may lose if that is more.
ALLOWANCE = 1e-12
#: Multipliers of Babai's points over the relaxation's, and those that the tuning compares.
STARTS = (0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 8.0, 15.0, 50.0)
FACTORS = (0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5, 1.8)
#: Shares of cuts: multipliers are compared at the last of the first row, and for so many of them all are tried.
SHARES, TRIED = ((0.0, 0.3, 0.6, 0.8), (0.9, 0.95, 0.98)), 2
#: Multipliers and the share of the cuts whose minimisers are rounded, and how many of their coordinates both ways.
ROUNDED, STRONG, BOTH_WAYS = (0.9, 1.0, 1.1, 1.25), 0.97, 7
#: Points that are descended from, and neighbours of a point that are settled in a step.
DESCENTS, NEIGHBOURS = 3, 512
#: Nodes of a turn, and subtrees of a round.
TURN, SUBTREES = 1 << 18, 16
#: Nodes of a dive, nodes that the first round is to have, and the factor by which rounds grow.
DIVE, FIRST_ROUND, GROWTH = 200_000, 1e5, 3.0
#: Leaves that a subtree may find before it has to wait for them to be settled.
LEAVES = 512


#: A negative multiplier or cut would be no bound.
Factor = Annotated[float, Field(gt=0, le=100)]
Power = Annotated[float, Field(ge=0, le=10)]
# Not strict: YAML and JSON have lists and no tuples.
Lane = Annotated[tuple[Factor, Power], Field(strict=False)]


class LatticeOptions(Options):
    """Options of `lattice`."""

    within: float = Field(
        0.0,
        ge=0,
        le=1,
        description="Count and keep every integer vector whose best f is at most (1 + this) times the optimum",
    )
    keep: int = Field(10_000, ge=1, le=1_000_000, description="How many of them are kept at most; all are counted")
    symmetry: bool = Field(True, description="Whether interchangeable coordinates are listed in one order alone")
    lanes: tuple[Lane, ...] = Field(
        ((1.0, 1.0), (0.95, 1.5), (1.05, 1.5), (1.0, 0.5), (0.9, 0.3), (1.1, 0.3)),
        min_length=1,
        max_length=LANES - 2,
        strict=False,
        description="Ellipsoids that prune together: their multiplier over the one that was tuned, and the power to "
        "which their cut raises the share of curvature that the tuned cut leaves",
    )
    order: Literal["tight-first", "loose-first"] = Field(
        "tight-first",
        description="Whether the enumeration starts with the coordinate that is bound tightest or loosest",
    )


class Lanes(NamedTuple):
    """Ellipsoids side by side, as the compiled loop takes them: r_i², 1/r_i², u_ij = R_ij/R_ii, centres and limits.

    Of each number there are LANES, one after the other: one row of memory, in which the loop finds its way by shifts.
    """

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
    #: The next w_i on either side, infinite where there is none left, and what w_i is at least.
    up: FloatArray
    down: FloatArray
    least: FloatArray
    middle: FloatArray
    #: What the terms down to this level add up to with the one of up and down that comes next.
    ahead: FloatArray
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
            up=np.full(n, np.inf),
            down=np.full(n, -np.inf),
            least=np.full(n, -np.inf),
            middle=aligned(1, n * LANES),
            ahead=aligned(1, n * LANES),
            offset=aligned(1, n * LANES),
            spent=aligned(1, (n + 1) * LANES),
            sums=aligned(1, n * (n + 1) * LANES),
            stale=whole(n - 1, n),
            level=whole(n),
            top=whole(n),
            nodes=whole(0),
            count=whole(0),
            leaves=np.empty((LEAVES, n)),
        )

    @property
    def open_level(self) -> int:
        """The highest level above its own that may have a node that was not visited, or −1."""
        own = int(self.level[0])
        left = np.isfinite(self.up) | np.isfinite(self.down)
        levels = np.flatnonzero(left[own + 1 : self.top[0]])
        return own + 1 + int(levels[-1]) if len(levels) else -1

    def split(self) -> Search:
        """Give what is left on the highest open level away, to a search of its own."""
        level = self.open_level
        other = Search.root(self.previous)
        for mine, its in zip(self, other, strict=True):
            its[...] = mine
        other.level[0], other.nodes[0], other.count[0] = level, 0, 0
        self.top[0] = level
        return other


def _advance() -> Any:
    from unbounded.solvers.compiled.lattice import advance

    return advance


ADVANCE = Kernel(_advance)


def make_lanes(ellipsoids: list[Ellipsoid]) -> Lanes:
    """Return ellipsoids in one order of coordinates side by side; lanes that are left over exclude nothing."""
    n = len(ellipsoids[0].R)
    lanes = Lanes(
        scale=aligned(1, n * LANES, value=1.0),
        inverse=aligned(1, n * LANES, value=1.0),
        ratio=aligned(1, n * n * LANES),
        centre=aligned(1, n * LANES),
        limit=aligned(1, LANES, value=np.inf),
    )
    for lane, ellipsoid in enumerate(ellipsoids):
        diagonal = np.diagonal(ellipsoid.R)
        lanes.scale[0, lane::LANES] = diagonal**2
        lanes.inverse[0, lane::LANES] = 1.0 / diagonal**2
        lanes.ratio[0, lane::LANES] = (ellipsoid.R / diagonal[:, None]).ravel()
        lanes.centre[0, lane::LANES] = ellipsoid.centre
    return lanes


class StoppedError(Exception):
    """The budget is spent."""


class Tuned(NamedTuple):
    """The multiplier and the cut's share of a round's first ellipsoid, which is in natural order."""

    multiplier: float
    share: float
    ellipsoid: Ellipsoid
    log_nodes: float


class Kept:
    """The integer vectors found so far whose f is at most a limit: all counted, the best kept.

    Of those that are not kept f and orbit stay: the limit may still fall below some of them.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self._rows: list[tuple[float, float, FloatArray]] = []
        self._others = np.empty((0, 2))

    @property
    def count(self) -> float:
        """How many there are, those that each stands for included."""
        return math.fsum([orbit for _, orbit, _ in self._rows]) + math.fsum(self._others[:, 1])

    def add(self, W: FloatArray, f: FloatArray, orbits: FloatArray) -> None:
        """Take vectors in, each for the first time since the last `clear`."""
        self._rows += zip(f.tolist(), orbits.tolist(), W, strict=True)
        if len(self._rows) > 2 * self._most:
            self.sort()

    def lower(self, limit: float) -> None:
        """Forget those above a new limit."""
        self._rows = [row for row in self._rows if row[0] <= limit]
        self._others = self._others[self._others[:, 0] <= limit]

    def sort(self) -> list[tuple[float, float, FloatArray]]:
        """Return the best, by f."""
        self._rows.sort(key=lambda row: row[0])
        rest = np.array([row[:2] for row in self._rows[self._most :]]).reshape(-1, 2)
        self._others = np.concatenate([self._others, rest])
        del self._rows[self._most :]
        return self._rows


class Enumeration:
    """One run: the incumbent, the bound, and the rounds that bring them together."""

    def __init__(
        self, instance: Instance, options: LatticeOptions, report: Report, pool: ThreadPoolExecutor | None = None
    ) -> None:
        self.options, self.report, self._pool = options, report, pool
        self.symmetry = find_symmetry(instance) if options.symmetry else none(instance.n_z)
        self.frame = frame = Frame.of(instance, self.symmetry)
        # Of g alone and of f alone: that there is a proof says that both are positive definite.
        boundary, objective = (Ellipsoid(frame, multiplier, self.natural) for multiplier in (None, 0.0))
        self.allowance = max(ALLOWANCE * frame.E, boundary.limit(frame.E) - frame.E)
        self.bound = max(0.0, objective.least - SLACK)
        self.relaxed = solve_relaxation(instance).multiplier
        self.completion = Completion(frame.A_, frame.B_, frame.d, frame.E, frame.n_r, self.relaxed)
        self.nodes = 0
        self.f = math.inf
        self.w = np.zeros(frame.n_z)
        self.within = 0.0
        self.kept = Kept(options.keep)

    # --- Values ---------------------------------------------------------------------------------------------------

    @property
    def target(self) -> float:
        """Up to where a round has to look that proves the incumbent, or lists what is near it."""
        return self.f * (1.0 + self.within) + SLACK * max(1.0, self.f)

    def settle(self, W: FloatArray) -> FloatArray:
        """Return the best f for every row of integers, and take note of a better incumbent."""
        completed = self.completion.complete(W - self.frame.phi, self.allowance)
        if np.isnan(completed.f).any():
            raise ArithmeticError("the best f of an integer vector is not a number: the values are out of range")
        best = int(np.argmin(completed.f)) if len(W) else 0
        if len(W) and completed.f[best] < self.f:
            self.f, self.w = float(completed.f[best]), W[best].copy()
            self.report.incumbent(self.frame.point(completed.r[best], self.w), self.bound)
        return completed.f

    def raise_bound(self, value: float) -> None:
        """Take note of a lower bound that is proven up to the slack, which is taken off, as it is of the incumbent."""
        value = min(value, self.f)
        value -= SLACK * max(1.0, value)
        if value > self.bound:
            self.bound = value
            self.report.bound(value)

    # --- Where to start -------------------------------------------------------------------------------------------

    @cached_property
    def natural(self) -> Order:
        """The order in which coordinates come."""
        return np.arange(self.frame.n_z)

    @cached_property
    def scale(self) -> float:
        """The relaxation's multiplier, or one that is small against the values where that is zero."""
        return (
            self.relaxed or 0.01 * max(1.0, float(self.completion.least_f(-self.frame.phi[None, :])[0])) / self.frame.E
        )

    def start(self) -> None:
        """Find a first incumbent: the centres of several ellipsoids, rounded (Babai), the roundings, and descents."""
        ellipsoids = [Ellipsoid(self.frame, factor * self.scale, self.natural) for factor in STARTS]
        self.raise_bound(max(ellipsoids, key=lambda ellipsoid: ellipsoid.k).least)
        order = self.ordered(ellipsoids[2])
        ellipsoids = [Ellipsoid(self.frame, ellipsoid.multiplier, order) for ellipsoid in ellipsoids]
        R, centre = np.stack([e.R for e in ellipsoids]), np.stack([e.centre for e in ellipsoids])
        W = np.zeros_like(centre)
        for i in range(self.frame.n_z - 1, -1, -1):
            pull = ((W - centre)[:, i + 1 :] * R[:, i, i + 1 :]).sum(axis=1) / R[:, i, i]
            W[:, i] = np.rint(centre[:, i] - pull)
        points = np.empty_like(W)
        points[:, order] = W
        # And the two centres: ξ0 is the solution where it is feasible, ξ1 is feasible where it is integer.
        centres = np.rint(np.stack([self.frame.d[self.frame.n_r :] + self.frame.phi, self.frame.phi]))
        points = np.unique(np.vstack([points, centres, *self.roundings()]), axis=0)
        values = self.settle(points)
        for k in np.argsort(values, kind="stable")[:DESCENTS]:
            if math.isfinite(values[k]):
                self.descend(points[k])

    def roundings(self) -> Iterator[FloatArray]:
        """Yield points near the minimisers of strong cuts: most coordinates are whole there, the rest go both ways."""
        for factor in ROUNDED:
            w = make_cut(Ellipsoid(self.frame, factor * self.scale, self.natural), STRONG).w
            unsure = np.argsort(-np.abs(w - np.rint(w)), kind="stable")[:BOTH_WAYS]
            ways = np.array(list(product((0.0, 1.0), repeat=len(unsure))))
            W = np.tile(np.rint(w), (len(ways), 1))
            W[:, unsure] = np.floor(w[unsure]) + ways
            yield W

    def descend(self, w: FloatArray) -> None:
        """Go from w to the best neighbour at a step of ±1 of one or two coordinates, as long as that is better.

        What a neighbour's f is at least follows from q(w + s) = q(w) + 2 sᵀS(w−ŵ) + sᵀSs for φ and for the ellipsoid of
        w's own multiplier, what its g is at least from γ: only those that could be better are settled.
        """
        n, frame, completion = self.frame.n_z, self.frame, self.completion
        opposite = np.tile(np.eye(n, dtype=bool), (2, 2)) & ~np.eye(2 * n, dtype=bool)
        while True:
            completed = completion.complete((w - frame.phi)[None, :], self.allowance)
            f, multiplier = float(completed.f[0]), float(completed.multiplier[0])
            lowest = _step_values(completion.factor_f, w - frame.phi - completion.d_z, 0.0)
            if 0 < multiplier < math.inf:
                own = Ellipsoid(frame, multiplier, self.natural)
                lowest = np.maximum(lowest, _step_values(own.R, w - own.centre, own.k))
            g = _step_values(completion.factor_g, w - frame.phi, 0.0)
            better = np.triu((lowest < f - SLACK * max(1.0, f)) & (g <= frame.E) & ~opposite)
            first, second = np.nonzero(better)
            best = np.argsort(lowest[first, second], kind="stable")[:NEIGHBOURS]
            first, second = first[best], second[best]
            W = np.tile(w, (len(first), 1))
            rows = np.arange(len(first))
            W[rows, first % n] += np.where(first < n, 1.0, -1.0)
            pair = first != second
            W[rows[pair], second[pair] % n] += np.where(second[pair] < n, 1.0, -1.0)
            values = self.settle(W)
            if not (len(W) and values.min() < f - SLACK * max(1.0, f)):
                return
            w = W[int(np.argmin(values))]

    # --- Rounds ---------------------------------------------------------------------------------------------------

    def prove(self) -> None:
        """Raise v in rounds until it reaches the incumbent; raises StoppedError if the budget does not allow it."""
        if self.frame.n_z == 0:
            self.settle_the_only()
            return
        self.start()
        if not math.isfinite(self.f):
            self.find_feasible()
        if math.isinf(self.f) or self.dive():
            return
        guide, v, growth = self.tune(self.target), 0.0, FIRST_ROUND
        while v < self.target:
            expected = guide.ellipsoid.log_nodes(v) + math.log(growth)
            v = guide.ellipsoid.value_at(expected, self.target)
            guide = self.tune(v)
            # The ellipsoid that is best there may have far fewer nodes: then v is too low for it to be worth a round.
            v = max(v, guide.ellipsoid.value_at(math.log(FIRST_ROUND), self.target))
            nodes = self.nodes
            self.round(v, guide)
            growth = max(GROWTH, FIRST_ROUND / (self.nodes - nodes + 1))

    def dive(self) -> bool:
        """Look up to the incumbent for a while, as long as that finds better ones; say whether it saw everything."""
        while True:
            f = self.f
            if self.round(self.target, self.tune(self.target), DIVE):
                return True
            if self.f >= f:
                return False
            self.descend(self.w)

    def list_near(self) -> None:
        """Settle all integer vectors that the options ask for, once the optimum is known."""
        if self.options.within > 0 and math.isfinite(self.f):
            self.within = self.options.within
            self.round(self.target, self.tune(self.target))

    def settle_the_only(self) -> None:
        """Settle the one vector of an instance without integers."""
        W = np.zeros((1, 0))
        self.kept.add(W, self.settle(W), np.ones(1))
        self.raise_bound(self.f)

    def tune(self, v: float) -> Tuned:
        """Return the multiplier and the cut whose ellipsoid is expected to have the fewest nodes.

        Stronger cuts raise k and flatten the ellipsoid: from the share that multipliers are compared at, it gets better
        on one side until it gets worse.
        """
        if v <= 2 * SLACK:
            # The centre of f, and what is as good as that: f itself says it all.
            return self.tuned(Ellipsoid(self.frame, 0.0, self.natural), 0.0, v)
        multipliers = [factor * self.scale for factor in FACTORS] + ([] if self.relaxed else [0.0])
        plain = [Ellipsoid(self.frame, multiplier, self.natural) for multiplier in multipliers]
        tried = sorted((self.tuned(ellipsoid, SHARES[0][-1], v) for ellipsoid in plain), key=lambda t: t.log_nodes)
        best = tried[0]
        for first in tried[:TRIED]:
            ellipsoid = plain[multipliers.index(first.multiplier)]
            for side in (reversed(SHARES[0][:-1]), SHARES[1]):
                last = first
                for share in side:
                    found = self.tuned(ellipsoid, share, v)
                    if found.log_nodes > last.log_nodes:
                        break
                    last = found
                best = min(best, last, key=lambda t: t.log_nodes)
        return best

    def tuned(self, ellipsoid: Ellipsoid, share: float, v: float) -> Tuned:
        """Return the ellipsoid of a multiplier with a cut, and the nodes that are expected of it."""
        found = self.with_cut(ellipsoid, share)
        return Tuned(ellipsoid.multiplier or 0.0, share, found, found.log_nodes(v))

    def with_cut(self, ellipsoid: Ellipsoid, share: float) -> Ellipsoid:
        """Return the ellipsoid of a multiplier with a cut, or as it is where that leaves nothing positive definite."""
        if share == 0:
            return ellipsoid
        try:
            return Ellipsoid(self.frame, ellipsoid.multiplier, self.natural, make_cut(ellipsoid, share))
        except NotPositiveDefiniteError:
            return ellipsoid

    def ordered(self, ellipsoid: Ellipsoid) -> Order:
        """Return the order of coordinates that the options ask for, by an ellipsoid in natural order."""
        order = greedy_order(ellipsoid.R)
        return order if self.options.order == "tight-first" else order[::-1].copy()

    def round(self, v: float, tuned: Tuned, most: float = math.inf) -> bool:
        """Settle every integer vector that has f ≤ v, or f up to the target if that is less; by so many nodes at most.

        Says whether all were settled: then no point is below v but those that were found.
        """
        order = self.ordered(tuned.ellipsoid)
        ellipsoids = []
        for factor, power in self.options.lanes:
            multiplier = factor * (tuned.multiplier or (0.0 if factor == 1.0 else self.scale))
            share = 1.0 - (1.0 - tuned.share) ** power
            cut = self.with_cut(Ellipsoid(self.frame, multiplier, self.natural), share).cut
            ellipsoids.append(_proven(self.frame, multiplier, order, cut))
            self.raise_bound(ellipsoids[-1].least)
        if self.frame.n_r == 0:
            # f itself: without reals, a leaf in this ellipsoid and in that of g is a solution.
            ellipsoids.append(Ellipsoid(self.frame, 0.0, order))
        complete = self.enumerate(v, ellipsoids, order, most)
        if complete:
            self.raise_bound(v)
        return complete

    def find_feasible(self) -> None:
        """Look for an integer vector with γ ≤ E until there is one; that there is none is then proven."""
        order = self.ordered(Ellipsoid(self.frame, None, self.natural))
        self.enumerate(math.inf, [], order, math.inf)

    def enumerate(self, v: float, ellipsoids: Sequence[Ellipsoid], order: Order, most: float) -> bool:
        """Settle the integer vectors in these ellipsoids and in that of g; say whether all were, by so many nodes."""
        boundary = Ellipsoid(self.frame, None, order)
        lanes = make_lanes([*ellipsoids, boundary])
        lanes.limit[0, len(ellipsoids)] = boundary.limit(self.frame.E)
        searches = [Search.root(self.previous(order))]
        self.kept.clear()
        known, started = math.nan, self.nodes
        while searches:
            if self.nodes - started >= most:
                return False
            if known != self.f:
                known = self.f
                self.kept.lower(self.target)
                for lane, ellipsoid in enumerate(ellipsoids):
                    lanes.limit[0, lane] = ellipsoid.limit(min(v, self.target))
            quota = self.quota(len(searches))
            self.advance(lanes, searches, quota)
            for search in searches:
                if search.count[0] > 0:
                    W = np.empty((int(search.count[0]), self.frame.n_z))
                    W[:, order] = search.leaves[: len(W)]
                    f = self.settle(W)
                    near = np.flatnonzero((f <= self.target) & np.isfinite(f))
                    self.kept.add(W[near], f[near], self.symmetry.orbit_sizes(W[near]))
                self.nodes += int(search.nodes[0])
                search.nodes[0] = search.count[0] = 0
            if not ellipsoids and math.isfinite(self.f):
                return False
            searches = _split([search for search in searches if search.level[0] < search.top[0]])
        # The last turn may have improved the incumbent too.
        self.kept.lower(self.target)
        return True

    def advance(self, lanes: Lanes, searches: Sequence[Search], quota: int) -> None:
        """Advance every search by so many nodes."""
        if self._pool is None:
            for search in searches:
                ADVANCE(lanes, search, quota)
        else:
            list(self._pool.map(lambda search: ADVANCE(lanes, search, quota), searches))

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
        """Return how many nodes each of so many subtrees may visit now; raises StoppedError if none."""
        budget = self.report.budget
        left = int(budget.amount) - self.nodes if budget.kind == "nodes" else TURN * SUBTREES
        if left < searches or self.report.remaining <= 0:
            raise StoppedError
        return min(TURN, left // searches)

    # --- What came out --------------------------------------------------------------------------------------------

    def vectors(self) -> Vectors:
        """Return what was kept, in the instance's coordinates; of equal ones the lexicographically smallest first."""
        rows = [(f, orbit, self.frame.integers(w)) for f, orbit, w in self.kept.sort()]
        if not rows:
            raise ArithmeticError("the enumeration has missed the incumbent: its proof is worth nothing")
        least = min(f for f, _, _ in rows)
        tie = SLACK * max(1.0, least)
        rows.sort(key=lambda row: (max(row[0], least + tie), row[2].tolist()))
        return Vectors(
            within=self.within,
            count=self.kept.count,
            z=np.array([z for _, _, z in rows]),
            f=np.array([f for f, _, _ in rows]),
            orbit=np.array([orbit for _, orbit, _ in rows]),
        )

    def point(self, z: FloatArray) -> FloatArray:
        """Return the best point with these integers."""
        w = self.frame.signs * (z - self.frame.origin)
        completed = self.completion.complete((w - self.frame.phi)[None, :], self.allowance)
        return self.frame.point(completed.r[0], w)


def _step_values(R: FloatArray, offset: FloatArray, constant: float) -> FloatArray:
    """Return constant + ‖R(w + s)‖² for the steps s = ±e_i on the diagonal (minus after plus), their sums beside it."""
    S = R.T @ R
    gradient = S @ offset
    S = np.block([[S, -S], [-S, S]])
    here = constant + offset @ gradient
    one = 2 * np.concatenate([gradient, -gradient]) + np.diagonal(S)
    values: FloatArray = here + one[:, None] + one + 2 * S
    np.fill_diagonal(values, here + one)
    return values


def _split(searches: list[Search]) -> list[Search]:
    """Return the searches with the largest of them split, until there are SUBTREES of them or none can be split."""
    while searches and len(searches) < SUBTREES:
        largest = max(searches, key=lambda search: search.open_level)
        if largest.open_level < 0:
            break
        searches.append(largest.split())
    return searches


def _proven(frame: Frame, multiplier: float, order: Order, cut: Cut | None) -> Ellipsoid:
    """Return an ellipsoid, without its cut where what that leaves is too near to singular for a proof."""
    try:
        ellipsoid = Ellipsoid(frame, multiplier, order, cut)
        # Its proof is made here; it may fail where the factor did not.
        ellipsoid.limit(0.0)
        return ellipsoid
    except NotPositiveDefiniteError:
        return Ellipsoid(frame, multiplier, order)


class Lattice(WhiteBox[LatticeOptions]):
    """Enumeration of the integer vectors."""

    summary = "The proven optimum, by enumeration of the integer vectors in the ellipsoids of Lagrangian bounds"
    variants = {"lattice": {}}
    options = LatticeOptions
    budgets = ("seconds", "nodes")
    packages = ("numpy", "numba")
    exact = True
    compiled = True

    def default_budget(self, D: int) -> Budget:
        """Return what a trial may spend: five minutes."""
        return Budget(kind="seconds", amount=300)

    def seconds_of_a_unit(self, D: int) -> float:
        """Return what a node takes."""
        return 5e-8

    def seconds_to_begin(self, D: int) -> float:
        """Return what is spent before the first node."""
        return 0.1 + D / 500

    def prepare(self) -> None:
        """Load the compiled loop, or compile it: list what there is in an interval of the whole numbers."""
        search = Search.root(np.full(1, -1, dtype=np.int64))
        ADVANCE(Lanes(*(aligned(1, LANES, value=1.0) for _ in Lanes._fields)), search, 1)

    def solve(self, instance: Instance, budget: Budget, seed: int, options: LatticeOptions, report: Report) -> Ending:
        """Prove the optimum, or the best bound that the budget allows; the seed changes nothing."""
        with ThreadPoolExecutor(report.threads) as pool:
            run = Enumeration(instance, options, report, pool if report.threads > 1 else None)
            try:
                run.prove()
                run.list_near()
            except StoppedError:
                x = None if math.isinf(run.f) else run.point(run.frame.integers(run.w))
                f = None if x is None else run.f
                if run.within:
                    return Ending(
                        "optimal", f"proven; {budget} spent before all near it were counted", x, f, run.bound, run.nodes
                    )
                return Ending("time-out", f"{budget} spent", x, f, run.bound, run.nodes)
        if math.isinf(run.f):
            return Ending("no-solution", "no integer vector satisfies g ≤ E", None, None, None, run.nodes)
        vectors = run.vectors()
        ending = f"all integer vectors with f up to {run.target:.12g} were settled"
        x = run.point(vectors.z[0])
        return Ending("optimal", ending, x, float(vectors.f[0]), run.bound, run.nodes, vectors)


SOLVER = Lattice()
