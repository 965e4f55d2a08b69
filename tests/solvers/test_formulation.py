"""Every formulation is the same problem: the same points, the same f and g, the same optimum; boxes cut nothing off."""

import itertools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from unbounded.campaign.reading import ConfigError, load_campaign
from unbounded.instances import build
from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.instances.relaxation import solve_relaxation
from unbounded.running.supervision import Limits, supervise
from unbounded.solvers.contract import Budget, Ending, Report
from unbounded.solvers.formulation import Model, WhiteBoxOptions, formulate, gap_ending
from unbounded.solvers.registry import Entry, find, modified

CENTRES, BOXES, ALGEBRAS = ("none", "integer"), ("none", "ellipsoid"), ("direct", "epigraph", "eigen")
ALL = [
    dict(zip(("centre", "box", "algebra"), each, strict=True)) for each in itertools.product(CENTRES, BOXES, ALGEBRAS)
]
every_formulation = pytest.mark.parametrize("options", ALL, ids=lambda options: "-".join(options.values()))

instances = st.builds(
    lambda kind, D, t, case, c, E: build(f"{kind}-D{D}-t{t}-TC{case}-c{c}-E{E}"),
    kind=st.sampled_from(["mixed", "integer"]),
    D=st.sampled_from([4, 8, 16]),
    t=st.sampled_from(["0", "1e4", "-300", "0.5"]),
    case=st.integers(0, 8),
    c=st.sampled_from(["1e1", "1e3", "1e6"]),
    E=st.sampled_from([10, 30, 80]),
)


def solved(
    entry: Entry, instance: Instance, budget: Budget, options: Mapping[str, Any] = MappingProxyType({})
) -> Ending:
    """Return how a solver ends; in a process of its own, as in a trial: after Xpress numpy's eigenvalues differ."""

    def solve(log: object) -> Ending:
        return entry.solver.solve(instance, budget, 1, entry.options(dict(options)), Report(instance, budget))

    ending: Ending = supervise(solve, Limits(), None).answer
    return ending


def points(instance: Instance, seed: int, count: int = 20) -> FloatArray:
    """Return feasible points, some of them on the boundary, before any rounding."""
    rng = np.random.default_rng(seed)
    S = rng.normal(size=(count, instance.D))
    g = instance.g(instance.xi1 + S)
    radius = np.where(rng.random(count) < 0.5, 1.0, rng.random(count))
    return instance.xi1 + S * np.sqrt(radius * instance.E / g)[:, None]


def completed(instance: Instance, model: Model, x: FloatArray) -> FloatArray:
    """Return the values of all variables of a model at x, auxiliary ones computed from the instance."""
    values = [x - model.shift]
    if any(name.startswith("u") for name in model.names):
        values += [instance.hessian_f.rotate((x - instance.xi0)[None, :])[0]]
        values += [instance.hessian_g.rotate((x - instance.xi1)[None, :])[0]]
    if "z" in model.names:
        values += [instance.f(x[None, :])]
    return np.concatenate(values)


@every_formulation
@given(instance=instances, seed=st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_objective_constraints_and_equations_say_what_the_instance_says(
    options: dict[str, Any], instance: Instance, seed: int
) -> None:
    model = formulate(instance, WhiteBoxOptions(**options))
    # What is computed with numbers of size t² has an error of that size times the unit roundoff.
    size = float(np.abs(model.shift - instance.xi1).max() + np.abs(model.shift - instance.xi0).max()) ** 2 * model.D
    absolute = 1e-13 * size + 1e-9
    for x in points(instance, seed, 3):
        v = completed(instance, model, x)
        assert np.array_equal(model.recover(v), v[: model.D] + model.shift)
        assert np.allclose(model.recover(v), x, rtol=1e-15)
        assert model.objective.value(v) == pytest.approx(instance.f(x[None, :])[0], rel=1e-9, abs=absolute)
        (_, g, E) = model.constraints[-1]
        assert E == instance.E
        assert g.value(v) == pytest.approx(instance.g(x[None, :])[0], rel=1e-9, abs=absolute)
        if "z" in model.names:
            (name, f, rhs) = model.constraints[0]
            assert name == "f"
            assert f.value(v) - rhs == pytest.approx(0.0, abs=absolute + 1e-9 * v[-1])
        assert np.allclose(model.A @ v, model.b, atol=1e-13 * size + 1e-9, rtol=0)
        i, j, coefficients = g.terms()
        terms = sum(k * v[a] * v[b] for a, b, k in zip(i, j, coefficients, strict=True))
        assert terms + g.q @ v + g.k == pytest.approx(g.value(v), rel=1e-9, abs=absolute)


@every_formulation
@given(instance=instances, seed=st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_boxes_contain_the_feasible_set_and_touch_it(options: dict[str, Any], instance: Instance, seed: int) -> None:
    model = formulate(instance, WhiteBoxOptions(**options))
    if options["box"] == "none":
        assert np.isneginf(model.lower[: model.D]).all()
        assert np.isposinf(model.upper[: model.D]).all()
        return
    feasible = [x for x in points(instance, seed) if instance.g(instance.round(x)[None, :])[0] <= instance.E]
    for x in (instance.round(x) for x in feasible):
        v = completed(instance, model, x)
        assert (model.lower <= v).all()
        assert (v <= model.upper).all()
    # The point of the ellipsoid that is farthest along a real or auxiliary variable lies on the box's side: it is not
    # cut off, and no bound is idle.
    directions = {i: np.eye(instance.D)[i] for i in range(instance.n_r)}
    if options["algebra"] == "eigen":
        directions |= {instance.D + row: -model.A[row, : instance.D] for row in range(2 * instance.D)}
    width = model.upper - model.lower
    for i, direction in directions.items():
        s = np.linalg.solve(instance.Hg / instance.c, direction)
        x = instance.xi1 + s * np.sqrt(instance.E / (s @ (instance.Hg / instance.c) @ s))
        value = completed(instance, model, x)[i]
        assert value <= model.upper[i]
        assert value == pytest.approx(model.upper[i], abs=1e-5 * width[i])
    whole = slice(model.n_r, model.D)
    assert np.array_equal(model.lower[whole], np.rint(model.lower[whole]))
    assert np.array_equal(model.upper[whole], np.rint(model.upper[whole]))


@given(instance=instances, seed=st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_centring_is_exact_on_integers(instance: Instance, seed: int) -> None:
    model = formulate(instance, WhiteBoxOptions(centre="integer"))
    assert np.array_equal(model.shift, np.rint(model.shift))
    y = np.random.default_rng(seed).integers(-(10**6), 10**6, instance.D).astype(float)
    assert np.array_equal(model.recover(y) - model.shift, y)
    assert np.array_equal(model.recover(y), np.rint(model.recover(y)))


@pytest.mark.parametrize("algebra", ALGEBRAS)
@pytest.mark.parametrize("box", BOXES)
def test_a_centred_instance_is_the_same_model_whatever_its_translation(algebra: str, box: str) -> None:
    options = WhiteBoxOptions(centre="integer", box=box, algebra=algebra)
    here, there = (formulate(build(f"mixed-D16-t{t}-TC7-c1e3-E30"), options) for t in ("0", "1e4"))
    for name in ("lower", "upper", "A", "b"):
        assert np.array_equal(getattr(here, name), getattr(there, name)), name
    pairs = [(a[1], b[1]) for a, b in zip(here.constraints, there.constraints, strict=True)]
    for a, b in [(here.objective, there.objective), *pairs]:
        assert (a.Q == b.Q).all()
        assert (a.q == b.q).all()
        assert a.k == b.k


SMALL = {"ticks": 300.0, "nodes": 1000.0, "work": 0.2}


# With its own tolerances, Xpress hands in points that violate g by some 1e-4 where variables are real.
@pytest.mark.parametrize(
    ("id", "solvers"),
    [
        ("mixed-D4-t0-TC4-c1e1-E30", ["cplex-plain", "scip", "gurobi"]),
        ("integer-D4-t0-TC5-c1e2-E10", ["cplex-plain", "scip", "gurobi", "xpress"]),
        ("integer-D4-t-3-TC7-c1e1-E30", ["cplex-plain", "scip", "gurobi"]),
    ],
)
def test_every_formulation_of_every_solver_has_the_same_verified_optimum(id: str, solvers: list[str]) -> None:
    instance = build(id)
    found: dict[str, float] = {}
    bases = [base for base in map(find, solvers) if base.solver.unavailable() is None]
    for entry in itertools.chain.from_iterable(map(modified, bases)):
        assert entry.solver.unit is not None
        budget = Budget(kind=entry.solver.unit, amount=SMALL[entry.solver.unit])
        ending = solved(entry, instance, budget, {"mipgap": 1e-6})
        assert ending.x is not None, entry.id
        point = instance.verify(ending.x)
        assert point.feasible, entry.id
        assert ending.how in ("optimal", "tolerance"), entry.id
        assert ending.bound is not None
        assert ending.bound <= point.f + 1e-5 * max(1.0, point.f), entry.id
        found[entry.id] = point.f
    assert {"cplex-plain", "scip+centre+box+eigen"} <= set(found)
    # A real variable may exceed E by the tolerance of verification: that much may f differ.
    slack = solve_relaxation(instance).multiplier * instance.tolerance
    assert max(found.values()) - min(found.values()) <= 1e-5 * min(found.values()) + 2 * slack, found


def test_scip_closes_the_gap_at_64_variables_without_any_reformulation() -> None:
    instance, entry, budget = build("mixed-D64-t0-TC0-c1e1-E30"), find("scip"), Budget(kind="nodes", amount=100)
    ending = solved(entry, instance, budget)
    assert ending.how == "tolerance"
    assert ending.x is not None
    assert ending.bound is not None
    point = instance.verify(ending.x)
    assert point.feasible
    assert point.f <= (1 + 1e-3) * ending.bound
    assert ending.bound <= 6725.16 * (1 + 1e-6)


@pytest.mark.parametrize(
    ("solver", "id", "limit"),
    [
        ("gurobi+eigen", "mixed-D128-t0-TC0-c1e1-E30", "at most 200 variables"),
        ("xpress+eigen", "mixed-D64-t0-TC0-c1e1-E30", "at most 200 rows and columns"),
    ],
)
def test_a_model_beyond_a_small_licence_is_skipped_and_says_why(solver: str, id: str, limit: str) -> None:
    entry, instance, budget = find(solver), build(id), Budget(kind="work", amount=0.01)
    reason = entry.solver.unavailable()
    if reason is not None:
        pytest.skip(reason)
    ending = solved(entry, instance, budget)
    if ending.x is not None or "licence" not in ending.termination:
        pytest.skip(f"{solver} has a full licence here")
    assert ending.how == "skipped"
    for part in ("licence", limit, f"{3 * instance.D} variables"):
        assert part in ending.termination


@pytest.mark.parametrize("solver", ["gurobi", "xpress"])
def test_the_small_licences_hold_every_instance_of_the_study(solver: str) -> None:
    entry, instance = find(solver), build("mixed-D128-t0-TC0-c1e1-E30")
    reason = entry.solver.unavailable()
    if reason is not None:
        pytest.skip(reason)
    budget = Budget(kind="work", amount=0.01)
    ending = solved(entry, instance, budget)
    assert ending.how not in ("error", "skipped")


def test_numerical_difficulties_of_xpress_without_a_point_are_an_error_that_names_them() -> None:
    entry, instance = find("xpress-strict+eigen"), build("mixed-D16-t1e4-TC1-c1e1-E30")
    reason = entry.solver.unavailable()
    if reason is not None:
        pytest.skip(reason)
    budget = Budget(kind="work", amount=0.05)
    ending = solved(entry, instance, budget)
    assert ending.x is None
    assert ending.how == "error"
    assert "stopped by numerical difficulties" in ending.termination


def test_an_algebra_that_a_solver_has_not_is_refused_with_those_it_has(tmp_path) -> None:
    with pytest.raises(ValidationError, match="Input should be 'epigraph' or 'eigen'"):
        find("scip").options({"algebra": "direct"})
    path = tmp_path / "mine.yaml"
    path.write_text(
        "name: mine\nstudies:\n  a: {type: formulation, dimensions: [4], test_cases: [0], c: [10], E: [30], "
        "reference: scip, solvers: {scip: {options: {algebra: direct}}}}\n"
    )
    with pytest.raises(
        ConfigError, match=r"studies.a.solvers.scip.options.algebra: is 'direct'; .*'epigraph' or 'eigen'"
    ):
        load_campaign(path)


def test_a_closed_gap_is_a_proof_of_optimality_only_if_nothing_is_left_of_it() -> None:
    assert gap_ending(100.0, 100.0) == "optimal"
    assert gap_ending(100.0, 99.95) == "tolerance"
    assert gap_ending(0.0, -1e-7) == "optimal"
    assert gap_ending(1.0, None) == "tolerance"
