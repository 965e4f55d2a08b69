"""Size and loading time of the report at 216 instances × 30 runs, against an empty page with the same plotting library.

    python benchmarks/page.py

Rows are those of a few real trials, written again under the names of the campaign; the workflow makes tables, figures
and page from them. The page is opened from disk in Chromium; its time ends with the first frame after `load`, by when
the first map is drawn. The peer is a page that only loads plotly's library, which ours leaves until it is needed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from aggregation import write_trials
from result import Result, show

from unbounded.campaign.campaign import Campaign
from unbounded.campaign.plan import Plan

ROOT = Path(__file__).parents[1]
REPEATS = 5
CAMPAIGN: dict[str, Any] = {
    "name": "page",
    "studies": {
        "benchmark": {
            "type": "benchmark",
            "dimensions": [64],
            "test_cases": list(range(9)),
            "c": [10.0**k for k in range(1, 7)],
            "E": [10, 30, 50, 80],
            "solvers": {"cplex": {"seeds": [1]}, "mies": {"seeds": 15}, "cma-IH": {"seeds": 14}},
        }
    },
}
#: Resolves to the milliseconds since the page was asked for, once a frame has been drawn after `load`.
DRAWN = """() => new Promise(done => {
    const drawn = () => requestAnimationFrame(() => setTimeout(() => done(performance.now())));
    document.readyState === "complete" ? drawn() : addEventListener("load", drawn);
})"""


def seconds(browser: Any, page: Path) -> float:
    """Return the least time of a few in which a page is drawn, each in a fresh tab."""
    times = []
    for _ in range(REPEATS):
        tab = browser.new_page()
        tab.goto(page.as_uri(), wait_until="commit")
        times.append(tab.evaluate(DRAWN) / 1000)
        tab.close()
    return min(times)


def measure() -> Iterator[Result]:
    """Yield time and size."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("Chromium is not installed: the page is left out", file=sys.stderr)
        return
    from playwright.sync_api import sync_playwright
    from plotly.offline import get_plotlyjs

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "page.yaml").write_text(yaml.safe_dump(CAMPAIGN), encoding="utf-8")
        write_trials(Plan(Campaign.model_validate(CAMPAIGN)), folder / "results/page/trials")
        snakemake = [sys.executable, "-m", "snakemake", "-s", str(ROOT / "Snakefile"), "--configfile", "page.yaml"]
        profile = ["--workflow-profile", str(ROOT / "workflow/profiles/default"), "--cores", "2", "--quiet", "all"]
        made = subprocess.run([*snakemake, *profile], cwd=folder, capture_output=True, text=True)
        if made.returncode:
            sys.exit(f"The campaign of the page failed:\n{made.stderr}")
        ours, empty = folder / "results/page/report/index.html", folder / "empty.html"
        empty.write_text(f"<!doctype html><script>{get_plotlyjs()}</script>", encoding="utf-8")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            a, b = seconds(browser, ours), seconds(browser, empty)
            browser.close()
        yield Result("page of 216 × 30 runs, drawn", a, "empty page with plotly", b, "s", "under 2 s")
        sizes = [path.stat().st_size / 1e6 for path in (ours, empty)]
        yield Result("its size", sizes[0], "empty page with plotly", sizes[1], "MB", "under 25 MB")


if __name__ == "__main__":
    show(measure())
