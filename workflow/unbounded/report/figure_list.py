"""The static figures on the page: their SVGs, captions, and which rows of which tables are behind each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unbounded.campaign.models import LandscapeStudy
from unbounded.campaign.plan import Plan
from unbounded.figures.catalogue import LANDSCAPES, figures
from unbounded.figures.drawing import KINDS, Description, rows_behind
from unbounded.report.columns import ranges


def planned_figures(plan: Plan) -> dict[str, Description | None]:
    """Return the campaign's figures by path, in the order of its studies; None for those without tables."""
    drawn = figures(plan)
    found: dict[str, Description | None] = {}
    for name, study in plan.campaign.studies.items():
        if isinstance(study, LandscapeStudy):
            found.update(dict.fromkeys(f"{name}/{title}" for title in LANDSCAPES))
        found.update({path: figure for path, figure in drawn.items() if path.rpartition("/")[0] == name})
    return {**found, **{path: figure for path, figure in drawn.items() if path not in found}}


def figure_data(plan: Plan, folder: Path, tables: Mapping[str, pd.DataFrame]) -> Iterator[dict[str, Any]]:
    """Yield every figure that is there: path, study, caption, size, SVG, and the rows behind it by table."""
    for path, figure in planned_figures(plan).items():
        svg, caption = folder / f"{path}.svg", folder / f"{path}.txt"
        if not svg.exists():
            continue
        content = svg.read_bytes()
        study, _, name = path.partition("/")
        yield {
            "path": path,
            "study": study,
            "name": name,
            "caption": caption.read_text(encoding="utf-8").strip() if caption.exists() else "",
            "size": _size(content),
            "svg": content,
            "rows": {} if figure is None else _rows(figure, tables),
        }


def _rows(figure: Description, tables: Mapping[str, pd.DataFrame]) -> dict[str, list[list[int]]]:
    """Return the positions of the rows behind a figure, by table."""
    found = {}
    for name in KINDS[figure["kind"]][1]:
        table = tables[name]
        behind = rows_behind(table, figure)
        found[name] = ranges(np.flatnonzero(table.index.isin(behind.index)).tolist())
    return found


def _size(svg: bytes) -> tuple[int, int]:
    """Return width and height of an SVG in points, from its first tag."""
    head = svg[:2000].decode("utf-8", errors="replace")
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', head)
    return (round(float(box[1])), round(float(box[2]))) if box else (720, 540)
