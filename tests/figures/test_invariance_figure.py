"""The panels of invariance: a column for each strategy, a line for each radius, a cross where the median run failed."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from figure_tables import files, texts

from unbounded.figures import invariance

T = (0.0, 1e2, 1e4, 1e6)


def lines(solver: str, variant: str, radius: float, **more: Any) -> list[dict[str, Any]]:
    where = {"study": "i", "kind": "mixed", "D": 8, "solver": solver, "variant": variant, "radius": radius}
    counts = {"planned": 20, "made": 20, "solved": 20, "proven": 20, "integers": 5, "measured": 20}
    values = {"solved_share": 1.0, "integers_share": 0.25, "regret_median": 1e-3}
    tested = {"pairs": 20, "lower": 9, "higher": 9, "alike": 2, "p": 1.0, "p_holm": 1.0}
    still = {**dict.fromkeys(tested, 0), "p": np.nan, "p_holm": np.nan}
    return [{**where, "t": t, **counts, **values, **(tested if t else still), **more} for t in T]


@pytest.fixture
def table() -> pd.DataFrame:
    failed = {"solved": 0, "solved_share": 0.0, "regret_median": np.nan, "lower": 0, "higher": 20, "p_holm": 1e-4}
    cplex = lines("cplex", "cplex", np.nan)
    cplex[-1] |= failed
    return pd.DataFrame(
        [
            *cplex,
            *lines("cplex+centre", "cplex+centre", np.nan, regret_median=-1e-9),
            *lines("mies", "mies", 1e6),
            *lines("mies-R1e3", "mies", 1e3),
            *lines("cma", "cma-IH", 1e6),
        ]
    )


def test_solvers_are_told_apart_by_strategy_and_radius(tmp_path: Path, table: pd.DataFrame) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        invariance.draw(table, paths=files(tmp_path), labels={"cma": "CMA-ES"})
    said = texts(tmp_path / "figure.svg")
    for expected in ("no starting radius", "cplex+centre", "mies, R = 10⁶", "mies-R1e3, R = 10³", "CMA-ES, R = 10⁶"):
        assert said.count(expected) == 1
    assert "median regret" in said
    assert said.count("10²") == 3  # t, in each of the three columns
    assert (tmp_path / "figure.png").stat().st_size > 0


def test_the_caption_names_those_whose_results_move(table: pd.DataFrame) -> None:
    budgets = {"mies": ("evaluations", 1e5), "mies-R1e3": ("evaluations", 1e5)}
    text = invariance.caption(table, budgets=budgets)
    assert "t = 0, 10², 10⁴ and 10⁶" in text
    assert "results differ for cplex at 10⁶ (f lower in 0, higher in 20 of 20 pairs)." in text
    assert text.count("100,000 evaluations") == 1
    assert "Stands on 400 of 400 planned runs, 380 of them with a verified solution." in text
    calm = invariance.caption(table[table["p_holm"] != 1e-4])
    assert "no solver's results differ significantly, by at most 20 pairs each." in calm
    assert "Against t = 0" not in invariance.caption(table[table["t"] == 0])


def test_a_figure_does_not_mix_dimensions(table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="one D"):
        invariance.draw(pd.concat([table, table.assign(D=16)]), paths=[])
