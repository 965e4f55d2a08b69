"""Jobs and the Snakemake that starts them. Imports nothing heavy: it is called before numpy is loaded."""

import json
import os
import select
import shlex
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from unbounded.running.errors import PlainError

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)

LAUNCHER, LABELS = "UNBOUNDED_LAUNCHER", "UNBOUNDED_LABELS"


def hold_threads(threads: int) -> None:
    """Allow BLAS, LAPACK and OpenMP this many threads; they read the variables when they are loaded."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))


def expose_package() -> None:
    """Let jobs find this package, and this Python where its environment is not the active one.

    Jobs in an environment of their own (conda) import the package too, and put their Python before this one.
    """
    _put_first("PYTHONPATH", Path(__file__).parents[2])
    _put_first("PATH", Path(sys.executable).parent)
    # Snakemake writes this into commands of a shell as it is, where a space would end it; by its name it is found, too.
    if shlex.quote(sys.executable) != sys.executable:
        sys.executable = Path(sys.executable).name


def _put_first(variable: str, folder: Path) -> None:
    os.environ[variable] = os.pathsep.join(filter(None, [str(folder), os.environ.get(variable)]))


def expose_launcher() -> None:
    """Let jobs know the Snakemake that starts them: they end when it does."""
    os.environ[LAUNCHER] = identity(os.getpid()) or ""


def launcher() -> str | None:
    """Return the identity of the Snakemake that started this job."""
    return os.environ.get(LAUNCHER) or None


def expose_labels(labels: Mapping[str, str]) -> None:
    """Let jobs know the names of solvers in figures."""
    os.environ[LABELS] = json.dumps(labels)


def labels() -> dict[str, str]:
    """Return the names of solvers in figures, as far as they have others than their ids."""
    known: dict[str, str] = json.loads(os.environ.get(LABELS, "{}"))
    return known


def identity(pid: int) -> str | None:
    """Return what no other process shares, on this machine or another; None if there is none such, or no /proc to ask.

    Numbers are used again, and containers and machines have their own: so the number, the time of the start, the
    process numbers' namespace, and the machine's boot.
    """
    try:
        start = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{pid} {start} {os.readlink('/proc/self/ns/pid')} {boot}"
    except OSError:
        return None


def lives(pid: int, known: str | None) -> bool:
    """Whether this process of this machine is there: the one of this identity, where that is known."""
    if known is not None:
        return identity(pid) == known
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def observed(process: str | None) -> int | None:
    """Return a descriptor that is ready once the process of this identity is dead, or None if that cannot be seen here.

    Raises ProcessLookupError if it is dead already.
    """
    if process is None or sys.platform != "linux":
        return None
    pid, _, *place = process.split()
    own = identity(os.getpid())
    if own is None or own.split()[2:] != place:
        return None
    try:
        descriptor = os.pidfd_open(int(pid))
    except ProcessLookupError:
        raise
    except OSError:  # an old kernel
        return None
    # Now that the number cannot be given to another: is it still the one?
    if identity(int(pid)) != process:
        os.close(descriptor)
        raise ProcessLookupError(f"process {pid} is another one now")
    return descriptor


def begin_script() -> None:
    """Be a job's script: end when the Snakemake that started it does, and tell people what is wrong in sentences.

    Without its Snakemake it would write into the results of the next one.
    """
    sys.excepthook = _tell
    try:
        descriptor = observed(launcher())
    except ProcessLookupError:
        os._exit(1)
    if descriptor is not None:
        threading.Thread(target=_end_after, args=(descriptor,), daemon=True).start()


def _tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if isinstance(error, PlainError):
        print(error, file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


def _end_after(descriptor: int) -> None:
    select.select([descriptor], [], [])
    os._exit(1)
