"""What `lattice` proves is so: held against exact arithmetic, other solvers, other orders and lanes, and itself."""

import math
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lattice_exact import Arbitrary, Exhaustive, random_instance
from pydantic import ValidationError

from unbounded.instances import build
from unbounded.instances.completion import LEAST, Completion
from unbounded.instances.instance import Instance
from unbounded.instances.symmetry import find_symmetry, none
from unbounded.solvers import lattice
from unbounded.solvers.contract import Budget, Ending, Report
from unbounded.solvers.ellipsoids import Ellipsoid, Frame, NotPositiveDefiniteError, make_cut
from unbounded.solvers.registry import find

#: What a proof leaves open, with room for the rounding of a sum.
SLACK = 2e-9
LANES = ((1.0, 1.0), (1.3, 0.5), (0.7, 0.3))


def run(problem: str | Instance, nodes: float = 1e7, threads: int = 1, **options: Any) -> tuple[Ending, Report]:
    instance = build(problem) if isinstance(problem, str) else problem
    entry, budget = find("lattice"), Budget(kind="nodes", amount=nodes)
    report = Report(instance, budget, threads)
    return entry.solver.solve(instance, budget, 1, entry.options(options), report), report


@lru_cache
def once(id: str) -> Ending:
    """A run that several tests look at."""
    return run(id)[0]


def near(f: float) -> float:
    return SLACK * max(1.0, abs(f))


def demand_optimal(ending: Ending, instance: Instance) -> float:
    """Check all that an optimal ending says of itself, and return its f."""
    assert ending.how == "optimal"
    assert ending.x is not None
    assert ending.claimed_f is not None
    assert ending.bound is not None
    f = ending.claimed_f
    assert f - near(f) <= ending.bound <= f
    point = instance.verify(ending.x)
    assert point.f == pytest.approx(f, rel=1e-9, abs=1e-9)
    assert point.g <= instance.E * (1 + 1e-9)
    assert point.integrality_error == 0.0
    return f


def demand_exact(ending: Ending, instance: Instance, within: float = 0.0) -> None:
    """Check an optimum, and all vectors that come with it, by exhaustive search."""
    f = demand_optimal(ending, instance)
    exhaustive = Exhaustive(instance)
    assert ending.x is not None
    exact_f, exact_g = exhaustive.evaluate(ending.x)
    assert abs(exact_f - Fraction(f)) <= near(f)
    assert exact_g <= Fraction(instance.E) * (1 + Fraction(1, 10**11))
    # Between the two limits nothing is said: it is counted or not by the last bits.
    most = exhaustive.vectors(f * (1 + within) + near(f))
    least = [z for z, bound in most.items() if bound <= f * (1 + within)]
    assert min(most.values()) >= f - near(f)
    vectors = ending.vectors
    assert vectors is not None
    assert len(least) <= vectors.count <= len(most)
    listed = [tuple(z) for z in vectors.z.astype(int).tolist()]
    assert set(listed) <= set(most)
    assert len(set(listed)) == len(listed)
    for z, value in zip(listed, vectors.f, strict=True):
        assert value == pytest.approx(most[z], rel=1e-8, abs=1e-8)


# --- Exact arithmetic ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", range(9))
@pytest.mark.parametrize("group", ["integer-D4-t0-{}-c1e1-E10", "mixed-D4-t0-{}-c1e3-E10", "mixed-D8-t0-{}-c1e1-E10"])
def test_exhaustive_search_in_fractions_finds_the_same_optimum(group: str, case: int) -> None:
    instance = build(group.format(f"TC{case}"))
    demand_exact(run(instance, symmetry=False)[0], instance)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_r=st.integers(0, 3),
    n_z=st.integers(0, 3),
    condition=st.sampled_from([1.0, 10.0, 300.0]),
    E=st.sampled_from([0.01, 0.5, 3.0, 20.0]),
)
def test_any_positive_definite_instance_is_solved_as_exhaustive_search_solves_it(
    seed: int, n_r: int, n_z: int, condition: float, E: float
) -> None:
    instance = random_instance(seed, max(1, n_r + n_z), n_z, condition, E)
    ending, _ = run(instance)
    if ending.how == "no-solution":
        assert not Exhaustive(instance).vectors(1e4)
    else:
        demand_exact(ending, instance)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_r=st.integers(0, 2), within=st.sampled_from([0.02, 0.3]))
def test_all_vectors_within_a_share_of_the_optimum_are_listed_and_no_others(seed: int, n_r: int, within: float) -> None:
    instance = random_instance(seed, n_r + 3, 3, 30.0, 4.0)
    ending, _ = run(instance, within=within)
    if ending.how != "no-solution":
        demand_exact(ending, instance, within)


@pytest.mark.parametrize("id", ["integer-D4-t0-TC4-c1e1-E10", "mixed-D8-t0-TC8-c1e1-E10"])
def test_turns_that_end_anywhere_and_subtrees_that_are_split_lose_nothing(
    id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = build(id)
    expected = run(instance, within=0.1)[0].vectors
    assert expected is not None
    assert expected.count > 10
    for turn, leaves in ((1, 1), (2, 3), (7, 1), (50, 512)):
        monkeypatch.setattr(lattice, "TURN", turn)
        monkeypatch.setattr(lattice, "LEAVES", leaves)
        ending, _ = run(instance, within=0.1)
        assert ending.vectors is not None
        assert ending.vectors.count == expected.count
        assert sorted(ending.vectors.z.tolist()) == sorted(expected.z.tolist())
    demand_exact(ending, instance, 0.1)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 3),
    quota=st.sampled_from([1, 2, 5, 100]),
    split=st.booleans(),
)
def test_what_lies_in_all_ellipsoids_is_listed_once_however_their_limits_fall_meanwhile(
    seed: int, n: int, quota: int, split: bool
) -> None:
    random = np.random.default_rng(seed)
    # Lanes whose centres are far apart against what their last limits allow.
    ellipsoids = [
        SimpleNamespace(R=np.triu(random.normal(size=(n, n)), 1) + np.diag(0.3 + random.random(n)), centre=centre)
        for centre in random.normal(size=(3, n)) * 4
    ]
    box = np.array(list(product(range(-12, 13), repeat=n)), dtype=float)
    norms = np.stack([np.square((box - e.centre) @ e.R.T).sum(axis=1) for e in ellipsoids])
    # At the end just a few are left; at the beginning all of the box's inner part would be.
    last = np.sort(norms.max(axis=0))[min(5, len(box) - 1)] * np.array([1.5, 1.0, 1.0])
    expected = box[(norms <= last[:, None]).all(axis=0)].tolist()
    lanes = lattice.make_lanes(ellipsoids)
    searches = [lattice.Search.root(np.full(n, -1, dtype=np.int64))]
    factor, listed = 4.0, []
    while searches:
        lanes.limit[0, :3] = last * factor * (1 + 1e-12)
        for search in searches:
            lattice.ADVANCE(lanes, search, quota)
            listed += search.leaves[: search.count[0]].tolist()
            search.count[0] = 0
        searches = [search for search in searches if search.level[0] < search.top[0]]
        searches = lattice._split(searches) if split else searches
        factor = max(1.0, factor * random.choice([1.0, 0.5]))
    assert len({tuple(w) for w in listed}) == len(listed)
    assert {tuple(w) for w in expected} <= {tuple(w) for w in listed}
    # With limits that were low from the beginning there are no others.
    search = lattice.Search.root(np.full(n, -1, dtype=np.int64))
    lanes.limit[0, :3] = last * (1 + 1e-12)
    lattice.ADVANCE(lanes, search, 1 << 20)
    found = search.leaves[: search.count[0]]
    assert sorted(found[(np.abs(found) <= 12).all(axis=1)].tolist()) == sorted(expected)


@pytest.mark.parametrize("side", [-6.0, 6.0])
def test_a_side_stays_open_where_another_ellipsoid_is_further_out(side: float) -> None:
    wide, narrow = (SimpleNamespace(R=np.eye(1), centre=np.array([at])) for at in (0.2, side))
    lanes = lattice.make_lanes([wide, narrow])
    lanes.limit[0, :2] = 100, 400
    search = lattice.Search.root(np.full(1, -1, dtype=np.int64))
    lattice.ADVANCE(lanes, search, 1)
    lanes.limit[0, 1] = 4.5
    lattice.ADVANCE(lanes, search, 100)
    assert sorted(search.leaves[: search.count[0], 0].tolist()) == sorted([0.0, *(side + k for k in range(-2, 3))])


@pytest.mark.parametrize("side", [-6.0, 6.0])
@pytest.mark.parametrize("quota", [1, 2, 3, 1000])
def test_a_turn_that_ends_where_ellipsoids_are_far_apart_lists_what_is_in_both_and_no_more(
    side: float, quota: int
) -> None:
    """The first to be allowed is then far from the first ellipsoid's middle, and not the next in order."""
    wide, narrow = (SimpleNamespace(R=np.eye(2), centre=np.full(2, at)) for at in (0.2, side))
    lanes = lattice.make_lanes([wide, narrow])
    lanes.limit[0, :2] = 100, 4.5
    search = lattice.Search.root(np.full(2, -1, dtype=np.int64))
    listed = []
    for _ in range(100):
        lattice.ADVANCE(lanes, search, quota)
        listed += search.leaves[: search.count[0]].tolist()
        search.count[0] = 0
        if search.level[0] == search.top[0]:
            break
    steps = range(-2, 3)
    near = [[side + a, side + b] for a in steps for b in steps if a * a + b * b <= 4.5]
    within = [w for w in near if sum((c - 0.2) ** 2 for c in w) <= 100]
    assert sorted(listed) == sorted(within)


# --- Known optima, other solvers, other searches ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "optimum", "digits"),
    [
        ("mixed-D64-t0-TC1-c1e5-E30", 1149.99594, 1e-8),
        ("mixed-D64-t0-TC3-c1e3-E30", 829.577955, 1e-9),
        ("mixed-D64-t0-TC6-c1e6-E10", 0.009352, 1e-4),
        ("mixed-D64-t0-TC7-c1e4-E30", 0.518883, 1e-6),
        ("mixed-D16-t0-TC0-c1e1-E30", 1306.9606, 1e-7),
        ("mixed-D16-t0-TC6-c1e1-E30", 163.62599, 1e-7),
        ("mixed-D16-t0-TC6-c1e4-E30", 0.267752, 1e-5),
        # 1286.0287 is also in circulation: what the feasibility tolerance of a solver is worth.
        ("mixed-D16-t0-TC0-c1e4-E30", 1286.0292427, 1e-9),
    ],
)
def test_optima_that_are_known_are_found(id: str, optimum: float, digits: float) -> None:
    assert demand_optimal(once(id), build(id)) == pytest.approx(optimum, rel=digits)


def test_the_papers_multimodality_instance_has_one_optimum_and_7165_vectors_within_a_thousandth() -> None:
    id = "integer-D64-t0-TC4-c1e1-E10"
    ending, _ = run(id, 5e7, within=0.001, keep=5000)
    assert demand_optimal(ending, build(id)) == pytest.approx(2737.023759, rel=1e-9)
    vectors = ending.vectors
    assert vectors is not None
    assert vectors.count == 7165
    assert len(vectors.z) == len(vectors.f) == len(vectors.orbit) == 5000
    assert vectors.f[1] > vectors.f[0] * (1 + 1e-6)
    assert (np.diff(vectors.f) >= 0).all()
    assert (np.diff(vectors.f) > 0).any()


@pytest.mark.parametrize(
    ("solver", "kind", "amount"), [("scip+centre", "nodes", 500), ("gurobi+centre+box", "work", 5)]
)
@pytest.mark.parametrize("id", ["mixed-D16-t0-TC1-c1e3-E30", "mixed-D16-t0-TC3-c1e4-E30"])
def test_proofs_of_other_solvers_do_not_contradict_it(solver: str, kind: Any, amount: float, id: str) -> None:
    other, instance, budget = find(solver), build(id), Budget(kind=kind, amount=amount)
    reason = other.solver.unavailable()
    if reason is not None:
        pytest.skip(reason)
    theirs = other.solver.solve(instance, budget, 1, other.options({}), Report(instance, budget))
    f = demand_optimal(once(id), instance)
    assert theirs.how in ("optimal", "tolerance")
    assert theirs.x is not None
    assert theirs.bound is not None
    # Their points may be outside by the tolerance.
    assert theirs.bound <= f * (1 + 1e-6)
    assert f * (1 - 1e-6) <= instance.verify(theirs.x).f <= f * 1.002


@pytest.mark.parametrize(
    "id",
    [
        "mixed-D32-t0-TC1-c1e2-E10",
        "mixed-D32-t0-TC5-c1e2-E10",
        "mixed-D32-t0-TC6-c1e4-E30",
        "mixed-D32-t0-TC7-c1e6-E50",
        "integer-D32-t0-TC3-c1e2-E10",
        "integer-D32-t0-TC8-c1e2-E10",
    ],
)
def test_another_order_and_other_lanes_prove_the_same(id: str) -> None:
    instance = build(id)
    expected = once(id)
    f = demand_optimal(expected, instance)
    for options in ({"order": "loose-first"}, {"lanes": LANES}):
        ending, _ = run(instance, 3e6, **options)
        assert expected.x is not None
        assert ending.x is not None
        if ending.how == "optimal":
            assert demand_optimal(ending, instance) == pytest.approx(f, rel=1e-9)
            assert ending.x[instance.integers].tolist() == expected.x[instance.integers].tolist()
        else:
            # In an order that is bad on purpose it may not end.
            assert "order" in options
            assert ending.bound is not None
            assert ending.bound <= f


def test_the_answer_does_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lattice, "TURN", 100)
    monkeypatch.setattr(lattice, "LEAVES", 20)
    id = "integer-D16-t0-TC7-c1e2-E10"
    (one, first), (two, second) = run(id, within=0.05), run(id, within=0.05, threads=2)
    assert (one.how, one.claimed_f, one.bound, one.ticks) == (two.how, two.claimed_f, two.bound, two.ticks)
    assert one.x is not None
    assert two.x is not None
    assert one.x.tobytes() == two.x.tobytes()
    assert one.vectors is not None
    assert two.vectors is not None
    assert one.vectors.count == two.vectors.count > 100
    assert one.vectors.z.tobytes() == two.vectors.z.tobytes()
    assert one.vectors.f.tobytes() == two.vectors.f.tobytes()
    assert [(p.f, p.bound) for p in first.trace] == [(p.f, p.bound) for p in second.trace]


# --- Symmetry and translation -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "id",
    [
        "mixed-D16-t0-TC0-c1e1-E30",
        "integer-D8-t0-TC0-c1e1-E10",
        "integer-D8-t0-sphere-c1-E7",
        "mixed-D12-t0.5-sphere-c1-E9",
        "integer-D8-t0.25-TC0-c1e1-E8",
    ],
)
def test_counting_one_of_every_orbit_is_counting_all(id: str) -> None:
    instance = build(id)
    (ending, _), (every, _) = (run(instance, symmetry=on, within=0.02) for on in (True, False))
    f = demand_optimal(ending, instance)
    assert demand_optimal(every, instance) == pytest.approx(f, rel=1e-9)
    assert ending.vectors is not None
    assert every.vectors is not None
    assert ending.vectors.count == every.vectors.count == len(every.vectors.z)
    assert ending.vectors.orbit.sum() == ending.vectors.count
    assert len(ending.vectors.z) < len(every.vectors.z)
    assert (every.vectors.orbit == 1).all()
    assert {tuple(z) for z in ending.vectors.z} <= {tuple(z) for z in every.vectors.z}


@pytest.mark.parametrize("t", [1e4, -3])
@pytest.mark.parametrize("case", ["mixed-D16-t{}-TC0-c1e1-E30", "integer-D16-t{}-TC6-c1e2-E10"])
def test_a_translated_twin_has_the_same_proof_to_the_bit(case: str, t: float) -> None:
    origin, twin = once(case.format(0)), once(case.format(f"{t:g}".replace("+0", "") if abs(t) < 1e4 else "1e4"))
    assert origin.x is not None
    assert twin.x is not None
    n_r = build(case.format(0)).n_r
    assert (twin.x[n_r:] - t).tolist() == origin.x[n_r:].tolist()
    assert (twin.claimed_f, twin.bound, twin.ticks) == (origin.claimed_f, origin.bound, origin.ticks)


@pytest.mark.parametrize("id", ["integer-D4-t0.375-TC7-c1e1-E10", "mixed-D8-t-1.75-TC2-c1e1-E10"])
def test_a_translation_by_a_fraction_changes_the_problem_and_is_solved(id: str) -> None:
    demand_exact(run(id, symmetry=False)[0], build(id))


def test_interchangeable_coordinates_are_found_from_the_arrays() -> None:
    def blocks(id: str) -> list[int]:
        return find_symmetry(build(id)).block.tolist()

    # The cigar's light axis is the first of each half.
    assert blocks("mixed-D8-t0-TC0-c1e1-E30") == [0, 1, 1, 1]
    assert blocks("integer-D8-t0-TC0-c1e1-E30") == [0, 1, 1, 1, 0, 1, 1, 1]
    assert blocks("integer-D6-t0-sphere-c1-E30") == [0] * 6
    # A fraction tells coordinates of different sign apart.
    assert blocks("integer-D6-t0.25-sphere-c1-E30") == [0, 1] * 3
    for case in ("TC1", "TC3", "TC4"):
        assert find_symmetry(build(f"integer-D8-t0-{case}-c1e1-E30")).trivial


def test_exchanging_interchangeable_coordinates_changes_neither_f_nor_g() -> None:
    instance = build("integer-D8-t0.25-TC0-c1e1-E30")
    symmetry = find_symmetry(instance)
    random = np.random.default_rng(5)
    x = random.integers(-4, 4, size=8) + 0.0
    frame = Frame.of(instance, symmetry)
    w = frame.signs * (x - frame.origin)
    for block in np.unique(symmetry.block):
        at = np.flatnonzero(symmetry.block == block)
        for order in permutations(at):
            moved = w.copy()
            moved[at] = w[list(order)]
            other = frame.integers(moved)
            assert instance.f(other[None, :])[0] == pytest.approx(instance.f(x[None, :])[0], rel=1e-14)
            assert instance.g(other[None, :])[0] == pytest.approx(instance.g(x[None, :])[0], rel=1e-14)


def test_an_orbit_has_as_many_members_as_there_are_different_arrangements() -> None:
    symmetry = find_symmetry(build("integer-D8-t0-TC0-c1e1-E30"))
    W = np.array([[1, 2, 2, 3, 1, 4, 4, 4], [0] * 8, [1, 2, 3, 4, 5, 6, 7, 8]], dtype=float)
    expected = [math.factorial(6) / (2 * 6), 1, 2 * math.factorial(6)]
    assert symmetry.orbit_sizes(W).tolist() == expected


# --- Runs that are stopped, and what cannot be solved -------------------------------------------------------------


@pytest.mark.parametrize("id", ["integer-D16-t0-TC1-c1e2-E10", "integer-D32-t0-TC5-c1e2-E10"])
def test_a_run_that_is_stopped_has_a_feasible_point_and_bounds_that_are_none_too_high(id: str) -> None:
    optimum = demand_optimal(once(id), build(id))
    claims = []
    for nodes in (1, 2, 3, 10, 31, 100, 316, 1000, 2000):
        ending, report = run(id, nodes)
        claims.append(ending.how)
        assert ending.how in ("time-out", "optimal")
        assert ending.x is not None
        assert report.instance.verify(ending.x).feasible
        assert ending.ticks is not None
        assert ending.ticks <= nodes
        bounds = [ending.bound, *(point.bound for point in report.trace)]
        assert all(bound is None or bound <= optimum for bound in bounds)
        assert ending.bound is not None
        assert ending.bound > 0
        assert ending.claimed_f is not None
        assert ending.claimed_f >= optimum - near(optimum)
        if ending.how == "time-out":
            assert ending.vectors is None
            assert ending.termination == f"{nodes} nodes spent"
    assert claims[:4] == ["time-out"] * 4


def test_a_count_that_is_stopped_says_that_the_optimum_is_proven_and_the_count_is_not() -> None:
    id = "integer-D16-t0-TC7-c1e2-E10"
    spent = once(id).ticks
    assert spent is not None
    ending, _ = run(id, spent + 100, within=0.1)
    assert ending.how == "optimal"
    assert ending.termination.endswith("nodes spent before all near it were counted")
    assert ending.vectors is None
    assert ending.bound == pytest.approx(ending.claimed_f, rel=1e-8)


def test_what_is_not_kept_is_counted_all_the_same() -> None:
    id = "mixed-D16-t0-TC0-c1e1-E30"
    every, _ = run(id, symmetry=False, within=0.02)
    few, _ = run(id, symmetry=False, within=0.02, keep=3)
    assert every.vectors is not None
    assert few.vectors is not None
    assert few.vectors.count == every.vectors.count == len(every.vectors.z) > 20
    assert len(few.vectors.z) == 3
    assert few.vectors.f == pytest.approx(every.vectors.f[:3], rel=1e-12)


def test_a_limit_that_falls_forgets_what_is_above_it_kept_or_not() -> None:
    kept = lattice.Kept(2)
    f = np.array([5.0, 1.0, 4.0, 2.0, 3.0, 1.5, 2.5])
    kept.add(np.arange(7.0)[:, None], f, np.full(7, 10.0))
    assert kept.count == 70
    kept.lower(2.5)
    assert kept.count == 40
    assert [row[0] for row in kept.sort()] == [1.0, 1.5]
    assert kept.count == 40
    kept.clear()
    assert kept.count == 0


@pytest.mark.parametrize(("turn", "leaves"), [(1, 1), (8, 512)])
def test_an_incumbent_that_improves_at_any_time_loses_no_vector_and_leaves_none_above_its_target(
    turn: int, leaves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a poor start, limits fall while subtrees are open, and lanes that differ much then forbid what is inmost."""
    monkeypatch.setattr(lattice.Enumeration, "start", lambda self: self.settle(np.rint(self.frame.phi)[None, :]))
    monkeypatch.setattr(lattice, "TURN", turn)
    monkeypatch.setattr(lattice, "LEAVES", leaves)
    for seed, n_r in [(2, 0), (16, 0), (24, 0), (28, 0), (59, 0), (3, 1), (19, 1), (33, 1), (38, 1)]:
        instance = random_instance(seed, 3 + 2 * n_r, 3 + n_r, 30.0, 8.0)
        ending, _ = run(instance, lanes=((1.0, 1.0), (0.1, 0.5), (10.0, 0.3)))
        demand_exact(ending, instance)


def half_way(E: float, D: int = 4, n_r: int = 0) -> Arbitrary:
    """Return an instance whose ξ1 is as far from whole numbers as can be: g is at least (D − n_r)/4."""
    return Arbitrary(np.eye(D), np.eye(D), np.full(D, 3.0), np.full(D, 0.5), E, D - n_r)


@pytest.mark.parametrize("n_r", [0, 2])
def test_that_no_integer_vector_is_feasible_is_proven(n_r: int) -> None:
    least = (4 - n_r) / 4
    for E in (1e-9, 0.3 * least, least * (1 - 1e-6)):
        ending, _ = run(half_way(E, n_r=n_r))
        assert (ending.how, ending.termination) == ("no-solution", "no integer vector satisfies g ≤ E")
        assert ending.x is None
    # On the boundary itself there are some, and with reals they have no room.
    instance = half_way(least, n_r=n_r)
    ending, _ = run(instance)
    assert demand_optimal(ending, instance) == pytest.approx(n_r * 2.5**2 + (4 - n_r) * 4)
    assert ending.x is not None
    assert ending.x.tolist() == [0.5] * n_r + [1.0] * (4 - n_r)


def test_a_search_for_a_feasible_vector_that_is_stopped_has_no_point() -> None:
    instance = half_way(9.0, 40)
    ending, _ = run(instance, 2000, symmetry=False)
    assert (ending.how, ending.x, ending.claimed_f) == ("time-out", None, None)


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"Hf": np.diag([1.0, -1.0])}, "not positive definite"),
        ({"Hg": np.diag([1.0, -1.0])}, "not positive definite"),
        ({"Hg": np.diag([1.0, 0.0])}, "not positive definite"),
        ({"Hf": np.ones((2, 2))}, "not positive definite"),
        ({"Hf": np.array([[1.0, 0.5], [0.0, 1.0]])}, "Hf is not a symmetric matrix"),
        ({"Hg": np.array([[1.0, np.nan], [np.nan, 1.0]])}, "Hg is not a symmetric matrix of finite numbers"),
        ({"E": -1.0}, "E is -1; allowed: a number above 0"),
        ({"E": 0.0}, "E is 0; allowed: a number above 0"),
        ({"E": math.nan}, "E is nan; allowed: a number above 0"),
        ({"xi1": [1e17, 0.0]}, "xi1 is beyond 2\\^52"),
        ({"xi0": [math.inf, 0.0]}, "xi0 is beyond 2\\^52"),
    ],
)
@pytest.mark.parametrize("n_z", [1, 2])
def test_what_is_no_instance_is_refused_with_the_reason(arrays: dict[str, Any], said: str, n_z: int) -> None:
    good = {"Hf": np.eye(2), "Hg": np.eye(2), "xi0": [7.0, -7.0], "xi1": [-4.0, 4.0], "E": 3.0, "n_z": n_z}
    run(Arbitrary(**good))
    with pytest.raises(ValueError, match=said):
        run(Arbitrary(**{**good, **arrays}))


@pytest.mark.parametrize("E", [1e-12, 1e-3, 1e6, 1e12])
@pytest.mark.parametrize("kind", ["mixed", "integer"])
def test_the_tiniest_and_the_largest_ellipsoids_are_solved(kind: str, E: float) -> None:
    instance = build(f"{kind}-D4-t0-TC4-c1e1-E1")
    instance.E = E
    ending, _ = run(instance)
    f = demand_optimal(ending, instance)
    relaxed_to = 0.0 if E > 1 else instance.f(instance.xi1[None, :])[0]
    assert f == pytest.approx(relaxed_to, rel=0.1)


@pytest.mark.parametrize(
    "lanes", [((-1.0, 1.0),), ((1.0, -0.5),), ((0.0, 1.0),), ((1.0, 11.0),), (), ((1.0, 1.0),) * 7]
)
def test_lanes_that_are_no_bounds_are_refused(lanes: Any) -> None:
    with pytest.raises(ValidationError):
        find("lattice").options({"lanes": lanes})


# --- The mathematics, piece by piece ------------------------------------------------------------------------------


def points_near(instance: Instance, count: int, seed: int) -> Any:
    """Return feasible points with whole integers, from all over the ellipsoid of g."""
    random = np.random.default_rng(seed)
    factor = np.linalg.cholesky(np.linalg.inv(instance.Hg / instance.c))
    Y = random.normal(size=(count, instance.D))
    Y *= (random.random(count) ** 0.3 * math.sqrt(instance.E) / np.linalg.norm(Y, axis=1))[:, None]
    X = instance.round(instance.xi1 + Y @ factor.T)
    return X[instance.g(X) <= instance.E]


@pytest.mark.parametrize(
    "id", ["mixed-D16-t0-TC1-c1e3-E80", "integer-D8-t0.375-TC7-c1e2-E80", "mixed-D16-t0-TC6-c1e6-E80"]
)
@pytest.mark.parametrize("share", [0.0, 0.6, 0.95])
def test_no_feasible_point_is_outside_the_ellipsoid_of_its_own_value(id: str, share: float) -> None:
    instance = build(id)
    X = points_near(instance, 3000, 1)
    assert len(X) > 20
    frame = Frame.of(instance, none(instance.n_z))
    order = np.random.default_rng(2).permutation(frame.n_z)
    W = X[:, instance.integers] - frame.origin
    values = instance.f(X)
    for multiplier in (0.0, 1e-3, 0.3, 5.0, 200.0):
        natural = Ellipsoid(frame, multiplier, np.arange(frame.n_z))
        ellipsoid = Ellipsoid(frame, multiplier, order, make_cut(natural, share) if share else None)
        norms = np.square((W[:, order] - ellipsoid.centre) @ ellipsoid.R.T).sum(axis=1)
        assert ellipsoid.least <= ellipsoid.k + near(ellipsoid.k)
        for norm, f in zip(norms, values, strict=True):
            assert ellipsoid.least <= f
            assert norm <= ellipsoid.limit(f)
    boundary = Ellipsoid(frame, None, order)
    norms = np.square((W[:, order] - boundary.centre) @ boundary.R.T).sum(axis=1)
    assert (norms <= boundary.limit(instance.E)).all()
    assert boundary.limit(instance.E) <= instance.E * (1 + 1e-8)


def test_a_cut_raises_the_bound_towards_the_optimum() -> None:
    id = "mixed-D16-t0-TC1-c1e2-E10"
    optimum = once(id).claimed_f
    assert optimum is not None
    instance = build(id)
    run_of = lattice.Enumeration(instance, lattice.LatticeOptions(), Report(instance, Budget(kind="nodes", amount=1)))
    plain = Ellipsoid(run_of.frame, run_of.relaxed, run_of.natural)
    cut = run_of.with_cut(plain, 0.9)
    assert plain.least < cut.least <= optimum
    assert optimum - cut.least < 0.6 * (optimum - plain.least)


def test_an_ellipsoid_of_what_is_not_positive_definite_is_refused() -> None:
    instance = build("mixed-D4-t0-TC4-c1e1-E10")
    frame = Frame.of(instance, none(2))
    with pytest.raises(NotPositiveDefiniteError, match="not positive definite"):
        Ellipsoid(frame, -1e3, np.arange(2))


@pytest.mark.parametrize("id", ["mixed-D8-t0-TC4-c1e1-E30", "mixed-D16-t0.375-TC7-c1e4-E30", "mixed-D8-t0-TC2-c1e2-E5"])
def test_the_best_reals_satisfy_the_conditions_of_optimality_and_no_duality_gap_is_left(id: str) -> None:
    instance = build(id)
    n = instance.n_r
    A, B, d = instance.Hf / instance.c, instance.Hg / instance.c, instance.xi0 - instance.xi1
    completion = Completion(A, B, d, instance.E, n, 0.7)
    U = np.unique(points_near(instance, 400, 3)[:, n:] - instance.xi1[n:], axis=0)
    completed = completion.complete(U)
    assert np.isfinite(completed.f).all()
    Y = np.concatenate([completed.r, U], axis=1)
    f, g = (np.einsum("ki,ij,kj->k", V, H, V) for V, H in ((Y - d, A), (Y, B)))
    nu = completed.multiplier
    assert completed.f == pytest.approx(f, rel=1e-9, abs=1e-9)
    assert (g <= instance.E * (1 + 1e-12)).all()
    assert (nu >= 0).all()
    assert nu * (g - instance.E) == pytest.approx(np.zeros(len(U)), abs=1e-6)
    dual = Exhaustive(instance)
    finite = np.isfinite(nu)
    assert finite.sum() > 10
    for k in np.flatnonzero(finite)[:20]:
        bound = float(dual.exact_dual(U[k] + instance.xi1[n:], Fraction(nu[k])))
        assert bound == pytest.approx(completed.f[k], rel=1e-9, abs=1e-9)


def test_reals_without_room_are_where_g_is_least_and_vectors_beyond_have_none() -> None:
    completion = Completion(np.eye(4), np.eye(4), np.full(4, 5.0), 2.0, 2, 1.0)
    completed = completion.complete(np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 1.001]]))
    assert completed.f == pytest.approx([2 * 25 + 2 * 16, 16 + 25 + (math.sqrt(50) - 1) ** 2, math.inf])
    assert completed.r[0].tolist() == [0.0, 0.0]
    assert np.isinf(completed.multiplier[0])


@pytest.mark.parametrize("ratio", [1e-25, 1e-12, 1e12, 1e25])
def test_reals_that_only_one_of_the_forms_cares_for_have_a_value(ratio: float) -> None:
    A, B = np.diag([ratio, 1.0, 1.0]), np.diag([1.0, 1.0, 1.0])
    completion = Completion(A, B, np.full(3, 5.0), 2.0, 2, 1.0)
    completed = completion.complete(np.array([[1.0], [0.0]]))
    assert np.isfinite(completed.f).all()
    lighter = min(1.0, ratio)
    assert (completed.f >= 16 + lighter).all()
    assert (completed.f <= 25 * (2 + ratio)).all()


def test_reals_whose_share_of_f_is_lost_to_rounding_have_a_value() -> None:
    """Diagonalised against a large multiple of g, the least eigenvalues of f come out as zero or less."""
    found = []
    for seed in range(20):
        Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(5, 5)))[0]
        A = Q @ np.diag([1e-12, 1e-10, 1.0, 1.0, 1.0]) @ Q.T
        completion = Completion((A + A.T) / 2, np.eye(5), np.full(5, 5.0), 2.0, 4, 1e9)
        completed = completion.complete(np.array([[1.0], [0.0]]))
        found.append(float(completion.alpha.min()))
        assert np.isfinite(completed.f).all()
        assert (completed.f >= 0).all()
    assert min(found) == LEAST
