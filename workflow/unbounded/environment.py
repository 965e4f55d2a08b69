"""The environment variables of jobs. Imports nothing heavy: it is called before numpy is loaded."""

import os
from pathlib import Path

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)

LAUNCHER = "UNBOUNDED_LAUNCHER"


def hold_threads(threads: int) -> None:
    """Allow BLAS, LAPACK and OpenMP this many threads; they read the variables when they are loaded."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))


def expose_package() -> None:
    """Let jobs that run in an environment of their own (conda) import this package."""
    path = str(Path(__file__).parents[1])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [path, os.environ.get("PYTHONPATH")]))


def expose_launcher() -> None:
    """Let jobs know the Snakemake that starts them: they end when it does."""
    os.environ[LAUNCHER] = identity(os.getpid()) or ""


def launcher() -> str | None:
    """Return the identity of the Snakemake that started this job."""
    return os.environ.get(LAUNCHER) or None


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
