"""Exported instances are the same problems in the eyes of another solver, and the same bits as arrays."""

from pathlib import Path

import numpy as np
import pyscipopt
import pytest

from unbounded.instances import build
from unbounded.solvers.contract import Budget, Report
from unbounded.solvers.export import FORMATS, export
from unbounded.solvers.registry import find


def optimum_by_cplex(id: str) -> float:
    instance, entry, budget = build(id), find("cplex"), Budget(kind="ticks", amount=2000)
    options = entry.options({"mipgap": 1e-9, "absmipgap": 0.0, "polish": False})
    ending = entry.solver.solve(instance, budget, 1, options, Report(instance, budget))
    assert ending.how == "optimal"
    assert ending.x is not None
    return instance.verify(ending.x).f


@pytest.mark.parametrize("format", ["lp", "mps"])
@pytest.mark.parametrize(
    "id",
    ["mixed-D4-t0-TC2-c1e1-E30", "integer-D4-t0-TC6-c1e2-E30", "mixed-D4-t0-TC8-c1e1-E30-block"],
)
def test_scip_reads_the_exported_file_and_finds_the_optimum_of_cplex(id: str, format: str, tmp_path: Path) -> None:
    instance = build(id)
    path = tmp_path / f"{id}.{format}"
    export(instance, path, format)
    scip = pyscipopt.Model()
    scip.hideOutput()
    scip.readProblem(str(path))
    scip.setParam("limits/gap", 1e-8)
    scip.setParam("limits/nodes", 100_000)
    scip.optimize()
    assert scip.getStatus() in ("optimal", "gaplimit")
    values = {variable.name: scip.getVal(variable) for variable in scip.getVars()}
    point = instance.verify(np.array([values[f"x{i + 1}"] for i in range(instance.D)]))
    assert point.feasible
    assert point.integrality_error < 1e-6
    # The file's objective is f itself, with its constant.
    assert scip.getObjVal() == pytest.approx(point.f, rel=1e-6)
    assert point.f == pytest.approx(optimum_by_cplex(id), rel=1e-6)


@pytest.mark.parametrize("format", ["lp", "mps"])
@pytest.mark.parametrize(("kind", "integers"), [("mixed", 4), ("integer", 8)])
def test_the_exported_file_has_free_variables_and_the_last_are_integer(
    kind: str, integers: int, format: str, tmp_path: Path
) -> None:
    path = tmp_path / f"model.{format}"
    export(build(f"{kind}-D8-t1e4-TC8-c1e3-E30"), path, format)
    scip = pyscipopt.Model()
    scip.hideOutput()
    scip.readProblem(str(path))
    variables = {v.name: v for v in scip.getVars() if v.name.startswith("x")}
    assert len(variables) == 8
    assert {name for name, v in variables.items() if v.vtype() == "INTEGER"} == {
        f"x{i + 1}" for i in range(8 - integers, 8)
    }
    for v in variables.values():
        assert v.getLbOriginal() == -scip.infinity()
        assert v.getUbOriginal() == scip.infinity()


@pytest.mark.parametrize("id", ["integer-D16-t1e4-TC7-c1e5-E50", "mixed-D8-t0-TC8-c1e1-E30-block"])
def test_npz_keeps_every_array_to_the_bit_with_the_digest(id: str, tmp_path: Path) -> None:
    instance = build(id)
    path = tmp_path / "folder" / "instance.npz"
    export(instance, path, "npz")
    with np.load(path) as file:
        assert str(file["id"]) == id
        assert str(file["digest"]) == instance.digest
        for name in ("Hf", "Hg", "xi0", "xi1"):
            assert file[name].dtype == np.float64
            assert file[name].tobytes() == getattr(instance, name).tobytes()
        assert (float(file["c"]), float(file["E"])) == (instance.c, instance.E)
        assert file["integer"].tolist() == [False] * instance.n_r + [True] * instance.n_z


@pytest.mark.parametrize("format", FORMATS)
def test_exporting_writes_the_one_file_it_was_asked_for(format: str, tmp_path: Path) -> None:
    path = tmp_path / "folder" / f"instance.{format}"
    export(build("mixed-D4-t0-TC8-c1e1-E30"), path, format)
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [path]
    assert path.stat().st_size > 0
