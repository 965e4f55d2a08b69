"""The preliminary table and the bars of completeness."""

import colorsys
from pathlib import Path

import pandas as pd
import pytest
from figure_tables import files, texts
from matplotlib.colors import to_rgb

from unbounded.figures import completeness as bars
from unbounded.figures import preliminary as statuses
from unbounded.figures.completeness import LOOKS
from unbounded.tables.statuses import RUN_STATUSES


def preliminary(kind: str = "mixed") -> pd.DataFrame:
    ends = {(4, 10): "optimal", (4, 30): "tolerance", (8, 10): "time-out", (8, 30): "unverified", (16, 10): "missing"}
    rows = [
        {"study": "preliminary", "instance": f"{kind}-D{D}-t0-sphere-c1-E{E}", "solver": "cplex", "D": D, "E": float(E),
         "status": status, "f": 1.0, "bound": 1.0, "wall_seconds": 3600.2 if status == "time-out" else 0.031}
        for (D, E), status in ends.items()
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_every_cell_says_its_status(tmp_path: Path) -> None:
    statuses.draw(preliminary(), paths=files(tmp_path))
    said = texts(tmp_path / "figure.svg")
    for expected in ("D = 4", "D = 16", "E = 30", "optimal", "tolerance", "time-out", "3,600 s", "unverified"):
        assert expected in said
    assert said.count("not run") == 1
    assert said.count("not planned") == 1
    assert (tmp_path / "figure.png").stat().st_size > 0


def test_kinds_and_solvers_have_tables_of_their_own(tmp_path: Path) -> None:
    both = pd.concat([preliminary(), preliminary("integer"), preliminary().assign(solver="scip")])
    statuses.draw(both, paths=files(tmp_path), labels={"scip": "SCIP"})
    said = texts(tmp_path / "figure.svg")
    for expected in ("cplex, mixed-integer", "cplex, all-integer", "SCIP, mixed-integer"):
        assert expected in said


def test_the_caption_counts_statuses() -> None:
    said = statuses.caption(preliminary(), budgets={"cplex": ("ticks", 500)})
    assert "1 optimal, 1 tolerance, 1 time-out and 1 unverified." in said
    assert "cplex 500 ticks" in said
    assert "Stands on 4 of 5 planned runs." in said


@pytest.fixture
def completeness() -> pd.DataFrame:
    line = {"study": "benchmark", "solver": "mies", "planned": 2160, "present": 1900, "solved": 1880, "failed": 0}
    counts = {"budget": 1880, "unverified": 20, "error": 0, "missing": 260}
    other = {"solver": "cplex", "planned": 216, "present": 216, "solved": 216, "optimal": 213, "refuted": 3}
    return pd.DataFrame([{**line, **counts}, {**line, **dict.fromkeys(counts, 0), **other}])


def test_every_status_has_a_look_of_its_own() -> None:
    assert set(RUN_STATUSES) == set(LOOKS)
    assert len(set(LOOKS.values())) == len(LOOKS)


def test_a_refuted_proof_is_red_and_nothing_else_is() -> None:
    hues = {status: colorsys.rgb_to_hls(*to_rgb(colour)) for status, (colour, _) in LOOKS.items()}
    red = {status for status, (hue, _, saturation) in hues.items() if min(hue, 1 - hue) < 0.02 and saturation > 0.5}
    assert red == {"refuted"}


def test_bars_show_the_statuses_that_occur(tmp_path: Path, completeness: pd.DataFrame) -> None:
    bars.draw(completeness, paths=files(tmp_path))
    said = texts(tmp_path / "figure.svg")
    words = ("optimal", "refuted", "budget", "unverified", "missing")
    for expected in ("benchmark", "mies", "1,900 of 2,160", "216 of 216", *words):
        assert expected in said
    assert not {"error", "failed"} & set(said.split(" | "))
    assert "Red: 3 proofs that a verified point or a proven optimum contradicts." in bars.caption(completeness)
    assert "Stands on 2,116 of 2,376 planned runs, 2,096 of them" in bars.caption(completeness)
