"""The starter campaign, run as it says; and what docs/analysis.ipynb, analysis.md and api.md go on to do with it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.running import ROOT
from unbounded import load, solve

INSTANCE = "mixed-D8-t0-TC0-c1e1-E30"


def execute(code: str, folder: Path) -> str:
    """Run code of the docs; return what it prints."""
    environment = os.environ | {"MPLBACKEND": "Agg"}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    return done.stdout


def test_the_starter_s_trials_all_end_as_they_should(starter: Path) -> None:
    trials = load("mine", results=starter / "results")
    assert set(trials["status"]) <= {"optimal", "tolerance", "time-out", "budget", "converged", "no-solution"}
    assert set(trials.loc[trials["solver"] == "lattice", "status"]) == {"optimal"}
    assert trials["feasible"].mean() > 0.8


def test_the_notebook_s_cells_run_one_after_another(starter: Path) -> None:
    notebook = json.loads((ROOT / "docs/analysis.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 3
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells), "clear the outputs"
    # The traces are joined to the runs that they are of: where they end is the value of the run.
    code = "\n".join("".join(cell["source"]) for cell in cells)
    check = """
last = steps.groupby(["instance", "solver", "seed"])["f"].min()
value = trials[trials["feasible"]].set_index(["instance", "solver", "seed"])["f"]
assert len(last) > 2
assert np.allclose(last, value[last.index], rtol=1e-9)
print(len(grid.axes.flat), sum(len(axes.lines) for axes in grid.axes.flat))
"""
    docs = starter / "docs"
    docs.mkdir(exist_ok=True)
    panels, lines = map(int, execute(f"{code}\n{check}", docs).split())
    assert panels >= 1
    assert lines >= panels
    assert (starter / "results/mine/my-figure.svg").stat().st_size > 10_000


@pytest.mark.parametrize("page", ["analysis.md", "api.md"])
def test_the_code_of_a_page_runs(page: str, starter: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    execute("\n".join(blocks), starter)


def test_tables_and_rows_are_loaded_by_name(starter: Path) -> None:
    results = starter / "results"
    rows, trials = load("mine", "rows", results), load("mine", results=results)
    assert len(rows) == len(trials) == 64
    assert set(rows["f"]) == set(trials["f"])
    assert set(load("mine", "cells", results)["solver"]) == {"lattice", "cplex", "mies", "mies-near"}
    with pytest.raises(ValueError, match=r"cell\.parquet is not there.*there are: rows, .*cells"):
        load("mine", "cell", results)
    with pytest.raises(ValueError, match=r"campaigns with results: mine$"):
        load("huge", results=results)


def test_a_trial_from_python_is_that_of_the_workflow(starter: Path) -> None:
    rows = load("mine", "rows", starter / "results").set_index(["instance", "solver", "seed"])
    row = solve(INSTANCE, "mies", seed=2, budget="evaluations=50000")
    planned = rows.loc[(INSTANCE, "mies", 2)]
    for column in ("f", "status", "evaluations", "instance_digest", "options", "code_digest"):
        assert row[column] == planned[column]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"seed": -1}, "seed is -1; allowed: a number from 0"),
        ({"threads": 0}, "threads is 0; allowed: a number from 1"),
        ({"watchdog": 0.0}, "watchdog is 0; allowed: a number above 0"),
        ({"mem_mb": float("nan")}, "mem_mb is nan; allowed: a number above 0"),
        ({"budget": "ticks=3"}, "cma-IH keeps no budget of ticks"),
    ],
)
def test_what_is_wrong_with_an_argument_is_said(arguments: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        solve(INSTANCE, "cma-IH", **arguments)


def test_the_package_s_import_loads_no_library() -> None:
    lines = "import sys, unbounded; print({'numpy', 'pandas', 'pydantic', 'pyarrow'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True).stdout == "set()\n"
