"""Finds trial files that are no rows, before Snakemake takes their existence for a result.

So are rows of trials that were skipped for want of a package, once that is installed.

A look at the two ends of a file is enough, and fast: the row is written under another name and renamed, so what is
broken is a file cut short or emptied by the file system, or one of another version.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from unbounded.provenance import NOT_INSTALLED, versions
from unbounded.trials.row import VERSION

#: Parquet files begin and end so; before the end stands the length of the footer, which holds the metadata.
MAGIC = b"PAR1"
TAIL = 8
#: Footers of trial rows have about 8 kB; of longer ones, the rest is read as well.
GUESS = 16_384
SKIPPED = b"skipped"


@dataclass(frozen=True)
class Broken:
    """A trial file that cannot be used."""

    path: Path
    why: str


def find_broken(paths: Iterable[str | Path]) -> Iterator[Broken]:
    """Yield those of the files that exist and are no trial rows of this version, or could be better ones by now."""
    for path in paths:
        why = _defect(path)
        if why is not None:
            yield Broken(Path(path), why)


def set_aside(broken: Iterable[Broken], folder: Path, to: Path) -> None:
    """Move files below `folder` to the same place below `to`, so that their trials run again and nothing is lost."""
    for file in broken:
        place = to / file.path.relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        # The trials may lie on a file system of their own.
        shutil.move(file.path, place)


def _defect(path: str | Path) -> str | None:
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
    footer = end[-TAIL - length :]
    if _SIGN not in footer:
        return _look_closer(path)
    # The footer holds the least and the greatest value of every column.
    return _regained(path) if SKIPPED in footer else None


def _sign() -> bytes:
    """Return the bytes of the version among the metadata: the key, the mark of a text, its length, the text."""
    version = str(VERSION).encode()
    return b"unbounded.row.version\x18" + bytes([len(version)]) + version


_SIGN = _sign()


def _look_closer(path: str | Path) -> str | None:
    """Say what is wrong with a file whose footer does not show the version."""
    try:
        metadata = pq.read_metadata(path).metadata or {}
    except (OSError, pa.ArrowException) as error:
        return f"unreadable ({str(error).splitlines()[0]})"
    version = metadata.get(b"unbounded.row.version")
    if version is None:
        return "no trial row"
    return None if version == str(VERSION).encode() else f"row version {version.decode()}, this code reads {VERSION}"


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
