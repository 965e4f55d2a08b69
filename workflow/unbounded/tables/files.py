"""Tables as files: CSV for people, parquet for machines."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unbounded.instances.hessians import FloatArray
from unbounded.writing import replacing

#: What tables need of a trial row; traces, the bulk of the file, stay unread.
TRIAL_COLUMNS = (
    "instance",
    "solver",
    "variant",
    "seed",
    "instance_digest",
    "status",
    "termination",
    "x",
    "f",
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
    return pd.read_parquet(path, columns=list(TRIAL_COLUMNS))


def read_traces(path: Path) -> pd.DataFrame:
    """Read the traces of the campaign's `trials.parquet`: a line for each entry, `row` counts the trials from 0."""
    leaves = [f"trace.list.element.{name}" for name in ENTRY_COLUMNS]
    traces = pq.ParquetFile(path).read(columns=leaves).column("trace").combine_chunks()
    # One array for each column, whatever the number of trials: millions of entries as Python objects would not fit.
    lengths = pc.fill_null(pc.list_value_length(traces), 0).to_numpy(zero_copy_only=False)
    entries = pc.list_flatten(traces)
    columns = {name: entries.field(name).to_numpy(zero_copy_only=False) for name in ENTRY_COLUMNS}
    return pd.DataFrame({"row": np.repeat(np.arange(len(lengths)), lengths), **columns})


def read_vectors(path: Path) -> pd.DataFrame:
    """Read the integer vectors near an optimum of those rows of the campaign's `trials.parquet` that list any.

    A line for each such row: `vector_count` in all, and, of those that are listed, `f`, `orbit` and the rows of `z`.
    """
    table = pq.read_table(path, columns=["instance", "solver", "seed", "vector_count", "vectors"])
    table = table.filter(pc.greater(pc.fill_null(pc.list_value_length(table["vectors"]), 0), 0))
    rows = table.drop_columns(["vectors"]).to_pandas()
    columns: dict[str, list[FloatArray]] = {"f": [], "orbit": [], "z": []}
    for vectors in table["vectors"]:
        for name in ("f", "orbit"):
            columns[name].append(vectors.values.field(name).to_numpy(zero_copy_only=False))
        z = vectors.values.field("z")
        columns["z"].append(z.flatten().to_numpy(zero_copy_only=False).astype(np.float64).reshape(len(z), -1))
    return rows.assign(**{name: pd.Series(values, dtype=object) for name, values in columns.items()})


def read(path: Path) -> pd.DataFrame:
    """Read a table that `write` wrote, by its parquet file."""
    return pd.read_parquet(path)


def write(table: pd.DataFrame, stem: Path) -> None:
    """Write `stem`.csv and `stem`.parquet."""
    with replacing(stem.with_name(f"{stem.name}.parquet")) as temporary:
        table.to_parquet(temporary, index=False, compression="zstd")
    with replacing(stem.with_name(f"{stem.name}.csv")) as temporary:
        table.to_csv(temporary, index=False)


def make(module: str, function: str, inputs: Sequence[str], stem: Path) -> None:
    """Write the table that a function makes from others of its folder, by their names."""
    readers = {"trials": read_trials, "traces": read_traces, "vectors": read_vectors}
    tables = [
        readers[name](stem.with_name("trials.parquet")) if name in readers else read(stem.with_name(f"{name}.parquet"))
        for name in inputs
    ]
    write(getattr(importlib.import_module(module), function)(*tables), stem)
