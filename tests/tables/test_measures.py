"""The measures, against numbers computed by hand."""

import math

import numpy as np
import pytest

from unbounded.instances import InstanceSpec
from unbounded.tables.measures import (
    delta_z,
    is_made,
    is_solved,
    median_with_failures,
    normalise,
    verdict,
    within,
    zero_optimum,
)

NAN = math.nan


@pytest.mark.parametrize(
    ("f", "reference", "expected"),
    [
        (110.0, 100.0, 1.1),
        (0.0, 0.0, 1.0),
        (3e-7, 8e-7, 1.0),  # both are zero
        (1e-6, 0.0, 1.0),
        (1e-3, 0.0, 1000.0),  # the reference reached zero, the strategy did not
        (0.0, 1e-3, 0.001),
        (NAN, 100.0, NAN),
        (100.0, NAN, NAN),
    ],
)
def test_normalised_values(f: float, reference: float, expected: float) -> None:
    assert normalise(f, reference) == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("normalised", "expected"),
    [
        (0.5, "better"),
        (0.98999, "better"),
        (0.99, "similar"),
        (1.0, "similar"),
        (1.01, "similar"),
        (1.01001, "worse"),
        (7.0, "worse"),
    ],
)
def test_similar_is_within_one_percent_ties_included(normalised: float, expected: str) -> None:
    assert verdict(normalised, True, True) == expected


def test_a_tie_stays_a_tie_whatever_the_reference() -> None:
    reference = np.array([7145.185, 0.1, 3.0, 1306.9606])
    for factor in (1.01, 0.99):
        assert set(verdict(normalise(factor * reference, reference), [True] * 4, [True] * 4)) == {"similar"}


def test_one_side_alone_with_a_solution_is_the_better_one() -> None:
    assert verdict([NAN] * 3, [True, False, False], [False, True, False]).tolist() == ["better", "worse", "neither"]


def test_within_is_one_sided_and_no_value_is_not_within() -> None:
    assert within([0.2, 1.0, 1.001, 1.0011, NAN], 0.001).tolist() == [True, True, True, False, False]


def test_delta_z_counts_the_last_coordinates_that_differ_after_rounding() -> None:
    x = [9.5, 0.0, 3.0, 4.0000001]
    reference = [0.0, 0.0, 2.0, 4.0]
    assert delta_z(x, reference, 2) == 0.5
    assert delta_z(x, reference, 4) == 0.5
    assert delta_z(x, reference, 1) == 0.0
    rows = [[0.0, 1.0, -0.0], [5.0, 1.0, 1.0]]
    assert delta_z(rows, [9.0, 1.0, 0.0], 2).tolist() == [0.0, 0.5]


@pytest.mark.parametrize(
    ("values", "n", "expected"),
    [
        ([3.0, 1.0, 2.0], 3, 2.0),
        ([1.0, 2.0, 3.0, 10.0], 4, 2.5),
        ([1.0, 2.0], 3, 2.0),  # the failed run stands above both
        ([1.0, 2.0], 4, NAN),  # the median lies between 2 and a failure
        ([1.0, 2.0, 3.0], 4, 2.5),
        ([1.0], 3, NAN),
        ([1.0, NAN, 2.0], 3, 2.0),
        ([NAN, NAN], 2, NAN),
        ([], 0, NAN),
    ],
)
def test_runs_without_a_solution_stand_above_every_value_in_medians(
    values: list[float], n: int, expected: float
) -> None:
    assert median_with_failures(values, n) == pytest.approx(expected, nan_ok=True)


def test_a_median_of_more_values_than_runs_is_refused() -> None:
    with pytest.raises(ValueError, match="2 values of 1 runs"):
        median_with_failures([1.0, 2.0], 1)


@pytest.mark.parametrize(
    ("instance", "expected"),
    [
        ("mixed-D4-t0-sphere-c1-E484", True),  # g(ξ0) = 4 · 11² = 484
        ("mixed-D4-t0-sphere-c1-E483", False),
        ("mixed-D4-t1e4-sphere-c1-E484", True),
        ("mixed-D4-t0.5-sphere-c1-E1000", False),  # feasible, rounded too, but not integer
        ("mixed-D64-t0-TC2-c1e3-E10", True),  # g(ξ0) = 8.64
        ("mixed-D64-t0-TC0-c1e3-E80", False),
    ],
)
def test_the_optimum_is_zero_where_the_centre_of_f_is_feasible_and_integer(instance: str, expected: bool) -> None:
    assert zero_optimum(instance) is expected


def test_48_of_the_papers_216_instances_have_a_zero_optimum() -> None:
    ids = [
        InstanceSpec("mixed", 64, 0.0, tc, 10.0**k, E).id  # type: ignore[arg-type]
        for tc in range(9)
        for k in range(1, 7)
        for E in (10.0, 30.0, 50.0, 80.0)
    ]
    assert sum(map(zero_optimum, ids)) == 48


def test_statuses_with_a_value_and_statuses_of_runs_that_were_made() -> None:
    solved = ["optimal", "unproven", "budget", "incumbent", "refuted"]
    statuses = [*solved, "unverified", "error", "no-solution", "skipped", "missing"]
    assert is_solved(statuses).tolist() == [True] * 5 + [False] * 5
    assert is_made(statuses).tolist() == [True] * 8 + [False] * 2
