"""The worked example of docs/add-a-form.md, put where it says: a form of its own, from its contract to the page."""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from harness.examples import Example

EXAMPLE = Example("add-a-form.md")


@pytest.fixture
def with_form(finished):
    """A copy of the repository with the example in it, and a finished campaign without."""
    EXAMPLE.put(finished.folder)
    return finished


def test_a_form_of_its_own_goes_all_the_way_to_the_page(with_form) -> None:
    # A new form makes nothing stale.
    assert with_form.stale() == {}
    EXAMPLE.keeps_the_contract(with_form.folder / "workflow")
    (trial,) = EXAMPLE.commands("unbounded trial")
    assert re.search(r"status +optimal", with_form.unbounded("trial", *trial))

    with_form.write({**yaml.safe_load(EXAMPLE.block("yaml")), "name": "tiny"})
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


def test_the_example_passes_the_checks_that_the_package_passes(tmp_path: Path) -> None:
    EXAMPLE.passes_the_checks(tmp_path)
