"""Solvers that hang, crash or take all memory: each is a row, and the others go on to the end."""

from harness.campaigns import MIXED, faults
from unbounded.instances import build
from unbounded.trials.row import SOLVED


def test_every_fault_is_a_row_and_the_campaign_runs_to_its_tables(run) -> None:
    few = {"budget": {"evaluations": 20}}
    solvers = {
        "steady": {**few, "options": {"seconds": 0}},
        "hang": {**few, "watchdog": 0.02},
        "crash": few,
        "exit": few,
        "hog": {**few, "mem_mb": 200},
        "cplex": {"budget": {"ticks": 100}},
    }
    run.write(faults(solvers))
    run.run("trials", "results/faults/tables/completeness.csv")

    rows = {solver: row for (solver, _), row in run.rows().items()}
    assert {solver: row["ending"] for solver, row in rows.items()} == {
        "steady": "budget",
        "hang": "overrun",
        "crash": "crashed",
        "exit": "crashed",
        "hog": "out-of-memory",
        "cplex": rows["cplex"]["ending"],
    }
    assert rows["cplex"]["status"] in SOLVED

    # The text says what happened and where more is written; there stands where in the code it was.
    for solver, words, place in (
        ("hang", "stopped by the watchdog after 2 s", "misbehave"),
        ("crash", "SIGSEGV (Segmentation fault)", "misbehave"),
        ("exit", "exited with code 7", "exited with code 7"),
        ("hog", "took more than its 200 MB", "out-of-memory"),
    ):
        log = f"results/faults/logs/trials/{MIXED}/{solver}/1.log"
        assert words in rows[solver]["termination"]
        assert rows[solver]["termination"].endswith(f"see {log}")
        assert place in (run.folder / log).read_text(encoding="utf-8")

    # What the solver had told of is there, verified: half of the evaluations, and the best point of them.
    steady = rows["steady"]
    for solver in ("hang", "crash", "exit", "hog"):
        row = rows[solver]
        assert row["evaluations"] == 10
        assert (row["feasible"], row["status"]) == (True, "incumbent")
        assert row["f"] == build(MIXED).verify(row["x"]).f
        half = [point["f"] for point in steady["trace"] if point["evaluations"] <= 10]
        assert row["f"] == half[-1] >= steady["f"]
    assert rows["hang"]["wall_seconds"] >= 1.9
    assert rows["hog"]["max_rss_mb"] > 200 > rows["crash"]["max_rss_mb"] > 10

    # They are results like any other: counted, with that point and as failures, and not run again.
    table = (run.results / "tables" / "completeness.csv").read_text(encoding="utf-8").splitlines()
    counts = {line.split(",")[1]: dict(zip(table[0].split(","), line.split(","), strict=True)) for line in table[1:]}
    assert [counts[solver]["solved"] for solver in ("steady", "hang", "crash", "hog")] == ["1", "1", "1", "1"]
    assert [counts[solver]["failed"] for solver in ("steady", "hang", "crash", "hog")] == ["0", "1", "1", "1"]
    assert [counts[solver]["incumbent"] for solver in ("steady", "hang", "exit", "hog")] == ["0", "1", "1", "1"]
    assert "Nothing to be done" in run.run("trials")
