"""The integer mutation of mies against the printed distribution, and its two variants."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from scipy.stats import chisquare, mannwhitneyu

from unbounded.instances import build
from unbounded.instances.relaxation import solve_relaxation
from unbounded.solvers.compiled.mies import double_geometric, geometric_rate
from unbounded.solvers.contract import Budget, Report
from unbounded.solvers.registry import find


def printed_p(m: float) -> float:
    """p of the paper for S/n_z = m."""
    return 1 - m / (np.sqrt(1 + m * m) + 1)


@njit
def fill(rng: np.random.Generator, means: np.ndarray) -> np.ndarray:
    z = np.empty(means.size)
    for k in range(means.size):
        z[k] = double_geometric(geometric_rate(means[k]), rng.standard_exponential(), rng.standard_exponential())
    return z


def draws(m: float, n: int, seed: int = 20) -> np.ndarray:
    return fill(np.random.default_rng(seed), np.full(n, m))


@pytest.mark.parametrize("m", [0.05, 0.3, 1.0, 2.5, 10.0])
def test_steps_follow_the_printed_probabilities(m: float) -> None:
    n, p = 400_000, printed_p(m)
    k = np.arange(-int(12 * m) - 3, int(12 * m) + 4)
    expected = n * p / (2 - p) * (1 - p) ** np.abs(k)
    k = k[expected >= 20]
    expected = expected[np.flatnonzero(expected >= 20)]
    z = draws(m, n)
    observed = np.array([(z == value).sum() for value in k])
    rest = n - expected.sum()
    result = chisquare([*observed, n - observed.sum()], [*expected, rest])
    assert result.pvalue > 1e-3
    assert observed.sum() > 0.95 * n


@pytest.mark.parametrize(
    ("m", "n"), [(1e-6, 20_000_000), (1e-3, 1_000_000), *[(m, 1_000_000) for m in (0.1, 1.0, 30.0, 1e3, 1e6)]]
)
def test_steps_have_the_printed_mean_size_and_variance(m: float, n: int) -> None:
    q = 1 - printed_p(m)
    # p = 1 − q loses its digits where q is close to 1; 1/p = (2−p)m / (2(1−p)) by the printed S keeps them.
    p = 2 * q / (m * (1 + q))
    variance = 2 * q / p**2
    fourth = 2 * q * (1 + 10 * q + q * q) / p**4
    absolute = square = total = 0.0
    for chunk in range(0, n, 1_000_000):
        z = draws(m, 1_000_000, seed=7 + chunk)
        absolute, square, total = absolute + np.abs(z).sum(), square + (z * z).sum(), total + z.sum()
    assert abs(absolute / n - m) < 4 * np.sqrt((variance - m * m) / n)
    assert abs(square / n - variance) < 4 * np.sqrt((fourth - variance**2) / n)
    assert abs(total / n) < 4 * np.sqrt(variance / n)


def test_steps_are_whole_numbers_each_with_the_mean_of_its_coordinate() -> None:
    means = np.array([1e-3, 1.0, 1e3])
    z = fill(np.random.default_rng(1), np.tile(means, 100_000)).reshape(-1, 3)
    assert np.array_equal(z, np.rint(z))
    np.testing.assert_allclose(np.abs(z).mean(axis=0), means, rtol=0.5)


def test_the_variants_are_the_data_fit_and_the_printed_algorithm() -> None:
    fit, printed = find("mies").options({}), find("mies-printed").options({})
    assert (fit.parents, fit.offspring) == (printed.parents, printed.offspring) == (15, 100)
    assert (fit.tournament, fit.sigma_min, fit.integer_step) == (3, 1e-3, "parent")
    assert (printed.tournament, printed.sigma_min, printed.integer_step) == (1, 1e-5, "offspring")
    assert fit.radius == printed.radius == 1e6
    assert (fit.limit_steps, printed.limit_steps) == (True, False)
    assert (fit.penalty_factor, fit.penalty_dimension) == (1e4, None)
    for D, evaluations in ((32, 1e6), (64, 1e6), (128, 2e6)):
        assert find("mies").solver.default_budget(D).amount == evaluations


@pytest.mark.parametrize("solver", ["mies", "mies-corr"])
def test_fewer_offspring_than_parents_are_refused(solver: str) -> None:
    assert find(solver).options({"parents": 5, "offspring": 5}).offspring == 5
    with pytest.raises(ValueError, match="offspring is 4 and parents is 5; allowed: at least as many"):
        find(solver).options({"parents": 5, "offspring": 4})


def distance_left(solver: str, **options: object) -> float:
    """How far from ξ1, 10⁵ away from the start, the best point is after 400 generations with R = 1."""
    instance, budget = build("mixed-D8-t1e5-TC0-c1e1-E30"), Budget(kind="evaluations", amount=40_015)
    report, entry = Report(instance, budget), find(solver)
    entry.solver.solve(instance, budget, 1, entry.options({"radius": 1, **options}), report)
    return float(np.abs(report.best - instance.xi1).max())


def test_step_sizes_stay_below_the_radius_but_in_the_printed_algorithm_which_has_no_limit() -> None:
    # With steps of at most 1, a coordinate moves by a few units in a generation.
    assert distance_left("mies") > 9e4
    assert distance_left("mies-printed", limit_steps=True) > 9e4
    assert distance_left("mies-printed") < 100
    for solver in ("mies", "mies-corr"):
        assert distance_left(solver, limit_steps=False) < 100


@pytest.mark.parametrize(("n_r", "n_z"), [(4, 0), (0, 4)])
@pytest.mark.parametrize("solver", ["mies", "mies-printed", "mies-corr"])
def test_it_solves_problems_without_integers_and_without_reals(solver: str, n_r: int, n_z: int) -> None:
    instance = build("integer-D4-t0-TC0-c1e1-E30")
    instance.n_r, instance.n_z = n_r, n_z
    budget = Budget(kind="evaluations", amount=40_000)
    report = Report(instance, budget)
    entry = find(solver)
    ending = entry.solver.solve(instance, budget, 1, entry.options({}), report)
    assert ending.x is not None
    relaxed = solve_relaxation(instance).f
    f = instance.verify(ending.x).f
    assert relaxed <= f * (1 + 1e-6)
    # Without integers the relaxation itself is solved; with integers alone its rounding costs something.
    assert f <= relaxed * (1.02 if n_z == 0 else 1.6)
    assert np.array_equal(ending.x[n_r:], np.rint(ending.x[n_r:]))


@pytest.mark.parametrize("id", ["mixed-D8-t0-TC0-c1e1-E30", "integer-D8-t1e4-TC4-c1e1-E50"])
def test_results_are_distributed_like_those_of_the_same_algorithm_in_numpy(id: str) -> None:
    numpy_solve = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "mies_numpy.py"))["solve"]
    instance, budget = build(id), Budget(kind="evaluations", amount=2500)
    violations = {}
    for variant in ("mies", "mies-printed"):
        entry = find(variant)
        for solve in (entry.solver.solve, numpy_solve):
            reports = [Report(instance, budget) for _ in range(200)]
            for seed, report in enumerate(reports):
                solve(instance, budget, seed, entry.options({}), report)
            violations[variant, solve] = [instance.verify(report.best).violation for report in reports]
        # Fixed seeds: a difference of implementation would show, chance does not change from run to run.
        assert mannwhitneyu(violations[variant, entry.solver.solve], violations[variant, numpy_solve]).pvalue > 0.01
    # The two variants differ enough for such samples to tell.
    assert mannwhitneyu(violations["mies", numpy_solve], violations["mies-printed", numpy_solve]).pvalue < 1e-3
