"""The worked example of docs/add-a-table.md, put where it says and used as it says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "add-a-table.md").read_text(encoding="utf-8")


def test_one_file_more_is_a_table_in_the_campaign_in_the_docs_and_on_the_page(finished) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    ((path, name),) = re.findall(r"^`(workflow/unbounded/tables/(\w+)\.py)`:$", TEXT, re.MULTILINE)
    module = finished.folder / path
    module.write_text(code, encoding="utf-8")

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

    environment = {**os.environ, "PYTHONPATH": str(finished.folder / "workflow")}
    settings = str(ROOT / "pyproject.toml")
    (contract,) = re.findall(r"^\$ pytest (.*)$", TEXT, re.MULTILINE)
    for command in (
        ["pytest", "-p", "no:cacheprovider", *contract.split()],
        ["ruff", "check", "--config", settings, str(module)],
        ["ruff", "format", "--check", "--config", settings, str(module)],
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
    # Words for people make nothing stale.
    module.write_text(code.replace("runs that were made", "how many were made"), encoding="utf-8")
    assert finished.stale() == {}
