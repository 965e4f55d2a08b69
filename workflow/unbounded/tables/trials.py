"""The tidy table of trials: one line per trial, the columns of the row plus those of the instance's id.

Two levels: trial files → one table for each slice of the suite → one for the campaign. Every row is kept, failed
ones with their status; `feasible` and `status` say which f may be compared (`unbounded.trials.row.SOLVED`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv

from unbounded.instances import InstanceSpec
from unbounded.running.imports import without
from unbounded.running.writing import replacing
from unbounded.tables.parquet import read_table, write_table
from unbounded.trials.reading import BrokenRowError
from unbounded.trials.recheck import Columns, checked_rows
from unbounded.trials.thinning import thinned

#: Columns that the id of an instance stands for.
SPEC_COLUMNS = (
    ("kind", pa.string()),
    ("D", pa.int64()),
    ("t", pa.float64()),
    ("case", pa.string()),
    ("c", pa.float64()),
    ("E", pa.float64()),
    ("hessian", pa.string()),
)


def collected(planned: Mapping[Path, Columns | None], trace_points: int | None = None, threads: int = 1) -> pa.Table:
    """Return the table of these trial files, checked anew against what is planned for each, traces thinned.

    Raises BrokenRowError if any is wrong.
    """
    table, wrong = checked_rows(planned, threads)
    if wrong:
        raise BrokenRowError(wrong)
    with without("pandas"):
        return with_spec(thinned(table, trace_points))


def collect(
    planned: Mapping[Path, Columns | None], output: Path, trace_points: int | None = None, threads: int = 1
) -> None:
    """Write the table of these trial files."""
    table = collected(planned, trace_points, threads)
    with without("pandas"), replacing(output) as temporary:
        write_table(table, temporary)


def merge(paths: Sequence[Path], parquet: Path, csv: Path) -> None:
    """Write the campaign's table; the CSV leaves out the vectors and traces."""
    table = pa.concat_tables([read_table(path, memory_map=True) for path in paths])
    with replacing(parquet) as temporary:
        write_table(table, temporary)
    scalar = [field.name for field in table.schema if not pa.types.is_nested(field.type)]
    with replacing(csv) as temporary:
        pcsv.write_csv(table.select(scalar), temporary)


def with_spec(table: pa.Table) -> pa.Table:
    """Return rows with the columns that the ids of their instances stand for."""
    specs = {id: InstanceSpec.parse(id) for id in pc.unique(table["instance"]).to_pylist()}
    rows = [specs[id] for id in table["instance"].to_pylist()]
    for position, (name, type) in enumerate(SPEC_COLUMNS, start=1):
        values = [spec.case_name if name == "case" else getattr(spec, name) for spec in rows]
        table = table.add_column(position, pa.field(name, type), pa.array(values, type))
    return table
