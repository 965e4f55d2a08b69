"""The box around the feasible ellipsoid holds it, touches it, and cuts off no lattice point."""

from itertools import product

import numpy as np
import pytest

from unbounded.instances import build

CONSTRAINTS = [
    *[f"mixed-D8-t{t}-TC{tc}-c{c}-E30" for tc in (0, 1, 2) for c in ("1e1", "1e4") for t in ("0", "1e4")],
    "mixed-D8-t0-TC2-c1e2-E30-block",
    "mixed-D8-t0.375-sphere-c1-E10",
    "mixed-D64-t0-TC4-c1e3-E80",
]


@pytest.mark.parametrize("id", CONSTRAINTS)
def test_points_on_the_boundary_lie_inside(id: str) -> None:
    instance = build(id)
    box = instance.box()
    S = np.random.default_rng(3).normal(size=(500, instance.D))
    X = instance.xi1 + S * np.sqrt(instance.E / instance.g(instance.xi1 + S))[:, None]
    np.testing.assert_allclose(instance.g(X), instance.E, rtol=1e-8)
    reals = slice(0, instance.n_r)
    slack = 1e-9 * np.abs(instance.xi1 + 1)[reals]
    assert (X[:, reals] >= box.lower[reals] - slack).all()
    assert (X[:, reals] <= box.upper[reals] + slack).all()


@pytest.mark.parametrize("id", CONSTRAINTS)
def test_each_real_bound_is_attained_by_a_feasible_point(id: str) -> None:
    instance = build(id)
    box = instance.box()
    inverse = np.linalg.inv(instance.Hg / instance.c)
    for i in range(instance.n_r):
        touching = inverse[i] * np.sqrt(instance.E / inverse[i, i])
        for bound, x in ((box.upper, instance.xi1 + touching), (box.lower, instance.xi1 - touching)):
            assert instance.g(x[None, :])[0] == pytest.approx(instance.E, rel=1e-7)
            assert x[i] == pytest.approx(bound[i], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("id", CONSTRAINTS)
def test_each_integer_bound_is_the_real_one_brought_inwards(id: str) -> None:
    instance = build(id)
    box = instance.box()
    at = instance.integers
    half = np.sqrt(instance.E * np.diagonal(np.linalg.inv(instance.Hg / instance.c)))[at]
    lower, upper = instance.xi1[at] - half, instance.xi1[at] + half
    assert np.array_equal(box.lower[at], np.rint(box.lower[at]))
    assert np.array_equal(box.upper[at], np.rint(box.upper[at]))
    assert (box.lower[at] >= lower - 1e-4).all()
    assert (box.lower[at] < lower + 1).all()
    assert (box.upper[at] <= upper + 1e-4).all()
    assert (box.upper[at] > upper - 1).all()


@pytest.mark.parametrize(
    "id",
    [
        *[f"integer-D2-t0-TC{tc}-c1e2-E{E}" for tc in (0, 1, 2) for E in (10, 80)],
        *[f"integer-D4-t0-TC{tc}-c1e1-E10" for tc in (0, 1, 2)],
        "integer-D4-t1e4-TC4-c1e1-E10",
        "integer-D4-t0-TC2-c1e1-E10-block",
        "integer-D2-t0-sphere-c1-E9",
    ],
)
def test_no_feasible_lattice_point_is_outside_and_no_bound_is_slack_by_two(id: str) -> None:
    instance = build(id)
    box = instance.box()
    lattice = np.array(list(product(*[np.arange(a - 2, b + 3) for a, b in zip(box.lower, box.upper, strict=True)])))
    feasible = lattice[instance.g(lattice) <= instance.E]
    assert len(feasible) > 0
    assert (feasible >= box.lower).all()
    assert (feasible <= box.upper).all()


def test_a_lattice_point_on_the_boundary_itself_is_kept() -> None:
    box = build("integer-D2-t0-sphere-c1-E9").box()
    assert box.lower.tolist() == [-7, 1]
    assert box.upper.tolist() == [-1, 7]
