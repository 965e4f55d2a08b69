"""Finds files that are there but of no use, before Snakemake takes their existence for a result.

Tables that were cut short; trial files that are no rows of this version; rows of another trial than the planned one,
or of one that was given something else than is planned now; rows of trials that were skipped for want of a package,
once that is installed.

A look at the two ends of a file is enough, and fast: what was written is whole (`unbounded.running.writing`), so what
is broken was cut short or emptied by the file system, and the footer of a row says which trial it is. Its values are
checked anew when rows are collected (`unbounded.trials.recheck`).
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from unbounded.running.provenance import NOT_INSTALLED, versions
from unbounded.trials.reading import read_row
from unbounded.trials.recheck import differences, is_foreign
from unbounded.trials.row import KEY, PLANNED, VERSION, trial_key

#: Parquet files begin and end so; before the end stands the length of the footer, which holds the metadata.
MAGIC = b"PAR1"
TAIL = 8
#: Footers of trial rows have about 8 kB; of longer ones, the rest is read as well.
GUESS = 16_384
SKIPPED = b"skipped"
CODE = "code_digest"

#: What the row of a trial file is planned to say of itself (`Cell.columns`), None for a file that is not planned.
Planned = Callable[[str], Mapping[str, Any] | None]
#: Whether Snakemake remembers how a file was made: `same` as is planned now, another way (`other`), or not at all.
Recorded = Callable[[str], str | None]


@dataclass(frozen=True)
class Broken:
    """A file that cannot be used: of a trial, or made from trials."""

    path: Path
    why: str


def find_broken(
    paths: Iterable[str | Path], planned: Planned = lambda path: None, recorded: Recorded = lambda path: "same"
) -> Iterator[Broken]:
    """Yield those of the trial files that exist and are not the rows of this version that are planned."""
    for path in paths:
        why = _defect(str(path), planned, recorded)
        if why is not None:
            yield Broken(Path(path), why)


def find_cut(tables: Iterable[str | Path]) -> Iterator[Broken]:
    """Yield those of the tables that exist and are not whole."""
    for path in tables:
        footer = _footer(path)
        if isinstance(footer, str):
            yield Broken(Path(path), footer)


def set_aside(broken: Iterable[Broken], folder: Path, to: Path) -> None:
    """Move files below `folder` to the same place below `to`, so that their trials run again and nothing is lost."""
    for file in broken:
        place = to / file.path.relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        # The trials may lie on a file system of their own.
        shutil.move(file.path, place)


def _defect(path: str, planned: Planned, recorded: Recorded) -> str | None:
    footer = _footer(path)
    if footer is None or isinstance(footer, str):
        return footer
    if _SIGN not in footer:
        return _look_closer(path)
    columns = planned(path)
    if columns is not None:
        why = _compare(path, footer, columns, recorded)
        if why is not None:
            return why
    # Of some columns the footer holds the least and the greatest value (`row.AT_END`).
    return _regained(path) if SKIPPED in footer else None


def _footer(path: str | Path) -> bytes | str | None:
    """Return the end of a parquet file, with its metadata; a text if it is not whole, None if it is not there."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    try:
        size = os.fstat(descriptor).st_size
        if size == 0:
            return "empty"
        begins = os.pread(descriptor, len(MAGIC), 0)
        start = max(0, size - GUESS)
        end = os.pread(descriptor, GUESS, start)
        length = int.from_bytes(end[-TAIL:-4], "little") if len(end) >= TAIL else 0
        if begins != MAGIC:
            return "no parquet file"
        if not end.endswith(MAGIC) or length + TAIL + len(MAGIC) > size:
            return "cut short"
        if length + TAIL > len(end):
            end = os.pread(descriptor, length + TAIL, size - length - TAIL)
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    finally:
        os.close(descriptor)
    return end[-TAIL - length :]


def _entry(key: str, value: str) -> bytes:
    """Return the bytes of an entry of the metadata: the key, the mark of a text, its length, the text."""
    return key.encode() + b"\x18" + bytes([len(value)]) + value.encode()


_SIGN = _entry("unbounded.row.version", str(VERSION))


def _look_closer(path: str | Path) -> str | None:
    """Say what is wrong with a file whose footer does not show the version."""
    try:
        found = read_row(Path(path).read_bytes())
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    return found if isinstance(found, str) else None


def _compare(path: str, footer: bytes, columns: Mapping[str, Any], recorded: Recorded) -> str | None:
    """Say in what a row differs from the planned one, where Snakemake would not see it.

    It compares what it remembers, not what is in the file: that may have come from elsewhere, and its memory be lost.
    Rows that other code made are kept if it remembers them as made by this one: someone has said so (--touch).
    """
    same_trial = _entry(KEY, trial_key(columns)) in footer
    if same_trial and columns[CODE].encode() in footer:
        return None
    try:
        found = read_row(Path(path).read_bytes())
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if isinstance(found, str):
        return found
    (row,) = found.select([*PLANNED, CODE]).to_pylist()
    if not is_foreign(row, columns):
        memory = recorded(path)
        if memory == "other" or (memory == "same" and same_trial):
            return None
    return differences(row, columns, (*PLANNED, CODE))


def _regained(path: str | Path) -> str | None:
    """Say which packages a trial was skipped for want of, if all of them are here now."""
    try:
        (row,) = pq.ParquetFile(path).read(columns=["status", "versions"], use_threads=False).to_pylist()
    except (OSError, ValueError, pa.ArrowException) as error:
        return f"unreadable ({str(error).splitlines()[0]})"
    missing = tuple(name for name, version in json.loads(row["versions"]).items() if version == NOT_INSTALLED)
    if row["status"].encode() != SKIPPED or not missing or not _installed(missing):
        return None
    return f"skipped for want of {', '.join(missing)}, installed by now"


@cache
def _installed(packages: tuple[str, ...]) -> bool:
    return NOT_INSTALLED not in versions(packages).values()
