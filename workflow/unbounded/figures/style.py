"""What all figures share: fonts, sizes, and how they are saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

#: Red that stands out from the sequential maps and from grey, for the constraint (Okabe & Ito's vermilion).
CONSTRAINT = "#D55E00"
#: Perceptually even, readable in print and for colour-blind readers.
LANDSCAPE_MAP = "viridis"

SETTINGS: Any = {
    "figure.dpi": 150,
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "svg.fonttype": "none",
    # Without a fixed salt, two runs would give two different files.
    "svg.hashsalt": "unbounded",
}


def figure(rows: int, columns: int, size: tuple[float, float], **options: Any) -> tuple[Any, Any]:
    """Return a figure and its grid of axes (always two-dimensional), in the common style."""
    plt.rcParams.update(SETTINGS)
    return plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained", **options)


def save(fig: Any, paths: Sequence[Path]) -> None:
    """Write the figure to every path, the format by its ending, and close it."""
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        fig.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(fig)
