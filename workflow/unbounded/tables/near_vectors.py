"""The integer vectors near an optimum, as an exact solver lists them, checked by our own evaluation.

A list is of use only if it is what it says: every f is computed again from the integers, every vector is feasible, none
is listed twice, and no run of any solver has found one that it lacks. One that fails is refused, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from unbounded.instances import build
from unbounded.instances.completion import complete_points
from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.instances.symmetry import Symmetry, find_symmetry
from unbounded.solvers import registry
from unbounded.tables.measures import CLOSE, BoolArray, is_solved
from unbounded.tables.twins import check_digests

#: Two values are the same up to this, times max(1, f), as in the proofs of exact solvers.
SAME = 1e-9
#: The best so many are compared with one another: twice as many would take four times as long, here some 20 s.
MOST = 20_000
#: Rows of the matrix of distances that are computed at once.
CHUNK = 256
#: The status of a list that is complete, or whose count is.
COUNTED = "counted"

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Near:
    """The integer vectors within 0.1 % of an optimum; empty unless its status is COUNTED."""

    instance: str
    #: The run that proved it.
    solver: str
    seed: int
    within: float
    status: str
    optimum: float = np.nan
    #: How many there are, rearrangements of interchangeable coordinates among them.
    count: float = np.nan
    #: Those that are listed, the best first: their least f, how many vectors each stands for, and the integers.
    f: FloatArray = field(default_factory=lambda: np.empty(0))
    orbit: FloatArray = field(default_factory=lambda: np.empty(0))
    z: FloatArray = field(default_factory=lambda: np.empty((0, 0)))

    @property
    def counted(self) -> bool:
        """Whether the list is of use."""
        return self.status == COUNTED

    @property
    def capped(self) -> bool:
        """Whether there are more vectors than those that are listed."""
        return self.counted and bool(self.orbit.sum() < self.count * (1 - SAME))

    @property
    def plain(self) -> bool:
        """Whether every vector stands for itself alone: only then are distances those of vectors."""
        return bool((self.orbit == 1).all())

    @property
    def limit(self) -> float:
        """Up to which f a vector is near."""
        return near_limit(self.optimum, CLOSE)

    @property
    def tie(self) -> float:
        """By how much an f has to be lower to be better."""
        return SAME * max(1.0, self.optimum)

    @property
    def optimal(self) -> BoolArray:
        """Which of the listed are optimal."""
        result: BoolArray = self.f <= self.optimum + self.tie
        return result

    def rank(self, f: float) -> float:
        """Return 1 + how many vectors are better than f; NaN if f is not near, or above all that are listed."""
        if not self.counted or not f <= (self.f[-1] + self.tie if self.capped else self.limit):
            return np.nan
        return 1.0 + float(self.orbit[self.f < f - self.tie].sum())

    def positions(self, X: Iterable[Any]) -> IntArray:
        """Return the place in the list of every point's integers, or of a rearrangement of these; −1 if there is none.

        A point's reals may be worse than the best for its integers.
        """
        points = np.array(list(X), dtype=np.float64)
        if not len(points) or not len(self.z):
            return np.full(len(points), -1, dtype=np.int64)
        rows = self._canonical(np.rint(points[:, -self.z.shape[1] :]))
        return np.array([self._places.get(row.tobytes(), -1) for row in rows], dtype=np.int64)

    @cached_property
    def local(self) -> tuple[BoolArray, BoolArray]:
        """Which of the listed have no better neighbour at ±1 of one coordinate, and at ±1 of one or two.

        A better neighbour is near itself and further up in the list, which is therefore all that is needed, even if
        it is capped. Of interchangeable coordinates, the order in which two vectors differ least is the sorted one.
        """
        Z = self._canonical(self.z).astype(np.float64)
        alone, paired = np.ones(len(Z), dtype=bool), np.ones(len(Z), dtype=bool)
        for start, block in _blocks(Z):
            i, j = np.nonzero(block <= 2)
            distance, i = block[i, j], i + start
            better = self.f[j] < self.f[i] - self.tie
            i, j, distance = i[better], j[better], distance[better]
            alone[i[distance == 1]] = False
            # A step of 2 in one coordinate is as far as one of two coordinates, but no neighbour.
            paired[i[np.abs(Z[i] - Z[j]).max(axis=1, initial=0) == 1]] = False
        return alone, paired

    @cached_property
    def distances(self) -> IntArray:
        """How many pairs of listed vectors are at the L1 distance 0, 1, 2, …"""
        counts = np.zeros(1 + int(np.ptp(self.z, axis=0).sum()), dtype=np.int64)
        for start, block in _blocks(self.z):
            below = np.tri(len(block), block.shape[1], start - 1, dtype=bool)
            counts += np.bincount(block[below].astype(np.int64), minlength=len(counts))
        return counts

    @cached_property
    def pieces(self) -> Mapping[int, int]:
        """How many pieces the listed fall into, by how long, in L1, steps from one vector to another may be.

        Lengths at which the number does not change are left out; at the last one all are of one piece.
        """
        count, piece = len(self.z), np.arange(len(self.z))
        found = {0: count}
        while count > 1:
            step = int(min(_least_apart(block, piece, start) for start, block in _blocks(self.z)))
            for start, block in _blocks(self.z):
                i, j = np.nonzero(block <= step)
                graph = scipy.sparse.coo_array((np.ones(len(i)), (piece[i + start], piece[j])), (count, count))
                count, joined = scipy.sparse.csgraph.connected_components(graph, directed=False)
                piece = joined[piece]
            found[step] = count
        return found

    @cached_property
    def to_optimum(self) -> FloatArray:
        """The L1 distance of every listed vector to the nearest optimal one."""
        result: FloatArray = scipy.spatial.distance.cdist(self.z, self.z[self.optimal], "cityblock").min(axis=1)
        return result

    @cached_property
    def _symmetry(self) -> Symmetry:
        return find_symmetry(build(self.instance))

    @cached_property
    def _places(self) -> Mapping[bytes, int]:
        return {row.tobytes(): place for place, row in enumerate(self._canonical(self.z))}

    def _canonical(self, Z: FloatArray) -> IntArray:
        """Return rows of integers with those of interchangeable coordinates sorted, if the list does not hold all."""
        if self.plain:
            return Z.astype(np.int64)
        return _sorted(build(self.instance), self._symmetry, Z)


def near_limit(optimum: float, within: float) -> float:
    """Return up to which f an exact solver counts vectors."""
    return optimum * (1.0 + within) + SAME * max(1.0, optimum)


def near_lists(instances: Iterable[str], trials: pd.DataFrame, vectors: pd.DataFrame) -> dict[str, Near]:
    """Return the list of every instance that an exact solver has proven, of several runs' the one that reaches 0.1 %
    with the least beyond; `vectors` are those of the trials, by `row`.
    """
    check_digests(trials)
    rows = trials.reset_index(drop=True).join(vectors.set_index("row"))
    exact = {variant: registry.find(variant).solver.exact for variant in rows["variant"].unique()}
    rows = rows[rows["variant"].map(exact).astype(bool) & (rows["status"] == "optimal")]
    rows = rows.assign(within=[float(json.loads(text).get("within", 0.0)) for text in rows["options"]])
    found = {}
    for instance in dict.fromkeys(instances):
        own = rows[rows["instance"] == instance]
        if own.empty:
            continue
        order = own.assign(
            unlisted=own["vector_f"].isna(), short=own["within"] < CLOSE, beyond=(own["within"] - CLOSE).abs()
        )
        line = order.sort_values(["unlisted", "short", "beyond", "solver", "seed"]).iloc[0]
        found[instance] = _near(line, trials[(trials["instance"] == instance) & is_solved(trials["status"])])
    return found


def _near(line: pd.Series, runs: pd.DataFrame) -> Near:
    """Return the list of a run, checked against itself, against our evaluation and against all runs."""
    instance = build(line["instance"])
    of_run: dict[str, Any] = {name: line[name] for name in ("instance", "solver", "seed", "within")}
    if line["within"] < CLOSE:
        return Near(**of_run, status=f"within {line['within']:g} alone")
    if line["unlisted"]:
        return Near(**of_run, status="nothing was counted")
    told, orbit, z = line["vector_f"], line["vector_orbit"], line["vector_z"]
    f, g = _evaluate(instance, z)
    fault = _fault(instance, line, f, g)
    if fault:
        return Near(**of_run, status=f"refused: {fault}")
    # By the values that the solver counted with: at the limit the last digits decide.
    limit = near_limit(float(told.min()), CLOSE)
    near = told <= limit
    listed_all = bool(orbit.sum() >= line["vector_count"] * (1 - SAME))
    if line["within"] <= CLOSE:
        count = float(line["vector_count"])
    elif listed_all or not near.all():
        count = float(orbit[near].sum())
    else:
        return Near(**of_run, status="the list ends before 0.1 %")
    order = np.argsort(f[near], kind="stable")[:MOST]
    f, orbit, z = f[near][order], orbit[near][order], z[near][order]
    result = Near(**of_run, status=COUNTED, optimum=float(f[0]), count=count, f=f, orbit=orbit, z=z)
    lacking = _lacking(instance, result, runs)
    return Near(**of_run, status=f"refused: it lacks what {lacking} found") if lacking else result


def _evaluate(instance: Instance, z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return f and g of rows of integers, each with its best reals."""
    return instance.evaluate(complete_points(instance, z))


def _fault(instance: Instance, line: pd.Series, f: FloatArray, g: FloatArray) -> str:
    """Say what is wrong with a list, if anything is."""
    told, orbit, z, count = line["vector_f"], line["vector_orbit"], line["vector_z"], float(line["vector_count"])
    if not (np.abs(f - told) <= SAME * np.maximum(1.0, np.abs(f))).all():
        return "f of a listed vector is another"
    if not (g <= instance.E + instance.tolerance).all():
        return "a listed vector is not feasible"
    keys = z.astype(np.int64)
    if (orbit != 1).any():
        symmetry = find_symmetry(instance)
        keys = _sorted(instance, symmetry, z)
        if not np.array_equal(orbit, symmetry.orbit_sizes(keys.astype(np.float64))):
            return "a listed vector has another number of rearrangements"
    if len(np.unique(keys, axis=0)) < len(keys):
        return "a vector is listed twice"
    off = float(orbit.sum()) - count
    full = len(z) >= json.loads(line["options"]).get("keep", np.inf)
    if off > SAME * count or (off < -SAME * count and not full):
        return "it was counted otherwise than listed"
    return ""


def _lacking(instance: Instance, near: Near, runs: pd.DataFrame) -> str:
    """Return the run that found a feasible vector which should be in the list and is not, if there is one.

    Verified points may violate g ≤ E by a tolerance. An exact solver's do not, so only those that do not either count.
    """
    end = near.f[-1] if near.capped else near.optimum * (1 + CLOSE)
    for run, place in zip(runs.itertuples(), near.positions(runs["x"]), strict=True):
        if place < 0 and run.f < end - near.tie and instance.g(np.asarray(run.x)[None, :])[0] <= instance.E:
            return f"{run.solver} (seed {run.seed})"
    return ""


def _sorted(instance: Instance, symmetry: Symmetry, Z: FloatArray) -> IntArray:
    """Return rows of integers as seen from ξ1, up to sign, sorted within each block of interchangeable coordinates."""
    rows: IntArray = (symmetry.sign * (Z - np.rint(instance.xi1[instance.integers]))).astype(np.int64)
    for block in np.unique(symmetry.block):
        at = symmetry.block == block
        rows[:, at] = np.sort(rows[:, at], axis=1)
    return rows


def _least_apart(block: FloatArray, piece: IntArray, start: int) -> float:
    """Return the least distance, in a block of `_blocks`, of two that are of different pieces."""
    rows, columns = block.shape
    apart = piece[start : start + rows, None] != piece[None, :columns]
    return float(block.min(initial=np.inf, where=apart))


def _blocks(Z: FloatArray) -> Iterable[tuple[int, FloatArray]]:
    """Yield the L1 distances of a few rows at a time to all up to themselves, and the first of these rows."""
    for start in range(0, len(Z), CHUNK):
        end = start + CHUNK
        yield start, scipy.spatial.distance.cdist(Z[start:end], Z[:end], "cityblock")
