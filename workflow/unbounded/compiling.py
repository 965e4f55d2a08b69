"""The decorator of compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

#: Sums may be reordered to use vector units; NaN and infinities keep their meaning.
FAST = {"reassoc", "contract", "arcp", "nsz"}


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function with numba, caching the result where a cache can be written."""

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, **options)(function)
        except RuntimeError:  # numba's word for: there is no place to cache
            return njit(**options)(function)

    return decorate
