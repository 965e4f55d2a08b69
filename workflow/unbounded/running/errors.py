"""Errors whose text is all that people need: what is wrong, where, what to do."""

from collections.abc import Sequence

#: What is named one by one.
NAMED = 20


class PlainError(ValueError):
    """Shown without a traceback."""


def listed(items: Sequence[str]) -> list[str]:
    """Return lines that name these, or the first of them and how many more there are."""
    more = [f"… and {len(items) - NAMED} more"] if len(items) > NAMED else []
    return [f"    {item}" for item in (*items[:NAMED], *more)]
