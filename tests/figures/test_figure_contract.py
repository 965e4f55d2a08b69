"""What every figure keeps: found by its file, planned as plain data, drawn from real tables, the same each time."""

import json
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from harness.campaigns import planned, run_here, study
from unbounded.campaign.plan import Plan
from unbounded.figures.registry import CAMPAIGN, entries, pictures
from unbounded.tables.files import read
from unbounded.tables.registry import made_from_tables

ALL = ("cplex", "mies", "truth")
#: A study of each type, so that there is no figure without a picture.
SETTINGS: dict[str, Any] = {
    "name": "every",
    "trace_points": 16,
    "solvers": {
        "cplex": {"budget": {"ticks": 50}, "seeds": [1]},
        "mies": {"budget": {"evaluations": 3000}, "label": "MIES"},
        "truth": {"use": "lattice", "budget": {"nodes": 1000}, "options": {"within": 1e-3}, "seeds": [1]},
    },
    "studies": {
        "views": {"type": "landscapes"},
        "preliminary": study("preliminary", ["cplex"], test_cases=["sphere"], c=[1]),
        "benchmark": study("benchmark", ALL, seeds=2),
        "translation": study("translation", ALL, translations=[100], seeds=2),
        "all-integer": study("all-integer", ALL, kinds=["integer"], seeds=2),
        "multimodality": study("multimodality", ALL, kinds=["integer"], seeds=2),
        "formulation": study("formulation", ["cplex"]),
        "invariance": study("invariance", ["cplex", "mies"], translations=[0, 100]),
        "discrepancy": {"type": "discrepancy", "of": ["benchmark"]},
    },
}


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return planned(tmp_path_factory.mktemp("plan") / "every.yaml", SETTINGS)


@pytest.fixture(scope="module")
def tables(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the tables of real trials."""
    return run_here(plan, tmp_path_factory.mktemp("tables"))


def own(plan: Plan, name: str) -> dict[str, Any]:
    return {path: picture for path, picture in pictures(plan).items() if picture["figure"] == name}


@pytest.mark.parametrize("name", entries())
def test_a_figure_says_what_it_is(name: str) -> None:
    entry = entries()[name]
    assert entry.module == f"unbounded.figures.{name}"
    assert entry.figure.title
    assert not entry.figure.title.endswith(".")
    assert set(entry.figure.tables) <= set(made_from_tables())


@pytest.mark.parametrize("name", entries())
def test_its_pictures_are_planned_as_plain_data_in_folders_of_studies(name: str, plan: Plan) -> None:
    planned = own(plan, name)
    assert planned, "a study of each type is in the campaign, and it has no picture of any"
    for path, description in planned.items():
        study, _, picture = path.partition("/")
        assert study in (*plan.campaign.studies, CAMPAIGN)
        assert picture
        assert "/" not in picture
        assert json.loads(json.dumps(description)) == description


@pytest.mark.parametrize("name", entries())
def test_its_pictures_are_drawn_from_tables_the_same_each_time(
    name: str, plan: Plan, tables: Path, tmp_path: Path
) -> None:
    figure = entries()[name].figure
    given = {table: read(tables / f"{table}.parquet") for table in figure.tables}
    path, description = next(iter(own(plan, name).items()))
    draw = partial(figure.make, json.loads(json.dumps(description)), given)
    labels = plan.campaign.labels
    caption = draw([tmp_path / "a.svg", tmp_path / "a.png"], labels)
    assert draw([tmp_path / "b.svg"], labels) == caption
    assert caption.endswith(".")
    assert "\n" not in caption
    # Names of clips follow the last bits of what the layout computes.
    first, second = (re.sub(r"\bp[0-9a-f]{10}\b", "", (tmp_path / f"{k}.svg").read_text("utf-8")) for k in "ab")
    assert first == second
    assert "<svg" in first[:1000]
    with Image.open(tmp_path / "a.png") as image:
        assert (image.format, image.mode) == ("PNG", "P")
    for table in given.values():
        behind = figure.rows_behind(table, description)
        assert set(behind.index) <= set(table.index)
        assert list(behind.columns) == list(table.columns)
    if given:
        assert any(len(figure.rows_behind(table, description)) for table in given.values()), path


def test_planning_loads_no_drawing_code() -> None:
    heavy = ("matplotlib", "seaborn", "scipy", "unbounded.figures.parts.scales")
    code = f"import sys, unbounded.figures.registry as r; r.entries(); print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stdout + done.stderr
