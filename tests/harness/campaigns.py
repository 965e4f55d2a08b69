"""Small campaigns as data, and the short way from one to its tables: in this process."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from unbounded.campaign.layout import Layout
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.tables.files import make
from unbounded.tables.files import write as write_table
from unbounded.tables.plan import TABLE as plan_table
from unbounded.tables.registry import made_from_tables
from unbounded.tables.trials import collect, merge
from unbounded.trials.row import write_row
from unbounded.trials.run import Trial, run_trial


def study(type: str, solvers: Iterable[str], **settings: Any) -> dict[str, Any]:
    """Return a study of one instance, if nothing else is said, by solvers that the campaign describes."""
    grid = {"dimensions": [4], "test_cases": [0], "c": [10], "E": [30]}
    return {"type": type, **grid, **settings, "solvers": {solver: {} for solver in solvers}}


#: The instances of the two studies below.
MIXED, INTEGER = "mixed-D4-t0-TC0-c1e1-E30", "integer-D4-t0-TC0-c1e1-E30"


def tiny() -> dict[str, Any]:
    """Return a campaign of seven trials, to be changed."""
    return {
        "name": "tiny",
        "solvers": {
            "cplex": {"budget": {"ticks": 100}, "seeds": [1]},
            "mies": {"budget": {"evaluations": 3000}},
            "cma-IH": {"budget": {"evaluations": 600}},
        },
        "studies": {
            "landscapes": {"type": "landscapes"},
            "benchmark": study("benchmark", ["cplex", "mies", "cma-IH"], seeds=2),
            "all-integer": study("all-integer", ["cplex", "mies"], kinds=["integer"], seeds=[1]),
        },
    }


def faults(solvers: dict[str, Any], seeds: int = 1) -> dict[str, Any]:
    """Return a campaign of these solvers on the mixed instance; the first is the reference."""
    benchmark = study("benchmark", solvers, seeds=seeds, reference=next(iter(solvers)))
    return {"name": "faults", "solvers": solvers, "studies": {"study": benchmark}}


def write(path: Path, content: dict[str, Any] | str) -> Path:
    """Write a campaign file."""
    text = content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
    path.write_text(text, encoding="utf-8")
    return path


def planned(path: Path, content: dict[str, Any] | str) -> Plan:
    """Write a campaign file, and return what it plans."""
    return Plan(load_campaign(write(path, content)))


def run_here(plan: Plan, folder: Path, lost: tuple[str, str, int] | None = None) -> Path:
    """Run all trials but the one that is lost, and make all tables, with the functions that the workflow calls.

    Return the folder of the tables.
    """
    plan.prepare()  # once, not in the process of every trial
    layout = Layout(folder)
    slices = {layout.slice(name): trials for name, trials in plan.slices.items()}
    for table, trials in slices.items():
        paths = {}
        for instance, solver, seed in trials:
            trial = (instance, solver, seed)
            if trial != lost:
                cell, path = plan.cells[instance, solver], layout.trial(trial)
                run = Trial(instance, solver, cell.variant, seed, cell.budget, cell.options, cell.threads)
                write_row(run_trial(run), path)
                paths[path] = plan.columns(trial)
        collect(paths, table)
    merge(list(slices), *layout.table_files("trials"))
    write_table(plan_table(plan), layout.tables / "plan")
    for made in made_from_tables().values():
        make(made, layout.tables)
    return layout.tables
