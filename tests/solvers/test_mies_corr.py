"""The correlated mutation of mies-corr: its marginals are those of mies, and so is all of it with learning off."""

import numpy as np
import pytest
from scipy.special import log_ndtr
from scipy.stats import chisquare, mannwhitneyu, norm

from unbounded.instances import build
from unbounded.instances.relaxation import solve_relaxation
from unbounded.solvers.compiled.compiling import LANES, compiled, padded
from unbounded.solvers.compiled.correlations import correlate, factor
from unbounded.solvers.compiled.logarithms import log, log_tail
from unbounded.solvers.compiled.mies import geometric_rate
from unbounded.solvers.compiled.mies_corr import learn, write_laws, write_quantiles
from unbounded.solvers.compiled.vectors import load, store
from unbounded.solvers.contract import Budget, Report
from unbounded.solvers.mies_corr import Laws, Learning
from unbounded.solvers.registry import find


def steps(mean: float, w: np.ndarray) -> np.ndarray:
    """Return the steps of so many integers, whose q/n_z is the mean, for normals w."""
    laws, W = Laws.room(1, w.size), np.zeros((1, padded(w.size)))
    W[0, : w.size] = w
    write_laws(np.full(w.size, mean * w.size), 0, laws, 0)
    write_quantiles(W, 0, 0, laws, 0)
    return laws.steps[0, : w.size].copy()


def probabilities(m: float, k: np.ndarray) -> np.ndarray:
    """P(z = k) as printed, for S/n_z = m."""
    p = 1 - m / (np.sqrt(1 + m * m) + 1)
    return p / (2 - p) * (1 - p) ** np.abs(k)


@pytest.mark.parametrize("m", [1 / 64, 0.3, 1.0, 2.5, 10.0])
def test_steps_of_normals_follow_the_printed_probabilities(m: float) -> None:
    n = 300_000
    z = steps(m, np.random.default_rng(3).standard_normal(n))
    k = np.arange(-int(12 * m) - 3, int(12 * m) + 4)
    expected = n * probabilities(m, k)
    k, expected = k[expected >= 20], expected[expected >= 20]
    observed = np.array([(z == value).sum() for value in k])
    assert chisquare([*observed, n - observed.sum()], [*expected, n - expected.sum()]).pvalue > 1e-3


@pytest.mark.parametrize("m", [1 / 64, 1.0, 40.0])
def test_a_step_is_the_quantile_at_the_normal_s_level(m: float) -> None:
    k = np.arange(-2000, 2001)
    levels = np.cumsum(probabilities(m, k))
    w = np.linspace(-5, 5, 1001)
    # Above the median by symmetry, where the cumulated sum has lost its digits.
    expected = np.sign(w) * np.abs(k[np.searchsorted(levels, norm.sf(np.abs(w)))])
    np.testing.assert_array_equal(steps(m, w), expected)


def test_correlated_normals_give_whole_steps_that_go_together_and_keep_their_law() -> None:
    C, U, W = np.eye(LANES), np.zeros((LANES, LANES)), np.empty((200_000, LANES))
    C[0, 1] = 0.9
    assert factor(C, U, 2)
    correlate(U, np.random.default_rng(5).standard_normal((200_000, 2)), W)
    first, second = steps(1.0, W[:, 0].copy()), steps(4.0, W[:, 1].copy())
    assert np.array_equal(second, np.rint(second))
    assert np.corrcoef(first, second)[0, 1] > 0.75
    for z, m in ((first, 1.0), (second, 4.0)):
        assert np.abs(z).mean() == pytest.approx(m, rel=0.02)
        assert (z == 0).mean() == pytest.approx(probabilities(m, np.zeros(1))[0], rel=0.02)


@compiled()
def logarithms(values: np.ndarray, w: np.ndarray) -> None:
    """Replace values by their logarithms, and normals by those of their tails."""
    for column in range(0, values.shape[1], LANES):
        store(values, 0, column, log(load(values, 0, column)))
        store(w, 0, column, log_tail(load(w, 0, column)))


def test_logarithms_of_vectors_are_the_library_s() -> None:
    rng = np.random.default_rng(2)
    near, far = rng.uniform(0.5, 2, (1, 4000)), np.exp(rng.uniform(-700, 700, (1, 4000)))
    values, w = np.hstack([near, far]), np.hstack([rng.standard_normal((1, 4000)), rng.uniform(-60, 60, (1, 4000))])
    values[0, :6], w[0, 0] = (1, 2, 0.5, 1 + 2.0**-52, 1 - 2.0**-53, 3.0e-308), 0.0
    expected, tails = np.log(values), log_ndtr(-np.abs(w))
    logarithms(values, w)
    np.testing.assert_allclose(values, expected, rtol=5e-16)
    np.testing.assert_allclose(w, tails, rtol=5e-15)


@pytest.mark.parametrize("n_r", [0, 3, 8, 13])
def test_the_laws_of_integers_are_those_of_mies_and_reals_are_left_alone(n_r: int) -> None:
    q = np.exp(np.random.default_rng(n_r).uniform(0, 16, 20))
    laws = Laws.room(3, 20)
    write_laws(q, n_r, laws, 1)
    m = q[n_r:] / (20 - n_r)
    p, at = 1 - m / (np.sqrt(1 + m * m) + 1), slice(n_r, 20)
    np.testing.assert_allclose(laws.decays[1, at], [geometric_rate(mean) for mean in m], rtol=1e-12)
    np.testing.assert_allclose(laws.shifts[1, at], np.log(2 - p), rtol=1e-9)
    np.testing.assert_allclose(laws.units[1, at], p / np.sqrt(2 * (1 - p)), rtol=1e-7)
    for other in (laws.decays, laws.shifts, laws.units):
        assert (other[[0, 2]] == 1).all()


def learning(rate: float, share: float, path_rate: float, C: np.ndarray, paths: np.ndarray) -> Learning:
    """Return what is learned, from these correlations and paths on."""
    mu, D = paths.shape
    size = padded(D)
    start = np.zeros((size, size))
    start[:D, :D] = C
    rows = np.zeros((2 * mu, size))
    return Learning(
        rate,
        share,
        path_rate,
        0.0,
        start,
        np.zeros_like(start),
        paths.copy(),
        rows,
        rows.copy(),
        rows.copy(),
        Laws.room(mu, D),
    )


def test_learning_adds_the_mean_product_and_hands_the_scales_over() -> None:
    rng = np.random.default_rng(7)
    mu, D, order = 3, 9, np.array([4, 0, 2, 1, 3, 5])
    Y, before, parents = rng.standard_normal((6, D)), rng.standard_normal((mu, D)), np.array([0, 2, 1, 1, 0, 2])
    C = np.corrcoef(rng.standard_normal((50, D)), rowvar=False)
    s = learning(0.2, 0.3, 0.5, C, before)
    s.learned[:mu, :D] = Y[order[:mu]]
    scales = np.empty(D)
    learn(s, parents, order, scales)

    paths = 0.5 * before[parents[order[:mu]]] + np.sqrt(0.75) * Y[order[:mu]]
    mean = (0.7 * Y[order[:mu]].T @ Y[order[:mu]] + 0.3 * paths.T @ paths) / mu
    covariance = 0.8 * C + 0.2 * mean
    deviations = np.sqrt(np.diag(covariance))
    correlations = covariance / np.outer(deviations, deviations)
    np.testing.assert_allclose(scales, deviations)
    np.testing.assert_allclose(np.triu(s.C[:D, :D]), np.triu(correlations))
    np.testing.assert_allclose(s.U[:D, :D], np.linalg.cholesky(correlations).T, atol=1e-15)
    np.testing.assert_allclose(s.paths, paths / deviations)


def test_correlations_that_have_no_factor_are_learned_anew() -> None:
    s = learning(0.5, 0.0, 1.0, np.ones((2, 2)), np.ones((1, 2)))
    s.learned[0, :2] = 1.0
    only = np.zeros(1, dtype=int)
    learn(s, only, only, np.empty(2))
    assert np.array_equal(np.triu(s.C[:2, :2]), np.eye(2))
    expected = np.zeros((LANES, LANES))
    expected[:2, :2] = np.eye(2)
    assert np.array_equal(s.U, expected)


def best_of(solver: str, id: str, seed: int, evaluations: int, **options: float) -> tuple[float, float]:
    instance, entry = build(id), find(solver)
    budget = Budget(kind="evaluations", amount=evaluations)
    report = Report(instance, budget)
    entry.solver.solve(instance, budget, seed, entry.options(options), report)
    assert report.best is not None
    point = instance.verify(report.best)
    return point.f, point.violation


def test_with_learning_off_it_is_mies() -> None:
    id = "mixed-D8-t0-TC0-c1e1-E30"
    violations = [
        [best_of(solver, id, seed, 1500, **options)[1] for seed in range(300)]
        for solver, options in (("mies", {}), ("mies-corr", {"learning_rate": 0, "local_rate": 1}), ("mies-corr", {}))
    ]
    assert mannwhitneyu(violations[0], violations[1]).pvalue > 0.01
    assert mannwhitneyu(violations[0], violations[2]).pvalue < 1e-3


def test_it_solves_a_rotated_ill_conditioned_instance_that_mies_does_not() -> None:
    id = "mixed-D16-t0-TC1-c1e3-E30"
    relaxed = solve_relaxation(build(id)).f
    for seed in (1, 2):
        f, violation = best_of("mies-corr", id, seed, 60_000)
        assert violation <= build(id).tolerance
        assert f < 1.1 * relaxed
        assert best_of("mies", id, seed, 60_000)[1] > 1e3


def test_the_rate_is_that_of_rank_mu_and_never_above_one_half() -> None:
    options = find("mies-corr").options({})
    assert options.rate_at(64) == pytest.approx(30 / (66**2 + 15))
    assert options.rate_at(2) == 0.5
    assert find("mies-corr").options({"learning_rate": 0}).rate_at(2) == 0
