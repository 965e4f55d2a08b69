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


def hold_threads(threads: int) -> None:
    """Allow BLAS, LAPACK and OpenMP this many threads; they read the variables when they are loaded."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))


def expose_package() -> None:
    """Let jobs that run in an environment of their own (conda) import this package."""
    path = str(Path(__file__).parents[1])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [path, os.environ.get("PYTHONPATH")]))
