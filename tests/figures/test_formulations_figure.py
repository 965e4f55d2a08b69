"""The bars of formulations: one panel for each solver and translation, one bar for each formulation."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from figure_tables import files, texts

from unbounded.figures import formulations


def lines(solver: str = "cplex", t: float = 0.0, **more: Any) -> dict[str, Any]:
    counts = {"planned": 9, "made": 9, "verified": 8, "solved": 6, "proven": 4, "wrong": 0, "no_solution": 1}
    formulation = {"algebra": "direct", "centre": "none", "box": "none"}
    where = {"study": "q", "kind": "mixed", "D": 16, "t": t, "c": 10.0, "solver": solver, "base": solver}
    return {**where, **formulation, **counts, "errors": 0, "cpu_median": 1.0, **more}


@pytest.fixture
def table() -> pd.DataFrame:
    centred = {"centre": "integer", "base": "cplex"}
    boxed = {**centred, "box": "ellipsoid"}
    return pd.DataFrame(
        [
            *(lines(t=t, wrong=3 * (t > 0)) for t in (0.0, 1e4)),
            *(lines("cplex+centre", t, **centred) for t in (0.0, 1e4)),
            *(lines("cplex+centre+box", t, **boxed) for t in (0.0, 1e4)),
            *(lines("scip", t, algebra="epigraph", made=7) for t in (0.0, 1e4)),
            lines("gurobi", 0.0, algebra=None, centre=None, box=None, made=0, verified=0, solved=0, proven=0),
        ]
    )


def test_every_solver_has_its_formulations_translated_and_not(tmp_path: Path, table: pd.DataFrame) -> None:
    formulations.draw(table, paths=files(tmp_path), labels={"scip": "SCIP"})
    said = texts(tmp_path / "figure.svg")
    for expected in (
        "untranslated",
        "translated, t = 10⁴",
        "cplex",
        "SCIP",
        "direct + centre",
        "direct + centre + box",
    ):
        assert expected in said
    assert said.count("epigraph") == 1
    assert said.count("not run") == 1
    assert said.count("7 of 9") == 2
    assert said.count("wrong claim (thin)") == 1
    assert (tmp_path / "figure.png").stat().st_size > 0


def test_a_solver_that_takes_no_formulation_has_a_bar_of_its_own(tmp_path: Path, table: pd.DataFrame) -> None:
    exact = lines("lattice", 0.0, algebra=None, centre=None, box=None)
    formulations.draw(pd.concat([table, pd.DataFrame([exact])]), paths=files(tmp_path))
    said = texts(tmp_path / "figure.svg")
    assert "lattice" in said
    assert said.count("its own") == 1


def test_the_caption_says_what_it_stands_on_and_what_was_granted(table: pd.DataFrame) -> None:
    budgets = {"cplex": ("ticks", 500.0), "cplex+centre": ("ticks", 500.0), "scip": ("nodes", 100.0)}
    said = formulations.caption(table, budgets=budgets)
    assert "D = 16, c = 10:" in said
    assert "3 runs in all" in said
    assert "Budget of a run: cplex 500 ticks and scip 100 nodes." in said
    assert "Stands on 68 of 81 planned runs" in said


def test_several_dimensions_in_one_figure_are_refused(tmp_path: Path, table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="one D"):
        formulations.draw(pd.concat([table, table.assign(D=32)]), paths=files(tmp_path))
