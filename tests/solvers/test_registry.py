"""The registry finds solvers by itself."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from unbounded import solvers
from unbounded.solvers import registry

MODULE = """
from unbounded.solvers.contract import Ending, Options, Strategy


class Idle(Strategy[Options]):
    summary = "does nothing"
    variants = {variants!r}
    options = Options

    def seconds_of_a_unit(self, D):
        return 1.0

    def solve(self, instance, budget, seed, options, report):
        return Ending("budget", "did nothing", None)


SOLVER = Idle()
"""

Add = Callable[[str, str], None]


@pytest.fixture
def add_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Add]:
    """Adds a file to the package of solvers, from a folder of its own."""
    before = set(sys.modules)
    monkeypatch.setattr(solvers, "__path__", [*solvers.__path__, str(tmp_path)])

    def add(name: str, source: str) -> None:
        (tmp_path / f"{name}.py").write_text(source)
        registry.entries.cache_clear()

    yield add
    for name in set(sys.modules) - before:
        if name.startswith("unbounded.solvers."):
            del sys.modules[name]
            delattr(solvers, name.rpartition(".")[2])
    registry.entries.cache_clear()


def test_the_solvers_of_the_study_are_found_and_sorted_by_id() -> None:
    found = list(registry.entries())
    assert {"cplex", "cplex-published", "mies", "mies-printed", "cma-IH", "cma-IH-default"} <= set(found)
    assert found == sorted(found)
    assert all(id == entry.id for id, entry in registry.entries().items())


def test_a_module_that_is_dropped_in_is_found(add_module: Add) -> None:
    add_module("idle_for_a_test", MODULE.format(variants={"idle": {}, "idle-more": {}}))
    entry = registry.find("idle")
    assert entry.module == "unbounded.solvers.idle_for_a_test"
    assert entry.solver.summary == "does nothing"
    assert registry.find("idle-more").solver is entry.solver
    assert "mies" in registry.entries()


def test_a_module_without_a_solver_is_passed_over(add_module: Add) -> None:
    known = list(registry.entries())
    add_module("no_solver_for_a_test", "HELPER = 1\n")
    assert list(registry.entries()) == known


def test_an_id_that_two_modules_give_is_refused_with_both_names(add_module: Add) -> None:
    add_module("another_mies_for_a_test", MODULE.format(variants={"mies": {}}))
    with pytest.raises(RuntimeError, match="solver id 'mies' is given by both") as refusal:
        registry.entries()
    assert "unbounded.solvers.mies" in str(refusal.value)
    assert "unbounded.solvers.another_mies_for_a_test" in str(refusal.value)


def test_an_unknown_id_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="unknown solver 'glpk'; allowed: ") as refusal:
        registry.find("glpk")
    assert all(id in str(refusal.value) for id in registry.entries())
    assert "scip[+centre][+box][+eigen]" in str(refusal.value)
    assert "cplex[+centre][+box][+epigraph|eigen]" in str(refusal.value)


def test_modifiers_are_appended_in_their_order_and_set_options() -> None:
    entry = registry.find("cplex-published+centre+box+eigen")
    assert (entry.base, entry.module) == ("cplex-published", "unbounded.solvers.cplex")
    options = entry.options({}).model_dump()
    assert (options["centre"], options["box"], options["algebra"]) == ("integer", "ellipsoid", "eigen")
    assert options["integrality"] == 1e-3
    assert registry.find("cplex+eigen").options({"algebra": "epigraph"}).algebra == "epigraph"


def test_a_solver_has_every_combination_of_its_modifiers_once_and_itself_first() -> None:
    for base, combinations in {"cplex": 12, "gurobi": 12, "xpress": 12, "scip": 8, "mies": 1}.items():
        found = registry.modified(registry.find(base))
        assert found[0].id == base
        assert len({entry.id for entry in found}) == len(found) == combinations
        assert [registry.find(entry.id) for entry in found] == found
        # No two of them are the same: the combination of a form with the default one has no id.
        assert len({entry.options({}).model_dump_json() for entry in found}) == combinations


@pytest.mark.parametrize(
    "id", ["mies+centre", "scip+epigraph", "scip+direct", "cplex+box+centre", "cplex+", "cplex+eigen+epigraph", "+box"]
)
def test_modifiers_that_a_solver_has_not_or_in_another_order_are_refused(id: str) -> None:
    assert not registry.is_known(id)
    with pytest.raises(ValueError, match=r"unknown solver '.*'; allowed: "):
        registry.find(id)


def test_a_variant_is_its_module_with_options_of_its_own_and_overrides_come_last() -> None:
    fit, printed = registry.find("mies"), registry.find("mies-printed")
    assert fit.solver is printed.solver
    assert fit.options({}).model_dump() | printed.preset == printed.options({}).model_dump()
    assert printed.options({"tournament": 7}).tournament == 7
    assert printed.options({"tournament": 7}).sigma_min == 1e-5
