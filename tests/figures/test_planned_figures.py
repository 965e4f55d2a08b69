"""Which figures a campaign has: those against proven optima where an exact solver runs, without that solver."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from figure_tables import cells, files, run, runs_of, table, texts, verdicts

from harness import campaigns
from unbounded.figures.registry import drawing, pictures

GRID = {"dimensions": [8], "test_cases": [0, 1], "c": [10], "E": [30], "seeds": 1}
STRATEGIES = {"cplex": {}, "mies": {}, "cma-IH": {}}
TRUTH = {"truth": {"use": "lattice", "budget": {"nodes": 1000}}}


def planned(tmp_path: Path, studies: dict[str, Any]) -> dict[str, Any]:
    settings = {"name": "c", "solvers": {"cplex": {"budget": {"ticks": 10}}, **TRUTH}, "studies": studies}
    return pictures(campaigns.planned(tmp_path / "c.yaml", settings))


def studies(exact: bool) -> dict[str, Any]:
    solvers = {**STRATEGIES, **({"truth": {}} if exact else {})}
    return {
        "benchmark": {"type": "benchmark", "solvers": solvers, **GRID},
        "translation": {"type": "translation", "translations": [1e4], "solvers": STRATEGIES, **GRID},
        "all-integer": {"type": "all-integer", "kinds": ["integer"], "solvers": STRATEGIES, **GRID},
        "discrepancy": {"type": "discrepancy", "of": ["benchmark"]},
    }


def test_where_an_exact_solver_runs_slices_are_drawn_against_the_optimum(tmp_path: Path) -> None:
    found = planned(tmp_path, studies(exact=True))
    # The twin's proofs hold under translation; of all-integer instances nobody proves anything.
    for name in ("benchmark/mixed-D8-t0", "translation/mixed-D8-t1e4"):
        assert found[f"{name}-optimum-best"]["options"]["statistic"] == "optimum_best"
        assert found[f"{name}-optimum-median"]["options"]["statistic"] == "optimum_median"
        assert found[f"{name}-optimum-boxes"]["options"]["measure"] == "normalised_optimum"
        assert f"{name}-known-best" not in found
    assert found["benchmark/mixed-D8-t0-TC0"]["options"]["measures"] == ["normalised", "normalised_optimum"]
    assert found["all-integer/integer-D8-t0-known-best"]["options"]["statistic"] == "known_best"
    assert found["all-integer/integer-D8-t0-TC0"]["options"]["measures"] == ["normalised", "delta_z"]
    maps = [path for path in found if path.startswith("discrepancy/") and "map" in path]
    assert maps == ["discrepancy/benchmark-mixed-D8-t0-map", "discrepancy/benchmark-mixed-D8-t0-proven-map"]
    assert found["discrepancy/benchmark-mixed-D8-t0-TC0"]["options"]["measures"] == ["delta_z", "delta_z_proven"]


def test_the_papers_strategies_have_pictures_of_their_own_where_others_are_compared_too(tmp_path: Path) -> None:
    assert not [path for path in planned(tmp_path, studies(exact=True)) if "paper" in path]
    several = studies(exact=True)
    for study in ("benchmark", "all-integer"):
        several[study]["solvers"] = {"mies-corr": {}, **several[study]["solvers"]}
    shown = {path: figure["options"] for path, figure in planned(tmp_path, several).items() if "paper" in path}
    assert shown == {
        "benchmark/mixed-D8-t0-paper": {"statistic": "optimum_median", "strategies": ["cplex", "mies", "cma-IH"]},
        "benchmark/mixed-D8-t0-paper-boxes": {"measure": "normalised", "strategies": ["mies", "cma-IH"]},
        "discrepancy/benchmark-mixed-D8-t0-paper-boxes": {
            "measure": "delta_z_proven",
            "strategies": ["mies", "cma-IH"],
        },
    }
    several["benchmark"]["solvers"].pop("truth")
    unproven = planned(tmp_path, several)
    assert "benchmark/mixed-D8-t0-paper" not in unproven
    assert unproven["discrepancy/benchmark-mixed-D8-t0-paper-boxes"]["options"]["measure"] == "delta_z"


def test_the_exact_solver_is_drawn_in_times_and_nowhere_else(tmp_path: Path) -> None:
    found = planned(tmp_path, studies(exact=True))
    for path, figure in found.items():
        if "mixed-D8-t0" in path:
            timed = figure["figure"] in ("runtimes", "targets", "profiles")
            assert figure.get("without", []) == ([] if timed else ["truth"])
    assert found["translation/mixed-D8-t1e4-ratio"]["options"]["strategies"] == ["mies", "cma-IH"]


def test_without_an_exact_solver_nothing_is_drawn_against_optima(tmp_path: Path) -> None:
    found = planned(tmp_path, studies(exact=False))
    assert not [path for path in found if "optimum" in path or "proven" in path]
    assert "benchmark/mixed-D8-t0-known-best" in found
    assert "discrepancy/benchmark-mixed-D8-t0-certified-map" in found
    assert not any("without" in figure for figure in found.values())


@pytest.mark.parametrize("name", ["best", "optimum-best", "optimum-boxes", "TC0"])
def test_figures_leave_the_exact_solver_out_with_its_rows(tmp_path: Path, name: str) -> None:
    figure = planned(tmp_path, studies(exact=True))[f"benchmark/mixed-D8-t0-{name}"]
    lines = [*runs_of([100.0, 101.0], optimum=99.0), run(99.0, solver="truth", status="optimal", optimum=99.0)]
    whole = (
        {"cells": cells(*lines), "verdicts": verdicts(*lines)}
        if figure["figure"] == "maps"
        else {"runs": table(*lines)}
    )
    caption = drawing(figure).figure.make(figure, whole, files(tmp_path))
    assert "truth" not in texts(tmp_path / "figure.svg")
    assert "truth" not in caption
    assert "mies" in caption
    for rows in whole.values():
        assert set(drawing(figure).figure.rows_behind(rows, figure)["solver"]) == {"mies", "cplex"}


def test_a_study_of_each_type_may_have_an_exact_solver(tmp_path: Path) -> None:
    solvers = {**STRATEGIES, "truth": {}}
    integer = {**GRID, "kinds": ["integer"], "test_cases": [4]}
    sphere = {**GRID, "test_cases": ["sphere"], "c": [1]}
    found = planned(
        tmp_path,
        {
            "preliminary": {"type": "preliminary", "solvers": {"cplex": {}, "truth": {}}, **sphere},
            "benchmark": {"type": "benchmark", "solvers": solvers, **GRID},
            "translation": {"type": "translation", "translations": [1e4], "solvers": solvers, **GRID},
            "all-integer": {"type": "all-integer", "solvers": solvers, **integer},
            "multimodality": {"type": "multimodality", "solvers": solvers, **integer},
            "formulation": {"type": "formulation", "solvers": {"cplex": {}, "truth": {}}, **GRID},
            "moved": {
                "type": "invariance",
                "translations": [0, 10, 1e6],
                "solvers": {"cplex": {}, "truth": {}},
                **GRID,
            },
        },
    )
    assert found["all-integer/integer-D8-t0-TC4"]["options"]["measures"] == [
        "normalised",
        "delta_z",
        "normalised_optimum",
        "delta_z_proven",
    ]
    assert found["multimodality/integer-D8-t0-TC4-c1e1-E30"]["options"]["white_box"] == ["cplex", "truth"]
    assert "preliminary/statuses" in found
    assert "formulation/mixed-D8" in found
    # One figure for all translations.
    assert [path for path in found if path.startswith("moved/")] == ["moved/mixed-D8"]


@pytest.mark.parametrize("name", ["best", "TC0"])
def test_a_label_is_drawn_as_it_is_written(tmp_path: Path, name: str) -> None:
    figure = planned(tmp_path, studies(exact=False))[f"benchmark/mixed-D8-t0-{name}"]
    lines = runs_of([100.0, 101.0])
    tables = (
        {"cells": cells(*lines), "verdicts": verdicts(*lines)}
        if figure["figure"] == "maps"
        else {"runs": table(*lines)}
    )
    labels = {"mies": r"$\foo$", "cplex": r"a\$b & <c>"}
    caption = drawing(figure).figure.make(figure, tables, files(tmp_path), labels)
    assert labels["mies"] in texts(tmp_path / "figure.svg")
    assert labels["mies"] in caption
    assert labels["cplex"] in caption
