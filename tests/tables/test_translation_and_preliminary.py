"""Translation: a solver against itself; preliminary: how the solver ended."""

import math

import pandas as pd
import pytest
from table_rows import A, line, plan, runs_table, study, trial, trials

from unbounded.tables.preliminary import TABLE as preliminary_table
from unbounded.tables.translated_pairs import drawn_verdicts
from unbounded.tables.translation import TABLE as translation_table
from unbounded.tables.translation_counts import TABLE as translation_counts

STILL = [f"mixed-D4-t0-TC{k}-c1e1-E30" for k in range(6)]
MOVED = [f"mixed-D4-t1e4-TC{k}-c1e1-E30" for k in range(6)]


def both(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of a benchmark and of its translation."""
    solvers = {"cplex": [1], "mies": [1, 2]}
    studies = study("benchmark", STILL, solvers), study("translation", MOVED, solvers, type="translation")
    return runs_table(rows, plan(*studies))


def test_pairs_compare_the_best_over_runs_and_are_the_same_within_one_percent() -> None:
    rows = trials(
        *(trial(id, "mies", 1, 100.0) for id in STILL[:5]),
        *(trial(id, "mies", 2, 150.0) for id in STILL[:5]),
        trial(MOVED[0], "mies", 1, 300.0),
        trial(MOVED[0], "mies", 2, 101.0),
        trial(MOVED[1], "mies", 1, 98.0),
        trial(MOVED[2], "mies", 1, 102.0),
        trial(MOVED[3], "mies", 1),
        trial(STILL[5], "mies", 1),
        trial(MOVED[5], "mies", 1),
    )
    table = translation_table(both(rows))
    mies = table[table["solver"] == "mies"].set_index("tc")
    assert mies["verdict"].tolist()[:4] == ["same", "better", "worse", "worse"]
    assert pd.isna(mies.loc[4, "verdict"])  # nothing ran on the translated instance
    assert mies.loc[5, "verdict"] == "neither"
    assert mies["ratio"].tolist() == pytest.approx([1.01, 0.98, 1.02, math.nan, math.nan, math.nan], nan_ok=True)
    assert (mies.loc[0, "best_f"], mies.loc[0, "translated_best_f"]) == (100.0, 101.0)
    assert set(mies["t"]) == {1e4}
    table_of_counts = translation_counts(table, both(rows))
    counts = line(table_of_counts, solver="mies", optima="all")
    assert [counts[word] for word in ("same", "better", "worse", "neither", "cells")] == [1, 1, 2, 1, 5]
    assert (counts["kind"], counts["D"], counts["t"], counts["tolerance"]) == ("mixed", 4, 1e4, 0.01)
    assert counts[["same_low", "same_high", "interval"]].tolist() == [0, 4, "binomial"]
    assert line(table_of_counts, solver="cplex", optima="all")["cells"] == 0
    assert "zero" not in table_of_counts["optima"].tolist()


def test_a_pair_needs_both_sides_in_the_plan_and_the_same_form() -> None:
    full, block = "mixed-D4-t0-TC8-c1e1-E30", "mixed-D4-t1e4-TC8-c1e1-E30-block"
    rows = trials(trial(full, "mies", 1, 1.0), trial(block, "mies", 1, 1.0))
    studies = study("b", [full], {"mies": [1]}), study("t", [block], {"mies": [1]}, type="translation")
    assert len(translation_table(runs_table(rows, plan(*studies)))) == 0


def test_several_translations_make_several_slices_and_the_sphere_has_pairs_too() -> None:
    ids = {t: f"mixed-D4-t{t}-sphere-c1-E484" for t in ("0", "1e2", "1e4")}
    rows = trials(*(trial(id, "mies", 1, f) for id, f in zip(ids.values(), (0.0, 1e-7, 1.0), strict=True)))
    runs = runs_table(rows, plan(study("b", list(ids.values()), {"mies": [1]})))
    table = translation_table(runs)
    assert table[["t", "verdict", "zero_optimum"]].to_numpy().tolist() == [[1e2, "same", True], [1e4, "worse", True]]
    assert table["ratio"].tolist() == pytest.approx([1.0, 1e6])
    # Nothing is proven of these arrays: the best known values are 10⁻⁷ and 1.
    counts = translation_counts(table, runs)[["t", "optima", "same", "worse", "cells"]].to_numpy().tolist()
    assert counts == [[1e2, "all", 1, 0, 1], [1e2, "zero", 1, 0, 1], [1e4, "all", 0, 1, 1], [1e4, "above 0", 0, 1, 1]]


def test_runs_of_both_sides_are_drawn_where_all_have_several() -> None:
    rows = [trial(id, "mies", seed, 100.0) for id in STILL for seed in (1, 2)]
    rows += [trial(id, "mies", seed, 100.0 * seed) for id in MOVED for seed in (1, 2)]
    runs = both(trials(*rows))
    pairs = translation_table(runs).query("solver == 'mies'")
    drawn = drawn_verdicts(pairs, runs)
    assert drawn is not None
    # The worse of two is drawn twice with a chance of 1/4.
    assert (drawn == "worse").mean() == pytest.approx(0.25, abs=0.03)
    assert (drawn == "same").sum() + (drawn == "worse").sum() == drawn.size
    counts = line(translation_counts(pairs, runs), optima="all")
    assert counts[["same", "same_low", "same_high", "interval"]].tolist() == [6, 3, 6, "seeds"]
    assert drawn_verdicts(pairs, runs[runs["seed"] == 1]) is None


def test_the_preliminary_table_tells_status_value_and_bound_of_each_dimension_and_level() -> None:
    ids = [f"mixed-D{D}-t0-sphere-c1-E{E}" for D in (8, 4) for E in (30, 10)]
    rows = trials(
        trial(ids[0], "cplex", 1, 20.0, status="tolerance", bound=19.9, wall_seconds=3.0),
        trial(ids[1], "cplex", 1, status="no-solution"),
        trial(ids[2], "cplex", 1, 10.0, status="time-out"),
        trial(ids[2], "cplex", 2, 9.0, status="optimal", bound=9.0),
        trial(A, "cplex", 1, 1.0),
    )
    studies = (
        study("spheres", ids, {"cplex": [1, 2]}, type="preliminary"),
        study("benchmark", [A], {"cplex": [1]}),
    )
    table = preliminary_table(runs_table(rows, plan(*studies)), rows)
    assert table[["D", "E", "status"]].to_numpy().tolist() == [
        [4, 10.0, "missing"],
        [4, 30.0, "optimal"],
        [8, 10.0, "no-solution"],
        [8, 30.0, "tolerance"],
    ]
    last = table.iloc[3]
    assert (last["study"], last["f"], last["bound"], last["wall_seconds"]) == ("spheres", 20.0, 19.9, 3.0)
    assert table["f"].isna().tolist() == [True, False, True, False]
