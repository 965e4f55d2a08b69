"""Panels of heat-maps: for each strategy the nine test cases, in each of these a cell for every c and E.

Other pairs of forms come below the nine, and then problems from files, each a block of one cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import seaborn as sns
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize, to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from unbounded.figures import captions, style
from unbounded.figures.captions import Labels
from unbounded.figures.parts import scales

EDGE = "#9A9A9A"
#: Between blocks, as a share of a block: room for their names above, little at the sides.
GAP_X, GAP_Y = 0.07, 0.22


def states(own: Any, other: Any) -> Any:
    """Return what each cell is: a value, or the reason why there is none."""
    return np.select(
        [own.isna() & other.isna(), own.isna(), other.isna()], ["neither", "failed", "unpaired"], default="value"
    )


def blocks(table: Any) -> tuple[list[int], list[str], list[str]]:
    """Return the blocks: all nine test cases if there is one of them, the other pairs of forms, and the files."""
    found = table["tc"].unique().tolist()
    others = sorted(case for case in found if isinstance(case, str))
    nine = list(range(9)) if len(found) > len(others) else []
    return nine, [case for case in others if not _is_file(case)], [case for case in others if _is_file(case)]


def _is_file(case: int | str) -> bool:
    return isinstance(case, str) and "." not in case


class Grid:
    """Where cells are: blocks of c by E, three in a row; between them a row and a column of the heat-map are free.

    On the axes these are narrower than the others, and a block is as wide and high as any other.
    """

    def __init__(self, table: Any) -> None:
        nine, pairs, files = blocks(table)
        cases: list[int | str] = [*nine, *pairs, *files]
        #: Row and column of every test case's block.
        self.places = {case: divmod(place, 3) for place, case in enumerate(cases)}
        self.rows = math.ceil(len(cases) / 3)
        #: Above every row of blocks but the first; the names of two forms take a line more than a number does.
        self.gaps = [GAP_Y if row < len(nine) / 3 else 2 * GAP_Y for row in range(1, self.rows)]
        #: What rows and columns of cells are; a problem from a file has no others to be compared with.
        with_levels = table[~table["tc"].map(_is_file)]
        self.named = len(with_levels) > 0
        levels = with_levels if self.named else table.iloc[:1]
        self.c, self.E = sorted(levels["c"].unique()), sorted(levels["E"].unique())
        self.shape = self.rows * (len(self.c) + 1) - 1, 3 * len(self.E) + 2

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a block, in cells."""
        return len(self.E), len(self.c)

    @property
    def height(self) -> float:
        """The height of the blocks and of the gaps above them, in blocks."""
        return self.rows + GAP_Y + sum(self.gaps)

    def scale(self, ax: Any) -> None:
        """Make blocks one unit wide and high, with the gaps between them."""
        for levels, gaps, set_scale in ((self.E, [GAP_X, GAP_X], ax.set_xscale), (self.c, self.gaps, ax.set_yscale)):
            n = len(levels)
            starts = [block + sum(gaps[:block]) for block in range(len(gaps) + 1)]
            cells = [edge for block in range(len(starts)) for edge in (block * (n + 1), block * (n + 1) + n)]
            places = [edge for start in starts for edge in (start, start + 1)]
            # As far as one cell beyond both ends.
            cells, places = [-1, *cells, cells[-1] + 1], [-1 / n, *places, places[-1] + 1 / n]
            set_scale(
                "function", functions=(partial(np.interp, xp=cells, fp=places), partial(np.interp, xp=places, fp=cells))
            )

    def block(self, tc: int | str) -> tuple[int, int]:
        """Return row and column of a test case's first cell."""
        row, column = self.places[tc]
        return row * (len(self.c) + 1), column * (len(self.E) + 1)

    def ticks(self, c: Sequence[str], E: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the labels of all rows and columns, from those of a block; beside files alone there are none."""
        there = [place for case, place in self.places.items() if not _is_file(case)]
        rows, columns = {row for row, _ in there}, {column for _, column in there}
        below = [text for row in range(self.rows) for text in ([*c, ""] if row in rows else [""] * (len(c) + 1))]
        beside = [text for column in range(3) for text in ([*E, ""] if column in columns else [""] * (len(E) + 1))]
        return below[:-1], beside[:-1]

    def cell(self, line: Any) -> tuple[int, int]:
        """Return row and column of a line of the table."""
        row, column = self.block(line.tc)
        return row + self.c.index(line.c), column + self.E.index(line.E)

    def box(self, line: Any) -> tuple[tuple[int, int], int, int]:
        """Return the corner (column, row), width and height of a line's cell; that of a file is its whole block."""
        (row, column), size = (self.block(line.tc), self.size) if _is_file(line.tc) else (self.cell(line), (1, 1))
        return (column, row), *size


def draw(
    table: Any,
    shown: Sequence[str],
    zones: scales.Zones | None,
    title: str,
    marks: dict[str, str],
    labels: Labels | None,
    paths: Sequence[Path],
    least: bool = False,
) -> None:
    """Draw a panel for each solver: `value` where that is the `state`, marks elsewhere; `least` is for the key."""
    table = table[table["solver"].isin(shown)]
    grid = Grid(table)
    columns = {1: 1, 2: 2, 4: 2}.get(len(shown), 3)
    rows = math.ceil(len(shown) / columns)
    width = style.WIDTH if columns > 1 else 4.6
    handles = _handles(table, marks)
    per_row = 5 if columns > 1 else 2
    footer = 0.68 + 0.22 * math.ceil(len(handles) / per_row)
    block = 0.95 if rows == 1 and len(grid.c) > 3 else 0.8
    size = (width, rows * (grid.height * block + 0.75) + footer)
    fig, axes, strip = style.figure_with_footer(rows, columns, size, footer)
    for position, ax in enumerate(axes.flat):
        if position >= len(shown):
            ax.axis("off")
            continue
        solver = shown[position]
        _panel(ax, table[table["solver"] == solver], grid, zones, block, leftmost=position % columns == 0)
        _names(ax, grid, leftmost=position % columns == 0, narrow=columns == 3)
        mark = f"{style.letter(position)} " if len(shown) > 1 else ""
        ax.set_title(f"{mark}{captions.name(solver, labels)}", fontweight="bold", pad=26)
    _footer(strip, handles, per_row, zones, title, least)
    style.save(fig, paths)


def _panel(ax: Any, table: Any, grid: Grid, zones: scales.Zones | None, block: float, leftmost: bool) -> None:
    """Draw the blocks of a solver as one heat-map, in which every cell has a colour of its own; files fill theirs."""
    lines = list(table.itertuples())
    numbers, edges = np.full(grid.shape, np.nan), np.zeros((*grid.shape, 4))
    for number, line in enumerate(lines):
        if not _is_file(line.tc):
            numbers[grid.cell(line)], edges[grid.cell(line)] = number, to_rgba(EDGE)
    colours = [_colour(line, zones) for line in lines]
    # Every k-th level is named where there are too many to read.
    longest = max(len(style.number(E)) for E in grid.E)
    every = math.ceil(len(grid.c) * 0.12 / block), math.ceil(len(grid.E) * longest * 0.07 / 0.62)
    c, E = (
        [style.number(level) if place % k == 0 else "" for place, level in enumerate(levels)]
        for levels, k in zip((grid.c, grid.E), every, strict=True)
    )
    c_labels, E_labels = grid.ticks(c, E)
    grid.scale(ax)
    sns.heatmap(
        numbers,
        ax=ax,
        cmap=ListedColormap(colours),
        vmin=-0.5,
        vmax=len(lines) - 0.5,
        cbar=False,
        linewidths=0.4,
        linecolor=edges.reshape(-1, 4),
        xticklabels=E_labels,
        yticklabels=c_labels if leftmost else False,
    )
    for line, colour in zip(lines, colours, strict=True):
        if _is_file(line.tc):
            ax.add_patch(Rectangle(*grid.box(line), facecolor=colour, edgecolor=EDGE, linewidth=0.4))
        _mark(ax, line, colour, grid.box(line))
    for tc in grid.places:
        row, column = grid.block(tc)
        name = f"TC-{tc}" if isinstance(tc, int) else style.case_name(tc).replace(" + ", "\n+ ")
        ax.text(column, row - 0.03, name, fontsize=style.SMALL, ha="left", va="bottom")
        if tc not in set(table["tc"]):
            size = grid.size
            ax.add_patch(Rectangle((column, row), *size, fill=False, edgecolor=EDGE, linestyle=":", linewidth=0.8))
            centre = column + size[0] / 2, row + size[1] / 2
            ax.text(*centre, "not in\nthis study", ha="center", va="center", fontsize=style.SMALL)
    # Lines at the edges are seen whole.
    ax.set(xlim=(-0.03, grid.shape[1] + 0.03), ylim=(grid.shape[0] + 0.03, -0.03))
    ax.tick_params(length=0, pad=1.5, labelsize=style.SMALL, labelrotation=0)
    if grid.named:
        ax.set_xlabel("E", fontsize=8, labelpad=1)


def _names(ax: Any, grid: Grid, leftmost: bool, narrow: bool) -> None:
    """Name the nine blocks' columns by the form of g, and their rows, left of the leftmost panel, by that of f."""
    size = style.SMALL if narrow else 8
    above: dict[str, Any] = {"textcoords": "offset points", "fontsize": size, "va": "bottom", "annotation_clip": False}
    for position, form in enumerate(style.FORM_NAMES.values() if 0 in grid.places else ()):
        row, column = grid.block(4 * position)
        # Side by side in a narrow panel there is room for one prefix.
        name = form if narrow and position else f"g: {form}"
        ax.annotate(name, (column + len(grid.E) / 2, 0), (0, 11), ha="center", **above)
        if leftmost:
            beside = {**above, "va": "center", "rotation": 90}
            ax.annotate(f"f: {form}", (0, row + len(grid.c) / 2), (-26, 0), ha="right", **beside)
    if leftmost and grid.named:
        ax.annotate("c", (0, 0), (-4, 1), ha="right", **{**above, "fontsize": 8})


def _colour(line: Any, zones: scales.Zones | None) -> scales.RGBA:
    if line.state == "value":
        if zones is not None:
            return zones.colour(float(line.value))
        red, green, blue, alpha = scales.DELTA_Z(float(line.value))
        return red, green, blue, alpha
    shade = {"waiting": 0.93, "unpaired": 1.0, "open": 0.85}.get(line.state, 0.0)
    return shade, shade, shade, 1.0


def _mark(ax: Any, line: Any, colour: scales.RGBA, box: tuple[tuple[int, int], int, int]) -> None:
    (column, row), width, height = box
    centre = column + width / 2, row + height / 2
    ink = "white" if scales.dark(colour) else "black"
    if line.state == "waiting":
        look: dict[str, Any] = {"fill": False, "hatch": "//////", "linewidth": 0, "edgecolor": EDGE, "zorder": 2}
        ax.add_patch(Rectangle(*box, **look))
    elif line.state not in ("value", "open"):
        ax.plot(*centre, "_" if line.state == "failed" else "x", color=ink, markersize=4, markeredgewidth=0.9)
    elif line.open:
        ax.plot(*centre, ".", color=ink, markersize=3)
    if line.zero_optimum:
        ax.plot(*centre, "o", color=ink, fillstyle="none", markersize=5.5 if line.state != "value" else 3.2, mew=0.7)


def _footer(strip: Any, handles: Sequence[Any], columns: int, zones: Any, title: str, least: bool) -> None:
    """Draw the scale, and below it the legend of those marks that occur."""
    _, key, _ = strip.subplots(1, 3, width_ratios=(1, 10, 1))
    for ax in strip.axes[::2]:
        ax.axis("off")
    if zones is not None:
        zones.draw_key(key, title, least)
    else:
        mappable = ScalarMappable(Normalize(0, 1), scales.DELTA_Z)
        strip.colorbar(mappable, cax=key, orientation="horizontal", ticks=np.linspace(0, 1, 5))
        ends = {0.0: "0 (same integers)", 1.0: "1 (all differ)"}
        key.set_xticks(key.get_xticks(), [ends.get(x, f"{x:g}") for x in key.get_xticks()], fontsize=style.SMALL)
        key.set_xlabel(title, fontsize=8)
    if handles:
        places: dict[str, Any] = {
            "loc": "outside lower center",
            "ncols": columns,
            "frameon": False,
            "handlelength": 1.2,
        }
        strip.legend([handle for handle, _ in handles], [text for _, text in handles], fontsize=style.SMALL, **places)


def _handles(table: Any, marks: dict[str, str]) -> list[tuple[Any, str]]:
    """Return handle and text of the marks that occur."""
    occurring = set(table["state"])
    handles: list[tuple[Any, str]] = []
    if table["zero_optimum"].astype(bool).any():
        handles.append((_sign("o", "black"), "zero optimum"))
    for state, sign, face, ink in (
        ("unpaired", "x", "white", "black"),
        ("failed", "_", "black", "white"),
        ("neither", "x", "black", "white"),
    ):
        if state in occurring:
            handles.append(((Patch(facecolor=face, edgecolor=EDGE), _sign(sign, ink)), marks[state]))
    if (table["open"] & table["state"].isin(["value", "open"])).any():
        handles.append((Line2D([], [], marker=".", color="black", linestyle="", markersize=4), marks["open"]))
    if "waiting" in occurring:
        handles.append((Patch(facecolor="#EDEDED", edgecolor=EDGE, hatch="//////", linewidth=0), "not run"))
    return handles


def _sign(marker: str, ink: str) -> Any:
    return Line2D([], [], marker=marker, color=ink, linestyle="", fillstyle="none", markersize=4, markeredgewidth=0.9)
