"""Rows are held against the plan and checked anew, also where Snakemake remembers nothing of them."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq

from harness.campaigns import INTEGER, MIXED, tiny
from unbounded.trials.reading import read_rows
from unbounded.trials.row import write_row

MIES = {f"{MIXED}/mies/1.parquet", f"{MIXED}/mies/2.parquet", f"{INTEGER}/mies/1.parquet"}


def change(finished, name: str, **columns) -> None:
    """Write a trial's row anew with other values, as somebody might who has nothing good in mind."""
    path = finished.results / "trials" / name
    (row,) = read_rows([path]).to_pylist()
    write_row({**row, **{column: value(row) for column, value in columns.items()}}, path)


def test_results_that_came_from_elsewhere_run_again_where_they_are_not_as_planned(finished) -> None:
    shutil.rmtree(finished.folder / ".snakemake")
    # Of what is as planned, nothing runs again.
    assert finished.rerun("trials") == set()
    shutil.rmtree(finished.folder / ".snakemake")
    campaign = tiny()
    campaign["solvers"]["mies"]["budget"] = {"evaluations": 4000}
    finished.write(campaign)
    assert set(finished.stale()["run_mies"]) == {f"trials/{name}" for name in MIES}
    before = finished.trials()
    output = finished.run("trials")
    now = finished.trials()
    assert {name for name, time in now.items() if before[name] != time} == MIES
    assert f"{MIXED}/mies/1.parquet: not as planned: budget_amount is 3000.0, planned 4000.0" in output
    rows = read_rows([finished.results / "trials" / name for name in sorted(MIES)])
    assert rows["budget_amount"].to_pylist() == [4000.0] * 3
    assert "run_mies" not in finished.stale()


def test_a_file_with_another_trials_row_runs_again(finished) -> None:
    folder = finished.results / "trials" / MIXED / "mies"
    shutil.copy2(folder / "1.parquet", folder / "2.parquet")
    output = finished.run("trials")
    assert f"mies/2.parquet: the row of another trial: {MIXED} by mies with seed 1" in output
    assert read_rows([folder / "2.parquet"])["seed"].to_pylist() == [2]


def test_what_was_changed_in_rows_is_said_before_it_is_in_a_table(finished) -> None:
    change(finished, f"{MIXED}/mies/1.parquet", f=lambda row: 0.1 * row["f"])
    change(finished, f"{MIXED}/cma-IH/2.parquet", status=lambda row: "gorgeous")
    table = "results/tiny/tables/trials.parquet"
    output = finished.run(table, code=1)
    wrong = ("2 trial files are no usable row", "mies/1.parquet: f is ", "cma-IH/2.parquet: status 'gorgeous' is none")
    assert all(text in output for text in wrong)
    assert "Traceback" not in output
    assert "unbounded verify " in output

    output = finished.unbounded("verify", "tiny.yaml", code=1)
    assert "7 rows checked anew" in output
    assert all(text in output for text in wrong[1:])
    assert "moved to results/tiny/broken" in finished.unbounded("verify", "tiny.yaml", "--set-aside", code=1)
    assert finished.rerun("trials") == {f"{MIXED}/mies/1.parquet", f"{MIXED}/cma-IH/2.parquet"}
    finished.run(table)
    assert finished.unbounded("verify", "tiny.yaml").endswith("nothing wrong\n")


def test_tables_that_are_cut_short_or_damaged_are_named_and_made_anew(finished) -> None:
    tables = finished.results / "tables"
    whole = {name: (tables / name).read_bytes() for name in ("cells.parquet", "trials.parquet")}
    for name, content in whole.items():
        (tables / name).write_bytes(content[: len(content) // 2])
    target = "results/tiny/tables/cells.parquet"
    output = finished.run(target)
    for name in whole:
        assert f"results/tiny/tables/{name}: cut short" in output
        assert (tables / name).read_bytes() == whole[name]

    # A changed bit in the middle is found where it is read.
    column = pq.ParquetFile(tables / "cells.parquet").metadata.row_group(0).column(0)
    damaged = bytearray(whole["cells.parquet"])
    damaged[(column.dictionary_page_offset or column.data_page_offset) + column.total_compressed_size - 1] ^= 1
    (tables / "cells.parquet").write_bytes(damaged)
    assert "results/tiny/tables/cells.parquet: damaged" in finished.unbounded("verify", "tiny.yaml", code=1)
    output = finished.run("results/tiny/tables/verdict_tolerances.parquet", code=1)
    assert "results/tiny/tables/cells.parquet is damaged (" in output
    assert "Traceback" not in output
    (tables / "cells.parquet").unlink()
    finished.run(target)
    assert (tables / "cells.parquet").read_bytes() == whole["cells.parquet"]


def test_a_table_of_other_rows_is_found(finished) -> None:
    path = finished.results / "tables" / "trials" / "mixed-D4-t0.parquet"
    table = pq.read_table(path)
    other = pa.array([1.0] * table.num_rows)
    pq.write_table(table.set_column(table.column_names.index("cpu_seconds"), "cpu_seconds", other), path)
    output = finished.unbounded("verify", "tiny.yaml", code=1)
    assert f"{path.relative_to(finished.folder)}: made from other rows than those of its trials" in output


def test_who_wants_rows_kept_that_other_code_made_says_so(finished) -> None:
    change(finished, f"{MIXED}/mies/1.parquet", code_digest=lambda row: "0" * 16)
    shutil.rmtree(finished.folder / ".snakemake")
    assert "1 rows were made by other code" in finished.unbounded(
        "verify", "tiny.yaml", code=1
    )  # its table has the older row
    assert finished.rerun("trials", "--rerun-triggers", "mtime") == set()
    shutil.rmtree(finished.folder / ".snakemake")
    assert finished.rerun("trials") == {f"{MIXED}/mies/1.parquet"}
