"""Reads trial files; apart from what writes them, so that a change here makes no trial stale."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from unbounded.running.errors import PlainError, listed
from unbounded.trials.row import SCHEMA, VERSION

#: Files that a thread reads at a time: handing over each by itself takes a fifth of the time that reading it does, and
#: rows that stay tables of their own take many times the memory.
SHARE = 64


class BrokenRowError(PlainError):
    """Trial files that cannot be used; the text names them, with the reason."""

    def __init__(self, wrong: dict[Path, str]) -> None:
        count = f"{len(wrong)} trial files are" if len(wrong) > 1 else "1 trial file is"
        lines = listed([f"{path}: {why}" for path, why in wrong.items()])
        super().__init__("\n".join([f"{count} no usable row:", *lines]))
        self.wrong = wrong


def read_rows(paths: Sequence[Path]) -> pa.Table:
    """Return the rows of these trial files as one table, in the order given, or raise BrokenRowError."""
    table, wrong = sort_out(paths)
    if wrong:
        raise BrokenRowError(wrong)
    return table


def sort_out(paths: Sequence[Path], threads: int = 1) -> tuple[pa.Table, dict[Path, str]]:
    """Return the rows of these trial files as one table, in the order given, and what is wrong with the other files."""
    shares = [paths[first : first + SHARE] for first in range(0, len(paths), SHARE)]
    with ThreadPoolExecutor(threads) as pool:
        read = list(pool.map(_read_share, shares))
    wrong = {path: why for _, found in read for path, why in found.items()}
    return _joined([table for table, _ in read]), wrong


def _read_share(paths: Sequence[Path]) -> tuple[pa.Table, dict[Path, str]]:
    found = {path: _read(path) for path in paths}
    wrong = {path: row for path, row in found.items() if isinstance(row, str)}
    return _joined([row for row in found.values() if not isinstance(row, str)]), wrong


def _joined(tables: Sequence[pa.Table]) -> pa.Table:
    """Return rows as one table of one chunk: whatever is done with thousands of them takes its time for each."""
    table = pa.concat_tables(tables).combine_chunks() if tables else SCHEMA.empty_table()
    return table.replace_schema_metadata(SCHEMA.metadata)


def _read(path: Path) -> pa.Table | str:
    try:
        return read_row(path.read_bytes())
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def read_row(content: bytes) -> pa.Table | str:
    """Return the row that a file holds, or what keeps it from being one."""
    try:
        # On one thread: these are small files, many of them.
        file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True)
        table = file.read(use_threads=False)
    except (OSError, ValueError, pa.ArrowException) as error:
        return f"unreadable ({str(error).splitlines()[0]})"
    metadata = table.schema.metadata or {}
    version = metadata.get(b"unbounded.row.version", b"none").decode(errors="replace")
    if version != str(VERSION):
        return "no trial row" if version == "none" else f"row version {version}, this code reads {VERSION}"
    if table.num_rows != 1 or not table.schema.equals(SCHEMA):
        return "the columns or the number of rows of something else than a trial"
    return table
