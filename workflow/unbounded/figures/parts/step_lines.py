"""Lines that rise in steps, one for each solver of a slice: shares by what was spent, or by a ratio of it.

White-box solvers and strategies share the panels in CPU seconds; evaluations are counted by strategies alone. Solvers
differ in colour, dashes and markers, so no line is told by its colour only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import seaborn as sns
from matplotlib.lines import Line2D

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.tables.targets import CLOCK, MEASURES, TARGETS

AXES = {"cpu_seconds": "CPU seconds of all threads", "evaluations": "evaluations"}
ENDS = "A line ends where the solver's longest run does."
#: Height of a panel and of a legend's row, in inches.
PANEL, ROW = 2.1, 0.2


def slice_text(runs: Any) -> str:
    """Write the slice of these runs and its values of c and E."""
    return f"{captions.the_slice(runs)}; {captions.grid(runs)}"


def common(runs: Any, labels: Labels | None, budgets: Budgets | None, trace_points: int | None) -> list[str]:
    """Return the sentences on targets, references, times and runs."""
    instances = runs.drop_duplicates("instance")
    zeros = int(instances["zero_optimum"].sum())
    made = captions.made(runs)
    solved = runs["solved"].astype(bool)
    return [
        f"Targets are {captions.listing([target_text(target) for target in TARGETS])} above the best value known from "
        "any solver, relative to it"
        + (f", and absolute on {captions.count(zeros, 'instance')} whose optimum is zero." if zeros else "."),
        captions.certified_values(instances),
        "Runs without a verified solution reach no target.",
        "Times come from thinned traces: "
        + (
            f"of {trace_points} entries a run, so a target may be reached earlier than it seems, by as much as lies "
            "between two entries. Runs with many improvements lose by it, so strategies more than white-box solvers."
            if trace_points
            else "evaluations are at most 3 % late."
        ),
        captions.budgets_text(budgets, solvers_of(runs), labels),
        captions.stands_on(made.sum(), len(runs), (made & solved).sum()),
    ]


def target_text(target: float) -> str:
    """Write a target as a power of ten, also 10⁻¹, which elsewhere is 0.1."""
    return f"10{str(round(np.log10(target))).translate(style.SUPERSCRIPTS)}"


# --- Drawing -------------------------------------------------------------------------------------------------------


def solvers_of(runs: Any) -> list[str]:
    """Return the solvers of one study's slice, the paper's strategies first, the reference among the others."""
    captions.only(runs, "study")
    captions.only(runs, "slice")
    return captions.strategies_of(runs.assign(is_reference=False))


def measures_of(anytime: Any) -> list[str]:
    """Return what is to be drawn against: evaluations only if somebody counted them."""
    return [name for name in reversed(MEASURES) if name == "cpu_seconds" or anytime[f"spent_{name}"].notna().any()]


def grid(rows: int, columns: int, solvers: Sequence[str], labels: Labels | None, height: float) -> Any:
    """Return a figure of panels of that height, their axes, and a strip below them for the legend."""
    names = [captions.name(solver, labels) for solver in solvers]
    footer = 0.15 + ROW * -(-len(names) // style.legend_columns(names, style.WIDTH - 0.8))
    size = (style.WIDTH if columns > 1 else 4.6, rows * height + footer)
    return style.figure_with_footer(rows, columns, size, footer, sharey=True)


def limits_of(anytime: Any, measure: str) -> tuple[float, float]:
    """Return the part of the axis that is shown: from the first target reached to the end of the longest run."""
    floor = CLOCK if measure == "cpu_seconds" else 1.0
    high = max(floor, float(anytime[f"spent_{measure}"].max())) if anytime[f"spent_{measure}"].notna().any() else 1.0
    low = anytime[measure].dropna()
    first = max(floor, float(low.min())) if len(low) else high / 100
    return first / 1.5, 1.5 * high


def distribution(
    ax: Any, anytime: Any, measure: str, solvers: Sequence[str], limits: tuple[float, float] | None = None
) -> None:
    """Draw, for each solver, which share of its lines was reached by when; a line ends with the longest run."""
    low, high = limits or limits_of(anytime, measure)
    for number, solver in enumerate(solvers):
        lines = anytime[anytime["solver"] == solver]
        spent = lines[f"spent_{measure}"].dropna()
        if spent.empty:
            continue
        times = np.sort(lines.loc[lines["reached"], measure].dropna().to_numpy(dtype=float))
        shares = np.full(len(times), 1 / len(lines))
        line(ax, times, shares, (low, max(low, float(spent.max()))), look_of(number, solvers))
    set_axes(ax, (low, high))


def line(ax: Any, x: Any, shares: Any, ends: tuple[float, float], look: dict[str, Any]) -> None:
    """Draw how shares add up by x, which rises, to the right end; without any, a line at zero between both ends.

    The shares are of all there is, so what never happened keeps a line below 1.
    """
    known, weights = (x, shares) if len(x) else (ends[:1], [0.0])
    # The end weighs nothing: it only makes the line reach there.
    sns.ecdfplot(x=[*known, max(ends[1], known[-1])], weights=[*weights, 0.0], stat="count", ax=ax, **look)
    # It begins at minus infinity, which no layout can place.
    drawn = ax.lines[-1]
    drawn.set_xdata([known[0], *drawn.get_xdata()[1:]])


def look_of(number: int, solvers: Sequence[str]) -> dict[str, Any]:
    """Return colour, dashes and marker of a solver, by its place."""
    return {
        "color": style.strategy_colours(solvers)[solvers[number]],
        "linestyle": style.DASHES[number % len(style.DASHES)],
        "linewidth": 1.3,
        "marker": style.MARKERS[number % len(style.MARKERS)],
        "markersize": 3.5,
        # Shares of the axes' diagonal; each solver's start elsewhere, so that they do not cover one another.
        "markevery": (0.05 + 0.045 * number % 0.18, 0.18),
        "clip_on": False,
    }


def set_axes(ax: Any, limits: tuple[float, float]) -> None:
    """Give a panel its axes: shares over a logarithmic scale."""
    ax.set_xscale("log")
    ax.set(xlim=limits, ylim=(0, 1))
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    ax.tick_params(labelsize=style.SMALL)
    ax.xaxis.set_major_formatter(lambda value, _: style.number(value))
    ax.xaxis.set_minor_formatter(lambda value, _: "")
    ax.grid(True, which="major", color="0.9", linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)


def legend(strip: Any, solvers: Sequence[str], labels: Labels | None) -> None:
    """Say below the panels which line is whose."""
    names = [captions.name(solver, labels) for solver in solvers]
    handles = [Line2D([], [], **{**look_of(number, solvers), "markevery": None}) for number in range(len(solvers))]
    place: dict[str, Any] = {"loc": "center", "ncols": style.legend_columns(names, style.WIDTH - 0.8)}
    strip.legend(handles, names, fontsize=style.SMALL, frameon=False, handlelength=3, **place)
