"""What all figures share: fonts, sizes, and how they are saved; imports matplotlib as soon as one is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from unbounded.instances.forms.registry import find
from unbounded.instances.hessians import TABLE_ORDER
from unbounded.instances.spec import pair
from unbounded.running.writing import replacing

#: Red that stands out from the sequential maps and from grey, for the constraint (Okabe & Ito's vermilion).
CONSTRAINT = "#D55E00"
#: Perceptually even, readable in print and for colour-blind readers.
LANDSCAPE_MAP = "viridis"
#: The width of a printed page between its margins, in inches; no text on it is smaller than SMALL points.
WIDTH = 7.2
SMALL = 7.0
#: Forms of the nine test cases by their names in the paper.
FORM_NAMES = {name: find(name).label for name in TABLE_ORDER}
#: Okabe & Ito's palette without yellow, which is lost on white.
CATEGORIES = ("#E69F00", "#56B4E9", "#CC79A7", "#000000", "#0072B2", "#D55E00", "#009E73")
#: The paper's colours of its strategies (blue, red, green), in Okabe & Ito's tones.
PAPER_COLOURS = {"mies": "#0072B2", "cma-IH": "#D55E00", "cma-wM": "#009E73"}
#: Tell strategies apart where colours are not seen.
HATCHES = ("", "////", "\\\\\\\\", "xxxx", "||||", "----", "++++")
#: Tell lines apart where colours are not seen; there are more markers than dashes, so pairs repeat late.
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)), (0, (2, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

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
    import matplotlib.pyplot as plt

    plt.rcParams.update(SETTINGS)
    return plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained", **options)


def save(fig: Any, paths: Sequence[Path]) -> None:
    """Write the figure to every path, the format by its ending, and close it."""
    import matplotlib.pyplot as plt

    for path in paths:
        form = path.suffix[1:]
        with replacing(path) as temporary:
            fig.savefig(temporary, format=form, metadata={"Date": None} if form == "svg" else None)
            if form == "png":
                _with_palette(temporary)
    plt.close(fig)


def _with_palette(path: Path) -> None:
    """Rewrite a PNG with 256 colours, a third of its size: a colour moves by some 10 of 255, 20 beside many others."""
    from PIL import Image

    with Image.open(path) as image:
        # Rare colours, a thin line's, count as much as common ones; other methods would drop them.
        palette = image.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        palette.save(path, format="PNG", optimize=True, dpi=image.info["dpi"])


def figure_with_footer(
    rows: int, columns: int, size: tuple[float, float], footer: float, **options: Any
) -> tuple[Any, Any, Any]:
    """Return a figure, its grid of axes, and a strip of `footer` inches below them for legends."""
    import matplotlib.pyplot as plt

    plt.rcParams.update(SETTINGS)
    fig = plt.figure(figsize=size, layout="constrained")
    fig.get_layout_engine().set(wspace=0.07)  # type: ignore[union-attr,call-arg]
    body, strip = fig.subfigures(2, 1, height_ratios=(size[1] - footer, footer))  # type: ignore[misc]
    return fig, body.subplots(rows, columns, squeeze=False, **options), strip


def legend_columns(texts: Iterable[str], width: float) -> int:
    """Return into how many columns a legend with these texts fits, handles and gaps included."""
    entry = max((text_width(text) for text in texts), default=0.0) + 0.4
    return max(1, int(width / entry))


def number(value: float) -> str:
    """Write powers of ten from 100 on as 10⁴, other numbers as they are."""
    exponent = math.log10(abs(value)) if value else 0.0
    if abs(exponent) >= 2 and math.isclose(exponent, round(exponent), abs_tol=1e-12):
        return f"{'−' if value < 0 else ''}10{str(round(exponent)).translate(SUPERSCRIPTS)}"
    return f"{value:g}"


def case_name(case: int | str) -> str:
    """Return the name of a test case: `TC-3 (RotEllipse + Cigar)`, `RotEllipse + Sphere`, or that of a file."""
    if isinstance(case, str) and "." not in case:
        return case
    forms = " + ".join(find(name).label for name in pair(case))
    return f"TC-{case} ({forms})" if isinstance(case, int) else forms


def strategy_colours(solvers: Iterable[str]) -> dict[str, str]:
    """Return a colour for each strategy: the paper's where it has one, else the next that is free."""
    names = list(solvers)
    free = [colour for colour in CATEGORIES if colour not in {PAPER_COLOURS.get(name) for name in names}]
    others = [name for name in names if name not in PAPER_COLOURS]
    assigned = {name: free[position % len(free)] for position, name in enumerate(others)}
    return {name: PAPER_COLOURS.get(name) or assigned[name] for name in names}


def text_width(text: str, size: float = SMALL) -> float:
    """Return the width of a text in inches; on screen, letters are set a little wider than drawn."""
    from matplotlib.textpath import TextPath

    return 1.08 * float(TextPath((0, 0), text, size=size).get_extents().width) / 72


def letter(position: int) -> str:
    """Return the mark of a panel: [A], [B], …"""
    return f"[{chr(ord('A') + position)}]"
