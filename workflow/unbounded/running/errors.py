"""Errors whose text is all that people need: what is wrong, where, what to do."""

import json
from collections.abc import Sequence
from itertools import islice
from typing import Any

#: What is named one by one.
NAMED = 20


class PlainError(ValueError):
    """Shown without a traceback."""


def listed(items: Sequence[str]) -> list[str]:
    """Return lines that name these, or the first of them and how many more there are."""
    more = [f"… and {len(items) - NAMED} more"] if len(items) > NAMED else []
    return [f"    {item}" for item in (*items[:NAMED], *more)]


def shown(value: Any) -> str:
    """Write a value in 60 characters; of what is large, or holds itself, no more than that is looked at."""
    if isinstance(value, str):
        text = f"'{value}'" if value.isprintable() else ascii(value)
    else:
        pieces = json.JSONEncoder(default=str, check_circular=False, skipkeys=True).iterencode(value)
        text = "".join(islice(pieces, 60))
    return text if len(text) <= 60 else f"{text[:57]}…"
