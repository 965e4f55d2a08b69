"""The figure of near-optimal vectors: ranks, finds, distances, and what it says where nothing was counted."""

from pathlib import Path

import pandas as pd
import pytest
from figure_tables import files, run, runs_of, table, texts

from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.figures.near import FIGURE, caption
from unbounded.figures.registry import pictures
from unbounded.tables.registry import find

INSTANCE = "integer-D8-t0-TC4-c1e1-E30"
PLACE = {"study": "multimodality", "instance": INSTANCE}
DESCRIPTION = {"figure": "near", **PLACE, "budgets": {"mies": ("evaluations", 1e5)}}


def made(name: str, *lines: dict) -> pd.DataFrame:
    return find(name).shape(pd.DataFrame([{**PLACE, **line} for line in lines]))


@pytest.fixture
def tables() -> dict[str, pd.DataFrame]:
    """Four vectors; mies found the second in two of three runs, cma-IH none, cplex the best."""
    values = {"mies": [100.02, 100.02, 200.0], "cma-IH": [300.0, None]}
    lines = [
        line
        for solver, found in values.items()
        for line in runs_of(found, solver=solver, tc=4, kind="integer", study="multimodality")
    ]
    lines.append(run(100.0, solver="lattice", tc=4, kind="integer", study="multimodality", status="optimal"))
    counts = {"vectors": 4.0, "optimal": 1.0, "listed": 4.0, "local_optima": 2.0, "local_optima_single": 3.0}
    l1 = {"l1_least": 1, "l1_median": 2, "l1_largest": 4}
    near = {"D": 8, "solver": "lattice", "seed": 1, "status": "counted", "optimum": 100.0, "capped": False, **counts}
    near |= l1 | {f"optimum_{name}": value for name, value in l1.items()}
    near |= {"pieces_single": 3, "pieces": 1, "joined_by": 2}
    found = [
        {"solver": "cplex", "strategy": False, "runs": 1, "found": 1, "unlisted": 0, "best_rank": 1.0},
        {"solver": "cma-IH", "strategy": True, "runs": 2, "found": 0, "unlisted": 0},
        {"solver": "mies", "strategy": True, "runs": 3, "found": 1, "unlisted": 1, "best_rank": 2.0},
    ]
    vectors = [
        {"rank": 1.0 + i, "f": f, "orbit": 1.0, "local_optimum": i < 2, "local_optimum_single": i < 3, "found": i == 1}
        for i, f in enumerate((100.0, 100.02, 100.05, 100.09))
    ]
    distances = [
        {"l1": k, "pairs": n, "to_optimum": m, "found_pairs": 0} for k, n, m in ((1, 1, 1), (2, 4, 1), (4, 1, 1))
    ]
    return {
        "multimodality_near": made("multimodality_near", near),
        "multimodality_found": made(
            "multimodality_found", *({"runs_within": 0, "optimum_found": False, **line} for line in found)
        ),
        "multimodality_near_vectors": made("multimodality_near_vectors", *vectors),
        "multimodality_near_distances": made("multimodality_near_distances", *distances),
        "runs": table(*lines),
    }


def test_finds_and_local_optima_are_told_with_their_ranks(tmp_path: Path, tables) -> None:
    assert list(tables) == list(FIGURE.tables)
    said = FIGURE.make(DESCRIPTION, tables, files(tmp_path))
    svg, png = files(tmp_path)
    shown = texts(svg)
    for expected in (
        "local optima: 2",
        "mies: 2 of 3 runs",
        "cma-IH: 0 of 2 runs",
        "cplex: 1 of 1 run",
        "two of all (6)",
    ):
        assert expected in shown
    # Strategies in the paper's order, then the others; no line for what there is none of.
    assert shown.index("mies:") < shown.index("cma-IH:") < shown.index("cplex:")
    assert "that strategies found" not in shown
    assert png.stat().st_size > 0
    for expected in (
        "TC-4 (RotEllipse + RotEllipse), all-integer, D = 8, translation t = 0, c = 10, E = 30: 4 integer vectors",
        "within 0.1 % of the optimum 100.000000, 1 of them optimal, as lattice has proven",
        "mies 1 vector in 3 runs, the best of rank 2; cma-IH 0 vectors in 2 runs; cplex 1 vector in 1 run, the best of",
        "two of them 1, 2, 4, to the optimum 1, 2, 4",
        "They are 3 pieces where steps from one to another have the length 1, 1 with steps of up to 2, one",
        "1 run within 0.1 % with a vector that is not listed.",
        "mies 100,000 evaluations",
    ):
        assert expected in said


def test_without_a_count_the_figure_says_why(tmp_path: Path, tables) -> None:
    near = tables["multimodality_near"].assign(status="refused: a vector is listed twice")
    empty = {name: part if name == "runs" else part.iloc[:0] for name, part in tables.items()}
    for table_, why in ((near, "refused: a vector is listed twice"), (near.iloc[:0], "no proof")):
        said = FIGURE.make(DESCRIPTION, {**empty, "multimodality_near": table_}, files(tmp_path))
        assert f"near-optimal vectors were not counted ({why})" in said
        assert why in texts(tmp_path / "figure.svg")


def test_without_distances_and_with_a_cap_both_are_told(tmp_path: Path, tables) -> None:
    tables["multimodality_near_distances"] = tables["multimodality_near_distances"].iloc[:0]
    tables["multimodality_near"] = tables["multimodality_near"].assign(capped=True, vectors=9.0)
    said = FIGURE.make(DESCRIPTION, tables, files(tmp_path))
    assert "distances are not measured" in texts(tmp_path / "figure.svg")
    assert "9 integer vectors" in said
    assert "f of the best 4, from" in said
    assert "Distances are not measured" in said
    assert caption(*tables.values(), labels={"lattice": "Lattice"}).count("as Lattice has proven") == 1


def test_one_vector_alone_has_no_distances_to_others(tmp_path: Path, tables) -> None:
    columns = [f"{of}l1_{name}" for of in ("", "optimum_") for name in ("least", "median", "largest")]
    near = tables["multimodality_near"].assign(vectors=1.0, listed=1.0, joined_by=0, **dict.fromkeys(columns, pd.NA))
    tables["multimodality_near"] = find("multimodality_near").shape(near)
    tables["multimodality_near_vectors"] = tables["multimodality_near_vectors"].iloc[:1]
    tables["multimodality_near_distances"] = made(
        "multimodality_near_distances", {"l1": 0, "pairs": 0, "to_optimum": 0, "found_pairs": 0}
    )
    said = FIGURE.make(DESCRIPTION, tables, files(tmp_path))
    assert "1 integer vector within" in said
    assert "two of them none, none, none, to the optimum none, none, none" in said
    assert "piece" not in said


def test_a_campaign_has_it_where_an_exact_solver_counts_up_to_a_thousandth(tmp_path: Path) -> None:
    def names(within: str) -> list[str]:
        (tmp_path / "c.yaml").write_text(
            f"""
name: c
solvers:
  lattice: {{options: {{within: {within}}}, seeds: [1]}}
studies:
  modes:
    {{type: multimodality, kinds: [integer], dimensions: [8], test_cases: [4], c: [1e1], E: [30], seeds: 2,
     reference: lattice, solvers: {{lattice: , mies: }}}}
""",
            encoding="utf-8",
        )
        return [path for path in pictures(Plan(load_campaign(tmp_path / "c.yaml"))) if path.endswith("-near")]

    assert names("1e-3") == [f"modes/{INSTANCE}-near"]
    assert names("1e-4") == []
