"""Holds numeric libraries to the threads that a trial was given.

The variables are read when a library is loaded, so this module imports nothing and is called first.
"""

import os

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS")


def hold(threads: int) -> None:
    """Allow BLAS, LAPACK and OpenMP this many threads; call before numpy is imported."""
    os.environ.update(dict.fromkeys(VARIABLES, str(threads)))
