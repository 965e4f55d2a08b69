"""CPLEX gets the instance as it is, keeps its budget of ticks, and whatever it does becomes an ending."""

import io
from typing import get_args

import numpy as np
import pytest

from unbounded.instances import build
from unbounded.solvers.contract import Budget, Ending, How, Report
from unbounded.solvers.cplex import build_model
from unbounded.solvers.formulation import WhiteBoxOptions, formulate
from unbounded.solvers.registry import find

#: Proven at D = 16, mixed, E = 30; printed to seven digits or so.
OPTIMA = {
    "mixed-D16-t0-TC0-c1e1-E30": 1306.9606,
    "mixed-D16-t0-TC6-c1e1-E30": 163.62599,
    "mixed-D16-t0-TC6-c1e4-E30": 0.267752,
    "mixed-D16-t0-TC0-c1e4-E30": 1286.0287,
}
PRINTED = 5e-6


def run(id: str, ticks: float, solver: str = "cplex", log: io.StringIO | None = None, **options):
    instance, entry, budget = build(id), find(solver), Budget(kind="ticks", amount=ticks)
    report = Report(instance, budget, threads=options.pop("threads", 1), log=log)
    return entry.solver.solve(instance, budget, 1, entry.options(options), report), report


def solve(id: str, ticks: float, solver: str = "cplex", log: io.StringIO | None = None, **options) -> Ending:
    return run(id, ticks, solver, log, **options)[0]


@pytest.mark.parametrize(("id", "optimum"), OPTIMA.items())
def test_it_reaches_the_proven_optimum_within_the_gap(id: str, optimum: float) -> None:
    ending = solve(id, 300)
    assert ending.x is not None
    point = build(id).verify(ending.x)
    assert point.feasible
    assert optimum * (1 - PRINTED) <= point.f <= optimum * 1.001
    assert ending.claimed_f == pytest.approx(point.f, rel=1e-6)
    assert ending.bound is not None
    assert 0 < ending.bound <= optimum * (1 + PRINTED)
    assert ending.ticks is not None
    assert ending.ticks <= 1.05 * 300


@pytest.mark.parametrize(("id", "optimum"), OPTIMA.items())
def test_without_polishing_it_also_proves_it_within_the_gap(id: str, optimum: float) -> None:
    ending = solve(id, 1000, polish=False)
    assert ending.how in ("optimal", "tolerance")
    assert ending.x is not None
    point = build(id).verify(ending.x)
    assert point.feasible
    assert optimum * (1 - PRINTED) <= point.f <= optimum * 1.001
    assert ending.bound is not None
    assert optimum * 0.999 <= ending.bound <= optimum * (1 + PRINTED)


def test_with_polishing_it_proves_it_too_given_the_ticks() -> None:
    ending = solve("mixed-D16-t0-TC6-c1e4-E30", 2000)
    assert ending.how in ("optimal", "tolerance")
    assert ending.bound is not None
    assert ending.bound >= 0.999 * OPTIMA["mixed-D16-t0-TC6-c1e4-E30"]


def test_a_search_that_runs_out_of_ticks_is_a_time_out() -> None:
    ending = solve("mixed-D16-t0-TC0-c1e1-E30", 50)
    assert ending.how == "time-out"
    assert "deterministic time limit exceeded" in ending.termination
    assert ending.ticks is not None
    assert ending.ticks <= 1.05 * 50


@pytest.mark.parametrize(
    ("id", "ticks", "threads"), [("mixed-D16-t0-TC0-c1e1-E30", 200, 1), ("mixed-D16-t0-TC3-c1e4-E30", 200, 2)]
)
def test_what_it_finds_while_it_polishes_is_in_its_trace_on_every_run(id: str, ticks: float, threads: int) -> None:
    found = []
    for _ in range(2):
        ending, report = run(id, ticks, threads=threads)
        assert ending.claimed_f == pytest.approx(report.trace[-1].f)
        values = [point.f for point in report.trace]
        # The first incumbent starts the polishing, and the last is known from the end.
        assert any(values[-1] < f < values[0] for f in values)
        # Several threads tell of their progress in no fixed order.
        trace = [(point.f, point.bound) for point in report.trace] if threads == 1 else []
        found.append((ending.claimed_f, ending.bound, ending.ticks, trace))
    assert found[0] == found[1]


def test_an_instance_beyond_the_community_edition_is_skipped_and_says_why() -> None:
    ending = solve("mixed-D1024-t0-TC0-c1e1-E30", 10)
    assert ending.how == "skipped"
    assert ending.x is None
    for part in ("licence", "Community Edition", "1000 variables and 1000 constraints", "1024 variables"):
        assert part in ending.termination


@pytest.mark.parametrize("solver", ["cplex", "cplex-published"])
@pytest.mark.parametrize(
    "id",
    [
        "mixed-D4-t1e4-TC0-c1e1-E30",
        "integer-D8-t1e4-TC0-c1e2-E30",
        "mixed-D8-t1e4-sphere-c1-E10",
        "mixed-D16-t1e4-TC4-c1e3-E30",
        "mixed-D16-t1e4-TC7-c1e6-E10",
        "mixed-D16-t1e4-TC8-c1e6-E30",
        "integer-D64-t1e4-TC1-c1e6-E80",
    ],
)
def test_whatever_it_does_on_a_translated_instance_becomes_an_ending(id: str, solver: str) -> None:
    ending = solve(id, 50, solver)
    assert ending.how in get_args(How)
    assert ending.termination
    assert ending.termination == ending.termination.strip()
    assert "1217" not in ending.termination  # "no solution exists": our own listener asked too early
    if ending.x is None:
        assert ending.how in ("no-solution", "error")
    else:
        assert ending.x.shape == (build(id).D,)
        assert ending.claimed_f is not None


@pytest.mark.parametrize("tc", range(9))
@pytest.mark.parametrize("c", ["1e1", "1e6"])
def test_its_objective_and_constraint_are_ours(tc: int, c: str) -> None:
    instance = build(f"mixed-D16-t0-TC{tc}-c{c}-E30")
    s = np.random.default_rng(tc).normal(size=16)
    x = instance.xi1 + s * np.sqrt(0.9 * instance.E / instance.g((instance.xi1 + s)[None, :])[0])
    f, g = (values[0] for values in instance.evaluate(x[None, :]))
    with build_model(formulate(instance, WhiteBoxOptions())) as model:
        model.parameters.threads.set(1)
        model.variables.set_types([(i, model.variables.type.continuous) for i in range(16)])
        model.set_problem_type(model.problem_type.QCP)
        model.variables.set_lower_bounds(list(enumerate(x.tolist())))
        model.variables.set_upper_bounds(list(enumerate(x.tolist())))
        model.solve()
        assert model.solution.get_values() == x.tolist()
        assert model.solution.get_objective_value() == pytest.approx(f, rel=1e-9)
        activity = model.solution.get_quadratic_activity_levels("g")
        slack = model.quadratic_constraints.get_rhs("g") - activity
    assert slack == pytest.approx(instance.E - g, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", ["mixed", "integer"])
def test_its_variables_are_unbounded_and_the_last_ones_integer(kind: str) -> None:
    instance = build(f"{kind}-D8-t0-TC4-c1e1-E30")
    with build_model(formulate(instance, WhiteBoxOptions())) as model:
        assert max(model.variables.get_lower_bounds()) <= -1e20
        assert min(model.variables.get_upper_bounds()) >= 1e20
        assert "".join(model.variables.get_types()) == "C" * instance.n_r + "I" * instance.n_z
        assert model.get_problem_name() == instance.id


def parameters(solver: str, **options) -> dict[str, float]:
    log = io.StringIO()
    solve("mixed-D4-t0-TC0-c1e1-E30", 100, solver, log, **options)
    lines = [line.split() for line in log.getvalue().splitlines() if line.startswith("CPXPARAM_")]
    return {name.removeprefix("CPXPARAM_"): float(value) for name, value in lines}


def test_cplex_keeps_its_own_tolerances_but_the_gap_and_polishes() -> None:
    found = parameters("cplex")
    assert found["MIP_Tolerances_MIPGap"] == 1e-3
    assert found["MIP_PolishAfter_Solutions"] == 1
    assert found["DetTimeLimit"] == 100
    assert found["Threads"] == 1
    assert [name for name in found if "Tolerances" in name] == ["MIP_Tolerances_MIPGap"]
    assert "MIP_PolishAfter_Solutions" not in parameters("cplex", polish=False)


def test_cplex_published_has_the_tolerances_of_the_published_logs() -> None:
    found = parameters("cplex-published")
    tolerances = {name: value for name, value in found.items() if "Tolerances" in name}
    assert set(tolerances.values()) == {1e-3}
    assert set(tolerances) == {
        "MIP_Tolerances_MIPGap",
        "MIP_Tolerances_AbsMIPGap",
        "MIP_Tolerances_Integrality",
        "Simplex_Tolerances_Feasibility",
        "Simplex_Tolerances_Optimality",
    }
