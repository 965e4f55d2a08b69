"""What the parts of an archive's life share: its names, what may be wrong with it, the check of its rows."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa

from unbounded.campaign.layout import trial_of
from unbounded.campaign.plan import Plan
from unbounded.instances.files import ENDING
from unbounded.trials.reading import read_row
from unbounded.trials.recheck import recheck

#: The repository that this package lies in.
ROOT = Path(__file__).resolve().parents[3]
CAMPAIGN = "campaign.yaml"
MANIFEST = "manifest-sha256.txt"
CHUNK = 1 << 20
#: What reading a zip with wrong bits in it may raise: they may stand for any method, size, place, name or password.
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    RuntimeError,
)


class ArchiveError(ValueError):
    """What keeps an archive from being made or used, as a message for people."""


def is_problem(name: str) -> bool:
    """Whether a path in an archive is the campaign's file, or one of a problem that it names."""
    return name == CAMPAIGN or name.endswith(ENDING)


def chunks_of(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield what a stream holds."""
    while chunk := stream.read(CHUNK):
        yield chunk


def wrong_rows(plan: Plan, files: Iterable[tuple[str, bytes]]) -> Iterator[str]:
    """Check the rows in these files anew, as collecting does."""
    tables, names = [], []
    for name, content in files:
        row = read_row(content)
        if isinstance(row, str):
            yield f"{name}: {row}"
        else:
            tables.append(row)
            names.append(name)
    if tables:
        planned = [plan.columns(trial_of(Path(name))) for name in names]
        yield from (f"{names[i]}: {why}" for i, why in recheck(pa.concat_tables(tables), planned).items())
