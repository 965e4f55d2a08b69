"""A report keeps count, the best point and a trace of bounded length; a budget says what it allows."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from unbounded.instances import build
from unbounded.solvers.contract import Budget, Report

KINDS = ("evaluations", "seconds", "ticks", "work", "nodes")
INSTANCE = build("mixed-D4-t0-TC0-c1e1-E30")
E, TOLERANCE = INSTANCE.E, INSTANCE.tolerance


def fresh(amount: float = 1e12, kind: str = "evaluations") -> Report:
    return Report(INSTANCE, Budget(kind=kind, amount=amount))


def tell(report: Report, *points: tuple[float, float]) -> None:
    """Report a batch of (f, g); the points themselves are numbered by what they are."""
    f, g = np.array(points, dtype=float).T
    report.population(np.stack([f, g, f, g], axis=1), f, g)


def best(report: Report) -> tuple[float, float] | None:
    return None if report.best is None else (float(report.best[0]), float(report.best[1]))


def test_feasible_comes_before_infeasible_whatever_f_is() -> None:
    report = fresh()
    tell(report, (1.0, E + 5), (100.0, E - 1), (50.0, E + 1))
    assert best(report) == (100.0, E - 1)
    tell(report, (0.0, E + 0.1))
    assert best(report) == (100.0, E - 1)
    assert [(p.f, p.violation) for p in report.trace] == [(100.0, 0.0)]


def test_of_two_feasible_points_the_lower_f_is_better() -> None:
    report = fresh()
    tell(report, (5.0, 1.0), (4.0, E), (6.0, 0.0))
    assert best(report) == (4.0, E)
    tell(report, (4.0, 0.0))  # an equal is no improvement
    assert best(report) == (4.0, E)
    tell(report, (3.0, E + 0.9 * TOLERANCE))
    assert best(report) == (3.0, E + 0.9 * TOLERANCE)


def test_of_two_infeasible_points_the_smaller_violation_is_better() -> None:
    report = fresh()
    tell(report, (1.0, E + 5), (9.0, E + 2))
    assert best(report) == (9.0, E + 2)
    tell(report, (0.0, E + 3))
    assert best(report) == (9.0, E + 2)


def test_there_is_nothing_to_hand_in_until_a_feasible_point_is_met() -> None:
    report = fresh()
    assert report.feasible_best is None
    tell(report, (1.0, E + 2 * TOLERANCE))
    assert report.best is not None
    assert report.feasible_best is None
    tell(report, (50.0, E))
    assert report.feasible_best is not None
    assert report.feasible_best[0] == 50.0


@pytest.mark.parametrize("nothing", [(math.nan, 0.0), (0.0, math.nan), (math.nan, math.nan), (math.nan, E + 1)])
def test_what_is_not_a_number_never_wins_and_hides_nothing(nothing: tuple[float, float]) -> None:
    report = fresh()
    tell(report, nothing)
    assert report.best is None
    assert report.trace == []
    tell(report, nothing, (7.0, E + 3), nothing)
    assert best(report) == (7.0, E + 3)
    tell(report, nothing, (7.0, E + 2))
    assert best(report) == (7.0, E + 2)
    tell(report, nothing, (9.0, E), nothing)
    assert best(report) == (9.0, E)
    tell(report, nothing, (8.0, E))
    assert best(report) == (8.0, E)
    tell(report, nothing)
    assert best(report) == (8.0, E)
    assert report.evaluations == 12


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_incumbent_that_is_not_a_number_never_wins() -> None:
    report = fresh()
    report.incumbent(np.full(4, math.nan))
    assert report.best is None
    report.incumbent(INSTANCE.xi1)
    report.incumbent(np.full(4, math.nan))
    assert np.array_equal(report.best, INSTANCE.xi1)


def test_an_incumbent_is_rounded_and_seen_by_our_own_evaluation() -> None:
    report = fresh()
    report.incumbent(INSTANCE.xi1 + 1e-7, bound=12.5)
    assert np.array_equal(report.best, INSTANCE.round(INSTANCE.xi1 + 1e-7))
    (point,) = report.trace
    assert (point.f, point.bound, point.evaluations) == (INSTANCE.verify(report.best).f, 12.5, 0)


def bounds(report: Report) -> list[tuple[float, float | None]]:
    return [(p.f, p.bound) for p in report.trace]


def test_a_better_bound_between_two_incumbents_is_an_entry_of_its_own() -> None:
    report = fresh()
    report.incumbent(INSTANCE.xi1, bound=1.0)
    f = INSTANCE.verify(INSTANCE.xi1).f
    report.bound(f / 2)
    better = INSTANCE.xi1 - np.array([-1.0, 0, 0, 0])
    report.incumbent(better)
    assert bounds(report) == [(f, 1.0), (f, f / 2), (INSTANCE.verify(better).f, f / 2)]
    assert np.array_equal(report.best, better)


def test_a_bound_that_is_no_better_is_no_entry() -> None:
    report = fresh()
    report.incumbent(INSTANCE.xi1, bound=1.0)
    for value in (1.0, 0.5, None, math.nan, -math.inf, math.inf):
        report.bound(value)
    report.bound(1.0 + 1e-9)  # better, but by less than 1 % of the gap
    assert [p.bound for p in report.trace] == [1.0]
    assert report.best_bound == 1.0 + 1e-9


def test_a_bound_that_is_known_before_the_first_point_comes_with_it() -> None:
    report = fresh()
    report.bound(2.0)
    report.bound(3.0)
    assert report.trace == []
    report.incumbent(INSTANCE.xi1, bound=2.5)
    assert bounds(report) == [(INSTANCE.verify(INSTANCE.xi1).f, 3.0)]


def test_ten_thousand_bounds_leave_a_short_trace_that_ends_within_a_hundredth_of_the_last() -> None:
    report = fresh()
    report.incumbent(INSTANCE.xi1)
    f = INSTANCE.verify(INSTANCE.xi1).f
    for gap in np.geomspace(f, 1e-9, 10_000):
        report.bound(f - gap)
    assert 10 < len(report.trace) < 500
    values = [p.bound for p in report.trace if p.bound is not None]
    assert values == sorted(set(values))
    assert f - values[-1] <= 1.02e-9 / 0.99


def test_bounds_that_come_late_leave_the_time_at_which_their_point_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(Report, "cpu_seconds", property(lambda _: clock[0]))
    report = fresh()
    for step in range(50):
        clock[0] = step / 50
        report.incumbent(INSTANCE.xi1 + (INSTANCE.xi0 - INSTANCE.xi1) * step / 1000)
    f = report.trace[-1].f
    for clock[0], share in ((1000.0, 0.5), (1001.0, 0.8), (1002.0, 0.9)):
        report.bound(share * f)
    last = [(point.cpu_seconds, point.bound) for point in report.trace if point.f == f]
    assert last[0] == (0.98, None)
    assert last[-1] == (1002.0, 0.9 * f)


def test_ten_thousand_points_and_bounds_in_turn_leave_a_short_trace_that_never_gets_worse() -> None:
    report = fresh()
    steps = np.linspace(1.0, 0.0, 10_000)
    for step, bound in zip(steps, INSTANCE.f(INSTANCE.xi1[None, :])[0] * (1 - steps), strict=True):
        report.incumbent(INSTANCE.xi1 - np.array([1 + step, 0, 0, 0]))
        report.bound(bound)
    assert 100 < len(report.trace) < 1000
    found = [(p.f, -math.inf if p.bound is None else -p.bound) for p in report.trace]
    assert all(f <= f0 and (b <= b0 or b0 == -math.inf) for (f0, b0), (f, b) in pairwise(found))
    assert len(set(found)) == len(found)
    seconds = [p.cpu_seconds for p in report.trace]
    assert seconds == sorted(seconds)


def test_the_best_point_is_a_copy() -> None:
    report = fresh()
    X = np.zeros((1, 4))
    report.population(X, np.array([1.0]), np.array([0.0]))
    X[:] = 9.0
    assert report.best is not None
    assert report.best.tolist() == [0.0] * 4


def test_improvements_all_through_a_million_evaluations_leave_a_short_trace_that_ends_with_the_best() -> None:
    report = fresh()
    X, g = np.zeros((10, 4)), np.zeros(10)
    for value in range(10**5, 0, -1):
        report.population(X, np.full(10, float(value)), g)
    assert report.evaluations == 10**6
    check_trace(report, last=1.0)
    # Each kept point is the last of its 3 %, so neighbours are at most two such steps apart once those are
    # wider than a batch.
    counts = np.array([p.evaluations for p in report.trace])
    late = counts[counts > 1000]
    assert (late[1:] / late[:-1]).max() < 1.07


def test_twenty_thousand_incumbents_leave_a_short_trace_too() -> None:
    report = fresh()
    for step in np.linspace(1.0, 0.0, 20_000):
        report.incumbent(INSTANCE.xi1 - np.array([1 + step, 0, 0, 0]))
    assert report.evaluations == 0
    check_trace(report, last=INSTANCE.verify(INSTANCE.xi1 - np.array([1.0, 0, 0, 0])).f)


def check_trace(report: Report, last: float) -> None:
    values = [p.f for p in report.trace]
    assert 100 < len(values) < 1000
    assert all(later < earlier for earlier, later in pairwise(values))
    assert values[-1] == last


@given(
    batches=st.lists(
        st.lists(
            st.tuples(
                st.one_of(st.floats(0, 10), st.just(math.nan)),
                st.one_of(st.floats(E - 1, E + 1), st.just(math.nan), st.just(math.inf)),
            ),
            min_size=1,
            max_size=5,
        ),
        max_size=30,
    )
)
@settings(max_examples=200, deadline=None)
def test_the_best_point_is_the_best_of_all_however_they_were_batched(
    batches: list[list[tuple[float, float]]],
) -> None:
    report = fresh()
    for batch in batches:
        tell(report, *batch)
    numbers = [(f, g) for batch in batches for f, g in batch if not math.isnan(f) and not math.isnan(g)]

    def key(point: tuple[float, float]) -> tuple[int, float]:
        violation = max(0.0, point[1] - E)
        return (0, point[0]) if violation <= TOLERANCE else (1, violation)

    finite = [point for point in numbers if math.isfinite(point[1])]
    if finite:
        found = best(report)
        assert found is not None
        assert key(found) == min(map(key, finite))
    keys = [(0, p.f) if p.violation <= TOLERANCE else (1, p.violation) for p in report.trace]
    assert all(later < earlier for earlier, later in pairwise(keys))
    assert report.evaluations == sum(map(len, batches))


def test_evaluations_are_counted_down() -> None:
    report = fresh(100)
    assert report.remaining == 100
    tell(report, *[(1.0, 0.0)] * 30)
    assert (report.evaluations, report.remaining) == (30, 70)


def test_a_budget_of_time_or_ticks_allows_any_number_of_evaluations() -> None:
    assert fresh(10**6, "seconds").remaining == math.inf
    assert fresh(5, "ticks").remaining == math.inf
    assert fresh(5, "work").remaining == math.inf
    assert fresh(5, "nodes").remaining == math.inf


def test_a_budget_is_read_from_its_text() -> None:
    assert Budget.parse("evaluations=1000") == Budget(kind="evaluations", amount=1000)
    assert Budget.parse("ticks=0.5") == Budget(kind="ticks", amount=0.5)
    assert Budget.parse("work=0.5") == Budget(kind="work", amount=0.5)
    assert Budget.parse("nodes=5") == Budget(kind="nodes", amount=5)
    assert str(Budget.parse("seconds=3600")) == "3600 seconds"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1000",
        "evaluations",
        "evaluations=",
        "evaluations=0",
        "evaluations=-5",
        "evaluations=1.5",
        "nodes=1.5",
        "minutes=3",
        "evaluations=nan",
        "seconds=inf",
        "seconds=1e9",
        "ticks=x",
    ],
)
def test_a_budget_that_makes_no_sense_is_refused_with_what_does(text: str) -> None:
    with pytest.raises(ValueError, match=rf"allowed: {', '.join(f'{kind}=N .*' for kind in KINDS)}, with N above 0"):
        Budget.parse(text)


def test_a_budget_refuses_unknown_keys_with_the_known_ones() -> None:
    with pytest.raises(ValidationError, match="unknown key 'unit'; allowed: kind, amount"):
        Budget(kind="ticks", amount=1, unit="s")
