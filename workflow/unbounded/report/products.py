"""The files that a campaign makes from its trials and its plan: the workflow's targets, and what an archive packs."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path

from unbounded.campaign.layout import Layout
from unbounded.campaign.origin import Origin, campaign_digest
from unbounded.campaign.plan import Plan
from unbounded.figures.contract import Description
from unbounded.figures.registry import drawing, pictures
from unbounded.report import assets
from unbounded.running.provenance import SCRIPTS, code_digest, script_digest
from unbounded.tables import registry


class Products:
    """What a campaign makes, kind by kind, in the order of making."""

    def __init__(self, plan: Plan, layout: Layout) -> None:
        self._plan = plan
        self._layout = layout

    @property
    def slices(self) -> list[Path]:
        """The tables of the slices of the suite."""
        return [self._layout.slice(name) for name in self._plan.slices]

    @property
    def tables(self) -> list[Path]:
        """The campaign's tables, and what is written beside them; without trials there is nothing for a table."""
        if not self._plan.slices:
            return [self._layout.record]
        files = [path for name in ("trials", *registry.of_campaigns()) for path in self._layout.table_files(name)]
        return [self._layout.record, self._layout.claims, *files]

    @property
    def parquet_tables(self) -> list[Path]:
        """Those of all tables that are for machines."""
        return [path for path in (*self.slices, *self.tables) if path.suffix == ".parquet"]

    @property
    def csv_tables(self) -> list[Path]:
        """Those of the campaign's tables that are for people."""
        return [path for path in self.tables if path.suffix == ".csv"]

    @cached_property
    def pictures(self) -> dict[str, Description]:
        """What is drawn, by `<study>/<name>`."""
        return pictures(self._plan)

    @property
    def figures(self) -> list[Path]:
        """The files of all figures."""
        return [path for name in self.pictures for path in self._layout.figure_files(name)]

    def figures_without_tables(self, study: str) -> list[Path]:
        """Return those figures of a study that need no runs."""
        own = {name: found for name, found in self.pictures.items() if name.startswith(f"{study}/")}
        free = [name for name, found in own.items() if not drawing(found).figure.tables]
        return [path for name in free for path in self._layout.figure_files(name)]

    @property
    def page(self) -> Path:
        """The report."""
        return self._layout.page

    @property
    def page_inputs(self) -> list[Path]:
        """What the report is written from: the tables for machines, and of figures the SVG and the caption."""
        kept = (".parquet", ".json", ".svg", ".txt")
        return [path for path in (*self.tables, *self.figures) if path.suffix in kept]

    def origin(self) -> Origin:
        """Return what they are made for, and by which code, here and now."""
        return Origin(campaign_digest(self._plan), self._code())

    def _code(self) -> str:
        """Return sixteen hex digits for the code that makes all of them."""
        tables = ["unbounded.tables.trials", *map(registry.module_of, registry.of_campaigns())]
        figures = sorted({drawing(picture).module for picture in self.pictures.values()})
        scripts = map(script_digest, sorted(SCRIPTS.glob("*.py")))
        modules = code_digest(*tables, *figures, "unbounded.tables.files", "unbounded.report.page")
        digests = modules, assets.digest(), *scripts
        return hashlib.sha256("".join(digests).encode()).hexdigest()[:16]

    @property
    def all(self) -> set[Path]:
        """Every file."""
        return {*self.slices, *self.tables, *self.figures, self.page}
