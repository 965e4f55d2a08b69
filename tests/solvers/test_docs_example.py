"""The worked example of docs/add-a-solver.md, put where it says and used as it says."""

import shutil
from pathlib import Path

import pytest

from harness.examples import Example
from harness.running import ROOT, environment, unbounded

EXAMPLE = Example("add-a-solver.md")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a folder with a copy of the package that has the example in it."""
    copy = tmp_path / "workflow"
    shutil.copytree(ROOT / "workflow" / "unbounded", copy / "unbounded", ignore=shutil.ignore_patterns("__pycache__"))
    EXAMPLE.put(tmp_path)
    return copy


def test_the_example_solver_is_found_runs_and_keeps_the_contract(package: Path) -> None:
    here = environment(PYTHONPATH=str(package))
    (trial,) = EXAMPLE.commands("unbounded trial")
    assert "budget (20000 evaluations spent)" in unbounded("trial", *trial, env=here)
    assert "random-search" in unbounded("solvers", env=here)
    EXAMPLE.keeps_the_contract(package)


def test_the_example_passes_the_checks_that_the_package_passes(tmp_path: Path) -> None:
    EXAMPLE.passes_the_checks(tmp_path)
