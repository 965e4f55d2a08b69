"""What a figure is: one module of this package that holds a `FIGURE`; all its pictures are drawn by that module.

Declarations are imported whenever a campaign is planned, so a figure's module imports matplotlib, seaborn and
`unbounded.figures.parts` where it draws, not at its head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unbounded.instances.spec import SPHERE

if TYPE_CHECKING:
    from unbounded.figures.planned import Planned

#: A picture as plain data: what it is of (`study`, `group`, …), what its figure's functions are told besides the tables
#: (`options`), what runs might spend (`budgets`, `runs`), to how many entries traces were thinned (`trace_points`),
#: and, as soon as it is planned, the name of its `figure`.
Description = dict[str, Any]
#: Columns by which rows are selected, where both the description and the table have them.
OF = ("study", "slice", "instance", "kind", "D")


def rows_of(table: Any, description: Description) -> Any:
    """Return the rows of a table that a picture is drawn from."""
    for column in OF:
        if column in description and column in table:
            table = table[table[column] == description[column]]
    return table[~table["solver"].isin(description["without"])] if "without" in description else table


def with_case(rows: Any, description: Description) -> Any:
    """Return the rows that most pictures rest on: those of all test cases but the sphere."""
    return rows[rows["case"] != SPHERE] if "tc" in rows else rows


@dataclass(frozen=True)
class Figure:
    """A kind of picture: from which tables, for which studies, how it is drawn and what is said below it."""

    name: str
    #: What Snakemake's own report calls it.
    title: str
    #: The tables it is drawn from, in the order of the functions' arguments.
    tables: tuple[str, ...]
    #: Its pictures of a campaign, as pairs of a path, `<study>/<name>`, and a description.
    planned: Callable[[Planned], Iterable[tuple[str, Description]]]
    #: `draw(*tables, paths=…, labels=…, **options)` writes the picture to every path.
    draw: Callable[..., None]
    #: `caption(*tables, labels=…, budgets=…, **options)` says what is seen and what it stands on; where the
    #: description has `trace_points`, they come too.
    caption: Callable[..., str]
    #: Its place among the pictures of a slice on the page, from the top.
    place: int = 100
    #: The rows of a table that a picture is drawn from.
    select: Callable[[Any, Description], Any] = rows_of
    #: Those of the selected rows that it rests on, which the page shows with it.
    rests_on: Callable[[Any, Description], Any] = with_case

    def make(
        self,
        description: Description,
        tables: Mapping[str, Any],
        paths: Sequence[Path],
        labels: Mapping[str, str] | None = None,
    ) -> str:
        """Draw a picture from its tables to every path, and return its caption."""
        shown = [self.select(tables[name], description) for name in self.tables]
        options = description.get("options", {})
        budgets = {solver: tuple(budget) for solver, budget in description.get("budgets", {}).items()}
        # Between two dollars matplotlib would read formulas.
        drawn = {solver: label.replace("$", r"\$") for solver, label in (labels or {}).items()}
        self.draw(*shown, paths=paths, labels=drawn, **options)
        thinned = {"trace_points": description["trace_points"]} if "trace_points" in description else {}
        return self.caption(*shown, labels=labels, budgets=budgets, **thinned, **options)

    def rows_behind(self, table: Any, description: Description) -> Any:
        """Return the rows of one of its tables that a picture rests on."""
        return self.rests_on(self.select(table, description), description)
