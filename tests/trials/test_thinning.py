"""Thinned traces: fewer entries, and no target that seems to be reached earlier."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from unbounded.solvers.contract import Budget
from unbounded.trials.reading import read_rows
from unbounded.trials.row import SCHEMA, write_row
from unbounded.trials.run import Trial, run_trial
from unbounded.trials.thinning import thinned

POINTS = 7
#: A white-box solver's trace is short, and has entries of a new bound with the same f.
FEW = 3


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> pa.Table:
    """Return rows of a strategy, of a white-box solver and of a run that never had a feasible point."""
    folder = tmp_path_factory.mktemp("rows")
    runs = [
        ("mixed-D8-t0-TC3-c1e2-E30", "mies", "evaluations=20000"),
        ("mixed-D8-t0-TC3-c1e2-E30", "cplex", "ticks=200"),
        ("mixed-D32-t0-TC7-c1e4-E10", "mies", "evaluations=3000"),
    ]
    for i, (instance, solver, budget) in enumerate(runs):
        row = run_trial(Trial(instance, solver, solver, 1, Budget.parse(budget)))
        write_row(row, folder / f"{i}.parquet")
    table = read_rows([folder / f"{i}.parquet" for i in range(len(runs))])
    lengths = [len(trace) for trace in table["trace"].to_pylist()]
    assert lengths[0] > POINTS
    assert lengths[1] > FEW
    assert lengths[2] > POINTS
    return table


@pytest.mark.parametrize("points", [FEW, POINTS])
def test_a_thinned_trace_keeps_its_ends_and_nothing_else_changes(rows: pa.Table, points: int) -> None:
    thin = thinned(rows, points)
    assert thin.schema.equals(SCHEMA)
    assert thin.drop_columns(["trace"]).equals(rows.drop_columns(["trace"]))
    traces = zip(rows["trace"].to_pylist(), thin["trace"].to_pylist(), rows["instance"].to_pylist(), strict=True)
    for whole, kept, instance in traces:
        assert len(kept) == min(len(whole), points)
        places = [whole.index(entry) for entry in kept]
        assert places == sorted(set(places))
        assert kept[-1] == whole[-1]
        tolerance = 1e-6 * float(instance.rsplit("E", 1)[1])
        feasible = [entry for entry in whole if entry["violation"] <= tolerance]
        if len(whole) > points:
            assert kept[0] == (feasible or whole)[0]
            # Evenly: no two steps differ by more than rounding makes them.
            assert np.ptp(np.diff(places)) <= 1


def test_thinning_again_changes_nothing_and_without_a_number_nothing_is_thinned(rows: pa.Table) -> None:
    thin = thinned(rows, POINTS)
    assert thinned(thin, POINTS).equals(thin)
    assert thinned(rows, None).equals(rows)
    assert thinned(rows, 10_000).equals(rows)
    assert thinned(rows.slice(0, 0), POINTS).num_rows == 0


def test_a_row_without_a_trace_stays_without_one(rows: pa.Table, tmp_path: Path) -> None:
    (row,) = rows.slice(0, 1).to_pylist()
    write_row({**row, "trace": None}, tmp_path / "row.parquet")
    both = pa.concat_tables([read_rows([tmp_path / "row.parquet"]), rows])
    thin = thinned(both, POINTS)
    assert thin["trace"].to_pylist()[0] is None
    assert thin.slice(1).equals(thinned(rows, POINTS))
