"""A study of formulations as a user runs it: ids with modifiers in rules, paths, tables and figures."""

import pyarrow.csv as pcsv
import pyarrow.parquet as pq

from harness.campaigns import study

SOLVERS = {
    "cplex-plain": {"budget": {"ticks": 50}},
    "cplex-plain+centre+box": {"budget": {"ticks": 50}},
    "scip+eigen": {"budget": {"nodes": 10}},
}


def test_reformulated_solvers_run_to_a_table_and_a_figure(workflow) -> None:
    question = study("formulation", SOLVERS, test_cases=[4], translations=[0, 1e4], reference="cplex-plain")
    workflow.write({"name": "tiny", "solvers": SOLVERS, "studies": {"question": question}})
    # These targets alone: what other studies make is tested elsewhere.
    output = workflow.run(
        "trials", "results/tiny/figures/question/mixed-D4.svg", "results/tiny/tables/formulations.csv"
    )
    for solver in SOLVERS:
        assert f"run_{solver} " in output
        path = workflow.results / "trials" / "mixed-D4-t1e4-TC4-c1e1-E30" / solver / "1.parquet"
        (row,) = pq.read_table(path).to_pylist()
        assert (row["solver"], row["variant"]) == (solver, solver)
        log = workflow.results / "logs" / "trials" / "mixed-D4-t1e4-TC4-c1e1-E30" / solver / "1.log"
        assert "gap" in log.read_text(encoding="utf-8").lower()
    lines = pcsv.read_csv(workflow.results / "tables" / "formulations.csv").to_pylist()
    found = {(line["solver"], line["t"]): line for line in lines}
    assert len(found) == 6
    for t in (0, 1e4):
        line = found["cplex-plain+centre+box", t]
        assert (line["algebra"], line["centre"], line["box"]) == ("direct", "integer", "ellipsoid")
        assert (line["made"], line["verified"], line["solved"], line["proven"], line["wrong"]) == (1, 1, 1, 1, 0)
    figure = workflow.results / "figures" / "question" / "mixed-D4"
    assert figure.with_suffix(".svg").stat().st_size > 5_000
    assert "Stands on 6 of 6 planned runs" in figure.with_suffix(".txt").read_text(encoding="utf-8")
