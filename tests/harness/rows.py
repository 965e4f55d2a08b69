"""Rows and tables as they can be compared."""

from typing import Any

from unbounded.trials.row import MEASURED


def timeless(value: Any) -> Any:
    """Return a row, or any list of rows, without what is measured or made from seconds that were."""
    if isinstance(value, dict):
        return {
            name: timeless(entry)
            for name, entry in value.items()
            if name not in MEASURED and not name.endswith("seconds")
        }
    return [timeless(entry) for entry in value] if isinstance(value, list) else value
