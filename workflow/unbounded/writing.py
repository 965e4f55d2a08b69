"""Files that are whole or absent: written under another name, then renamed.

So a reader never meets half of one, and who writes when its Snakemake is gone disturbs no later run.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

#: Seconds after which a file that was not renamed has no writer any more.
ABANDONED = 3600


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield another name to write to: it becomes the path when the block ends, and is removed if the block fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # What a killed process left; a younger one may be that of a process that lives, here or on another machine.
    for left in path.parent.glob(f".{escape(path.name)}.*.tmp"):
        with suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > ABANDONED:
                left.unlink()
    temporary = _beside(path)
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{platform.node()}.{os.getpid()}.tmp")


def check_room(path: Path, room: int) -> None:
    """Raise OSError if a file of so many bytes cannot be written there; nothing is left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    probe = _beside(path)
    try:
        probe.write_bytes(bytes(room))
    finally:
        probe.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
