"""The page in a real browser: what it shows equals the tables, and all of it can be reached."""

from __future__ import annotations

import csv
import io
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from small_campaign import CAMPAIGN, MISSING, Results, wait

from harness.running import ROOT
from unbounded.campaign.plan import Plan
from unbounded.figures.registry import drawing, pictures
from unbounded.tables.measures import normalise
from unbounded.trials.reading import read_rows
from unbounded.trials.row import SOLVED

ZERO_INSTANCE = "mixed-D4-t0-TC5-c1e4-E30"
NAMES = {"mies": CAMPAIGN["solvers"]["mies"]["label"]}


def choose(tab: Any, name: str, value: str) -> None:
    tab.check(f"#map-{name} input[value='{value}']", force=True)


def shown_values(tab: Any) -> dict[str, float | None]:
    """Return the numbers in the map by instance; None where a cell has no value."""
    cells = tab.eval_on_selector_all(".cell", "cells => cells.map(c => [c.dataset.instance, c.dataset.value ?? null])")
    return {instance: None if value is None else float(value) for instance, value in cells}


def in_table(lines: pd.DataFrame, column: str) -> dict[str, float | None]:
    pairs = zip(lines["instance"], lines[column], strict=True)
    return {instance: None if math.isnan(value) else float(value) for instance, value in pairs}


def texts(tab: Any, selector: str) -> list[str]:
    return tab.eval_on_selector_all(selector, "found => found.map(each => each.textContent.trim())")


def lines_of(tab: Any, selector: str) -> list[list[list[str]]]:
    """Return the lines of a table, cell by cell; what is below the first text of a cell is a second one."""
    script = "rows => rows.map(r => [...r.cells].map(c => [...c.childNodes].map(part => part.textContent)))"
    found: list[list[list[str]]] = tab.eval_on_selector_all(f"{selector} tbody tr", script)
    return found


def test_the_first_screen_says_what_was_run_and_what_was_claimed(results: Results, open_page: Any) -> None:
    tab = open_page(results.page)
    assert tab.inner_text("h1") == CAMPAIGN["title"]
    assert tab.title() == f"{CAMPAIGN['title']} – unbounded"
    assert "not complete: 44 of 45 trials" in tab.inner_text("#overview .title")
    facts = tab.inner_text("#overview .facts")
    trials = results.table("trials")
    assert "44 of 45 (97.8 %)" in facts
    assert f"{trials['host'].iloc[0]} (44 trials)" in facts
    for selector in ("#overview .facts", ".claims"):
        assert tab.locator(selector).bounding_box()["y"] < 400, selector
    solvers = tab.inner_text("section#overview table >> nth=0")
    for word in ("cplex 22", "100 ticks", "3,000 evaluations", "cma-IH: population = 12"):
        assert word in solvers
    zeros = results.table("runs").drop_duplicates("instance")["zero_optimum"].sum()
    assert f"{zeros} of them zero by construction" in facts
    nearness = lines_of(tab, ".optima")
    assert [row[2] for row in nearness] == [["cplex"], [NAMES["mies"]], ["wide"]]
    verdicts = results.table("verdicts").query("case == 'all' and optima == 'all' and study == 'benchmark'")
    own = verdicts.query("solver == 'cplex' and against == 'optimum'").set_index(["statistic", "tolerance"])
    near = [own.loc["best", tolerance] for tolerance in (1e-4, 1e-3, 1e-2)]
    assert nearness[0][3] == ["zero"]  # nothing else is proven
    assert nearness[0][4:7] == [[str(n["similar"]), f"{n['similar_low']}–{n['similar_high']}"] for n in near]
    assert nearness[0][10] == [str(near[0]["cells"])] == [str(zeros)]
    assert nearness[0][11] == [f"{near[0]['cpu_seconds']:.1f} s", "0.0 s"]
    against = [row for row in lines_of(tab, ".reference") if row[0] == ["benchmark"]]
    assert [(row[2], row[3]) for row in against] == [
        ([name], [optima]) for name in (NAMES["mies"], "wide") for optima in ("all", "above 0", "zero")
    ]
    wide = verdicts.query("solver == 'wide' and against == 'reference' and statistic == 'best'").iloc[0]
    words = ("better", "similar", "worse")
    assert against[3][4:7] == [[str(wide[w]), f"{wide[f'{w}_low']}–{wide[f'{w}_high']}"] for w in words]
    moved = results.table("verdict_tolerances").query("study == 'benchmark' and solver == 'wide' and optima == 'zero'")
    moved = moved.query("against == 'reference' and statistic == 'best'")
    shown = [row for row in lines_of(tab, ".tolerances") if row[0] == ["benchmark"]][5]
    assert shown[4:13] == [[f"{row.better} / {row.similar} / {row.worse}"] for row in moved.itertuples()]
    tests = results.table("strategy_tests").query("case == 'all'")
    assert [row[5:8] for row in lines_of(tab, ".tests")] == [
        [[str(row.better)], [str(row.equal)], [str(row.worse)]] for row in tests.itertuples()
    ]
    claims = results.table("claims")
    rows = tab.eval_on_selector_all(".claims tbody tr", "rows => rows.map(r => [...r.cells].map(c => c.textContent))")
    assert len(rows) == len(claims) > 10
    for row, claim in zip(rows, claims.itertuples(), strict=True):
        assert row[0] == claim.statement
        assert row[1] == claim.printed
        assert row[2].startswith(claim.measured)
        assert row[2].endswith(claim.why)
        assert claim.agrees in row[3]


def test_every_map_shows_the_numbers_of_the_tables(results: Results, open_page: Any) -> None:
    tab = open_page(results.page)
    cells = results.table("cells")
    benchmark = cells[cells["study"] == "benchmark"]
    translation = results.table("translation").set_index("solver")
    still = "mixed-D4-t0-TC0-c1e1-E30"
    for solver in ("mies", "wide", "cplex"):
        choose(tab, "solver", solver)
        own = benchmark[benchmark["solver"] == solver]
        for statistic in ("best", "median"):
            choose(tab, "statistic", statistic)
            choose(tab, "reference", "reference")
            assert shown_values(tab) == in_table(own, f"normalised_{statistic}")
            choose(tab, "reference", "known")
            known = own.assign(value=normalise(own[f"{statistic}_f"], own["best_known_f"]))
            assert shown_values(tab) == in_table(known, "value")
            # No solver of this campaign proves anything, but where ξ0 is the solution f ≥ 0 does.
            choose(tab, "reference", "optimum")
            assert own["proven"].tolist() == own["zero_optimum"].tolist()
            assert shown_values(tab) == in_table(own, f"normalised_optimum_{statistic}")
            assert "proven optimum" in tab.inner_text("#map-title")
            assert "optimal up to 1.0001" in tab.inner_text("#map-key")
        choose(tab, "statistic", "delta_z")
        choose(tab, "reference", "optimum")
        assert shown_values(tab) == in_table(own, "delta_z_proven")
        choose(tab, "reference", "reference")
        assert shown_values(tab) == in_table(own, "delta_z_best")
        choose(tab, "reference", "known")
        assert shown_values(tab) == in_table(own, "delta_z_best_known")
        choose(tab, "statistic", "translated:10000")
        choose(tab, "reference", "known")
        moved = cells[(cells["study"] == "translation") & (cells["solver"] == solver)].iloc[0]
        value = float(normalise(moved["best_f"], moved["best_known_f"]))
        assert shown_values(tab)[still] == (None if math.isnan(value) else value)
        choose(tab, "statistic", "ratio:10000")
        ratio = float(translation.loc[solver, "ratio"])
        assert shown_values(tab)[still] == (None if math.isnan(ratio) else ratio)
        assert "untranslated" in tab.inner_text("#map-title")
    # Another slice has another grid, and what it lacks cannot be chosen.
    tab.select_option("#map-slice", label="translation: mixed, D = 4, t = 10⁴")
    assert set(shown_values(tab)) == {"mixed-D4-t1e4-TC0-c1e1-E30"}
    assert tab.is_disabled("#map-statistic input[value='translated:10000']")
    assert texts(tab, ".nothing").count("not in this study") == 8


def test_nothing_in_a_map_is_said_by_colour_alone(results: Results, open_page: Any) -> None:
    tab = open_page(results.page)
    cells = tab.eval_on_selector_all(
        ".cell", "cells => cells.map(c => [c.textContent, c.dataset.state, c.dataset.instance, c.ariaLabel])"
    )
    assert len(cells) == 8
    zeros = set(results.table("cells").query("zero_optimum")["instance"])
    assert ZERO_INSTANCE in zeros
    for text, state, instance, label in cells:
        assert any(letter.isdigit() for letter in text) == (state == "value")
        assert ("○" in text) == ("zero optimum" in label) == (instance in zeros)
    states = {state for _, state, _, _ in cells}
    assert "failed" in states, "the campaign should have a cell without a solution"
    assert "this solver has no solution" in tab.inner_text("#map-key")


def test_pointing_at_a_cell_tells_its_numbers_and_statuses(results: Results, open_page: Any) -> None:
    tab = open_page(results.page)
    choose(tab, "solver", "wide")
    for instance in (ZERO_INSTANCE, MISSING[0]):
        tab.hover(f".cell[data-instance='{instance}']")
        cells = results.table("cells").query("study == 'benchmark' and solver == 'wide'").set_index("instance")
        line = cells.loc[instance]
        names, values = texts(tab, "#cell dt"), texts(tab, "#cell dd")
        told = dict(zip(names, values, strict=True))
        for name, column in (("best f", "best_f"), ("median f", "median_f"), ("f of cplex", "reference_f")):
            assert float(told[name]) == line[column]
        assert told["runs"] == f"{line['solved']} solved of {line['planned']}"
        runs = results.table("runs").query("study == 'benchmark' and solver == 'wide' and instance == @instance")
        for status, number in runs["status"].value_counts().items():
            assert f"{number} {status}" in told["ended"]
        assert told["optimum"] == ("zero ○" if line["zero_optimum"] else "not proven")
    choose(tab, "solver", "mies")
    assert "1 missing" in dict(zip(texts(tab, "#cell dt"), texts(tab, "#cell dd"), strict=True))["ended"]


def test_an_instance_opens_with_its_formula_runs_and_traces(results: Results, open_page: Any) -> None:
    tab = open_page(results.page)
    tab.click(f".cell[data-instance='{MISSING[0]}']")
    tab.wait_for_selector("#instance-traces .main-svg")
    assert tab.inner_text("#instance-id") == MISSING[0]
    formula = tab.inner_text("#instance .formula")
    assert "Cigar" in formula
    assert "≤ 30" in formula
    rows = results.table("trials").query("instance == @MISSING[0]").set_index(["solver", "seed"])
    lines = tab.eval_on_selector_all(
        "#instance-trials tr[data-row]",
        "rows => rows.map(({ dataset: d, cells: c }) => [d.solver, Number(d.seed), c[2].innerText, c[3].innerText])",
    )
    assert len(lines) == len(rows) == 4
    for solver, seed, status, f in lines:
        row = rows.loc[solver, seed]
        assert status == row["status"]
        # What a run without a verified solution has is no value.
        assert f == "–" if status not in SOLVED else float(f) == row["f"]
    assert "planned, but there is no row" in tab.inner_text("#instance-trials")
    boxes = tab.evaluate("document.querySelector('#instance-boxes').data.map(t => [t.name, t.y])")
    for solver in ("cplex", "mies", "wide"):
        escaped = "&lt;b&gt;mies&lt;/b&gt; &amp; co" if solver == "mies" else solver
        (values,) = [values for name, values in boxes if name.startswith(escaped)]
        own = rows.loc[solver]
        assert sorted(values) == sorted(own.loc[own["status"].isin(SOLVED), "f"])

    drawn = "document.querySelector('#instance-traces').data.map(t => [t.text, t.x, t.y])"
    for axis in ("evaluations", "cpu_seconds"):
        tab.check(f"#instance input[value='{axis}']", force=True)
        # The last point of every run counts.
        ends = {text: (x, y) for trace in tab.evaluate(drawn) for text, x, y in zip(*trace, strict=True) if text}
        for seed in (1, 2):
            x, y = ends[f"wide, seed {seed}"]
            assert x == rows.loc[("wide", seed), axis]
            assert y == pytest.approx(rows.loc[("wide", seed), "f"], rel=1e-4)
        assert ends["cplex, seed 1"][1] == pytest.approx(rows.loc[("cplex", 1), "f"], rel=1e-4)
        (bound,) = [y for text, (_, y) in ends.items() if text.startswith("bound, by ")]
        assert bound == results.table("best_known").set_index("instance").loc[MISSING[0], "bound"]


def test_the_copied_command_repeats_the_trial(results: Results, open_page: Any, tmp_path: Path) -> None:
    tab = open_page(results.page)
    tab.click(f".cell[data-instance='{ZERO_INSTANCE}']")
    rows = results.table("trials").query("instance == @ZERO_INSTANCE").set_index(["solver", "seed"])
    for solver, seed in (("wide", 2), ("cplex", 1)):
        tab.click(f"#instance-trials tr[data-solver='{solver}'][data-seed='{seed}'] button")
        tab.click("#copy")
        wait(tab, "document.querySelector('#copy').textContent === 'Copied'")
        command = tab.evaluate("navigator.clipboard.readText()")
        assert command.startswith("unbounded trial ")
        out = tmp_path / f"{solver}.parquet"
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path}
        subprocess.run(f"{command} --out {out}", shell=True, check=True, cwd=ROOT, env=environment)
        (row,) = read_rows([out]).to_pylist()
        assert row["f"] == rows.loc[(solver, seed), "f"]
        assert row["options"] == rows.loc[(solver, seed), "options"]


def test_the_page_is_usable_by_keyboard_alone(results: Results, open_page: Any) -> None:
    tab = open_page(results.page)
    press = tab.keyboard.press
    active = "document.activeElement"
    press("Tab")
    assert tab.evaluate(f"{active}.className") == "skip"
    for _ in range(40):
        press("Tab")
        if tab.evaluate(f"{active}.classList.contains('cell')"):
            break
    instance = f"{active}.dataset.instance"
    assert tab.evaluate(instance) == "mixed-D4-t0-TC0-c1e1-E10"
    assert tab.evaluate(f"getComputedStyle({active}).outlineStyle") == "solid"
    for key, expected in (
        ("ArrowRight", "mixed-D4-t0-TC0-c1e1-E30"),
        ("ArrowDown", "mixed-D4-t0-TC0-c1e4-E30"),
        ("Home", "mixed-D4-t0-TC0-c1e4-E10"),
        ("ArrowLeft", "mixed-D4-t0-TC0-c1e4-E10"),
    ):
        press(key)
        assert tab.evaluate(instance) == expected
        assert tab.inner_text("#cell h3") == expected
    # One stop for the whole map: the next one is outside.
    press("Tab")
    assert not tab.evaluate(f"{active}.classList.contains('cell')")
    press("Shift+Tab")
    assert tab.evaluate(instance) == "mixed-D4-t0-TC0-c1e4-E10"
    press("Enter")
    tab.wait_for_selector("#instance[open]")
    for _ in range(12):
        press("Tab")
        assert tab.evaluate(f"document.querySelector('#instance').contains({active}) || {active} === document.body")
    press("Escape")
    assert not tab.locator("#instance").is_visible()
    assert tab.evaluate(instance) == "mixed-D4-t0-TC0-c1e4-E10"


def test_an_address_opens_an_instance(results: Results, open_page: Any) -> None:
    tab = open_page(results.page)
    tab.evaluate(f"location.hash = '{ZERO_INSTANCE}'")
    tab.wait_for_selector("#instance[open]")
    assert tab.inner_text("#instance-id") == ZERO_INSTANCE
    tab.click("#instance-close")
    wait(tab, "location.hash === ''")


def test_a_phone_shows_all_without_scrolling_sideways(results: Results, open_page: Any) -> None:
    tab = open_page(results.page, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    assert tab.evaluate("document.scrollingElement.scrollWidth") <= 390
    for box in (cell.bounding_box() for cell in tab.locator(".cell").all()):
        assert box["width"] >= 44
        assert box["height"] >= 32
    tab.tap(f".cell[data-instance='{ZERO_INSTANCE}']")
    tab.wait_for_selector("#instance-traces .main-svg")
    assert tab.evaluate("document.querySelector('#instance').scrollWidth") <= 390


def test_light_and_dark_follow_the_system_and_the_button(results: Results, open_page: Any) -> None:
    def lightness(tab: Any) -> int:
        return tab.evaluate("Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])")

    tab = open_page(results.page, color_scheme="dark")
    assert lightness(tab) < 60
    tab.click("#theme")
    assert lightness(tab) > 200
    tab.click("#theme")
    assert lightness(tab) < 60
    assert lightness(open_page(results.page)) > 200


def test_figures_come_with_captions_and_the_rows_behind_them(results: Results, open_page: Any) -> None:
    tab = open_page(results.page)
    tab.eval_on_selector_all("details", "all => all.forEach(each => (each.open = true))")
    described = pictures(Plan(results.campaign))
    assert len(tab.locator("#figures figure").all()) == 3
    for path in ("benchmark/mixed-D4-t0-TC5", "translation/mixed-D4-t1e4-ratio"):
        figure = tab.locator(f"[id='figure-{path}']")
        svg = results.folder / "figures" / f"{path}.svg"
        figure.scroll_into_view_if_needed()
        wait(tab, f"document.getElementById('figure-{path}').querySelector('img').naturalWidth > 100")
        assert svg.with_suffix(".txt").read_text(encoding="utf-8").strip() in figure.inner_text()
        with tab.expect_download() as download:
            figure.locator("[data-svg]").click()
        assert Path(download.value.path()).read_bytes() == svg.read_bytes()
        for button in figure.locator("[data-rows]").all():
            with tab.expect_download() as download:
                button.click()
            name = button.get_attribute("data-table")
            behind = drawing(described[path]).figure.rows_behind(results.table(name), described[path])
            found = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
            assert 0 < len(found) == len(behind) < len(results.table(name))
            # Counts are of all test cases and levels.
            for column in {"case", "solver", "E"} & set(behind):
                assert [row[column].removesuffix(".0") for row in found] == [
                    str(value).removesuffix(".0") for value in behind[column]
                ]


def test_whole_tables_can_be_taken_away_with_every_digit(results: Results, open_page: Any) -> None:
    tab = open_page(results.page)
    runs = results.table("runs")
    with tab.expect_download() as download:
        tab.click("#tables button[data-table='runs']")
    found = pd.read_csv(download.value.path())
    assert list(found.columns) == list(runs.columns)
    assert len(found) == len(runs)
    for column in ("f", "normalised", "delta_z", "cpu_seconds"):
        pd.testing.assert_series_equal(found[column], runs[column], check_exact=True, check_dtype=False)


def test_names_are_text_and_never_markup(results: Results, open_page: Any) -> None:
    tab = open_page(results.page)
    assert NAMES["mies"] in texts(tab, "#map-solver label")
    assert NAMES["mies"] in tab.inner_text("#overview")
    tab.click(".cell >> nth=0")
    tab.wait_for_selector("#instance-boxes .main-svg")
    assert NAMES["mies"] in tab.inner_text("#instance-trials")
    assert tab.locator("main b, #instance b, h1 em").count() == 0
