"""Keeps optional and slow dependencies of other libraries out of a trial's start."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from types import ModuleType


class _Absent(MetaPathFinder):
    """Answers for some modules that they are not installed."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        """Refuse the names it was made for, pass on all others."""
        if name in self.names:
            raise ModuleNotFoundError(f"No module named {name!r} here: it is kept out of trials", name=name)


@contextmanager
def without(*modules: str) -> Iterator[None]:
    """Within the block, importing these modules fails unless they are loaded already.

    For libraries that fall back gracefully: pycma imports matplotlib and scipy.stats for plots and surrogates, pyarrow
    imports pandas to ask whether it was handed a series. Trials use none of them, and they take longer to load than
    many a trial runs.
    """
    finder = _Absent(modules)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
