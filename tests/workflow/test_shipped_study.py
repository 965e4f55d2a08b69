"""The study that is shipped: its file is in order, its tables follow from its rows, the docs tell what they hold."""

import zipfile
from pathlib import Path

import pandas as pd
import pytest

from harness.running import ROOT
from unbounded.archive.check import verify
from unbounded.archive.contents import CAMPAIGN
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.cli.findings import CLAIMS, PAGES, PICTURES, SHIPPED
from unbounded.report.findings import fill, pictures
from unbounded.tables.files import make, read
from unbounded.tables.registry import find
from unbounded.tables.trials import merge

STUDY = ROOT / SHIPPED
FOLDER = "results/study/tables"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the tables of the shipped study; not to be changed."""
    into = tmp_path_factory.mktemp("study")
    with zipfile.ZipFile(STUDY) as archive:
        archive.extractall(into, [name for name in archive.namelist() if name.startswith(FOLDER)])
    return into / FOLDER


def test_it_is_in_order_and_small_enough_to_clone() -> None:
    _, problems = verify(STUDY)
    assert problems == []
    assert STUDY.stat().st_size < 30e6


def test_a_table_follows_from_its_rows(tables: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(STUDY) as archive:
        archive.extract(CAMPAIGN, tmp_path)
    slices = [tables / f"trials/{name}.parquet" for name in Plan(load_campaign(tmp_path / CAMPAIGN)).slices]
    merge([path for path in slices if path.exists()], tmp_path / "trials.parquet", tmp_path / "trials.csv")
    (tmp_path / "plan.parquet").symlink_to(tables / "plan.parquet")
    for name in ("best_known", "runs", "cells"):
        make(find(name), tmp_path)
        pd.testing.assert_frame_equal(read(tmp_path / f"{name}.parquet"), read(tables / f"{name}.parquet"))


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_pages_tell_what_its_tables_hold_and_show_its_figures(tables: Path, page: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert ("<!-- finding: " in text) == (page.name in ("results.md", "strategies.md"))
    assert fill(text, tables) == text
    with zipfile.ZipFile(STUDY) as archive:
        for name in pictures(text):
            shown = (ROOT / PICTURES / f"{name}.png").read_bytes()
            assert shown == archive.read(f"results/study/figures/{name}.png"), name


def test_the_claims_are_its_own(tables: Path) -> None:
    assert (ROOT / CLAIMS).read_bytes() == (tables / "claims.md").read_bytes()


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ("nearest benchmark", "there is no finding nearest; allowed: state, near"),
        ("near", "near has 0 words after its name; it takes .'study'."),
        ("near benchmrak", "near benchmrak: .* this one has none"),
        ("near preliminary", "near preliminary: .* one slice, this one has"),
        (
            "pairs benchmark f mies cma",
            "pairs benchmark f mies cma: not all runs of cma in the study benchmark are there",
        ),
        ("regret benchmark E", "there are no rows by E; allowed: case, c"),
        ("endings port", "endings port: the tables have no line for it"),
    ],
)
def test_a_block_that_cannot_be_filled_is_said(tables: Path, block: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        fill(f"<!-- finding: {block} -->\n<!-- end -->", tables)


def test_a_block_of_optima_of_which_none_is_proven_is_said(tables: Path, tmp_path: Path) -> None:
    for path in tables.glob("*.parquet"):
        (tmp_path / path.name).symlink_to(path)
    cells = read(tables / "cells.parquet").assign(proven=False)
    (tmp_path / "cells.parquet").unlink()
    cells.to_parquet(tmp_path / "cells.parquet")
    with pytest.raises(ValueError, match="regret benchmark case: the tables have no line for it"):
        fill("<!-- finding: regret benchmark case -->\n<!-- end -->", tmp_path)


def test_a_block_ends_before_the_next_one(tables: Path) -> None:
    with pytest.raises(ValueError, match="1 findings of the page have no line `<!-- end -->` of their own"):
        fill("<!-- finding: state -->\nwords\n<!-- finding: vectors -->\n<!-- end -->", tables)
