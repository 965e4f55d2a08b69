"""The static figures on the page: their SVGs, captions, and which rows of which tables are behind each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from unbounded.campaign.layout import Layout
from unbounded.campaign.plan import Plan
from unbounded.figures import registry
from unbounded.figures.contract import Description
from unbounded.report.columns import ranges


def figure_data(plan: Plan, layout: Layout, tables: Mapping[str, pd.DataFrame]) -> Iterator[dict[str, Any]]:
    """Yield every figure that is there: path, study, caption, size, SVG, and the rows behind it by table."""
    for path, figure in registry.pictures(plan).items():
        svg, caption = layout.figure(path, "svg"), layout.figure(path, "txt")
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
            "rows": _rows(figure, tables),
        }


def _rows(figure: Description, tables: Mapping[str, pd.DataFrame]) -> dict[str, list[list[int]]]:
    """Return the positions of the rows behind a figure, by table."""
    found = {}
    drawing = registry.drawing(figure).figure
    for name in drawing.tables:
        table = tables[name]
        behind = drawing.rows_behind(table, figure)
        found[name] = ranges(np.flatnonzero(table.index.isin(behind.index)).tolist())
    return found


def _size(svg: bytes) -> tuple[int, int]:
    """Return width and height of an SVG in points, from its first tag."""
    head = svg[:2000].decode("utf-8", errors="replace")
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', head)
    return (round(float(box[1])), round(float(box[2]))) if box else (720, 540)
