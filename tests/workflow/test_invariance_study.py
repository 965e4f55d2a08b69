"""A study of invariance as a user runs it: real solvers at several translations, from two radii."""

import pyarrow.csv as pcsv

from harness.campaigns import study

SOLVERS = {
    "lattice": {"budget": {"nodes": 1e5}},
    "cplex-plain": {"budget": {"ticks": 50}},
    "cplex-plain+centre": {"budget": {"ticks": 50}},
    "mies": {"budget": {"evaluations": 20_000}},
    "mies-near": {"use": "mies", "options": {"radius": 10}, "budget": {"evaluations": 20_000}},
}


def test_invariance_is_seen_and_so_is_where_it_ends(workflow) -> None:
    moved = study("invariance", SOLVERS, translations=[0, 1e6], reference="cplex-plain")
    workflow.write({"name": "tiny", "solvers": SOLVERS, "studies": {"moved": moved}})
    workflow.run("results/tiny/figures/moved/mixed-D4.svg", "results/tiny/tables/invariance.csv")
    found = {
        (line["solver"], line["t"]): line
        for line in pcsv.read_csv(workflow.results / "tables" / "invariance.csv").to_pylist()
    }
    assert len(found) == 2 * len(SOLVERS)
    for solver in ("lattice", "cplex-plain+centre"):
        still, moved = found[solver, 0.0], found[solver, 1e6]
        assert (moved["pairs"], moved["alike"], moved["integers_share"]) == (1, 1, still["integers_share"])
        assert abs(moved["regret_median"] - still["regret_median"]) < 1e-8
    assert found["lattice", 1e6]["integers_share"] == 1
    # Far from its start: from R = 10⁶ mies gets there, from R = 10 it cannot, since its steps stay below R.
    assert found["mies", 1e6]["solved"] == found["mies-near", 0.0]["solved"] == 1
    assert found["mies-near", 1e6]["solved"] == 0
    assert (found["mies", 0.0]["radius"], found["mies-near", 0.0]["radius"]) == (1e6, 10)
    figure = workflow.results / "figures" / "moved" / "mixed-D4"
    assert "Stands on 10 of 10 planned runs" in figure.with_suffix(".txt").read_text(encoding="utf-8")
