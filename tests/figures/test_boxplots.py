"""Boxplots: boxes that count failed runs, arrows for extreme ones, and captions that say the numbers."""

from colorsys import rgb_to_hsv
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from figure_tables import files, runs_of, table, texts

from unbounded.figures import boxplots, gallery
from unbounded.figures.parts.box_panel import palette
from unbounded.figures.parts.boxes import CEILING, FAILED, box, heads, robust_limit

NEAR = [100.0, 101.0, 102.0, 103.0]


def draw_boxplots(runs: Any, tc: int, measures: list[str], paths: list[Path]) -> None:
    boxplots.draw(runs, tc=tc, measures=measures, paths=paths)


def caption_boxplots(runs: Any, tc: int, measures: list[str], **options: Any) -> str:
    return boxplots.caption(runs, tc=tc, measures=measures, **options)


def near(factor: float = 1.0) -> list[float]:
    return [factor * value for value in NEAR]


def test_quartiles_count_failed_runs_above_every_value() -> None:
    assert box(0, 10, [1.0, 2.0, 3.0]).median == 2
    assert box(0, 10, [1.0, 2.0, 3.0], failures=2).median == 3
    assert not box(0, 10, [1.0, 2.0, 3.0], failures=2).failed
    assert box(0, 10, [1.0, 2.0], failures=2).failed
    assert box(0, 10, [], failures=3).q1 == FAILED


def test_outliers_lie_beyond_the_whiskers() -> None:
    made = box(0, 10, [1.0, 1.1, 1.2, 1.3, 9.0])
    assert made.outliers == (9.0,)
    assert made.high == 1.3


def test_the_axis_ends_below_boxes_that_are_far_above_the_others() -> None:
    low = [box(0, 10, [1.0, 1.02, 1.04]), box(1, 10, [1.1, 1.2, 1.3])]
    far = [box(2, 10, [1e5, 1e6, 1e7]), box(3, 10, [3.0, 4.0, 90.0])]
    assert robust_limit(low) == pytest.approx(1.25)  # the upper quartile of the higher one
    assert robust_limit([*low, *far]) == pytest.approx(1.25)
    assert robust_limit(far) < CEILING
    assert robust_limit([box(0, 10, [], failures=2)]) == 1.5


@pytest.mark.parametrize(("median", "number"), [(3.0, 1), (99.0, 1), (100.0, 2), (1e5, 2), (1e6, 3), (1e20, 3)])
def test_arrows_have_more_heads_for_larger_magnitudes(median: float, number: int) -> None:
    assert heads(median) == number


def test_extreme_boxes_are_arrows_and_the_legend_says_so(tmp_path: Path) -> None:
    words = ("box above the axis", "median above 100", "median above 10⁶")
    draw_boxplots(table(*runs_of(near())), 0, ["normalised"], files(tmp_path, "near"))
    assert not [word for word in words if word in texts(tmp_path / "near.svg")]
    for factor, word in zip((9, 1e3, 1e9), words, strict=True):
        lines = [*runs_of(near()), *runs_of(near(factor), solver="cma-IH")]
        draw_boxplots(table(*lines), 0, ["normalised"], files(tmp_path, "far"))
        assert [other for other in words if other in texts(tmp_path / "far.svg")] == [word]


def test_boxes_against_the_optimum_leave_open_where_it_is_not_proven(tmp_path: Path) -> None:
    measures = ["normalised", "delta_z", "normalised_optimum", "delta_z_proven"]
    lines = [*runs_of([*NEAR, None], optimum=99.0), *runs_of(near(), c=1e2), *runs_of([None], c=1e3, optimum=9.0)]
    draw_boxplots(table(*lines), 0, measures, files(tmp_path))
    said = texts(tmp_path / "figure.svg")
    for expected in ("f / optimum", "Δz against the optimum", "f / f of cplex", "optimum not proven", "value of cplex"):
        assert expected in said
    caption = caption_boxplots(table(*lines), 0, measures)
    assert "objective values divided by the proven optimum" in caption
    assert "differ from the nearest solution that is proven optimal" in caption
    assert "The optimum is proven on 2 of 3 instances." in caption
    assert "proven" not in caption_boxplots(table(*lines), 0, ["normalised"])


def test_a_panel_says_what_a_box_cannot(tmp_path: Path) -> None:
    lines = [
        *runs_of([*NEAR, None]),
        *runs_of([None, None, None], c=1e2),
        *runs_of(near(), c=1e3, reference=None),
        *runs_of([0.0, 0.0], c=1e4, reference=0.0, zero=True),
        *runs_of([None, None], c=1e5, status="skipped"),
    ]
    draw_boxplots(table(*lines), 0, ["normalised", "delta_z"], files(tmp_path))
    said = texts(tmp_path / "figure.svg")
    for expected in (
        "[A] TC-0 (Cigar + Cigar)",
        "E = 30",
        "mies",
        "c = 10⁴",
        "f / f of cplex",
        "Δz against cplex",
        "4/14",  # runs without a solution; skipped ones were not made
        "failed",
        "failed: n of m runs without solution",
        "no solution in half of the runs or more",
        "no value of cplex",
        "f (opt. 0)",
        "zero optimum",  # of Δz, which has no strip
    ):
        assert expected in said
    assert (tmp_path / "figure.png").stat().st_size > 0


def test_a_gallery_shows_the_papers_cases_or_those_there_are(tmp_path: Path) -> None:
    runs = table(*(line for tc in (0, 1, 5, 7) for line in runs_of(near(), tc=tc)))
    assert gallery.cases_shown(runs, "normalised") == [0, 5, 7]
    assert gallery.cases_shown(table(*runs_of(near(), tc=8)), "delta_z") == [8]
    gallery.draw(runs, measure="normalised", paths=files(tmp_path, "objective"))
    gallery.draw(runs, measure="delta_z", paths=files(tmp_path, "integers"))
    said = texts(tmp_path / "objective.svg")
    assert "[A] TC-0 (Cigar + Cigar)" in said
    assert "[C] TC-7 (HadEllipse + RotEllipse)" in said
    assert "TC-1" not in said
    assert "[B] TC-1 (Cigar + RotEllipse)" in texts(tmp_path / "integers.svg")


def test_strategies_stand_in_the_papers_order(tmp_path: Path) -> None:
    lines = [line for solver in ("other", "cma-IH", "mies") for line in runs_of(near(), solver=solver)]
    draw_boxplots(table(*lines), 0, ["normalised"], files(tmp_path))
    said = texts(tmp_path / "figure.svg")
    assert said.index("mies") < said.index("cma-IH") < said.index("other")


def test_a_caption_says_what_the_boxes_stand_on() -> None:
    lines = [*runs_of([*NEAR, None]), *runs_of([None] * 5, c=1e2, status="missing"), *runs_of(near(), tc=5)]
    said = caption_boxplots(table(*lines), 0, ["normalised", "delta_z"], budgets={"mies": ("evaluations", 20000)})
    for expected in (
        "TC-0 (Cigar + Cigar): objective values divided by cplex's and Δz",
        "D = 8, translation t = 0",
        "5 seeds on each instance",
        "c = 10 and 10²; E = 30",
        "1 run without a verified solution",
        "Budget of a run: mies 20,000 evaluations.",
        "Stands on 7 of 12 planned runs, 6 of them with a verified solution.",
    ):
        assert expected in said
    assert "TC-0 (Cigar + Cigar) and TC-5" in gallery.caption(table(*lines), measure="normalised")


def test_without_a_value_of_the_reference_the_optimum_stands_in(tmp_path: Path) -> None:
    lines = [*runs_of(near()), *runs_of(near(), c=1e2, reference=None, optimum=99.0)]
    draw_boxplots(table(*lines), 0, ["normalised"], files(tmp_path))
    said = texts(tmp_path / "figure.svg")
    assert "no value of cplex: f / optimum" in said
    assert "no value of cplex |" not in said
    assert "divided by the proven optimum; diamonds mark it" in caption_boxplots(table(*lines), 0, ["normalised"])
    unproven = [*runs_of(near()), *runs_of(near(), c=1e2, reference=None)]
    draw_boxplots(table(*unproven), 0, ["normalised"], files(tmp_path))
    said = texts(tmp_path / "figure.svg")
    assert "no value of cplex" in said
    assert "f / optimum" not in said
    assert "diamonds" not in caption_boxplots(table(*unproven), 0, ["normalised"])


def test_zero_optima_have_a_strip_of_their_own_and_do_not_move_the_axis(tmp_path: Path) -> None:
    draw_boxplots(table(*runs_of(near())), 0, ["normalised"], files(tmp_path, "alone"))
    # Divided by what is raised to 10⁻⁶ these would be 10⁵ and more.
    zeros = runs_of([0.1, 1.0, 1000.0], c=1e3, reference=0.0, zero=True)
    draw_boxplots(table(*runs_of(near()), *zeros), 0, ["normalised"], files(tmp_path, "both"))
    said = texts(tmp_path / "both.svg")
    for expected in ("10⁻⁶", "10³", "f (opt. 0)"):
        assert expected in said
        assert expected not in texts(tmp_path / "alone.svg").replace("c = 10³", "")
    for unexpected in ("median above 100", "box above the axis", "zero optimum"):
        assert unexpected not in said
    caption = caption_boxplots(table(*runs_of(near()), *zeros), 0, ["normalised"])
    assert "1 instance with a zero optimum: there the boxes are of f itself, in the strip below the others" in caption


def test_a_strip_counts_failed_runs_above_every_value(tmp_path: Path) -> None:
    mostly = runs_of([1.0, None, None], c=1e3, reference=0.0, zero=True)
    few = runs_of([1.0, 2.0, 3.0, None], c=1e4, reference=0.0, zero=True)
    draw_boxplots(table(*runs_of(near()), *mostly, *few), 0, ["normalised"], files(tmp_path))
    said = texts(tmp_path / "figure.svg")
    assert "no solution in half of the runs or more" in said
    assert "cut here" in said  # the quartile between the third value and the failed run


def test_what_is_cut_is_marked(tmp_path: Path) -> None:
    draw_boxplots(table(*runs_of(near())), 0, ["normalised"], files(tmp_path, "whole"))
    assert "cut here" not in texts(tmp_path / "whole.svg")
    long = runs_of([100.0, 101.0, 5000.0, 6000.0], c=1e2)
    draw_boxplots(table(*runs_of(near()), *long), 0, ["normalised"], files(tmp_path, "cut"))
    assert "cut here" in texts(tmp_path / "cut.svg")


def test_no_two_neighbouring_colours_of_c_look_alike() -> None:
    shades = [np.array(colour[:3]) for colour in palette([10.0**k for k in range(1, 7)]).values()]
    linear = [np.where(c > 0.04045, ((c + 0.055) / 1.055) ** 2.4, c / 12.92) for c in shades]
    lightness = [116 * np.cbrt(float(c @ [0.2126, 0.7152, 0.0722])) - 16 for c in linear]
    assert all(after - before > 8 for before, after in pairwise(lightness))  # in grey too
    hues = [rgb_to_hsv(*c)[0] for c in shades]
    # 10³ and 10⁴ were two greens, 0.06 apart.
    assert min(min(abs(a - b), 1 - abs(a - b)) for a, b in pairwise(hues)) > 0.03
