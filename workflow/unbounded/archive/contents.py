"""What the parts of an archive's life share: its names, and what may be wrong with it."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.instances.files import ENDING

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


@contextmanager
def plan_of(archive: zipfile.ZipFile) -> Iterator[Plan]:
    """Read the plan of an archive's campaign; while it is in use, the problems that it names are there as files."""
    with TemporaryDirectory() as folder:
        archive.extractall(folder, [name for name in archive.namelist() if is_problem(name)])
        yield Plan(load_campaign(Path(folder) / CAMPAIGN))


def chunks_of(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield what a stream holds."""
    while chunk := stream.read(CHUNK):
        yield chunk
