"""The worked example of docs/add-a-form.md, put where it says: a form of its own, from its contract to the page."""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "add-a-form.md").read_text(encoding="utf-8")


@pytest.fixture
def with_form(finished):
    """A copy of the repository with the example in it, and a finished campaign without."""
    (code,) = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
    (path,) = re.findall(r"^`(workflow/unbounded/instances/forms/\w+\.py)`:$", DOCS, re.MULTILINE)
    (finished.folder / path).write_text(code, encoding="utf-8")
    return finished


def test_a_form_of_its_own_goes_all_the_way_to_the_page(with_form) -> None:
    # A new form makes nothing stale.
    assert with_form.stale() == {}
    (contract,) = re.findall(r"^\$ pytest (.*)$", DOCS, re.MULTILINE)
    shutil.copytree(ROOT / "tests" / "instances", with_form.folder / "tests" / "instances")
    assert re.search(r"[1-9]\d* passed", with_form.module("pytest", "-p", "no:cacheprovider", *contract.split()))
    (command,) = re.findall(r"^\$ unbounded (trial .*)$", DOCS, re.MULTILINE)
    assert re.search(r"status +optimal", with_form.unbounded(*command.split()))

    (text,) = re.findall(r"```yaml\n(.*?)```", DOCS, re.DOTALL)
    with_form.write({**yaml.safe_load(text), "name": "tiny"})
    shutil.rmtree(with_form.results)
    with_form.run()
    tables = with_form.results / "tables"
    known = pd.read_parquet(tables / "best_known.parquet").set_index("instance")
    names = ("TC4", "rotellipse.randellipse", "randellipse.randellipse")
    assert set(known.index) == {f"mixed-D4-t0-{name}-c{c}-E30" for name in names for c in ("1e1", "1e3")}
    assert (known["status"] == "proven").all()
    cells = pd.read_parquet(tables / "cells.parquet")
    assert cells.set_index("case").loc["TC4", "tc"].eq(4).all()
    assert cells[cells["case"] != "TC4"]["tc"].isna().all()
    figures = with_form.results / "figures" / "rotated"
    assert "RotEllipse + RandEllipse" in (figures / "mixed-D4-t0-rotellipse.randellipse.txt").read_text("utf-8")
    maps = (figures / "mixed-D4-t0-optimum-best.txt").read_text("utf-8")
    assert "6 instances" in maps
    assert "Below them are other pairs of forms" in maps
    assert "RandEllipse" in (figures / "mixed-D4-t0-optimum-best.svg").read_text("utf-8")
    page = (with_form.results / "report" / "index.html").read_text("utf-8")
    assert "TC-4, rotellipse.randellipse and randellipse.randellipse" in page

    # What the form does is a part of its own trials alone.
    with_form.edit("instances/forms/randellipse.py", "draw() - 0.5", "draw() - 0.25")
    stale = {
        path.split("/")[1] for name, paths in with_form.stale().items() if name.startswith("run_") for path in paths
    }
    assert stale == {id for id in known.index if "randellipse" in id}


def test_the_example_passes_the_checks_that_the_package_passes(with_form) -> None:
    example = "workflow/unbounded/instances/forms/randellipse.py"
    with_form.module("ruff", "check", example)
    with_form.module("ruff", "format", "--check", example)
    with_form.module("mypy", "--config-file", "pyproject.toml", example)
