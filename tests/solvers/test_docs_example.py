"""The worked example of docs/add-a-solver.md, put where it says and used as it says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a folder with a copy of the package that has the example in it."""
    text = (ROOT / "docs" / "add-a-solver.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (name,) = re.findall(r"^`workflow/unbounded/solvers/(\w+\.py)`:$", text, re.MULTILINE)
    shutil.copytree(
        ROOT / "workflow" / "unbounded", tmp_path / "unbounded", ignore=shutil.ignore_patterns("__pycache__")
    )
    (tmp_path / "unbounded" / "solvers" / name).write_text(code, encoding="utf-8")
    return tmp_path


def run(package: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_example_solver_is_found_runs_and_keeps_the_contract(package: Path) -> None:
    text = (ROOT / "docs" / "add-a-solver.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^\$ unbounded (trial .*)$", text, re.MULTILINE)
    assert "budget (20000 evaluations spent)" in run(package, "-m", "unbounded", *command.split())
    assert "random-search" in run(package, "-m", "unbounded", "solvers")
    (contract,) = re.findall(r"^\$ pytest (.*)$", text, re.MULTILINE)
    output = run(package, "-m", "pytest", "-p", "no:cacheprovider", *contract.split())
    assert re.search(r"[1-9]\d* passed", output)


def test_the_example_passes_the_checks_that_the_package_passes(package: Path) -> None:
    (example,) = package.glob("unbounded/solvers/random_search.py")
    settings = str(ROOT / "pyproject.toml")
    run(package, "-m", "ruff", "check", "--config", settings, str(example))
    run(package, "-m", "ruff", "format", "--check", "--config", settings, str(example))
    # By itself, with the package as it is in the repository, whose types mypy may know already.
    alone = package / "alone" / example.name
    alone.parent.mkdir()
    shutil.copy(example, alone)
    run(package, "-m", "mypy", "--config-file", settings, str(alone))
