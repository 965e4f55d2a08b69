"""Parquet files of tables; their pages carry checksums, so what a disk or a copy changed is noticed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from unbounded.running.errors import PlainError


class DamagedTableError(PlainError):
    """A table that is not what was written."""


def write_table(table: pa.Table, to: Path | pa.NativeFile) -> None:
    """Write a table."""
    # Texts repeat; numbers hardly ever do, and as a dictionary's entries they take a sixth more.
    texts = [field.name for field in table.schema if field.type in (pa.string(), pa.large_string())]
    pq.write_table(table, to, compression="zstd", compression_level=9, use_dictionary=texts, write_page_checksum=True)


def read_table(path: Path | pa.NativeFile, columns: Sequence[str] | None = None, memory_map: bool = False) -> pa.Table:
    """Read a table, or some of its columns; a leaf of a nested one is named by its path."""
    try:
        file = pq.ParquetFile(path, memory_map=memory_map, page_checksum_verification=True)
        return file.read(columns=None if columns is None else list(columns))
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException) as error:
        raise DamagedTableError(
            f"{path} is damaged ({str(error).splitlines()[0]}). Remove it (rm {path}) and run snakemake again: it is "
            "made anew from the trials."
        ) from None
