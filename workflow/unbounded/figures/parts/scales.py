"""Colours of normalised values: the paper's scales, with zones that are told apart at a glance and in grey.

A value is below the scale (white), better than what it is compared with (pale), similar (a light colour), worse
(darkening) or beyond the scale (darkest). Where it is compared with the optimum none is better, and what is as good is
white. Lightness falls from zone to zone, so the order survives grey print and colour blindness.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any, Literal

import matplotlib
import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_rgba

from unbounded.figures import style
from unbounded.tables.measures import OPTIMAL

Zone = Literal["below", "better", "optimal", "similar", "worse", "beyond"]
RGBA = tuple[float, float, float, float]


@cache
def _ramp(colours: tuple[str, ...]) -> Any:
    """Return the map through these colours; made once, since a page asks it for every cell."""
    return LinearSegmentedColormap.from_list("worse", colours)


@dataclass(frozen=True)
class Zones:
    """A scale [low, high] around 1 with its colours; `ramp` is evenly spaced in lightness."""

    low: float
    high: float
    ticks: tuple[float, ...]
    better: str
    similar: str
    ramp: tuple[str, ...]
    beyond: str
    logarithmic: bool = False
    tolerance: float = 0.01
    similar_word: str = "similar"
    #: Up to this share above 1 a value is the optimum; none where 1 is no optimum.
    optimal: float | None = None

    def zone(self, value: float) -> Zone:
        """Return the zone of a value; a share of `tolerance` either way of 1 is similar."""
        margin = self.tolerance * (1 + 1e-9)  # as in the tables: ties are similar
        if self.optimal is not None and value <= 1 + self.optimal * (1 + 1e-9):
            return "optimal"
        if value < 1 - margin:
            return "better" if value >= self.low else "below"
        if value <= 1 + margin:
            return "similar"
        return "worse" if value <= self.high else "beyond"

    def depth(self, value: float) -> float:
        """Return how far a worse value is on its way to the end of the scale, from 0 to 1."""
        scale = math.log if self.logarithmic else float
        start, end = scale(1 + self.tolerance), scale(self.high)
        return min(1.0, max(0.0, (scale(value) - start) / (end - start)))

    def colour(self, value: float) -> RGBA:
        """Return the colour of a value."""
        zone = self.zone(value)
        if zone == "worse":
            red, green, blue, alpha = _ramp(self.ramp)(self.depth(value))
            return red, green, blue, alpha
        plain = {"below": "white", "optimal": "white", "better": self.better, "similar": self.similar}
        return to_rgba(plain.get(zone, self.beyond))

    def draw_key(self, ax: Any, title: str, least: bool = False) -> None:
        """Draw the scale with its zones named; widths are for reading, only the worse zone is to scale.

        `least`: values are divided by the least there is, so that none is better; those that are optimal, if they have
        a zone, stand in that place.
        """
        names = ("optimal",) if self.optimal is not None else () if least else ("below", "better")
        starts = [1.3 * place for place in range(len(names) + 2)]
        similar, worse = starts[-2:]
        edges = dict(zip((*names, "similar"), pairwise(starts), strict=True))
        edges |= {"worse": (worse, worse + 3.4), "beyond": (worse + 3.4, worse + 4.7)}
        words = {"similar": self.similar_word, "below": f"below {self.low:g}", "beyond": f"above {self.high:g}"}
        for zone, (left, right) in edges.items():
            ink = "white" if zone in ("worse", "beyond") else "black"
            place = {"ha": "center", "va": "center_baseline", "fontsize": style.SMALL, "color": ink}
            ax.text((left + right) / 2, 0.47, words.get(zone, zone), **place)
        samples = {"below": 0.0, "better": self.low, "optimal": 1.0, "similar": 1 + self.tolerance, "beyond": math.inf}
        for zone, (left, right) in edges.items():
            if zone in samples:
                ax.fill_between([left, right], 0, 1, color=self.colour(samples[zone]), linewidth=0)
        left, right = edges["worse"]
        gradient = np.linspace(0, 1, 128)[None, :]
        ramp = LinearSegmentedColormap.from_list("worse", self.ramp)
        ax.imshow(gradient, cmap=ramp, extent=(left, right, 0, 1), aspect="auto")
        positions = {1 + self.tolerance: left}
        positions |= {value: left + self.depth(value) * (right - left) for value in self.ticks}
        if self.optimal is not None:
            positions |= {1.0: 0.0, 1 + self.optimal: similar}
        elif least:
            positions |= {1.0: 0.0}
        else:
            positions |= {self.low: edges["better"][0], 1 - self.tolerance: similar}
        ax.set_xticks(list(positions.values()), [f"{value:g}" for value in positions], fontsize=style.SMALL)
        ax.set(xlim=(0.0, edges["beyond"][1]), ylim=(0, 1), yticks=[])
        ax.set_xlabel(title, fontsize=8)


def dark(colour: RGBA) -> bool:
    """Whether a mark on this colour must be white."""
    red, green, blue, _ = colour
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.45


#: Objective values against the reference (the paper's white, yellow, red, black on [0.9, 1.5]).
OBJECTIVE = Zones(
    low=0.9,
    high=1.5,
    ticks=(1.1, 1.2, 1.3, 1.4, 1.5),
    better="#FFF3C9",
    similar="#FBCF4A",
    ramp=("#F08A3C", "#DB4A2B", "#A8161F", "#5C0A12"),
    beyond="#000000",
)
#: Objective values against the proven optimum, on [1, 1.5].
OPTIMUM = replace(OBJECTIVE, optimal=OPTIMAL)
#: Translated against untranslated values (the paper's white, light blue, dark blue on [0.5, 2.0]).
RATIO = Zones(
    low=0.5,
    high=2.0,
    ticks=(1.1, 1.25, 1.5, 2.0),
    better="#E9F3FB",
    similar="#BFDCF2",
    ramp=("#8FC1E3", "#4A90C4", "#1F5C99", "#0B2E5C"),
    beyond="#040C1E",
    logarithmic=True,
    similar_word="same",
)
#: Shares of integers that differ: blue none, red all; readable with any colour blindness.
DELTA_Z = matplotlib.colormaps["RdYlBu_r"]
