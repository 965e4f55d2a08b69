"""`cma-wM-fast`: the parameters, the generations and the endings of cmaes, from the same states and samples."""

import numpy as np
import pytest
from scipy.stats import kstest, norm

from unbounded.instances import Instance, build
from unbounded.instances.structured import structure
from unbounded.solvers.cma_wm import MarginOptions, begin, load_cmaes
from unbounded.solvers.cma_wm_fast import (
    ADVANCE,
    Parameters,
    State,
    Work,
    initial_state,
    look_along_an_axis,
    mend,
    parameters,
)
from unbounded.solvers.compiled.correlations import factor
from unbounded.solvers.compiled.criteria import STOPS
from unbounded.solvers.compiled.margin import adapt, criterion, keep_margin, normal_tail_quantile, place, resample
from unbounded.solvers.contract import Budget, Found, Report
from unbounded.solvers.registry import find


def package(instance: Instance, options: MarginOptions, seed: int) -> object:
    """Return the package's strategy, as `cma-wM` makes it."""
    start = begin(instance, options)
    return load_cmaes().CMAwM(
        mean=np.random.default_rng(seed).uniform(start.lower, start.upper),
        sigma=start.sigma,
        bounds=np.column_stack([start.lower, start.upper]),
        steps=np.repeat([0.0, 1.0], [instance.n_r, instance.n_z]),
        cov=np.diag(start.scales**2),
        population_size=options.population_at(instance.D),
        seed=seed,
    )


def ours(instance: Instance, options: MarginOptions) -> tuple[Parameters, State, Work]:
    start = begin(instance, options)
    p = parameters(instance, options, start)
    return p, initial_state(start, p.lam, np.random.default_rng(1)), Work.room(p.lam, instance.D)


def take_over(strategy: object, s: State) -> float:
    """Copy the package's state, and return the condition number of its C."""
    cma, N = strategy._cma, len(s.mean)
    axes, deviations = cma._eigen_decomposition()
    root = (axes * deviations) @ axes.T
    s.C[:N, :N] = np.triu(cma._C)
    assert factor(s.C, s.U, N)
    s.mean[:], s.sigma[0], s.p_c[:], s.iteration[0] = cma._mean, cma._sigma, cma._pc, cma._g
    s.A[:], s.recent[:] = strategy._A, cma._funhist_values
    # With y = Uᵀz here and y = C^½z there, the path of σ is the same arrow y.
    s.p_sigma[:] = np.linalg.solve(s.U[:N, :N].T, root @ cma._p_sigma)
    return float(deviations.max() / deviations.min()) ** 2


@pytest.mark.parametrize(("D", "population"), [(8, None), (64, None), (128, 45), (32, 7), (4, 2), (4, 3)])
def test_the_strategy_parameters_are_those_of_the_package(D: int, population: int | None) -> None:
    instance, options = build(f"mixed-D{D}-t0-TC0-c1e1-E10"), MarginOptions(population=population)
    with np.errstate(divide="ignore"):
        strategy = package(instance, options, 1)
    p, s, _ = ours(instance, options)
    cma = strategy._cma
    assert (p.lam, p.mu, s.recent.size) == (cma._popsize, cma._mu, cma._funhist_values.size)
    found = (p.mu_eff, p.c_sigma, p.d_sigma, p.c_c, p.c_1, p.c_mu, p.chi_n, p.margin, p.tol_x, s.sigma[0])
    expected = (cma._mu_eff, cma._c_sigma, cma._d_sigma, cma._cc, cma._c1, cma._cmu, cma._chi_n)
    np.testing.assert_allclose(found, (*expected, strategy.margin, cma._tolx, cma._sigma), rtol=1e-12)
    np.testing.assert_allclose(p.weights, cma._weights, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose((p.edge, p.side), norm.isf([p.margin, p.margin / 2]), rtol=1e-12)
    assert (p.resamplings, s.A.tolist()) == (strategy._n_max_resampling, strategy._A.tolist())


@pytest.mark.parametrize(
    ("id", "options", "ends"),
    [
        ("mixed-D8-t0-TC4-c1e2-E30", {}, True),
        ("integer-D8-t0-TC1-c1e1-E50", {}, True),
        ("integer-D8-t0-TC7-c1e2-E30", {"box": 4.5}, True),
        ("mixed-D16-t1e4-TC3-c1e3-E30", {"box": "ellipsoid"}, True),
        ("integer-D4-t0-TC0-c1e1-E30", {"box": "ellipsoid", "population": 9}, True),
        # With so many reals no sample is in the box at first.
        ("mixed-D64-t0-TC5-c1e2-E30", {}, False),
    ],
)
def test_a_generation_from_the_same_state_and_samples_is_the_package_s(id: str, options: dict, ends: bool) -> None:
    instance, options = build(id), MarginOptions(**options)
    strategy = package(instance, options, 3)
    p, s, w = ours(instance, options)
    N, n_r, lam = instance.D, instance.n_r, p.lam
    clipped = moved = looks = 0
    rng = np.random.default_rng(2)
    for generation in range(1500 if ends else 60):
        if not ends and generation:
            # Paths of σ that are about as long as stalls the path of C, which in early generations is less.
            path, limit = strategy._cma._p_sigma, 1.4 * p.chi_n * np.sqrt(1 - (1 - p.c_sigma) ** (2 * generation + 3))
            path *= rng.uniform(0.8, 1.1) * limit / np.linalg.norm(path)
        condition = take_over(strategy, s)
        s.stop[0] = criterion(p, s, w.scratch)
        if s.look[0]:
            looks += 1
            look_along_an_axis(s)
        assert bool(s.stop[0]) == strategy.should_stop()
        if s.stop[0]:
            break
        asked = [strategy.ask() for _ in range(lam)]
        told = np.array([raw for _, raw in asked])
        w.Y[:lam, :N] = (told - s.mean) / s.sigma[0]
        w.Z[:] = np.linalg.solve(s.U[:N, :N].T, w.Y[:lam, :N].T).T
        clipped += int(((told == p.lower) | (told == p.upper))[:, :n_r].any())
        place(p, s, w.X, w.Y, n_r)
        X = np.array([encoded for encoded, _ in asked])
        np.testing.assert_array_equal(w.X[:, n_r:], X[:, n_r:])
        np.testing.assert_allclose(w.X[:, :n_r], X[:, :n_r], rtol=1e-12)

        f, g = instance.evaluate(X)
        w.cost[:] = options.penalty.cost(instance, f, g)
        w.order[:] = np.argsort(w.cost, kind="stable")
        before = strategy._A.copy()
        strategy.tell([(raw, cost) for (_, raw), cost in zip(asked, w.cost.tolist(), strict=True)])
        adapt(p, s, w)
        keep_margin(p, s, n_r)
        moved += int((before != strategy._A).any())

        cma = strategy._cma
        scale = np.sqrt(np.diag(cma._C))
        # Ten digits, or what the condition of C leaves of sixteen.
        tolerance = max(1e-10, 1e-15 * condition)
        np.testing.assert_allclose(s.sigma[0], cma._sigma, rtol=tolerance)
        # In units of a real's deviation, and of an integer's step.
        unit = np.where(np.arange(N) < n_r, cma._sigma * scale, 1.0)
        np.testing.assert_allclose(s.mean / unit, cma._mean / unit, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(s.A, strategy._A, rtol=tolerance)
        np.testing.assert_allclose(s.p_c / scale, cma._pc / scale, rtol=0, atol=tolerance)
        np.testing.assert_allclose(np.linalg.norm(s.p_sigma), np.linalg.norm(cma._p_sigma), rtol=tolerance)
        difference = (s.C[:N, :N] - np.triu(cma._C)) / np.outer(scale, scale)
        np.testing.assert_allclose(np.triu(difference), 0, atol=tolerance)
        np.testing.assert_array_equal(s.recent, cma._funhist_values)
    assert moved > 20 or not ends
    assert clipped > 0 or ends
    # By which criterion is a matter of last bits, which differ from processor to processor.
    assert bool(s.stop[0]) == ends
    assert looks < 40


@pytest.mark.parametrize(("name", "factor_below", "factor_above"), [("tolx", 1.001, 0.999), ("tolxup", 0.999, 1.001)])
def test_step_sizes_stop_it_at_the_package_s_limits(name: str, factor_below: float, factor_above: float) -> None:
    instance, options = build("integer-D8-t0-TC7-c1e2-E30"), MarginOptions()
    strategy, (p, s, w) = package(instance, options, 3), ours(instance, options)
    for _ in range(30):
        asked = [strategy.ask() for _ in range(p.lam)]
        costs = options.penalty.cost(instance, *instance.evaluate(np.array([x for x, _ in asked])))
        strategy.tell([(raw, cost) for (_, raw), cost in zip(asked, costs.tolist(), strict=True)])
    cma = strategy._cma
    _, deviations = cma._eigen_decomposition()
    limit = {
        "tolx": cma._tolx / max(np.diag(cma._C).max(), cma._pc.max()),
        "tolxup": cma._tolxup / deviations.max(),
    }[name]
    for factor_of_limit, stops in ((factor_below, ""), (factor_above, name)):
        cma._sigma = limit * factor_of_limit
        take_over(strategy, s)
        assert strategy.should_stop() == bool(stops)
        assert STOPS[criterion(p, s, w.scratch)] == stops


def state_with(means: list[float], deviations: list[float], **options: object) -> tuple[Parameters, State]:
    p, s, _ = ours(build(f"integer-D{len(means)}-t0-TC0-c1e1-E30"), MarginOptions(**options))
    s.mean[:] = means
    s.sigma[0] = 1.0
    np.fill_diagonal(s.C[: len(means), : len(means)], np.square(deviations))
    return p, s


def test_neighbours_keep_their_probability_and_the_cell_stays() -> None:
    p, s = state_with([0.1, 0.49, -7.3, 3.0], [1e-9, 0.01, 0.2, 5.0], box=20)
    keep_margin(p, s, 0)
    np.testing.assert_array_equal(np.rint(s.mean), [0, 0, -7, 3])
    cells, deviations = np.rint(s.mean), s.A * np.sqrt(np.diag(s.C)[:4])
    below, above = norm.cdf((cells - 0.5 - s.mean) / deviations), norm.sf((cells + 0.5 - s.mean) / deviations)
    assert (np.minimum(below, above) > p.margin / 2 * (1 - 1e-9)).all()
    np.testing.assert_allclose([below[0], above[0], below[1]], p.margin / 2, rtol=1e-9)
    # Where no probability is missing nothing moves.
    assert (s.mean[3], s.A[3]) == (3.0, 1.0)


def test_at_the_edge_of_the_box_the_mean_stays_near_enough_to_its_neighbour() -> None:
    p, s = state_with([20.4, -19.9, 19.8, 25.0], [0.1, 0.1, 3.0, 0.01], box=20)
    keep_margin(p, s, 0)
    np.testing.assert_allclose(norm.cdf((19.5 - s.mean[[0, 3]]) / [0.1, 0.01]), p.margin, rtol=1e-9)
    np.testing.assert_allclose(norm.sf((-19.5 - s.mean[1]) / 0.1), p.margin, rtol=1e-9)
    assert s.mean[2] == 19.8
    assert (s.A == 1).all()


def test_quantiles_come_from_starts_that_are_near() -> None:
    x = np.linspace(0.001, 6, 200)
    found = [normal_tail_quantile(norm.sf(at), at * 0.97) for at in x]
    np.testing.assert_allclose(found, x, rtol=1e-10)


def resampled(box: float, count: int) -> tuple[State, np.ndarray, np.ndarray, int]:
    """Samples that are drawn again, with the normals they stand for, around (box/2, box/2) and two integers."""
    p, s, _ = ours(build("mixed-D4-t0-TC0-c1e1-E30"), MarginOptions(box=box))
    rng = np.random.default_rng(4)
    M = rng.standard_normal((4, 6))
    s.C[:4, :4] = np.triu(M @ M.T)
    assert factor(s.C, s.U, 4)
    s.mean[:], s.sigma[0] = box / 2, 1.0
    normals = rng.standard_normal(count * (4 + 2 * p.resamplings))
    z, y, used = normals[: count * 4].reshape(count, 4).copy(), np.zeros((count, 8)), count * 4
    for i in range(count):
        used = resample(p, s, 2, z[i], y[i], normals, used)
    return s, z, y[:, :4], used


def test_samples_that_are_drawn_again_follow_the_normal_law_within_the_box() -> None:
    s, z, y, _ = resampled(2.0, 20_000)
    x = s.mean + y
    assert (np.abs(x[:, :2]) <= 2.0).all()
    np.testing.assert_allclose(z @ s.U[:4, :4], y, atol=1e-9)
    C = s.C[:2, :2] + np.triu(s.C[:2, :2], 1).T
    draws = np.random.default_rng(5).multivariate_normal(s.mean[:2], C, 400_000)
    inside = draws[(np.abs(draws) <= 2.0).all(axis=1)]
    for k in range(2):
        assert kstest(x[:, k], inside[:, k]).pvalue > 1e-3
    # Given the reals, integers are as ever.
    assert kstest(z[:, 2], "norm").pvalue > 1e-3
    assert kstest(z[:, 3], "norm").pvalue > 1e-3


def test_samples_that_never_come_inside_are_brought_to_the_bounds_at_last() -> None:
    p, s, _ = ours(build("mixed-D4-t0-TC0-c1e1-E30"), MarginOptions(box=1))
    s.U[:4, :4] = np.triu(np.random.default_rng(6).uniform(1, 2, (4, 4)))
    s.mean[:], s.sigma[0] = (3.0, 0.5, 0.0, 0.0), 1e-3
    normals = np.random.default_rng(7).standard_normal(4 + 2 * p.resamplings)
    z, y = normals[:4].copy(), np.zeros(8)
    used = resample(p, s, 2, z, y, normals, 4)
    # Each attempt but the last is given up at the first coordinate.
    assert used == 4 + p.resamplings + 1
    np.testing.assert_allclose(s.mean[0] + s.sigma[0] * y[0], 1.0)
    np.testing.assert_allclose(s.U[:4, :4].T @ z, y[:4], rtol=1e-9)


def test_a_covariance_without_a_factor_is_mended_as_in_the_package() -> None:
    instance, options = build("mixed-D8-t0-TC0-c1e1-E30"), MarginOptions()
    strategy, (_, s, _) = package(instance, options, 1), ours(instance, options)
    M = np.random.default_rng(8).standard_normal((8, 8))
    C = M @ np.diag([3.0, 2, 1, 1, 1, 0.5, 0.1, -1e-9]) @ M.T
    s.C[:8, :8] = np.triu(C)
    assert not factor(s.C, s.U, 8)
    mend(s)
    strategy._cma._C, strategy._cma._B, strategy._cma._D = C, None, None
    strategy._cma._eigen_decomposition()
    np.testing.assert_allclose(s.U[:8, :8].T @ s.U[:8, :8], strategy._cma._C, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(s.C[:8, :8], strategy._cma._C, rtol=1e-9, atol=1e-12)
    assert (np.diag(s.U)[:8] > 0).all()
    assert not np.tril(s.U, -1).any()


@pytest.mark.parametrize("tol_x", [0.0, 1e9])
def test_a_run_goes_on_from_a_mended_covariance_or_stops_by_its_criteria(tol_x: float) -> None:
    instance, options = build("mixed-D8-t0-TC0-c1e1-E30"), MarginOptions()
    p, s, w = ours(instance, options)
    p, found = p._replace(tol_x=tol_x), Found.room(9, 8)
    normals = np.random.default_rng(3).standard_normal(20_000)
    s.C[7, 7] = -0.1
    ADVANCE(structure(instance), p, s, w, 9, normals, found)
    assert (s.iteration[0], s.broken[0], s.stop[0], s.used[0] > 0) == (1, 1, 0, True)
    mend(s)
    ADVANCE(structure(instance), p, s, w, 9, normals, found)
    assert s.broken[0] == 0
    assert (s.iteration[0], STOPS[s.stop[0]]) == ((1, "tolx") if tol_x else (10, ""))


def test_it_stops_by_the_criteria_of_the_package_and_names_them() -> None:
    instance, budget = build("integer-D8-t0-TC1-c1e1-E50"), Budget(kind="evaluations", amount=1e6)
    entry, report = find("cma-wM-fast"), Report(instance, budget)
    ending = entry.solver.solve(instance, budget, 1, entry.options({}), report)
    assert (ending.how, ending.termination) == ("converged", "tolx")
    assert report.evaluations < 1e5
