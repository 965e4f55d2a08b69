"""What every table declares, in one `TABLE` of a module of its own name: what it is made from, its columns, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

#: What of the trials a table may be made from: rows, the entries of their traces, the integer vectors that they list.
TRIALS, TRACES, VECTORS = "trials", "traces", "vectors"
#: The plan of a campaign, as read from its file, and a clone of the authors' repository, as the audit reads it.
CAMPAIGN, CLONE = "campaign", "clone"
#: All that tables are made from that is no table with a module.
SOURCES = (TRIALS, TRACES, VECTORS, CAMPAIGN, CLONE)
#: Types of columns, as pandas names them, and as people do. All but int64 and bool may be empty.
TYPES: Mapping[str, str] = {
    "str": "text",
    "int64": "integer",
    "Int64": "integer or empty",
    "float64": "number",
    "bool": "boolean",
}


@dataclass(frozen=True)
class Column:
    """A column: its type, and what it says."""

    type: str
    meaning: str

    def __post_init__(self) -> None:
        if self.type not in TYPES:
            raise ValueError(f"a column has the type '{self.type}'; allowed: {', '.join(TYPES)}")


Columns = Mapping[str, Column]


@dataclass(frozen=True)
class Table:
    """A table.

    `line` says what a line of it is, `notes` what needs more words than a column has. `make` is handed the `inputs`, in
    their order, and returns the lines; columns that it leaves out are empty, others than those declared are dropped.
    """

    name: str
    summary: str
    line: str
    inputs: tuple[str, ...]
    columns: Columns
    make: Callable[..., pd.DataFrame]
    notes: str = ""

    def __call__(self, *inputs: object) -> pd.DataFrame:
        """Return the table that is made from these."""
        return self.shape(self.make(*inputs))

    def shape(self, lines: pd.DataFrame) -> pd.DataFrame:
        """Return lines as this table has them; types are fixed even where there are none."""
        return shape(lines, self.columns)

    def empty(self) -> pd.DataFrame:
        """Return the table without a line."""
        return self.shape(pd.DataFrame())

    @property
    def types(self) -> dict[str, str]:
        """The types of its columns."""
        return types(self.columns)

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables whose files it is made from: traces and vectors are parts of the trials'."""
        return tuple(dict.fromkeys(TRIALS if name in (TRACES, VECTORS) else name for name in self.inputs))


def shape(table: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Return the table with exactly these columns, in this order and of these types, its lines numbered anew."""
    return table.reindex(columns=list(columns)).astype(types(columns)).reset_index(drop=True)


def types(columns: Columns) -> dict[str, str]:
    """Return the types of columns, as pandas names them."""
    return {name: column.type for name, column in columns.items()}
