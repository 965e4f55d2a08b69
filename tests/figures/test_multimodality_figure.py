"""The multimodality figure: medians, white-box lines, and the matrix of distances."""

from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest
from figure_tables import files, run, runs_of, table, texts

from unbounded.figures import multimodality

STUDY = {"tc": 4, "kind": "integer", "study": "multimodality"}
INSTANCE = "integer-D8-t0-TC4-c1e1-E30"


@pytest.fixture
def runs() -> pd.DataFrame:
    values = {"mies": [101.0, 102.0, 5000.0, None], "cma-IH": [100.5, 100.6, 100.7, 100.8], "cma-wM": [100.1] * 4}
    lines = [line for solver, found in values.items() for line in runs_of(found, solver=solver, **STUDY)]
    return table(*lines, run(99.9, solver="cplex-tight", **STUDY))


@pytest.fixture
def distances(runs: pd.DataFrame) -> pd.DataFrame:
    solved = runs[runs["solved"] & ~runs["solver"].str.startswith("cplex")]
    ends = [(i, line.solver, line.seed) for i, line in enumerate(solved.itertuples())]
    names = ["i", "solver_i", "seed_i", "j", "solver_j", "seed_j"]
    rows = [(*a, *b) for a, b in combinations(ends, 2)]
    return pd.DataFrame(rows, columns=names).assign(study="multimodality", instance=INSTANCE, l1=7.0)


def test_strategies_medians_and_white_box_lines_are_named(tmp_path: Path, runs, distances) -> None:
    multimodality.draw(runs, distances, paths=files(tmp_path), white_box=["cplex-tight"])
    svg, png = files(tmp_path)
    said = texts(svg)
    for expected in (
        "cplex 1.00000",
        "cplex-tight 0.99900",
        "cma-IH median 1.00650",
        "cma-wM median 1.00100",
        "mies median 25.51",
        "mies, 1 run beyond →",
        "L1 distance of two solutions",
    ):
        assert expected in said
    assert png.stat().st_size > 0
    assert svg.stat().st_size < 1_000_000


def test_without_two_solutions_there_is_no_matrix(tmp_path: Path, runs, distances) -> None:
    multimodality.draw(runs, distances.iloc[:0], paths=files(tmp_path), white_box=["cplex-tight"])
    assert "no solutions to compare" in texts(tmp_path / "figure.svg")


def test_a_caption_says_what_the_figure_stands_on(runs, distances) -> None:
    said = multimodality.caption(runs, distances, white_box=["cplex-tight"])
    for expected in (
        "TC-4 (RotEllipse + RotEllipse), all-integer, D = 8, translation t = 0, c = 10, E = 30",
        "4 seeds each of mies, cma-IH and cma-wM",
        "medians: mies 25.51; cma-IH 1.00650; cma-wM 1.00100",
        "distances of 11 solutions",
        "1 run without a verified solution",
        "Stands on 14 of 14 planned runs, 13 of them with a verified solution.",
    ):
        assert expected in said
