"""Heat-maps: zones of colour, marks that occur, and captions that say the numbers."""

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from figure_tables import cells, files, runs_of, table, texts, verdicts

from unbounded.figures import maps, ratio
from unbounded.figures.parts.scales import OBJECTIVE, OPTIMUM, RATIO, dark
from unbounded.tables.translation_counts import TABLE as translation_counts

BOTH = [*runs_of([99.0, 101.0, 150.0]), *runs_of([90.0, 95.0, 100.0], solver="cma-IH")]


def draw_maps(cells: pd.DataFrame, statistic: str, paths: list[Path], **options: Any) -> None:
    maps.draw(cells, None, statistic=statistic, paths=paths, **options)


def caption_maps(cells: pd.DataFrame, verdicts: pd.DataFrame, statistic: str, **options: Any) -> str:
    return maps.caption(cells, verdicts, statistic=statistic, **options)


@pytest.mark.parametrize(
    ("value", "zone"),
    [
        (0.98, "better"),
        (0.9, "better"),
        (0.4999, "below"),
        (0.99, "similar"),
        (1.0, "similar"),
        (1.01, "similar"),
        (1.2, "worse"),
        (5.0, "beyond"),
    ],
)
def test_values_fall_into_zones(value: float, zone: str) -> None:
    assert OBJECTIVE.zone(value) == RATIO.zone(value) == zone


def test_below_the_scale_is_told_apart_from_just_better() -> None:
    assert (OBJECTIVE.zone(0.8999), RATIO.zone(0.8999)) == ("below", "better")
    for zones in (OBJECTIVE, RATIO):
        assert zones.colour(5e-7) != zones.colour(0.98) != zones.colour(1.0)


def test_against_the_optimum_what_is_as_good_has_a_zone_and_nothing_is_better() -> None:
    values = (0.99999, 1.0, 1.0001, 1.0002, 1.01, 1.2, 9.0)
    zones = ["optimal"] * 3 + ["similar"] * 2 + ["worse", "beyond"]
    assert [OPTIMUM.zone(value) for value in values] == zones
    assert OPTIMUM.colour(1.0) != OPTIMUM.colour(1.01) == OBJECTIVE.colour(1.0)


@pytest.mark.parametrize("zones", [OBJECTIVE, RATIO])
def test_colours_darken_from_zone_to_zone(zones) -> None:
    values = (0.1, 0.95, 1.0, 1.02, 1.2, 1.45, 1e20, math.inf)
    lightness = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b, _ in map(zones.colour, values)]
    assert lightness[0] == pytest.approx(1)
    assert all(lighter > darker for lighter, darker in pairwise(lightness[:7]))
    assert dark(zones.colour(1e20))
    assert not dark(zones.colour(1.0))


def test_the_ratio_scale_is_logarithmic() -> None:
    assert RATIO.depth(math.sqrt(1.01 * 2.0)) == pytest.approx(0.5)
    assert OBJECTIVE.depth((1.01 + 1.5) / 2) == pytest.approx(0.5)


@pytest.mark.parametrize("statistic", ["best", "median", "delta_z", "delta_z_best_known", "delta_z_certified"])
def test_a_map_names_strategies_cases_and_levels(tmp_path: Path, statistic) -> None:
    draw_maps(cells(*BOTH), statistic, files(tmp_path), labels={"mies": "MIES"})
    svg, png = files(tmp_path)
    said = texts(svg)
    assert png.stat().st_size > 0
    assert svg.stat().st_size < 1_000_000
    for expected in ("[A] MIES", "[B] cma-IH", "TC-0", "TC-8", "g: HadEllipse", "f: Cigar"):
        assert expected in said
    assert said.count("not in") == 2 * 8  # eight of the nine test cases, in both panels


def test_the_legend_explains_only_marks_that_occur(tmp_path: Path) -> None:
    marks = ("zero optimum", "cplex without solution", "strategy without solution", "neither has", "not run")
    lines = {
        "zero optimum": runs_of([0.0], tc=2, c=1e3, reference=0.0, zero=True),
        "cplex without solution": runs_of([90.0], tc=7, reference=None),
        "strategy without solution": runs_of([None], tc=8),
        "neither has": runs_of([None], tc=5, reference=None),
        "not run": runs_of([None], tc=4, status="missing"),
    }
    draw_maps(cells(*BOTH), "best", files(tmp_path, "none"))
    assert not [mark for mark in marks if mark in texts(tmp_path / "none.svg")]
    for position, mark in enumerate(marks):
        draw_maps(cells(*BOTH, *lines[mark]), "best", files(tmp_path, str(position)))
        assert [other for other in marks if other in texts(tmp_path / f"{position}.svg")] == [mark]


@pytest.mark.parametrize("number", [1, 3, 4, 5])
def test_any_number_of_strategies_is_laid_out(tmp_path: Path, number: int) -> None:
    names = [f"strategy-{position}" for position in range(number)]
    lines = [line for name in names for c in (10.0, 50.0) for line in runs_of([100.0], solver=name, c=c)]
    draw_maps(cells(*lines), "best", files(tmp_path))
    assert all(name in texts(tmp_path / "figure.svg") for name in names)


def test_strategies_can_be_chosen_and_unknown_ones_are_refused(tmp_path: Path) -> None:
    draw_maps(cells(*BOTH), "best", files(tmp_path), strategies=["cma-IH"])
    assert "mies" not in texts(tmp_path / "figure.svg")
    with pytest.raises(ValueError, match="no strategy scip; it has mies, cma-IH"):
        draw_maps(cells(*BOTH), "best", files(tmp_path), strategies=["scip"])


def test_slices_are_not_mixed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="one slice"):
        draw_maps(cells(*BOTH, *runs_of([100.0], t=1e4)), "best", files(tmp_path))


def test_a_caption_says_what_the_map_stands_on() -> None:
    lines = [
        *BOTH,
        *runs_of([0.0, 0.0, None], tc=2, c=1e3, reference=0.0, zero=True),
        *runs_of([None, None, 5.0], tc=8),
        *runs_of([None, None, None], tc=4, status="missing"),
    ]
    said = caption_maps(
        cells(*lines), verdicts(*lines), "best", budgets={"mies": ("evaluations", 1e6), "cplex": ("seconds", 3600)}
    )
    for expected in (
        "divided by the value of cplex: mies and cma-IH, 3 seeds on each of 4 instances",
        "mixed-integer (half of the variables), D = 8, translation t = 0",
        "mies 1 [0–3] / 2 [0–3] / 0 [0–3] / 0, with a zero optimum 0 [0–1] / 1 [0–1] / 0 [0–1] / 0; cma-IH 1 ",
        "Circles mark 1 instance whose optimum is zero",
        "Hatched: 1 cell not run.",
        "mies 1,000,000 evaluations",
        "cplex 3,600 seconds",
        "Stands on 16 of 19 planned runs, 13 of them with a verified solution.",
    ):
        assert expected in said
    assert "Circles" not in caption_maps(cells(*BOTH), verdicts(*BOTH), "best")
    assert "stand above every value" in caption_maps(cells(*lines), verdicts(*lines), "median")


@pytest.mark.parametrize("statistic", ["known_best", "known_median"])
def test_against_the_best_known_values_the_reference_is_a_solver_like_others(tmp_path: Path, statistic) -> None:
    lines = [*runs_of([100.0, 103.0], known=80.0), *runs_of([81.0, 79.9], known=80.0, tc=1, certified=False)]
    draw_maps(cells(*lines), statistic, files(tmp_path))
    said = texts(tmp_path / "figure.svg")
    for expected in ("[A] mies", "[B] cplex", "best known value not certified", f"{statistic[6:]} value / best known"):
        assert expected in said
    assert "better" not in said  # nothing is better than the best
    caption = caption_maps(cells(*lines), verdicts(*lines), statistic)
    for expected in (
        "divided by the best value known from any solver: mies and cplex",
        "within 1 % of the best known value, in brackets where a number should lie with other seeds: "
        "mies 1 [0–2] of 2; cplex 0 [0–2] of 2.",
        "certified, by a bound at most 0.1 % below it, on 1 of 2 instances. Dots mark where it is not.",
    ):
        assert expected in caption
    assert "better" not in caption


def test_a_run_counts_against_the_best_known_value_also_where_the_reference_was_not_run(tmp_path: Path) -> None:
    alone = [*runs_of([100.0], known=100.0)[:1], *runs_of([None], tc=1, status="missing")[:1]]
    said = caption_maps(cells(*alone), verdicts(*alone), "known_best")
    assert "mies 1 [0–1] of 1" in said
    assert "Hatched: 1 cell not run." in said
    none = runs_of([None], reference=None)
    nobody = caption_maps(cells(*none), verdicts(*none), "known_best")
    assert "Crosses mark 1 instance that no solver has a solution of." in nobody


def test_delta_z_to_certified_solutions_leaves_the_others_open(tmp_path: Path) -> None:
    lines = [*runs_of([100.0]), *runs_of([100.0], tc=1, certified=False)]
    draw_maps(cells(*lines), "delta_z_certified", files(tmp_path))
    assert "best known value not certified" in texts(tmp_path / "figure.svg")
    said = caption_maps(cells(*lines), verdicts(*lines), "delta_z_certified")
    assert "on 1 of 2 instances. Dots mark where it is not." in said
    assert (
        "where a bound is at most 0.1 % below its value; nothing certifies that its integers are the only ones" in said
    )
    assert "best known solution where a bound is at most 0.1 % below its value" in texts(tmp_path / "figure.svg")
    draw_maps(cells(*runs_of([100.0])), "delta_z_certified", files(tmp_path, "all"))
    assert "not certified" not in texts(tmp_path / "all.svg")


@pytest.mark.parametrize("statistic", ["optimum_best", "optimum_median"])
def test_against_proven_optima_every_solver_is_measured_and_open_cells_are_marked(tmp_path: Path, statistic) -> None:
    lines = [
        *runs_of([100.005, 100.5], optimum=100.0, reference=100.05),
        *runs_of([80.0, 81.0], tc=1),  # not proven
        *runs_of([None, None], tc=2, optimum=100.0, reference=130.0),
        *runs_of([None], tc=3, status="missing", optimum=100.0),
    ]
    draw_maps(cells(*lines), statistic, files(tmp_path))
    said = texts(tmp_path / "figure.svg")
    for expected in (
        "[A] mies",
        "[B] cplex",
        "optimum not proven",
        "not run",
        f"{statistic[8:]} value / optimum",
        "1.0001",
    ):
        assert expected in said
    assert "better" not in said
    assert "certified" not in said
    caption = caption_maps(cells(*lines), verdicts(*lines), statistic)
    # By the best 5e-5 above, by the median 2.5e-3; cplex 5e-4 above, 30 % above, and on the optimum.
    near = (
        "mies 1 [0–2] / 1 [0–2] / 1 [0–2] of 2" if statistic == "optimum_best" else "mies 0 [0–2] / 0 [0–2] / 1 [0–2]"
    )
    for expected in (
        "divided by the proven optimum: mies and cplex",
        "Scale [1, 1.5]: white is within 0.01 %, yellow similar",
        "Cells within 0.01 % / 0.1 % / 1 % of the optimum, in brackets where a number should lie with other seeds: ",
        near,
        "; cplex 1 [0–3] / 2 [0–3] / 2 [0–3] of 3.",
        "The optimum is proven on 3 of 4 instances. Dots mark where it is not.",
    ):
        assert expected in caption


def test_delta_z_to_proven_integers_says_who_has_them(tmp_path: Path) -> None:
    lines = [
        *runs_of([100.0], optimum=100.0, delta_z=0.0),
        *runs_of([100.0], tc=1, optimum=100.0),
        *runs_of([9.0], tc=5),
    ]
    draw_maps(cells(*lines), "delta_z_proven", files(tmp_path))
    said = texts(tmp_path / "figure.svg")
    for expected in ("[B] cplex", "optimum not proven", "against the nearest optimal integers"):
        assert expected in said
    caption = caption_maps(cells(*lines), verdicts(*lines), "delta_z_proven")
    assert ": mies 1 [0–2] of 2; cplex 1 [0–2] of 2. The" in caption
    assert "The optimum is proven on 2 of 3 instances. Dots mark where it is not." in caption


def test_what_is_certified_is_told_beside_what_is_proven() -> None:
    proven = runs_of([100.0], optimum=100.0)
    lines = [*proven, *runs_of([100.0], tc=1)]
    caption = caption_maps(cells(*lines), verdicts(*lines), "known_best")
    assert "The optimum is proven on 1 of 2 instances. The best known value is certified" in caption
    assert "certified" not in caption_maps(cells(*proven), verdicts(*proven), "known_best")


def translation() -> pd.DataFrame:
    line = {"kind": "mixed", "D": 8, "t": 1e4, "case": "TC0", "tc": 0, "c": 10.0, "hessian": "full", "solver": "mies"}
    same = {"E": 10.0, "best_f": 1.0, "translated_best_f": 1.0, "ratio": 1.0, "verdict": "same"}
    worse = {"E": 30.0, "best_f": 1.0, "translated_best_f": 1.8, "ratio": 1.8, "verdict": "worse"}
    lost = {"E": 50.0, "best_f": 1.0, "translated_best_f": math.nan, "ratio": math.nan, "verdict": "worse"}
    waiting = {"E": 80.0, "best_f": 1.0, "translated_best_f": math.nan, "ratio": math.nan, "verdict": None}
    return pd.DataFrame([{**line, **part, "zero_optimum": False} for part in (same, worse, lost, waiting)])


def test_translated_bests_are_drawn_against_untranslated_ones(tmp_path: Path) -> None:
    ratio.draw(translation(), None, None, paths=files(tmp_path))
    said = texts(tmp_path / "figure.svg")
    for expected in (
        "mies",
        "same",
        "above 2",
        "best value at t = 10⁴ / best value at t = 0",
        "no translated solution",
    ):
        assert expected in said
    assert "zero optimum" not in said
    said = ratio.caption(translation(), translation_counts(translation(), table()), cells())
    # One run on each side, so binomial: 1, 0 and 2 of 3.
    assert "seeds: mies same on 1 [0–3], better on 0 [0–3], worse on 2 [0–3] and neither on 0." in said
    zero = translation().assign(zero_optimum=True)
    said = ratio.caption(zero, translation_counts(translation(), table()), cells())
    # No line of the counts is about these.
    assert "neither on 0, with a zero optimum same on 1, better on 0, worse on 2 and neither on 0." in said


def test_pairs_of_which_not_both_were_run_are_hatched(tmp_path: Path) -> None:
    pairs = pd.concat([translation(), translation().iloc[:1].assign(solver="cma-IH")], ignore_index=True)
    ratio.draw(pairs, None, None, paths=files(tmp_path))
    assert "not run" in texts(tmp_path / "figure.svg")
    said = ratio.caption(pairs, translation_counts(pairs, table()), cells())
    assert "Hatched: 4 pairs of which not both were run." in said
    everything = pairs[pairs["verdict"].notna() & (pairs["solver"] == "mies")]
    assert "Hatched" not in ratio.caption(everything, translation_counts(everything, table()), cells())


def test_runs_that_studies_share_count_once_in_the_share_of_a_translation() -> None:
    pair = [*runs_of([100.0, 101.0]), *runs_of([100.0, None], t=1e4, study="translation")]
    shared = runs_of([100.0, 101.0], study="again")
    counts = translation_counts(translation(), table(*pair, *shared))
    said = ratio.caption(translation(), counts, cells(*pair, *shared))
    assert "Stands on 4 of 4 planned runs, 3 of them with a verified solution." in said
