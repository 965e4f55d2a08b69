"""What the page is made from: packed data, commands, optional tables, campaigns without runs."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_campaign import Results, wait

from harness import campaigns
from unbounded.campaign.layout import Layout
from unbounded.cli import main
from unbounded.figures import landscapes
from unbounded.report import assets
from unbounded.report.columns import encoded, ranges
from unbounded.report.commands import command
from unbounded.report.known import known_of
from unbounded.report.method import MEANINGS, limits
from unbounded.report.page import write_report
from unbounded.tables.measures import normalise
from unbounded.tables.statuses import RUN_STATUSES

PICTURES = {"name": "pictures", "studies": {"views": {"type": "landscapes"}}}


@pytest.fixture
def copy(results: Results, tmp_path: Path) -> Results:
    """Return the campaign in a folder that a test may change."""
    shutil.copytree(results.folder, tmp_path / "copy")
    return Results(results.campaign, tmp_path / "copy")


#: Values of this instance are set close to one another, and one solver's are taken away.
NEAR = "mixed-D4-t0-TC0-c1e1-E10"


def test_the_same_tables_make_the_same_page(results: Results, copy: Results) -> None:
    assert copy.write_page().read_bytes() == results.page.read_bytes()


def test_the_page_names_no_address(results: Results) -> None:
    # Of the page itself; what is packed into it is data, figures and the plotting library.
    text = re.sub(r'(?s)<script type="text/plain".*?</script>', "", results.page.read_text(encoding="utf-8"))
    assert "default-src 'none'" in text
    assert not re.search(r"""(?i)(?:src|href|url|import)\s*[=(]\s*["']?(?:https?:)?//""", text)


def test_a_table_of_references_brings_bounds_and_an_audit_its_section(copy: Results, open_page: Any) -> None:
    cells = copy.table("cells").query("study == 'benchmark'")
    known = cells.drop_duplicates("instance").set_index("instance")["best_known_f"]
    lines = {
        "instance": known.index,
        "best_f": known.to_numpy(),
        "bound": 0.9 * known.to_numpy(),
        "bound_solver": "cplex",
        "status": "certified",
    }
    pd.DataFrame(lines).to_parquet(copy.folder / "tables" / "best_known.parquet")
    audit = pd.DataFrame({"solver": ["<i>rows</i> read again"], "better": [0]})
    (copy.folder.parent / "audit").mkdir()
    audit.to_parquet(copy.folder.parent / "audit" / "audit_counts.parquet")
    tab = open_page(copy.write_page())
    assert "<i>rows</i> read again" in tab.inner_text("#audit")
    tab.check("#map-solver input[value='wide']", force=True)
    tab.check("#map-reference input[value='bound']", force=True)
    own = cells[cells["solver"] == "wide"].set_index("instance")
    shown = tab.eval_on_selector_all(".cell", "cells => cells.map(c => [c.dataset.instance, c.dataset.value])")
    compared = 0
    for instance, value in shown:
        if known[instance] > 1e-5:
            assert float(value) == float(normalise(own.loc[instance, "best_f"], 0.9 * known[instance]))
            compared += 1
    assert compared >= 4
    tab.click(".cell >> nth=0")
    tab.wait_for_selector("#instance[open]")
    assert "certified" in tab.inner_text("#instance-facts")
    assert ", by cplex" in tab.inner_text("#instance-facts")
    assert f"{len(known)} certified" in tab.inner_text("#method")


def test_without_references_a_bound_is_a_solver_s_word_and_no_map_has_it(copy: Results, open_page: Any) -> None:
    (copy.folder / "tables" / "best_known.parquet").unlink()
    tab = open_page(copy.write_page())
    assert tab.locator("#map-reference input[value='bound']").count() == 0
    tab.click(".cell >> nth=0")
    tab.wait_for_selector("#instance-traces .main-svg")
    names = tab.evaluate("document.querySelector('#instance-traces').data.map(t => t.name)")
    assert "bound cplex claims" in names


def test_statuses_and_solvers_that_no_code_knows_are_shown_as_they_are(copy: Results, open_page: Any) -> None:
    runs = copy.table("runs")
    odd = (runs["solver"] == "wide") & (runs["seed"] == 1) & (runs["study"] == "benchmark")
    runs.loc[odd, "status"], runs.loc[odd, "solved"], runs.loc[odd, "f"] = "melted", False, float("nan")
    runs.to_parquet(copy.folder / "tables" / "runs.parquet")
    tab = open_page(copy.write_page())
    assert "melted" in tab.inner_text("#method")
    tab.check("#map-solver input[value='wide']", force=True)
    tab.hover(".cell >> nth=0")
    assert "1 melted" in tab.inner_text("#cell")


def test_solvers_without_a_solution_zero_optima_and_values_close_to_one_another_are_drawn(
    copy: Results, open_page: Any
) -> None:
    path = copy.folder / "tables" / "trials.parquet"
    trials = pq.read_table(path)
    pairs = zip(trials["instance"].to_pylist(), trials["f"].to_pylist(), strict=True)
    close = [6938 - 1e-6 * k if at == NEAR and f else f for k, (at, f) in enumerate(pairs)]
    pq.write_table(trials.set_column(trials.column_names.index("f"), "f", pa.array(close, pa.float64())), path)
    runs = copy.table("runs")
    tab = open_page(copy.write_page())
    boxes = "document.querySelector('#instance-boxes')"

    def opened(instance: str) -> list[str]:
        """Open an instance, and return the labels of the axis of f."""
        tab.evaluate(f"location.hash = '{instance}'")
        tab.wait_for_selector(f"#instance-id:text-is('{instance}')")
        wait(tab, f"{boxes}?._fullLayout?.xaxis.range.length === 2")
        return tab.locator("#instance-boxes .ytick text").all_text_contents()

    ticks = opened(NEAR)
    assert len(set(ticks)) == len(ticks) > 1
    first, last = tab.evaluate(f"{boxes}._fullLayout.xaxis.range")
    names = tab.evaluate(f"{boxes}._fullLayout.xaxis._categories")
    assert (first, last) == (-0.5, len(names) - 0.5)
    # No run of mies has a solution of this instance.
    assert any(name.endswith("co<br>2 of 2<br>without solution") for name in names)

    zero = "mixed-D4-t0-TC5-c1e4-E30"
    assert runs.loc[runs["instance"] == zero, "zero_optimum"].all()
    opened(zero)
    wait(tab, f"{boxes}._fullLayout.yaxis.type === 'log'")
    assert "below 10⁻⁶ are drawn there" in tab.inner_text("#instance-note")
    drawn = tab.evaluate(f"{boxes}.data.flatMap(t => t.y)")
    found = runs.loc[(runs["instance"] == zero) & runs["solved"], "f"]
    assert sorted(drawn) == sorted(np.maximum(found, 1e-6))


def test_a_campaign_of_pictures_alone_has_a_page(tmp_path: Path, open_page: Any) -> None:
    campaign = campaigns.planned(tmp_path / "campaign.yaml", PICTURES).campaign
    svg = tmp_path / "figures" / "views" / "gallery.svg"
    landscapes.draw(c=10, levels=[30], paths=[svg])
    svg.with_suffix(".txt").write_text(landscapes.caption(c=10, levels=[30]), encoding="utf-8")
    write_report(campaign, Layout(tmp_path))
    tab = open_page(tmp_path / "report" / "index.html")
    wait(tab, "document.querySelector('figure img').naturalWidth > 100")
    assert "no solver was run" in tab.inner_text("#figures")
    assert tab.locator("#maps, #tables").count() == 0


def test_of_several_runs_of_the_reference_one_proof_is_enough_and_one_run_alone_is_told(results: Results) -> None:
    runs, rows = results.table("runs"), results.table("trials")
    known = known_of({name: results.table(name) for name in ("best_known", "runs")})

    def told(runs: pd.DataFrame) -> str:
        return " ".join(limits(rows, runs, results.table("claims"), known))

    references = runs[runs["is_reference"]]
    one, proof = (references.assign(status=status) for status in ("time-out", "optimal"))
    number = references["instance"].nunique()
    assert f"claims a proof on 0 of {number} instances" in told(one)
    assert "has one run on some instances" in told(one)
    both = pd.concat([one, proof.assign(seed=proof["seed"] + 1)])
    assert "claims a proof" not in told(both)
    assert "has one run" not in told(both)


def test_a_command_holds_what_differs_from_the_solver_s_own_options() -> None:
    options = json.dumps({"population": 12})
    text = command("mixed-D4-t0-TC0-c1e1-E30", "gone solver", 3, "seconds", 1.5, options, 4)
    assert text == (
        "unbounded trial mixed-D4-t0-TC0-c1e1-E30 --solver 'gone solver' --seed 3 "
        "--budget seconds=1.5 --option population=12 --threads 4"
    )


def test_every_status_has_its_meaning() -> None:
    assert set(MEANINGS) == set(RUN_STATUSES)


def test_the_digest_of_the_files_changes_with_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = assets.digest()
    for name in (assets.TEMPLATE, assets.STYLE, *assets.SCRIPTS):
        shutil.copy(assets.FOLDER / name, tmp_path / name)
    monkeypatch.setattr(assets, "FOLDER", tmp_path)
    for name in (assets.TEMPLATE, assets.STYLE, *assets.SCRIPTS):
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write(" ")
        assets.digest.cache_clear()
        after = assets.digest()
        assert after != before
        before = after
    assets.digest.cache_clear()


@pytest.mark.parametrize("values", [[], ["a", "b", "a", "a", "a"], [1.5, None, 2.5]])
def test_encoded_columns_decode_to_what_they_were(values: list[Any]) -> None:
    packed = encoded(values)
    decoded = packed["is"] if "is" in packed else [packed["of"][place] for place in packed["at"]]
    assert decoded == values


def test_positions_become_ranges() -> None:
    assert ranges([]) == []
    assert ranges([0, 1, 2, 5, 7, 8]) == [[0, 3], [5, 1], [7, 2]]


def test_products_name_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    campaigns.write(tmp_path / "campaign.yaml", PICTURES)
    (tmp_path / "results" / "pictures" / "report").mkdir(parents=True)
    (tmp_path / "results" / "pictures" / "report" / "index.html").touch()
    monkeypatch.chdir(tmp_path)
    assert main(["products", "campaign.yaml"]) == 0
    assert "results/pictures/report/index.html" in capsys.readouterr().out
