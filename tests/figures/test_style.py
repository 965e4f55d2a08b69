"""What all figures share: numbers, names and colours."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

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


def test_a_palette_moves_no_colour_far(tmp_path: Path) -> None:
    fig, axes = style.figure(1, 2, (5, 2.5))
    axes[0, 0].contourf(np.add.outer(np.arange(50.0) ** 2, np.arange(50.0) ** 2), 30, cmap=style.LANDSCAPE_MAP)
    for height, colour in enumerate(style.CATEGORIES):
        axes[0, 1].plot([0, 1], [height, height + 1], color=colour)
    fig.canvas.draw()  # the layout moves at the first drawing
    fig.savefig(tmp_path / "before.png")
    style.save(fig, [tmp_path / "after.png"])
    before, after = (
        np.asarray(Image.open(tmp_path / f"{name}.png").convert("RGB"), int) for name in ("before", "after")
    )
    assert len(np.unique(before.reshape(-1, 3), axis=0)) > 256
    assert np.abs(before - after).max() <= 10


@pytest.mark.parametrize(
    "module", ["unbounded.figures.registry", "unbounded.figures.parts.map_panels", "unbounded.report.maps"]
)
def test_figures_are_files_whatever_the_environment_says_of_screens(module: str) -> None:
    code = f"import {module}, matplotlib; print(matplotlib.get_backend())"
    environment = {**os.environ, "MPLBACKEND": "nonsense"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout == "Agg\n", done.stderr
