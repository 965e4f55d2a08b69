"""f and g, the centres, the penalty, and what verification says of a point."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unbounded.instances import build
from unbounded.instances.instance import Penalty

ALL_FORMS = [
    *[f"mixed-D16-t0-TC{tc}-c1e3-E30" for tc in range(9)],
    *[f"integer-D64-t1e4-TC{tc}-c1e6-E80" for tc in range(9)],
    *[f"mixed-D4-t-2.5-TC{tc}-c1e1-E10" for tc in range(9)],
    *[f"mixed-D32-t0-TC{tc}-c1e2-E50-block" for tc in (2, 5, 6, 7, 8)],
    "mixed-D8-t0-sphere-c1-E10",
    "mixed-D2-t0-TC8-c1e1-E30",
]


def points_near(instance, n: int, seed: int = 1, spread: float = 20.0) -> np.ndarray:
    return instance.xi1 + np.random.default_rng(seed).normal(0, spread, (n, instance.D))


@pytest.mark.parametrize("id", ALL_FORMS)
def test_f_and_g_equal_the_dense_formula(id: str) -> None:
    instance = build(id)
    X = points_near(instance, 20)
    f, g = instance.evaluate(X)
    for values, H, xi in ((f, instance.Hf, instance.xi0), (g, instance.Hg, instance.xi1)):
        dense = np.array([(x - xi) @ H @ (x - xi) / instance.c for x in X])
        assert values.shape == (20,)
        np.testing.assert_allclose(values, dense, rtol=1e-12)


@pytest.mark.parametrize("id", ALL_FORMS)
def test_a_row_has_the_same_bits_alone_and_in_any_batch(id: str) -> None:
    instance = build(id)
    X = points_near(instance, 33)
    f, g = instance.evaluate(X)
    for batch in (X, X[::-1], X[5:16], np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        rows = [np.flatnonzero((row == X).all(axis=1))[0] for row in batch]
        f_batch, g_batch = instance.evaluate(batch)
        assert np.array_equal(f_batch, f[rows])
        assert np.array_equal(g_batch, g[rows])
    for x, f_row, g_row in zip(X, f, g, strict=True):
        f_alone, g_alone = instance.evaluate(x[None, :])
        assert (f_alone[0], g_alone[0]) == (f_row, g_row)
        assert instance.verify(x).f == instance.f(instance.round(x)[None, :])[0]


@pytest.mark.parametrize("tc", range(9))
def test_evaluating_never_builds_a_dense_matrix(tc: int) -> None:
    instance = build(f"mixed-D4096-t0-TC{tc}-c1e3-E30")
    x = points_near(instance, 1)
    tracemalloc.start()
    instance.evaluate(x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not {"Hf", "Hg"} & vars(instance).keys()
    assert peak < 40 * 8 * 4096  # forty vectors; a matrix is 4096 of them


@pytest.mark.parametrize("t", [0.0, 1e4, -3.0, 0.5])
def test_the_centres_alternate_and_are_translated_together(t: float) -> None:
    instance = build(f"mixed-D8-t{t}-TC1-c1e1-E30")
    assert instance.xi0.tolist() == [7 + t, -7 + t] * 4
    assert instance.xi1.tolist() == [-4 + t, 4 + t] * 4


@pytest.mark.parametrize("id", ALL_FORMS)
def test_f_is_zero_at_its_centre_and_g_at_its_own(id: str) -> None:
    instance = build(id)
    assert instance.f(instance.xi0[None, :])[0] == 0.0
    assert instance.g(instance.xi1[None, :])[0] == 0.0
    assert instance.f(instance.xi1[None, :])[0] > 0.0


@pytest.mark.parametrize("tc", range(9))
def test_a_translation_moves_the_instance_and_nothing_else(tc: int) -> None:
    here, there = (build(f"mixed-D16-t{t}-TC{tc}-c1e4-E30") for t in ("0", "1e4"))
    X = np.rint(points_near(here, 10))
    for before, after in zip(here.evaluate(X), there.evaluate(X + 1e4), strict=True):
        assert np.array_equal(before, after)


def test_integer_coordinates_are_the_last_ones() -> None:
    x = np.array([0.3, 1.6, -2.4, 3.7])
    assert build("mixed-D4-t0-TC0-c1e1-E30").round(x).tolist() == [0.3, 1.6, -2.0, 4.0]
    assert build("integer-D4-t0-TC0-c1e1-E30").round(x).tolist() == [0.0, 2.0, -2.0, 4.0]
    assert x.tolist() == [0.3, 1.6, -2.4, 3.7]


def test_the_penalty_is_ten_thousand_d_squared_times_the_squared_violation() -> None:
    instance = build("mixed-D16-t0-TC0-c1e1-E30")
    f, g = np.array([5.0, 5.0, 5.0, 5.0]), np.array([0.0, 30.0, 30.5, 33.0])
    assert Penalty().cost(instance, f, g).tolist() == [5, 5, 5 + 1e4 * 256 * 0.25, 5 + 1e4 * 256 * 9]
    published = Penalty(dimension=32).cost(instance, f, g)
    assert published.tolist() == [5, 5, 5 + 1e4 * 1024 * 0.25, 5 + 1e4 * 1024 * 9]
    assert Penalty(factor=2.0).cost(instance, f, g).tolist() == [5, 5, 5 + 2 * 256 * 0.25, 5 + 2 * 256 * 9]


@pytest.mark.parametrize(("E", "tolerance"), [(0.25, 1e-6), (1.0, 1e-6), (30.0, 3e-5), (80.0, 8e-5)])
def test_a_point_is_feasible_up_to_the_tolerance_and_no_further(E: float, tolerance: float) -> None:
    instance = build(f"mixed-D4-t0-sphere-c1-E{E}")

    def on_the_axis(g: float) -> np.ndarray:
        return instance.xi1 + np.array([np.sqrt(g), 0, 0, 0])

    inside = instance.verify(on_the_axis(E + 0.999 * tolerance))
    assert inside.feasible
    assert inside.violation == pytest.approx(0.999 * tolerance, rel=1e-6)
    outside = instance.verify(on_the_axis(E + 1.001 * tolerance))
    assert not outside.feasible
    assert outside.violation == pytest.approx(1.001 * tolerance, rel=1e-6)
    assert instance.verify(instance.xi1).violation == 0.0


def test_verification_rounds_the_integers_and_recomputes_everything() -> None:
    instance = build("mixed-D4-t0-TC1-c1e1-E30")
    x = instance.xi1 + np.array([0.25, -0.5, 0.01, -0.375])
    point = instance.verify(x)
    rounded = instance.xi1 + np.array([0.25, -0.5, 0.0, 0.0])
    assert point.x.tolist() == rounded.tolist()
    assert point.integrality_error == 0.375
    assert point.f == instance.f(rounded[None, :])[0] != instance.f(x[None, :])[0]
    assert point.g == instance.g(rounded[None, :])[0] != instance.g(x[None, :])[0]


def test_rounding_may_make_a_point_infeasible_and_verification_says_so() -> None:
    instance = build("integer-D4-t0-sphere-c1-E10")
    x = instance.xi1 + np.array([1.55, 1.55, 1.55, 1.55])
    assert instance.g(x[None, :])[0] < 10.0
    point = instance.verify(x)
    assert not point.feasible
    assert point.violation == 6.0


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_verification_leaves_reals_alone_and_moves_integers_by_at_most_a_half(data: st.DataObject) -> None:
    instance = build(data.draw(st.sampled_from(["mixed-D8-t0-TC4-c1e1-E30", "integer-D8-t1e4-TC8-c1e1-E30"])))
    coordinate = st.floats(-1e6, 1e6, allow_nan=False)
    x = np.array(data.draw(st.lists(coordinate, min_size=8, max_size=8)))
    point = instance.verify(x)
    assert np.array_equal(point.x[: instance.n_r], x[: instance.n_r])
    assert np.array_equal(point.x[instance.n_r :], np.rint(point.x[instance.n_r :]))
    assert point.integrality_error == np.abs(point.x - x).max() <= 0.5
    assert point.violation == max(0.0, point.g - 30.0)
    assert point.feasible == (point.g - 30.0 <= 3e-5)


@pytest.mark.parametrize("tc", range(9))
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_point_that_is_not_finite_is_never_feasible(tc: int, value: float) -> None:
    instance = build(f"mixed-D4-t0-TC{tc}-c1e1-E30")
    for at in (slice(0, 1), slice(3, 4), slice(0, 4)):
        x = instance.xi1.copy()
        x[at] = value
        assert not instance.verify(x).feasible


def test_the_constraint_at_the_objective_centre_of_a_full_hadellipse_is_8_64() -> None:
    for tc in (2, 5, 8):
        instance = build(f"mixed-D64-t0-TC{tc}-c1e3-E10")
        assert instance.verify(instance.xi0).g == pytest.approx(8.64, abs=0.005)
        assert instance.verify(instance.xi0).feasible


@pytest.mark.parametrize("kind_and_translation", ["mixed-D64-t0", "mixed-D64-t1e4", "integer-D64-t0"])
def test_48_of_the_216_instances_have_their_optimum_at_zero(kind_and_translation: str) -> None:
    feasible_centre = [
        (tc, c, E)
        for tc, c, E in product(range(9), range(1, 7), (10, 30, 50, 80))
        if (instance := build(f"{kind_and_translation}-TC{tc}-c1e{c}-E{E}")).verify(instance.xi0).feasible
    ]
    assert len(feasible_centre) == 48
    assert feasible_centre == list(product((2, 5, 8), (3, 4, 5, 6), (10, 30, 50, 80)))
