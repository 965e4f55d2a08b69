"""Finds the figures: every module of this package that holds a `FIGURE`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from unbounded import figures
from unbounded.campaign.plan import Plan
from unbounded.figures.contract import Description, Figure
from unbounded.figures.planned import Planned
from unbounded.running.plugins import declarations
from unbounded.running.provenance import code_digest

#: The folder of the pictures of a whole campaign.
CAMPAIGN = "campaign"


@dataclass(frozen=True)
class Entry:
    """A figure and the module that it is declared in."""

    figure: Figure
    module: str

    @property
    def code(self) -> str:
        """The digest of what draws it."""
        return code_digest(self.module, *(["unbounded.tables.files"] if self.figure.tables else []))


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Entry]:
    """Return every figure by its name, in the order of their places on the page."""
    found: dict[str, Entry] = {}
    for module, figure in declarations(figures, "FIGURE"):
        if figure.name in found:
            raise RuntimeError(f"figure '{figure.name}' is given by both {found[figure.name].module} and {module}")
        found[figure.name] = Entry(figure, module)
    return dict(sorted(found.items(), key=lambda item: (item[1].figure.place, item[0])))


def drawing(description: Description) -> Entry:
    """Return the figure that a planned picture is of."""
    return entries()[description["figure"]]


def pictures(plan: Plan) -> dict[str, Description]:
    """Return a campaign's pictures by path, in the order of its studies, slice by slice, its own last."""
    found: dict[str, Description] = {}
    asked = Planned(plan)
    for name, entry in entries().items():
        for path, description in entry.figure.planned(asked):
            if path in found:
                raise RuntimeError(f"the picture {path} is planned by both {found[path]['figure']} and {name}")
            found[path] = {"figure": name, **description}
    studies = [*plan.campaign.studies, CAMPAIGN]
    slices: dict[tuple[str, ...], int] = {}

    def place(item: tuple[str, Description]) -> tuple[int, int]:
        path, description = item
        part = tuple(str(description.get(key)) for key in ("study", "slice", "instance"))
        return studies.index(path.partition("/")[0]), slices.setdefault(part, len(slices))

    return dict(sorted(found.items(), key=place))
