"""The worked example of docs/add-a-table.md, put where it says and used as it says."""

from pathlib import Path

import pandas as pd
import pytest

from harness.examples import Example

EXAMPLE = Example("add-a-table.md")


def test_one_file_more_is_a_table_in_the_campaign_in_the_docs_and_on_the_page(finished, tmp_path: Path) -> None:
    module = EXAMPLE.put(finished.folder)
    name = module.stem

    assert finished.stale() == {"make_table": {f"tables/{name}.parquet"}, "write_report": {"report/index.html"}}
    finished.run()
    table = pd.read_parquet(finished.results / "tables" / f"{name}.parquet")
    runs = pd.read_parquet(finished.results / "tables" / "runs.parquet")
    assert len(table) == len(runs[["study", "solver"]].drop_duplicates()) > 0
    assert table["runs"].sum() == len(runs)
    assert table["cpu_total"].sum() == pytest.approx(runs["cpu_seconds"].sum())
    assert len(pd.read_csv(finished.results / "tables" / f"{name}.csv")) == len(table)
    page = (finished.results / "report" / "index.html").read_text(encoding="utf-8")
    assert f'id="blob-table-{name}"' in page

    docs = finished.folder / "docs" / "tables.md"
    assert f"### {name}" not in docs.read_text(encoding="utf-8")
    assert "docs/tables.md differs" in finished.unbounded("config", "check", code=1)
    finished.unbounded("config", "docs")
    assert f"### {name}" in docs.read_text(encoding="utf-8")

    EXAMPLE.keeps_the_contract(finished.folder / "workflow")
    EXAMPLE.passes_the_checks(tmp_path)
    # Words for people make nothing stale.
    module.write_text(EXAMPLE.block().replace("runs that were made", "how many were made"), encoding="utf-8")
    assert finished.stale() == {}
