"""Tables as files."""

from pathlib import Path

import pandas as pd
from table_rows import A, plan, runs_table, study, trial, trials

from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.tables.files import read, write
from unbounded.tables.plan import TABLE as plan_table


def test_a_table_is_read_as_it_was_written_and_people_get_csv(tmp_path: Path) -> None:
    rows = trials(trial(A, "cplex", 1, 100.0))
    runs = runs_table(rows, plan(study("b", [A], {"cplex": [1], "mies": [1]})))
    write(runs, tmp_path / "new" / "runs")
    pd.testing.assert_frame_equal(read(tmp_path / "new" / "runs.parquet"), runs)
    lines = (tmp_path / "new" / "runs.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split(",") == list(runs.columns)
    assert len(lines) == 3
    assert ",missing,,False,,,100.0,100.0,False,,False,False,," in lines[2]


def test_the_plan_as_a_table_has_every_study_with_runs(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(
        """
name: c
studies:
  pictures: {type: landscapes}
  one:
    type: benchmark
    dimensions: [4]
    test_cases: [0, 1]
    c: [1e1]
    E: [30]
    seeds: 2
    reference: mies
    solvers: {mies: , cma-IH: {seeds: [7]}}
  two:
    type: all-integer
    kinds: [integer]
    dimensions: [4]
    test_cases: [0]
    c: [1e1]
    E: [30]
    reference: mies
    solvers: {mies: }
  deltas: {type: discrepancy, of: [one]}
""",
        encoding="utf-8",
    )
    table = plan_table(Plan(load_campaign(path)))
    first, second = "mixed-D4-t0-TC0-c1e1-E30", "mixed-D4-t0-TC1-c1e1-E30"
    assert table.to_numpy().tolist() == [
        ["one", "benchmark", "mies", first, "mies", 1],
        ["one", "benchmark", "mies", first, "mies", 2],
        ["one", "benchmark", "mies", second, "mies", 1],
        ["one", "benchmark", "mies", second, "mies", 2],
        ["one", "benchmark", "mies", first, "cma-IH", 7],
        ["one", "benchmark", "mies", second, "cma-IH", 7],
        ["two", "all-integer", "mies", "integer-D4-t0-TC0-c1e1-E30", "mies", 1],
    ]
