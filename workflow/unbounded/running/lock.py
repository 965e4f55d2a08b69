"""One Snakemake at a time writes into a campaign's folder, whichever working directory or checkout it runs in.

Snakemake's own lock lives in its working directory and outlasts a run that was killed. This one lives in the results
and is held by the kernel for the process: when that is gone, in whatever way, so is the lock. The file also says who
holds it, for people, and for file systems and machines among which the kernel's locks do not count.
"""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from unbounded.running.environment import identity, lives
from unbounded.running.slurm import job_is_over

NAME = "run.lock"


class LockedError(Exception):
    """Another run holds the folder, or it cannot be written; the text says which, and what to do."""


def hold(folder: Path) -> str | None:
    """Hold the folder until this process ends, or raise LockedError.

    Returns a sentence about the last run if that was killed, None if it ended by itself.
    """
    path = folder / NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise LockedError(
            f"{error.filename or path} cannot be written ({error.strerror}): results go to {folder}, a folder, and "
            f"{path} is a file of it. Nothing was started: move what is in the way, or choose another `name`."
        ) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        ours = True
    except BlockingIOError:
        ours = False
    except OSError:  # a file system without locks
        ours = None
    last = _read(path)
    if ours is False or (last is not None and _may_live(last, bool(ours))):
        os.close(descriptor)
        raise LockedError(_refusal(folder, path, last))
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, json.dumps(_me()).encode(), 0)
    atexit.register(_release, descriptor, os.getpid())
    if last is None:
        return None
    return f"The last run ({_describe(last)}) did not end by itself; what it had not finished runs again."


def _release(descriptor: int, pid: int) -> None:
    """Say that this run ended by itself; the file stays, since another process may just have opened it."""
    if os.getpid() == pid:
        os.ftruncate(descriptor, 0)
        os.close(descriptor)


def _me() -> dict[str, Any]:
    return {
        "pid": os.getpid(),
        "identity": identity(os.getpid()),
        "slurm_job": os.environ.get("SLURM_JOB_ID"),
        "host": platform.node(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
        "folder": os.getcwd(),
        "command": " ".join(["snakemake", *sys.argv[1:]]),
    }


def _read(path: Path) -> dict[str, Any] | None:
    """Return what the holder wrote; None if it took its name out again, or was killed before it had written it."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and {"pid", "host", "since", "folder", "command"} <= set(found) else None


def _may_live(last: dict[str, Any], locked: bool) -> bool:
    """Whether a run that has not taken its name out may still be there."""
    if last["host"] != platform.node():
        # Locks of other machines may not be seen here; an allocation that was cut off ended with its job.
        return not job_is_over(last.get("slurm_job"))
    if locked:
        return False
    return lives(last["pid"], last.get("identity"))


def _describe(run: dict[str, Any]) -> str:
    return f"process {run['pid']} on {run['host']}, since {run['since']}, in {run['folder']}: {run['command']}"


def _refusal(folder: Path, path: Path, holder: dict[str, Any] | None) -> str:
    if holder is None:
        return f"{folder} is in use by another run, which has just started. Wait for it to end, then run again."
    text = f"{folder} is in use by another run:\n    {_describe(holder)}\n"
    if holder["host"] == platform.node():
        return (
            text + f"Wait for it to end, or end it (kill {holder['pid']}), then run again. A dry run (-n) is possible."
        )
    return text + (
        f"Whether it still runs can only be seen on {holder['host']}. If it does not, remove its name (rm {path}), "
        "then run again."
    )
