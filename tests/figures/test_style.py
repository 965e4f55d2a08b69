"""What all figures share: numbers, names and colours."""

import os
import subprocess
import sys

import pytest

from unbounded.figures import captions, style


@pytest.mark.parametrize(
    ("value", "text"), [(10, "10"), (100, "10²"), (1e6, "10⁶"), (-1e4, "−10⁴"), (1e-3, "10⁻³"), (50, "50"), (0, "0")]
)
def test_powers_of_ten_are_written_as_such(value: float, text: str) -> None:
    assert style.number(value) == text


def test_test_cases_have_the_papers_names() -> None:
    assert style.case_name(5) == "TC-5 (RotEllipse + HadEllipse)"


def test_strategies_have_the_papers_colours_and_no_two_the_same() -> None:
    colours = style.strategy_colours(["cma-IC", "mies", "cma-IH", "cma-wM", "another"])
    assert (colours["mies"], colours["cma-IH"], colours["cma-wM"]) == ("#0072B2", "#D55E00", "#009E73")
    assert len(set(colours.values())) == 5


def test_lists_read_as_sentences() -> None:
    assert captions.listing(["a"]) == "a"
    assert captions.listing(["a", "b"]) == "a and b"
    assert captions.listing(["a", "b", "c"]) == "a, b and c"
    assert captions.stands_on(1900, 2160, 1900) == (
        "Stands on 1,900 of 2,160 planned runs, all of them with a verified solution."
    )


@pytest.mark.parametrize(
    "module", ["unbounded.figures.registry", "unbounded.figures.parts.map_panels", "unbounded.report.maps"]
)
def test_figures_are_files_whatever_the_environment_says_of_screens(module: str) -> None:
    code = f"import {module}, matplotlib; print(matplotlib.get_backend())"
    environment = {**os.environ, "MPLBACKEND": "nonsense"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout == "Agg\n", done.stderr
