"""The page shows test cases past the paper's nine, and problems from files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_campaign import Results, run_campaign

from harness.campaigns import study
from harness.running import unbounded

SOLVERS: dict[str, Any] = {"cplex": {"budget": {"ticks": 100}}, "mies": {"budget": {"evaluations": 2000}}}
CAMPAIGN: dict[str, Any] = {
    "name": "cases",
    "solvers": SOLVERS,
    "studies": {
        "pairs": study("benchmark", SOLVERS, test_cases=[4, "rotellipse.sphere", "sphere.cigar"], c=[10, 100]),
        "files": {"type": "benchmark", "files": "problems/*.npz", "solvers": dict.fromkeys(SOLVERS)},
    },
}


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("cases")
    (folder / "problems").mkdir()
    arrays = {"Hf": np.diag([1.0, 2.0, 3.0]), "Hg": np.eye(3), "xi0": [1.5, 2.5, -3.5], "xi1": [0.0, 0.5, 0.0]}
    for name, E in (("first", 4.0), ("second", 9.0)):
        np.savez(folder / "problems" / f"{name}.npz", **arrays, E=E, integer=[False, True, True])
    found = run_campaign(folder, CAMPAIGN)
    found.write_page()
    return found


def blocks(page: Any) -> list[str]:
    return page.evaluate("[...document.querySelectorAll('#map .block caption')].map((each) => each.firstChild.data)")


def test_other_pairs_of_forms_are_blocks_below_the_nine(cases: Results, open_page: Any) -> None:
    page = open_page(cases.page)
    assert blocks(page) == [*(f"TC-{tc}" for tc in range(9)), "RotEllipse + Sphere", "Sphere + Cigar"]
    cells = page.query_selector_all("#map .cell")
    assert len(cells) == 6
    shown = {cell.get_attribute("data-instance"): cell.get_attribute("aria-label") for cell in cells}
    assert shown["mixed-D4-t0-rotellipse.sphere-c1e2-E30"].startswith("RotEllipse + Sphere, c = 10², E = 30")
    # Every cell has a place of its own, which the arrow keys go through.
    assert len({cell.get_attribute("data-place") for cell in cells}) == 6
    cells[0].focus()
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.instance").endswith("rotellipse.sphere-c1e1-E30")
    page.keyboard.press("Enter")
    page.wait_for_selector("#instance[open]")
    assert "RotEllipse" in page.inner_text("#instance")
    assert "(7, −7, …)" in page.inner_text("#instance")


def test_a_problem_from_a_file_is_a_block_of_one_cell_and_its_command_repeats(cases: Results, open_page: Any) -> None:
    page = open_page(cases.page)
    page.select_option("#map-slice", label="files: mixed, D = 3, t = 0")
    assert blocks(page) == ["first", "second"]
    assert len(page.query_selector_all("#map .cell")) == 2
    page.click("#map .cell[data-instance='second']")
    page.wait_for_selector("#instance[open]")
    text = page.inner_text("#instance")
    assert "from second.npz" in text
    assert "(7, −7, …)" not in text
    command = page.inner_text("#command")
    assert "second.npz" in command
    words = command.replace("\\\n", " ").split()
    assert "second (arrays" in unbounded(*words[words.index("trial") :], folder=Path.cwd())
