"""Trial files are read in shares, on several threads: nothing depends on that."""

from pathlib import Path

import pytest

from unbounded.solvers.contract import Budget
from unbounded.trials import reading
from unbounded.trials.reading import BrokenRowError, read_rows, sort_out
from unbounded.trials.row import SCHEMA, write_row
from unbounded.trials.run import Trial, run_trial


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_of_many_shares_are_one_table_in_order_and_every_wrong_file_is_named(
    threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "SHARE", 2)
    row = run_trial(Trial("mixed-D4-t0-TC0-c1e1-E30", "cma-IH", "cma-IH", 1, Budget.parse("evaluations=100")))
    paths = [tmp_path / f"{seed}.parquet" for seed in range(7)]
    for seed, path in enumerate(paths):
        write_row({**row, "seed": seed}, path)
    paths[2].write_bytes(b"PAR1")
    paths[5].unlink()
    table, wrong = sort_out(paths, threads)
    assert table["seed"].to_pylist() == [0, 1, 3, 4, 6]
    assert {column.num_chunks for column in table.columns} == {1}
    assert table.schema.metadata == SCHEMA.metadata
    assert set(wrong) == {paths[2], paths[5]}
    assert wrong[paths[5]] == "missing"
    with pytest.raises(BrokenRowError, match="2 trial files are no usable row"):
        read_rows(paths)
    assert sort_out([], threads)[0].num_rows == 0
