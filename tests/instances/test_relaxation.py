"""The relaxation's optimum against other solvers, and its bound against every feasible point there is."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint, minimize

from unbounded.instances import InstanceSpec, build
from unbounded.instances.relaxation import solve_relaxation
from unbounded.instances.spec import LIMITS
from unbounded.solvers.contract import Budget, Report
from unbounded.solvers.cplex import build_model
from unbounded.solvers.formulation import WhiteBoxOptions, formulate
from unbounded.solvers.registry import find


@pytest.mark.parametrize("case", [*(f"TC{tc}-c1e1" for tc in range(9)), "sphere-c1", "TC8-c1e1-block"])
@pytest.mark.parametrize("t", ["0", "1e4"])
def test_the_optimum_is_that_of_a_general_solver(case: str, t: str) -> None:
    name, c, *block = case.split("-")
    instance = build("-".join([f"mixed-D8-t{t}", name, c, "E10", *block]))
    # Around xi1, so that the general solver meets numbers of order one.
    A, B, d = instance.Hf / instance.c, instance.Hg / instance.c, instance.xi0 - instance.xi1
    other = minimize(
        lambda s: (s - d) @ A @ (s - d),
        np.zeros(8),
        jac=lambda s: 2 * A @ (s - d),
        constraints=NonlinearConstraint(lambda s: s @ B @ s, -np.inf, instance.E, jac=lambda s: 2 * B @ s),
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    relaxation = solve_relaxation(instance)
    assert relaxation.f == pytest.approx(other.fun, rel=1e-6)
    np.testing.assert_allclose(relaxation.x - instance.xi1, other.x, atol=1e-3)


@pytest.mark.parametrize("tc", range(9))
def test_the_optimum_is_that_of_cplex_on_the_continuous_program(tc: int) -> None:
    instance = build(f"mixed-D16-t0-TC{tc}-c1e2-E10")
    with build_model(formulate(instance, WhiteBoxOptions())) as model:
        model.parameters.threads.set(1)
        model.variables.set_types([(i, model.variables.type.continuous) for i in range(16)])
        model.set_problem_type(model.problem_type.QCP)
        model.solve()
        assert model.solution.get_status() == model.solution.status.optimal
        value, x = model.solution.get_objective_value(), np.array(model.solution.get_values())
    relaxation = solve_relaxation(instance)
    assert relaxation.f == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(relaxation.x, x, atol=1e-2)


@pytest.mark.parametrize("tc", range(9))
@pytest.mark.parametrize("c", ["1e1", "1e4", "1e6"])
@pytest.mark.parametrize("t", ["0", "1e4"])
def test_the_dual_bound_closes_the_gap_at_every_condition(tc: int, c: str, t: str) -> None:
    for E in (10, 80):
        instance = build(f"mixed-D64-t{t}-TC{tc}-c{c}-E{E}")
        relaxation = solve_relaxation(instance)
        assert relaxation.bound <= relaxation.f
        assert relaxation.bound == pytest.approx(relaxation.f, rel=1e-8)
        point = instance.verify(relaxation.x)
        f, g = (values[0] for values in instance.evaluate(relaxation.x[None, :]))
        assert f == pytest.approx(relaxation.f, rel=1e-6)
        assert g <= instance.E + 1e-6 * instance.E
        assert relaxation.multiplier > 0 or point.f == 0


@pytest.mark.parametrize("tc", range(9))
def test_the_point_is_stationary_with_its_multiplier(tc: int) -> None:
    instance = build(f"mixed-D64-t0-TC{tc}-c1e2-E10")
    relaxation = solve_relaxation(instance)
    pull = instance.Hf @ (relaxation.x - instance.xi0)
    push = relaxation.multiplier * instance.Hg @ (relaxation.x - instance.xi1)
    assert np.abs(pull + push).max() <= 1e-7 * np.abs(pull).max()
    assert instance.g(relaxation.x[None, :])[0] == pytest.approx(instance.E, rel=1e-10)


@pytest.mark.parametrize("case", [*(f"TC{tc}-c1e1" for tc in range(9)), "sphere-c1"])
def test_the_bound_is_below_every_feasible_lattice_point(case: str) -> None:
    instance = build(f"integer-D4-t0-{case}-E10")
    box = instance.box()
    axes = [np.arange(a, b + 1) for a, b in zip(box.lower, box.upper, strict=True)]
    lattice = np.array(list(product(*axes)))
    f, g = instance.evaluate(lattice)
    best = f[g <= instance.E].min()
    relaxation = solve_relaxation(instance)
    assert relaxation.bound <= best
    assert best < 2.5 * relaxation.bound + 30.0  # and not below it by being nothing at all


@pytest.mark.parametrize("tc", range(9))
def test_the_bound_is_below_what_cplex_finds_on_a_mixed_instance(tc: int) -> None:
    instance = build(f"mixed-D8-t0-TC{tc}-c1e1-E30")
    entry, budget = find("cplex"), Budget(kind="ticks", amount=300)
    ending = entry.solver.solve(instance, budget, 1, entry.options({"polish": False}), Report(instance, budget))
    assert ending.x is not None
    point = instance.verify(ending.x)
    assert point.feasible
    relaxation = solve_relaxation(instance)
    # A violation within the tolerance is worth the multiplier times itself.
    assert relaxation.bound <= point.f + relaxation.multiplier * point.violation


@pytest.mark.parametrize("kind", ["mixed", "integer"])
def test_the_optimum_is_zero_where_the_objective_centre_is_feasible(kind: str) -> None:
    for tc in (2, 5, 8):
        instance = build(f"{kind}-D64-t1e4-TC{tc}-c1e3-E10")
        relaxation = solve_relaxation(instance)
        assert np.array_equal(relaxation.x, instance.xi0)
        assert (relaxation.f, relaxation.bound, relaxation.multiplier) == (0.0, 0.0, 0.0)
    assert solve_relaxation(build(f"{kind}-D64-t0-TC2-c1e2-E80")).bound > 0.0


def test_the_bound_falls_as_the_constraint_widens() -> None:
    bounds = [solve_relaxation(build(f"mixed-D64-t0-TC4-c1e3-E{E}")).bound for E in (10, 30, 50, 80)]
    assert bounds == sorted(bounds, reverse=True)
    assert len(set(bounds)) == 4


@pytest.mark.parametrize("tc", range(9))
def test_everything_is_computed_at_the_least_and_largest_c_and_e(tc: int) -> None:
    for c, E in product(LIMITS, repeat=2):
        instance = build(InstanceSpec("mixed", 64, 0.0, tc, c, E))
        relaxation, box = solve_relaxation(instance), instance.box()
        f, g = (values[0] for values in instance.evaluate(relaxation.x[None, :]))
        assert f == pytest.approx(relaxation.f, rel=1e-6)
        assert g <= E * (1 + 1e-5)
        assert relaxation.bound == pytest.approx(relaxation.f, rel=1e-3)
        assert np.isfinite([box.lower, box.upper]).all()
