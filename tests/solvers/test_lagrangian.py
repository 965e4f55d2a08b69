"""The compiled augmented Lagrangian: costs and coefficients are pycma's, generation by generation."""

from collections.abc import Iterator

import numpy as np
import pytest

from unbounded.instances import build
from unbounded.solvers.cma_ih import augmented_lagrangian
from unbounded.solvers.cma_ih_fast import Lagrangian
from unbounded.solvers.compiled.lagrangian import SET, UNSET, adapt_lagrangian, augment, interquartile_range

E = 30.0
Population = tuple[np.ndarray, np.ndarray]


def walk(seed: int, lam: int, far: float, pull: float) -> Iterator[Population]:
    """Populations that come from far outside, wander across h = 0 and narrow down."""
    rng = np.random.default_rng(seed)
    centre, spread = far, far / 5 + 1
    for _ in range(400):
        h = centre + spread * rng.standard_normal(lam)
        yield 100 - 3 * h + 0.1 * spread * rng.standard_normal(lam) + 1e-3 * h**2, E + h
        centre = 0.8 * centre + pull * spread * rng.standard_normal()
        spread = max(1e-3, 0.97 * spread)


def inside(seed: int, lam: int) -> Iterator[Population]:
    """Populations that are feasible for long, at last all of them infeasible, with points on the boundary."""
    rng = np.random.default_rng(seed)
    for generation in range(300):
        h = rng.standard_normal(lam) - 4 + generation / 30
        h[h > 3] = 0.0
        yield rng.uniform(0, 9, lam), E + h


CASES = [
    *((f"walk-{seed}-{D}", D, list(walk(seed, 4 + D, 10.0**seed, 0.3))) for seed in range(5) for D in (4, 16)),
    *((f"wide-{seed}", 8, list(walk(seed, 25, 1.0, 3.0))) for seed in range(5)),
    *((f"inside-{seed}", 8, list(inside(seed, 12))) for seed in range(3)),
    ("first-point-feasible", 4, [(f, np.where(np.arange(8) == 0, E - 1, g)) for f, g in walk(9, 8, 5.0, 1.0)]),
    ("never-feasible", 4, [(f, E + 1 + np.abs(g - E)) for f, g in walk(9, 8, 5.0, 1.0)]),
]


@pytest.mark.parametrize(("D", "populations"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_costs_and_coefficients_are_pycma_s(D: int, populations: list[Population]) -> None:
    theirs, ours = augmented_lagrangian(build(f"mixed-D{D}-t0-TC0-c1e1-E30")), Lagrangian.start(D)
    lam = len(populations[0][0])
    cost, values, order = np.empty(lam), np.empty(lam), np.empty(lam, dtype=np.int64)
    coefficients = set()
    for generation, (f, g) in enumerate(populations):
        expected = [theirs(point) for point in zip(f.tolist(), (g - E).tolist(), strict=True)]
        theirs.update(None)
        for kept in (theirs.F, theirs.G, theirs.F_plus_sum_al_G):
            del kept[:-1]
        augment(ours, E, generation == 0, f, g, cost)
        adapt_lagrangian(ours, E, D, f, g, cost, values, order)
        np.testing.assert_allclose(cost, expected, rtol=1e-10)
        assert bool(ours.searching[0]) == theirs.finding_feasible
        assert (ours.known[0] == SET) == theirs.al.is_initialized
        if theirs.al.lam is None:
            assert ours.known[0] == UNSET
        else:
            np.testing.assert_allclose((ours.multiplier[0], ours.weight[0]), (theirs.al.lam[0], theirs.al.mu[0]), 1e-10)
            coefficients.add((ours.multiplier[0], ours.weight[0]))
    assert len(coefficients) > 50 or theirs.finding_feasible


def test_quartiles_are_numpy_s() -> None:
    rng = np.random.default_rng(1)
    for n in (2, 3, 4, 5, 17, 48):
        values = rng.standard_normal(n)
        found = interquartile_range(values, np.empty(n, dtype=np.int64))
        np.testing.assert_allclose(found, np.subtract(*np.percentile(values, [75, 25])), rtol=1e-12)
