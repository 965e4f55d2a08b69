"""One panel of boxplots: a test case, grouped by E, the strategies side by side in each group, coloured by c.

Objective values are divided by another value, which says nothing where the optimum is zero. The boxes of such
instances stand in a strip of their own below the others, where f itself is drawn on a logarithmic axis.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

import matplotlib
import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.lines import Line2D

from unbounded.figures import captions, style
from unbounded.figures.parts.boxes import FAILED, Box, box, heads, robust_limit
from unbounded.tables.measures import ATOL

Measure = Literal["normalised", "normalised_optimum", "delta_z", "delta_z_best_known", "delta_z_proven"]
#: What a panel may have to explain, in the order of the legend.
SIGNS = (
    "reference",
    "optimum",
    "outlier",
    "outlier above",
    "cut",
    "1 head",
    "2 heads",
    "3 heads",
    "no median",
    "n/m",
    "no value",
    "by optimum",
    "not proven",
    "zero",
)
NO_MEDIAN = ("no median", "no solution in half of the runs or more")
REFERENCE_LINE: dict[str, Any] = {"color": "black", "linewidth": 0.7, "linestyle": "--"}
HEAD_WORDS = ("box above the axis", "median above 100", "median above 10⁶")
#: Between strategies and between constraint levels, in boxes.
GAP_STRATEGY, GAP_LEVEL = 1.0, 2.0
#: Signs at the bottom, at the top, and arrows, as shares of the panel's height.
BOTTOM, TOP, STEM = 0.035, 0.97, 0.885
#: Of a panel with zero optima, the share of its height for their strip, and for the gap above it.
STRIP, GAP_STRIP = 0.34, 0.04
#: A cut box or whisker ends in a slanted band.
BREAK = [(-1.0, -0.8), (1.0, 0.0), (1.0, 0.8), (-1.0, 0.0)]


def palette(levels: Sequence[float]) -> dict[float, Any]:
    """Return a colour for each c, even in lightness; without the darkest end, which would hide the median."""
    shades = np.linspace(0.25, 1.0, len(levels)) if len(levels) > 1 else [0.6]
    return {c: matplotlib.colormaps["plasma"](shade) for c, shade in zip(levels, shades, strict=True)}


class Panel:
    """One axes, `width` inches wide; `signs` collects what it has to explain: handle and text."""

    def __init__(
        self,
        ax: Any,
        measure: Measure,
        names: Mapping[str, str],
        other: str,
        colours: Mapping[float, Any],
        width: float,
    ) -> None:
        self.ax, self.measure, self.names, self.other, self.colours = ax, measure, names, other, colours
        self.objective, self.to_optimum = measure.startswith("normalised"), measure.endswith(("optimum", "proven"))
        self.width = 0.84 * width
        self.edge = ax.get_xaxis_transform()  # x in boxes, y as a share of the height
        self.signs: dict[str, tuple[Any, str]] = {}
        #: Points that the notes above the panel take.
        self.headroom = 0.0
        #: The strip for zero optima, if there are any, and where the panel proper begins, as a share of the height.
        self.strip: Any = None
        self.floor = 0.0

    def draw(self, table: Any) -> None:
        """Draw the runs of one test case."""
        levels = sorted(table["E"].unique())
        step = len(self.colours) + GAP_STRATEGY
        group = len(self.names) * step + GAP_LEVEL
        self.inches = self.width * step / (group * len(levels))  # of one strategy at one E
        self.size = min(3.2, max(1.8, 72 * self.inches / step * 0.8))  # of signs: they do not touch
        if self.objective and (table["zero_optimum"].astype(bool) & table["solver"].isin(list(self.names))).any():
            self.strip, self.floor = self.ax.inset_axes((0, 0, 1, STRIP)), STRIP + GAP_STRIP
        boxes: list[Box] = []
        zeros: list[Box] = []
        centres: list[float] = []
        for i, E in enumerate(levels):
            for ax in self._axes() if i else ():
                ax.axvline(i * group - (GAP_LEVEL + GAP_STRATEGY + 1) / 2, color="0.6", linewidth=0.6)
            for j, solver in enumerate(self.names):
                left = i * group + j * step
                centres.append(left + (len(self.colours) - 1) / 2)
                for ax in self._axes() if j % 2 else ():
                    ax.axvspan(left - 1, left + step - 1, color="0.94", linewidth=0, zorder=0)
                lines = table[(table["E"] == E) & (table["solver"] == solver) & captions.made(table)]
                zero = lines["zero_optimum"].astype(bool) & (self.strip is not None)
                boxes += self._group(lines[~zero], left)
                zeros += self._zeros(lines[zero], left)
                self._note_failures(lines, centres[-1])
        self._limits(boxes)
        self._boxes(self.ax, boxes, self.limit, self.top)
        for b in boxes:
            self._beyond(b)
        self._label(centres, {i * group + (group - GAP_LEVEL - 2) / 2: E for i, E in enumerate(levels)})
        for ax in self._axes():
            ax.set_xlim(-1, len(levels) * group - GAP_LEVEL - 1)
        if self.strip is not None:
            self._draw_strip(zeros)

    def _axes(self) -> list[Any]:
        return [self.ax] if self.strip is None else [self.ax, self.strip]

    def _group(self, lines: Any, left: float) -> list[Box]:
        """Return the boxes of a strategy at one E, and mark what they cannot say."""
        boxes = []
        for k, c in enumerate(self.colours):
            cell = lines[lines["c"] == c]
            if cell.empty:
                continue
            measure, compared_with = self.measure, "optimum" if self.to_optimum else "reference_f"
            if measure == "normalised" and cell["reference_f"].isna().all() and cell["optimum"].notna().all():
                measure, compared_with = "normalised_optimum", "optimum"
                self._sign("by optimum", f"no value of {self.other}: f / optimum", left + k, BOTTOM, "d", "black")
            values = cell[measure].dropna().to_numpy(dtype=float)
            comparable = self.measure == "delta_z_best_known" or cell[compared_with].notna().all()
            # A failed run has a place above all objective values; it has no integers.
            failures = int((~cell["solved"].astype(bool)).sum()) if self.objective and comparable else 0
            if len(values) + failures:
                boxes.append(box(left + k, c, values, failures))
            elif not comparable and self.to_optimum:
                self._sign("not proven", "optimum not proven", left + k, BOTTOM, "+", "black")
            elif not comparable:
                self._sign("no value", f"no value of {self.other}", left + k, BOTTOM, "x", "black")
            if cell["zero_optimum"].astype(bool).any():
                self._sign("zero", "zero optimum", left + k, BOTTOM, "o", "black")
        return boxes

    def _zeros(self, lines: Any, left: float) -> list[Box]:
        """Return the boxes of a strategy at one E where the optimum is zero: of f itself, in powers of ten."""
        boxes = []
        for k, c in enumerate(self.colours):
            cell = lines[lines["c"] == c]
            if cell.empty:
                continue
            f = cell["f"].dropna().to_numpy(dtype=float)
            boxes.append(box(left + k, c, np.log10(np.maximum(f, ATOL)), len(cell) - len(f)))
            if not self.to_optimum and cell["reference_f"].notna().any():
                y = math.log10(max(float(cell["reference_f"].min()), ATOL))
                self.strip.plot([left + k - 0.5, left + k + 0.5], [y, y], zorder=4.5, **REFERENCE_LINE)
        return boxes

    def _draw_strip(self, zeros: Sequence[Box]) -> None:
        """Draw the boxes of zero optima between the least f that is told apart from zero and their highest."""
        # Between a value and a failed run a quartile may lie anywhere up to FAILED; no value has 300 digits.
        known = [y for b in zeros for y in (b.median, b.q3, b.high, *b.outliers) if y < math.log10(FAILED)]
        low, high = math.log10(ATOL), math.ceil(max([0.0, *known]))
        room = 0.06 * (high - low)
        self.strip.set_ylim(low - room, high + 2 * room)
        every = math.ceil((high - low) / 4)
        ticks = list(range(math.floor(low), high + 1, every))
        texts = [f"10{str(tick).translate(style.SUPERSCRIPTS)}" for tick in ticks]
        self.strip.set_yticks(ticks, texts, fontsize=style.SMALL)
        self.strip.set_xticks([])
        self.strip.set_ylabel("f (opt. 0)", fontsize=style.SMALL)
        self._boxes(self.strip, zeros, high + room, high + room)
        edge = self.strip.get_xaxis_transform()
        for b in zeros:
            if b.failed:
                self._sign(*NO_MEDIAN, b.x, 0.9, "X", style.CONSTRAINT, self.strip, edge)

    def _note_failures(self, lines: Any, centre: float) -> None:
        failures = int((~lines["solved"].astype(bool)).sum())
        if not failures:
            return
        text = f"{failures}/{len(lines)}"
        upright = style.text_width(text) + 0.04 > self.inches
        place = {"ha": "center", "va": "bottom", "rotation": 90 if upright else 0, "transform": self.edge}
        self.ax.text(centre, 1.02, text, fontsize=style.SMALL, color=style.CONSTRAINT, **place)
        self.headroom = max(self.headroom, 72 * style.text_width(text) + 6 if upright else 12)
        if "n/m" not in self.signs:
            # Left of the numbers stands what they count.
            at = {"ha": "right", "va": "bottom", "fontsize": style.SMALL, "transform": self.ax.transAxes}
            self.ax.text(-0.012, 1.02, "failed", color=style.CONSTRAINT, **at)
        look: dict[str, Any] = {"marker": r"$\mathrm{n/m}$", "markersize": 11, "markeredgewidth": 0}
        handle = Line2D([], [], color=style.CONSTRAINT, linestyle="", **look)
        self.signs["n/m"] = handle, "failed: n of m runs without solution"

    def _sign(
        self, kind: str, text: str, x: float, y: float, marker: str, ink: str, ax: Any = None, edge: Any = None
    ) -> None:
        """Put a sign at a share y of the panel proper, or of another axes with its own edge."""
        if ax is None:
            ax, edge, y = self.ax, self.edge, self._height(y)
        look: dict[str, Any] = {"marker": marker, "color": ink, "fillstyle": "none", "linestyle": ""}
        look |= {"markeredgewidth": 0.7}
        ax.plot(x, y, transform=edge, clip_on=False, zorder=5, markersize=self.size, **look)
        self.signs[kind] = Line2D([], [], markersize=3.2, **look), text

    def _height(self, share: float) -> float:
        """Return a height in the panel proper as a share of the whole."""
        return self.floor + share * (1 - self.floor)

    def _limits(self, boxes: Sequence[Box]) -> None:
        """Set the axis: below it a line of signs, and above `limit` room for arrows, where there are any."""
        below = 0.1 if {"no value", "by optimum", "not proven", "zero"} & self.signs.keys() else 0.03
        if not self.objective:
            self.limit = self.top = 1.03
            self.ax.set_ylim(-below, self.top)
            return
        quartile = robust_limit(boxes)
        inside = [b for b in boxes if b.q3 <= quartile]
        # Long whiskers are cut, so that they do not press the boxes together.
        self.limit = max([quartile, *(min(b.high, 1 + 2 * (quartile - 1)) for b in inside)])
        low = min([0.997, *(b.low for b in boxes), *(y for b in boxes for y in b.outliers)])
        extent = self.limit - low
        self.top = self.limit + (0.16 if len(inside) < len(boxes) else 0.05) * extent
        bottom = low - below * extent
        self.ax.set_ylim(self.top - (self.top - bottom) / (1 - self.floor), self.top)
        if self.floor:
            self.ax.set_yticks([tick for tick in self.ax.get_yticks() if bottom <= tick <= self.top])
        self.ax.axhline(1, zorder=1, **REFERENCE_LINE)
        name, text = ("optimum", "optimum") if self.to_optimum else ("reference", f"value of {self.other}")
        self.signs[name] = Line2D([], [], **REFERENCE_LINE), text

    def _boxes(self, ax: Any, boxes: Sequence[Box], limit: float, top: float) -> None:
        """Draw what is inside an axis, each kind of part as one collection: that keeps the file small.

        A box that reaches above `limit` is cut there, a whisker at `top`; both are marked.
        """
        ends = {b: limit if b.q3 > limit else top for b in boxes}
        seen = [b for b in boxes if b.low < ends[b]]
        whiskers = [[(b.x, b.low), (b.x, min(b.q1, ends[b]))] for b in seen]
        whiskers += [[(b.x, b.q3), (b.x, min(b.high, ends[b]))] for b in seen if b.q3 < ends[b]]
        ax.add_collection(LineCollection(whiskers, colors="0.3", linewidths=0.6, zorder=2))
        bodies = [b for b in seen if b.q1 < ends[b]]
        corners = [self._corners(ax, b, ends[b]) for b in bodies]
        faces = [self.colours[b.c] for b in bodies]
        ax.add_collection(PolyCollection(corners, facecolors=faces, edgecolors="0.2", linewidths=0.5, zorder=3))
        medians = [[(b.x - 0.4, b.median), (b.x + 0.4, b.median)] for b in bodies if b.median <= ends[b]]
        ax.add_collection(LineCollection(medians, colors="black", linewidths=1.1, zorder=4))
        outliers = [(b.x, y) for b in boxes for y in b.outliers if y <= top]
        if outliers:
            look: dict[str, Any] = {"marker": "o", "color": "black", "linestyle": "", "markersize": 1.6}
            ax.plot(*zip(*outliers, strict=True), zorder=4, **look)
            self.signs["outlier"] = Line2D([], [], **look), "outlier"
        bottom, edge = ax.get_ylim()
        lowered = 0.012 * (edge - bottom)
        cut = [(b.x, min(ends[b], edge - lowered)) for b in seen if max(b.q3, b.high) > ends[b]]
        if cut:
            look = {"marker": BREAK, "markerfacecolor": "white", "markeredgecolor": "0.2", "markeredgewidth": 0.5}
            ax.plot(*zip(*cut, strict=True), linestyle="", markersize=1.4 * self.size, zorder=6, **look)
            self.signs["cut"] = Line2D([], [], linestyle="", markersize=6, **look), "cut here"

    def _corners(self, ax: Any, b: Box, end: float) -> list[tuple[float, float]]:
        """Return the corners of a box; however flat, it is high enough to show its colour."""
        bottom, top = ax.get_ylim()
        least = 0.009 * (top - bottom) / (STRIP if ax is self.strip else 1.0)
        low, high = min(b.q1, b.median - least), max(min(b.q3, end), b.median + least if b.median < end else bottom)
        return [(b.x - 0.4, low), (b.x + 0.4, low), (b.x + 0.4, high), (b.x - 0.4, high)]

    def _beyond(self, b: Box) -> None:
        """Mark what lies above the axis."""
        if b.failed:
            self._sign(*NO_MEDIAN, b.x, TOP, "X", style.CONSTRAINT)
        elif b.q3 > self.limit:
            number = heads(b.median) if b.median > self.limit else 1
            look: dict[str, Any] = {"marker": "^", "linestyle": "", "markeredgewidth": 0.35, "markeredgecolor": "0.1"}
            stem = [self._height(STEM), self._height(TOP)]
            self.ax.plot([b.x, b.x], stem, color="0.2", linewidth=0.6, transform=self.edge, zorder=4)
            heights = [self._height(0.975 - 0.03 * position) for position in range(number)]
            colour = self.colours[b.c]
            self.ax.plot(
                [b.x] * number, heights, color=colour, markersize=self.size, transform=self.edge, zorder=5, **look
            )
            handle = Line2D([], [], color="0.6", markersize=3.5, **look)
            self.signs[SIGNS[SIGNS.index("1 head") + number - 1]] = (handle,) * number, HEAD_WORDS[number - 1]
        elif any(y > self.top for y in b.outliers):
            self._sign("outlier above", "outlier above the axis", b.x, TOP + 0.015, "^", "black")

    def _label(self, centres: Sequence[float], levels: Mapping[float, float]) -> None:
        names = list(self.names.values())
        widths = [style.text_width(name) for name in names]
        neighbours = [(a + b) / 2 for a, b in pairwise(widths)] or widths
        upright = max(neighbours) + 0.03 > self.inches
        # The middle one of several strategies is where the label of E is.
        self.ax.xaxis.remove_overlapping_locs = False
        texts = names * len(levels)
        self.ax.set_xticks(centres, texts, minor=True, fontsize=style.SMALL, rotation=90 if upright else 0)
        self.ax.tick_params(axis="x", which="minor", length=0, pad=2)
        self.ax.set_xticks(list(levels), [f"E = {style.number(E)}" for E in levels.values()], fontsize=8)
        self.ax.tick_params(axis="x", which="major", length=0, pad=72 * max(widths) + 5 if upright else 12)
        self.ax.tick_params(axis="y", labelsize=style.SMALL)
        self.ax.ticklabel_format(axis="y", useOffset=False)
        words = {
            "normalised": f"f / f of {self.other}",
            "normalised_optimum": "f / optimum",
            "delta_z": f"Δz against {self.other}",
            "delta_z_proven": "Δz against the optimum",
        }
        self.ax.set_ylabel(words.get(self.measure, "Δz against the best known"), fontsize=8, y=self._height(0.5))
