"""Files that are whole or absent: written under another name, then renamed.

So a reader never meets half of one, and who writes when its Snakemake is gone disturbs no later run.
"""

from __future__ import annotations

import os
import platform
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

#: Seconds after which a file that was not renamed has no writer any more.
ABANDONED = 3600


def destination(path: Path) -> Path:
    """Return where what is written to a path goes: to the file itself, or to the one that a link there points to.

    Raises OSError if that is no place for a file: it is a device, a pipe, a socket or a folder, or cannot be written.
    """
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    with suppress(FileNotFoundError):
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            found = "a folder" if stat.S_ISDIR(mode) else "a device, a pipe or a socket"
            raise OSError(f"{path} is {found}; allowed: a file, or a name that is not taken")
    return path


def check_destination(path: Path) -> None:
    """Raise OSError if nothing could be written to this path, before work is done for it."""
    folder = destination(path).absolute().parent
    while not os.path.lexists(folder):
        folder = folder.parent
    if not folder.is_dir():
        raise OSError(f"{path} cannot be written: {folder} is no folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OSError(f"{path} cannot be written: {folder} is read-only")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield another name to write to: it becomes the path when the block ends, and is removed if the block fails."""
    path = destination(path)
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
