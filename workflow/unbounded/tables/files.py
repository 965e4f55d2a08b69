"""Tables as files: CSV for people, parquet for machines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from unbounded.running.writing import replacing
from unbounded.tables.contract import TRACES, TRIALS, VECTORS, Table
from unbounded.tables.parquet import read_table, write_table

#: What tables need of a trial row; traces, the bulk of the file, stay unread.
TRIAL_COLUMNS = (
    "instance",
    "solver",
    "variant",
    "seed",
    "instance_digest",
    "status",
    "ending",
    "termination",
    "x",
    "f",
    "repaired_f",
    "bound",
    "evaluations",
    "wall_seconds",
    "cpu_seconds",
    "options",
    "budget_kind",
    "budget_amount",
    "threads",
    "versions",
)
#: What tables need of an entry of a trace.
ENTRY_COLUMNS = ("evaluations", "cpu_seconds", "f", "violation")


def read_trials(path: Path) -> pd.DataFrame:
    """Read the columns of the campaign's `trials.parquet` that tables are made from."""
    return read_table(path, TRIAL_COLUMNS).to_pandas()


def read_traces(path: Path) -> pd.DataFrame:
    """Read the traces of the campaign's `trials.parquet`: a line for each entry, `row` counts the trials from 0."""
    leaves = [f"trace.list.element.{name}" for name in ENTRY_COLUMNS]
    traces = read_table(path, leaves).column("trace").combine_chunks()
    # One array for each column, whatever the number of trials: millions of entries as Python objects would not fit.
    lengths = pc.fill_null(pc.list_value_length(traces), 0).to_numpy(zero_copy_only=False)
    entries = pc.list_flatten(traces)
    columns = {name: entries.field(name).to_numpy(zero_copy_only=False) for name in ENTRY_COLUMNS}
    return pd.DataFrame({"row": np.repeat(np.arange(len(lengths)), lengths), **columns}, copy=False)


def read_vectors(path: Path) -> pd.DataFrame:
    """Read the integer vectors that exact solvers listed: a line for each trial that has any, `row` as in traces.

    `vector_f` and `vector_orbit` are arrays, `vector_z` is a matrix with a row for each vector.
    """
    table = read_table(path, ["vector_count", "vectors"])
    lists = table.column("vectors").combine_chunks()
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    vectors = pc.list_flatten(lists)
    f, orbit = (vectors.field(name).to_numpy(zero_copy_only=False) for name in ("f", "orbit"))
    sizes = pc.list_value_length(vectors.field("z")).to_numpy(zero_copy_only=False)
    z = pc.list_flatten(vectors.field("z")).to_numpy(zero_copy_only=False).astype(np.float64)
    counts = table.column("vector_count").to_numpy()
    ends, z_ends = np.cumsum(lengths), np.concatenate([[0], np.cumsum(sizes)])
    rows = []
    for row in np.flatnonzero(lengths):
        a, b = ends[row] - lengths[row], ends[row]
        matrix = z[z_ends[a] : z_ends[b]].reshape(b - a, -1)
        rows.append((row, counts[row], f[a:b], orbit[a:b], matrix))
    return pd.DataFrame(rows, columns=["row", "vector_count", "vector_f", "vector_orbit", "vector_z"])


def read(path: Path) -> pd.DataFrame:
    """Read a table that `write` wrote, by its parquet file."""
    return read_table(path).to_pandas()


def write(table: pd.DataFrame, stem: Path) -> None:
    """Write `stem`.csv and `stem`.parquet."""
    with replacing(stem.with_name(f"{stem.name}.parquet")) as temporary:
        write_table(pa.Table.from_pandas(table, preserve_index=False), temporary)
    write_csv(table, stem.with_name(f"{stem.name}.csv"))


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table for people."""
    with replacing(path) as temporary:
        table.to_csv(temporary, index=False)


def make(table: Table, folder: Path) -> None:
    """Make a table in the folder of tables from those that are there."""
    readers = {TRIALS: read_trials, TRACES: read_traces, VECTORS: read_vectors}
    inputs = [
        readers[name](folder / f"{TRIALS}.parquet") if name in readers else read(folder / f"{name}.parquet")
        for name in table.inputs
    ]
    write(table(*inputs), folder / table.name)
