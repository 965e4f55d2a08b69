"""From real trials of a tiny campaign to every table."""

import numpy as np
import pandas as pd
import pytest
from table_rows import line

from harness.campaigns import planned, run_here
from unbounded.instances import build
from unbounded.tables.files import read, read_trials, read_vectors
from unbounded.tables.registry import of_campaigns

CAMPAIGN = """
name: tiny
solvers:
  cplex: {budget: {ticks: 100}, seeds: [1]}
  mies: {budget: {evaluations: 20000}}
  cma-IH: {budget: {evaluations: 2000}}
  lattice: {budget: {nodes: 1e6}, options: {within: 0.5}, seeds: [1]}
studies:
  preliminary:
    type: preliminary
    dimensions: [4]
    test_cases: [sphere]
    c: [1]
    E: [10, 30]
    solvers: {cplex: }
  benchmark:
    type: benchmark
    dimensions: [4]
    test_cases: [0, 2]
    c: [1e1]
    E: [30]
    seeds: 2
    solvers: {cplex: , mies: , cma-IH: , lattice: }
  translation:
    type: translation
    dimensions: [4]
    test_cases: [0, 2]
    c: [1e1]
    E: [30]
    translations: [1e2]
    seeds: 2
    solvers: {cplex: , mies: , cma-IH: }
  multimodality:
    type: multimodality
    kinds: [integer]
    dimensions: [4]
    test_cases: [4]
    c: [1e1]
    E: [30]
    seeds: 3
    solvers: {cplex: , mies: , cma-IH: , lattice: }
"""
LOST = ("mixed-D4-t0-TC2-c1e1-E30", "mies", 2)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pd.DataFrame]:
    """Run the campaign but one trial, and return every table as read from its file."""
    root = tmp_path_factory.mktemp("tiny")
    folder = run_here(planned(root / "tiny.yaml", CAMPAIGN), root, LOST)
    path = folder / "trials.parquet"
    parts = {"trials": read_trials(path), "vectors": read_vectors(path)}
    return {**parts, **{name: read(folder / f"{name}.parquet") for name in of_campaigns()}}


@pytest.mark.parametrize("name", list(of_campaigns()))
def test_every_table_has_its_columns_and_types_and_none_is_empty(tables: dict[str, pd.DataFrame], name: str) -> None:
    table = tables[name]
    assert table.dtypes.astype(str).to_dict() == of_campaigns()[name].types
    # No bound is false here, and no study compares formulations, several translations or two implementations.
    assert len(table) > 0 or name in ("refused_bounds", "formulations", "invariance", "ports")


def test_near_optimal_vectors_are_read_from_the_rows(tables: dict[str, pd.DataFrame]) -> None:
    near, listed = tables["multimodality_near"].iloc[0], tables["multimodality_near_vectors"]
    proven = line(tables["trials"], solver="lattice", instance=near["instance"])
    assert (near["status"], near["within"], near["optimum"]) == ("counted", 0.5, proven["f"])
    assert near["vectors"] == len(listed) >= 1
    assert tables["multimodality_found"]["solver"].tolist() == ["cplex", "mies", "cma-IH"]
    assert tables["multimodality_found"]["strategy"].tolist() == [False, True, True]


def test_runs_hold_what_the_rows_say(tables: dict[str, pd.DataFrame]) -> None:
    runs, trials = tables["runs"], tables["trials"]
    assert len(runs) == len(tables["plan"]) == 2 + 2 * (1 + 2 + 2) * 2 + 2 + (1 + 3 + 3 + 1)
    lost = line(runs, instance=LOST[0], solver=LOST[1], seed=LOST[2])
    assert (lost["status"], lost["solved"]) == ("missing", False)
    instance = build("mixed-D4-t0-TC0-c1e1-E30")
    cplex = line(trials, instance=instance.id, solver="cplex")
    mies = line(trials, instance=instance.id, solver="mies", seed=1)
    found = line(runs, instance=instance.id, solver="mies", seed=1)
    assert found["f"] == float(instance.f(mies["x"][None, :])[0])
    assert found["normalised"] == mies["f"] / cplex["f"]
    assert found["delta_z"] == float(np.mean(mies["x"][2:] != cplex["x"][2:]))


def test_no_strategy_beats_a_proof(tables: dict[str, pd.DataFrame]) -> None:
    cells = tables["cells"]
    proved = cells[cells["is_reference"] & (cells["t"] == 0) & (cells["type"] == "benchmark")]
    assert (proved["solved"] == 1).all()
    strategies = cells[~cells["is_reference"] & cells["study"].eq("benchmark")]
    assert (strategies["normalised_best"] > 0.99).all()
    counts = tables["verdicts"].query("study == 'benchmark' and case == optima == 'all' and statistic == 'best'")
    assert (counts["better"] == 0).all()
    assert (counts["cells"] == 2).all()
    assert counts[counts["against"] == "reference"]["solver"].tolist() == ["mies", "cma-IH", "lattice"]
    assert set(counts[counts["against"] == "optimum"]["solver"]) == {"cplex", "mies", "cma-IH", "lattice"}


def test_vectors_are_read_of_the_rows_that_list_them(tables: dict[str, pd.DataFrame]) -> None:
    trials = tables["trials"]
    assert tables["vectors"]["row"].tolist() == trials.index[trials["solver"] == "lattice"].tolist()
    for row in tables["vectors"].itertuples():
        assert len(row.vector_z) == len(row.vector_f)
        assert row.vector_count == row.vector_orbit.sum()
        x = trials.loc[row.row, "x"]
        assert x[-row.vector_z.shape[1] :].tolist() in row.vector_z.tolist()


def test_the_optimum_is_proven_with_its_integers_and_on_the_translated_twin_too(tables) -> None:
    runs, trials = tables["runs"], tables["trials"]
    suite = runs[runs["study"].isin(["benchmark", "translation"])]
    assert suite["proven"].all()
    exact = suite[suite["solver"] == "lattice"]
    assert (exact["status"] == "optimal").all()
    assert exact["delta_z_proven"].tolist() == [0.0, 0.0]
    assert exact["normalised_optimum"].tolist() == [1.0, 1.0]
    for instance in suite["instance"].unique():
        twin = line(trials, instance=instance.replace("-t1e2-", "-t0-"), solver="lattice")
        moved = 100.0 if "-t1e2-" in instance else 0.0
        for run in suite[(suite["instance"] == instance) & suite["solved"]].itertuples():
            assert run.optimum == run.best_known_f == twin["f"]
            x = line(trials, instance=instance, solver=run.solver, seed=run.seed)["x"]
            if np.array_equal(x[2:], twin["x"][2:] + moved):
                assert run.delta_z_proven == 0.0
            assert run.delta_z_proven <= np.mean(x[2:] != twin["x"][2:] + moved)


def test_best_known_are_the_best_rows_and_translated_twins_are_certified_together(tables) -> None:
    best_known, trials = tables["best_known"], tables["trials"]
    assert set(best_known["instance"]) == set(trials["instance"])
    assert (best_known["relaxation_bound"] <= best_known["bound"]).all()
    still, moved = (line(best_known, instance=f"mixed-D4-t{t}-TC0-c1e1-E30") for t in ("0", "1e2"))
    assert (still["status"], moved["status"]) == ("proven", "proven")
    assert moved["proof_instance"] == still["instance"]
    assert set(best_known["status"]) == {"proven", "certified"}
    assert still["best_f"] == trials[trials["instance"] == still["instance"]]["f"].min()
    assert moved["best_f"] == pytest.approx(still["best_f"], rel=1e-5)
    assert set(tables["runs"].query("study == 'benchmark'")["certified"]) == {True}


def test_runtimes_are_read_from_the_traces(tables: dict[str, pd.DataFrame]) -> None:
    anytime, runs = tables["anytime"], tables["runs"]
    assert len(anytime) == 6 * (runs["status"] != "missing").sum()
    reached = anytime[anytime["reached"]]
    assert (reached["cpu_seconds"] <= reached["spent_cpu_seconds"]).all()
    white_box = ("cplex", "lattice")
    assert anytime[anytime["solver"].isin(white_box)]["evaluations"].isna().all()
    strategies = reached[~reached["solver"].isin(white_box)]
    assert (strategies["evaluations"] <= strategies["spent_evaluations"]).all()
    assert (strategies["evaluations"] > 0).all()
    # The nearer target is reached no earlier, and only if the farther one is.
    for _, run in anytime.groupby(["study", "instance", "solver", "seed"]):
        by_target = run.sort_values("target", ascending=False)
        assert by_target["reached"].is_monotonic_decreasing
        assert by_target["cpu_seconds"].dropna().is_monotonic_increasing
    # Where a run found the best known value itself, no twin's, the nearest target was reached.
    best_known = tables["best_known"]
    found = best_known[best_known["best_instance"] == best_known["instance"]]["instance"]
    nearest = anytime[anytime["target"] == 1e-6].groupby("instance")["reached"].any()
    assert len(found) >= 4
    assert nearest[found].all()


def test_the_other_tables_count_what_was_run(tables: dict[str, pd.DataFrame]) -> None:
    assert line(tables["completeness"], study="benchmark", solver="mies")["missing"] == 1
    assert len(tables["translation"]) == 2 * 3
    assert tables["preliminary"]["status"].isin(["optimal", "tolerance"]).all()
    assert tables["multimodality"]["runs"].tolist() == [1, 3, 3, 1]
    assert len(tables["multimodality_tests"]) == 1
    # Two strategies on two instances of two studies; both optima are proven, so f and Δz.
    assert len(tables["instance_tests"]) == 2 * 2 * 2
    assert set(tables["instance_tests"]["solver"] + " " + tables["instance_tests"]["other"]) == {"mies cma-IH"}
    solved = tables["multimodality"].query("solver in ('mies', 'cma-IH')")["solved"].sum()
    assert len(tables["multimodality_distances"]) == solved * (solved - 1) / 2
    assert set(tables["claims"]["agrees"]) == {"not measured"}
