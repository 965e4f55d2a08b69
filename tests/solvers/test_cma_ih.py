"""The settings of cma-IH that the study fixes."""

from typing import Any

import numpy as np
import pytest

from unbounded.instances import Instance, build
from unbounded.instances.relaxation import solve_relaxation
from unbounded.solvers import cma_ih
from unbounded.solvers.cma_ih import numpy_seeded
from unbounded.solvers.contract import Budget, Report
from unbounded.solvers.registry import find


def test_the_population_is_three_times_the_default_rule() -> None:
    wide, default = find("cma-IH").options({}), find("cma-IH-default").options({})
    assert wide.population_at(64) == 48
    assert default.population_at(64) == 16
    assert [default.population_at(D) for D in (4, 32, 128)] == [8, 14, 18]
    assert find("cma-IH").options({"population": 50}).population_at(64) == 50


def test_numpy_is_seeded_inside_and_as_before_afterwards() -> None:
    before = np.random.get_state()[1].tobytes()  # noqa: NPY002
    drawn = []
    for _ in range(2):
        with numpy_seeded(5):
            drawn.append(np.random.random())  # noqa: NPY002
    assert drawn[0] == drawn[1]
    assert np.random.get_state()[1].tobytes() == before  # noqa: NPY002


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The augmented Lagrangians that runs make from here on."""
    made: list[Any] = []

    def remember(of: Instance, make=cma_ih.augmented_lagrangian):
        made.append(make(of))
        return made[-1]

    monkeypatch.setattr(cma_ih, "augmented_lagrangian", remember)
    return made


def test_what_the_augmented_lagrangian_keeps_does_not_grow_while_nothing_feasible_is_met(made: list[Any]) -> None:
    instance, budget = build("mixed-D16-t0-TC1-c1e6-E80"), Budget(kind="evaluations", amount=5000)
    report = Report(instance, budget)
    cma_ih.SOLVER.solve(instance, budget, 1, find("cma-IH-AL").options({}), report)
    assert report.feasible_best is None
    assert report.evaluations > 4900
    assert [len(values) for values in (made[0].F, made[0].G, made[0].F_plus_sum_al_G)] == [1, 1, 1]


def test_without_integers_the_augmented_lagrangian_finds_the_multiplier(made: list[Any]) -> None:
    instance = build("mixed-D4-t0-TC3-c1e1-E30")
    instance.n_r, instance.n_z = 4, 0
    relaxation = solve_relaxation(instance)
    budget = Budget(kind="evaluations", amount=20_000)
    report = Report(instance, budget)
    ending = cma_ih.SOLVER.solve(instance, budget, 1, find("cma-IH-AL").options({}), report)
    assert ending.x is not None
    assert instance.verify(ending.x).f == pytest.approx(relaxation.f, rel=1e-5)
    assert made[0].al.lam[0] == pytest.approx(relaxation.multiplier, rel=1e-3)


def test_the_augmented_lagrangian_is_all_that_sets_cma_ih_al_apart() -> None:
    parent, child = find("cma-IH").options({}).model_dump(), find("cma-IH-AL").options({}).model_dump()
    assert {key for key in parent if parent[key] != child[key]} == {"constraint"}
    assert parent["constraint"] == "penalty"
