"""Columns of tables as plain lists: what JSON can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd


def plain(values: pd.Series) -> list[Any]:
    """Return a column as a list, None where it has no value or one that is not finite; numbers keep every digit."""
    if pd.api.types.is_float_dtype(values.dtype):
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        return [value if np.isfinite(value) else None for value in numbers.tolist()]
    return [None if value is None or value is pd.NA or value != value else value for value in values.tolist()]


def encoded(values: Sequence[Any]) -> dict[str, Any]:
    """Return a column as {"of": distinct values, "at": positions} where that is shorter, else as {"is": values}."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) * 2 > len(values):
        return {"is": list(values)}
    place = {value: position for position, value in enumerate(distinct)}
    return {"of": distinct, "at": [place[value] for value in values]}


def table_data(table: pd.DataFrame) -> dict[str, Any]:
    """Return a whole table, column by column."""
    return {"rows": len(table), "columns": {name: encoded(plain(table[name])) for name in table}}


def significant(values: np.ndarray[Any, np.dtype[np.float64]], digits: int = 5) -> list[float | int]:
    """Return numbers rounded to so many significant digits, for drawing; whole ones without a decimal point."""
    rounded = [float(f"{value:.{digits}g}") for value in values.tolist()]
    return [int(value) if value == int(value) else value for value in rounded]


def ranges(positions: Sequence[int]) -> list[list[int]]:
    """Return increasing positions as [first, number] of each run without a gap."""
    found: list[list[int]] = []
    for position in positions:
        if found and position == sum(found[-1]):
            found[-1][1] += 1
        else:
            found.append([position, 1])
    return found


def counts_text(counts: Mapping[str, int]) -> str:
    """Write counts as `3 converged, 1 error`."""
    return ", ".join(f"{number} {word}" for word, number in counts.items() if number)
