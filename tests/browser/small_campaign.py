"""A small campaign, run in this process by the real solvers, its page, and the browser that opens it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.campaigns import planned, run_here, study
from unbounded.campaign.campaign import Campaign
from unbounded.campaign.layout import Layout
from unbounded.figures.registry import drawing, pictures
from unbounded.report.page import write_report
from unbounded.tables.files import read

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

SOLVERS = ("cplex", "mies", "wide")
#: The names are what a page must not take for markup.
CAMPAIGN: dict[str, Any] = {
    "name": "small",
    "title": "Small & <em>sound</em>",
    "solvers": {
        "cplex": {"budget": {"ticks": 100}, "seeds": [1]},
        "mies": {"budget": {"evaluations": 3000}, "label": "<b>mies</b> & co"},
        "wide": {"use": "cma-IH", "budget": {"evaluations": 2000}, "options": {"population": 12}},
    },
    "studies": {
        "benchmark": study("benchmark", SOLVERS, test_cases=[0, 5], c=[10, 1e4], E=[10, 30], seeds=2),
        "translation": study("translation", SOLVERS, translations=[1e4], seeds=2),
    },
}
#: Planned, but without a row.
MISSING = ("mixed-D4-t0-TC0-c1e1-E30", "mies", 2)
DRAWN = ("benchmark/mixed-D4-t0-best", "benchmark/mixed-D4-t0-TC5", "translation/mixed-D4-t1e4-ratio")


@dataclass(frozen=True)
class Results:
    """A campaign's folder of results."""

    campaign: Campaign
    folder: Path

    @property
    def page(self) -> Path:
        return self.folder / "report" / "index.html"

    def table(self, name: str) -> pd.DataFrame:
        return read(self.folder / "tables" / f"{name}.parquet")

    def write_page(self) -> Path:
        write_report(self.campaign, Layout(self.folder))
        return self.page


def run_campaign(folder: Path, settings: dict[str, Any]) -> Results:
    """Run a campaign but one trial, and make its tables and a few figures."""
    plan = planned(folder / "campaign.yaml", settings)
    tables = run_here(plan, folder, MISSING)
    for path, figure in pictures(plan).items():
        if path in DRAWN:
            svg = folder / "figures" / f"{path}.svg"
            needed = {name: read(tables / f"{name}.parquet") for name in drawing(figure).figure.tables}
            caption = drawing(figure).figure.make(figure, needed, [svg], plan.campaign.labels)
            svg.with_suffix(".txt").write_text(caption + "\n", encoding="utf-8")
    return Results(plan.campaign, folder)


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    found = run_campaign(tmp_path_factory.mktemp("small"), CAMPAIGN)
    found.write_page()
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed; envs/debian-packages installs it on Debian as root")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Root, as in a container, may not use Chromium's sandbox; the page is our own.
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


class Opened:
    """A page in the browser, with all that it asked for and complained of."""

    def __init__(self, context: Any, path: Path) -> None:
        self.tab = context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.goto(path.as_uri())
        self.tab.wait_for_selector("html[data-ready]")


def wait(tab: Any, condition: str) -> None:
    """Wait until a condition holds in the page, whose policy forbids the polling that the browser's driver has."""
    for _ in range(300):
        if tab.evaluate(condition):
            return
        tab.wait_for_timeout(100)
    raise AssertionError(f"still not so after 30 s: {condition}")


@pytest.fixture
def open_page(browser: Any) -> Iterator[Any]:
    """Return a function that opens a page; nothing may be fetched or complained of by the end of a test."""
    contexts: list[Any] = []
    pages: list[Opened] = []

    def open_it(path: Path, **settings: Any) -> Any:
        options = {"viewport": {"width": 1400, "height": 900}, "color_scheme": "light", **settings}
        contexts.append(browser.new_context(**options))
        contexts[-1].grant_permissions(["clipboard-read", "clipboard-write"])
        pages.append(Opened(contexts[-1], path))
        return pages[-1].tab

    yield open_it
    for page in pages:
        assert page.complaints == []
        assert [url for url in page.requests if not url.startswith(("blob:", "data:"))] == page.requests[:1]
    for context in contexts:
        context.close()
