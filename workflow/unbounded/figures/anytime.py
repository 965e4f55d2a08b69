"""Anytime comparison of a slice: when runs reach targets (empirical distributions), and performance profiles.

White-box solvers and strategies share the panels in CPU seconds; evaluations are counted by strategies alone. Solvers
differ in colour, dashes and markers, so no line is told by its colour only.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.lines import Line2D

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.tables.targets import CLOCK, MEASURES, TARGETS

AXES = {"cpu_seconds": "CPU seconds of all threads", "evaluations": "evaluations"}
ENDS = "A line ends where the solver's longest run does."
#: Height of a panel and of a legend's row, in inches.
PANEL, ROW = 2.1, 0.2


def draw_runtimes(anytime: Any, runs: Any, paths: Sequence[Path], *, labels: Labels | None = None) -> None:
    """Draw the share of all pairs of run and target by what was spent: in CPU seconds, and in evaluations."""
    solvers = _solvers(runs)
    measures = _measures(anytime)
    fig, axes, strip = _grid(1, len(measures), solvers, labels, height=2.7)
    for position, measure in enumerate(measures):
        ax = axes[0, position]
        mark = f"{style.letter(position)} " if len(measures) > 1 else ""
        ax.set_title(f"{mark}all targets", loc="left")
        _distribution(ax, anytime, measure, solvers)
        ax.set_xlabel(AXES[measure], fontsize=8)
    axes[0, 0].set_ylabel("share of runs and targets", fontsize=8)
    _legend(strip, solvers, labels)
    style.save(fig, paths)


def draw_targets(anytime: Any, runs: Any, paths: Sequence[Path], *, labels: Labels | None = None) -> None:
    """Draw the share of runs that reached each target by the CPU seconds spent."""
    solvers = _solvers(runs)
    fig, axes, strip = _grid(2, 3, solvers, labels, height=PANEL)
    limits = _limits(anytime, "cpu_seconds")
    for position, (ax, target) in enumerate(zip(axes.flat, TARGETS, strict=True)):
        ax.set_title(f"{style.letter(position)} target {_target(target)}", loc="left")
        _distribution(ax, anytime[anytime["target"] == target], "cpu_seconds", solvers, limits)
        ax.set_xlabel(AXES["cpu_seconds"] if position >= 3 else "", fontsize=8)
    for ax in axes[:, 0]:
        ax.set_ylabel("share of runs", fontsize=8)
    _legend(strip, solvers, labels)
    style.save(fig, paths)


def draw_profiles(profiles: Any, runs: Any, paths: Sequence[Path], *, labels: Labels | None = None) -> None:
    """Draw, for each target, the share of instances by the ratio to the least expected running time in CPU seconds."""
    solvers = _solvers(runs)
    table = profiles[profiles["measure"] == "cpu_seconds"]
    end = 1.3 * max(10.0, float(table["ratio"].max()) if len(table) else 10.0)
    fig, axes, strip = _grid(2, 3, solvers, labels, height=PANEL)
    for position, (ax, target) in enumerate(zip(axes.flat, TARGETS, strict=True)):
        ax.set_title(f"{style.letter(position)} target {_target(target)}", loc="left")
        for number, solver in enumerate(solvers):
            lines = table[(table["target"] == target) & (table["solver"] == solver)].sort_values("ratio")
            _line(ax, lines["ratio"].to_numpy(), lines["share"].to_numpy(), (1.0, end), _look(number, solvers))
        _axes(ax, (0.9, end))
        ax.set_xlabel("ratio to the least expected CPU time" if position >= 3 else "", fontsize=8)
    for ax in axes[:, 0]:
        ax.set_ylabel("share of instances", fontsize=8)
    _legend(strip, solvers, labels)
    style.save(fig, paths)


def caption_runtimes(anytime: Any, runs: Any, *, labels: Labels | None = None, budgets: Budgets | None = None) -> str:
    """Say what `draw_runtimes` shows and stands on."""
    reached = anytime.groupby("solver")["reached"].mean()
    ends = [f"{captions.name(s, labels)} {100 * reached.get(s, 0.0):.0f} %" for s in _solvers(runs)]
    by = captions.listing([AXES[measure] for measure in _measures(anytime)])
    return captions.sentences(
        f"Share of the pairs of a run and a target that were reached, by {by} ({_slice(runs)}).",
        ENDS,
        f"In the end: {'; '.join(ends)}.",
        *_common(runs, labels, budgets),
    )


def caption_targets(anytime: Any, runs: Any, *, labels: Labels | None = None, budgets: Budgets | None = None) -> str:
    """Say what `draw_targets` shows and stands on."""
    shares = anytime.groupby(["solver", "target"])["reached"].mean()
    ends = [
        f"{captions.name(solver, labels)} "
        + " / ".join(f"{100 * shares.get((solver, target), 0.0):.0f}" for target in TARGETS)
        for solver in _solvers(runs)
    ]
    return captions.sentences(
        f"Share of the runs that reached a target, by {AXES['cpu_seconds']} ({_slice(runs)}).",
        ENDS,
        f"In the end, in % by target from 10⁻¹ to 10⁻⁶: {'; '.join(ends)}.",
        *_common(runs, labels, budgets),
    )


def caption_profiles(profiles: Any, runs: Any, *, labels: Labels | None = None, budgets: Budgets | None = None) -> str:
    """Say what `draw_profiles` shows and stands on."""
    table = profiles[profiles["measure"] == "cpu_seconds"]
    solved = table.groupby(["solver", "target"])["share"].max()
    ends = [
        f"{captions.name(solver, labels)} "
        + " / ".join(f"{100 * solved.get((solver, target), 0.0):.0f}" for target in TARGETS)
        for solver in _solvers(runs)
    ]
    return captions.sentences(
        "Performance profiles: the share of the instances on which a solver's expected running time to a target is at "
        f"most so many times the least of all solvers ({_slice(runs)}).",
        "The expected running time is what all runs on an instance spent, each up to the target or to its end, divided "
        "by the number of those that reached it.",
        f"Instances on which the target was reached at all, in % by target from 10⁻¹ to 10⁻⁶: {'; '.join(ends)}.",
        *_common(runs, labels, budgets),
    )


# --- What is said of all -------------------------------------------------------------------------------------------


def _slice(runs: Any) -> str:
    return f"{captions.the_slice(runs)}; {captions.grid(runs)}"


def _common(runs: Any, labels: Labels | None, budgets: Budgets | None) -> list[str]:
    """Return the sentences on targets, references, times and runs."""
    instances = runs.drop_duplicates("instance")
    zeros = int(instances["zero_optimum"].sum())
    made = captions.made(runs)
    solved = runs["solved"].astype(bool)
    return [
        f"Targets are {captions.listing([_target(target) for target in TARGETS])} above the best value known from any "
        "solver, relative to it"
        + (f", and absolute on {captions.count(zeros, 'instance')} whose optimum is zero." if zeros else "."),
        captions.certified_values(instances),
        "Runs without a verified solution reach no target.",
        "Times come from thinned traces: evaluations are at most 3 % late.",
        captions.budgets_text(budgets, _solvers(runs), labels),
        captions.stands_on(made.sum(), len(runs), (made & solved).sum()),
    ]


def _target(target: float) -> str:
    """Write a target as a power of ten, also 10⁻¹, which elsewhere is 0.1."""
    return f"10{str(round(np.log10(target))).translate(style.SUPERSCRIPTS)}"


# --- Drawing -------------------------------------------------------------------------------------------------------


def _solvers(runs: Any) -> list[str]:
    """Return the solvers of one study's slice, the paper's strategies first, the reference among the others."""
    captions.only(runs, "study")
    captions.only(runs, "group")
    return captions.strategies_of(runs.assign(is_reference=False))


def _measures(anytime: Any) -> list[str]:
    """Return what is to be drawn against: evaluations only if somebody counted them."""
    return [name for name in reversed(MEASURES) if name == "cpu_seconds" or anytime[f"spent_{name}"].notna().any()]


def _grid(rows: int, columns: int, solvers: Sequence[str], labels: Labels | None, height: float) -> Any:
    """Return a figure of panels of that height, their axes, and a strip below them for the legend."""
    names = [captions.name(solver, labels) for solver in solvers]
    footer = 0.15 + ROW * -(-len(names) // style.legend_columns(names, style.WIDTH - 0.8))
    size = (style.WIDTH if columns > 1 else 4.6, rows * height + footer)
    return style.figure_with_footer(rows, columns, size, footer, sharey=True)


def _limits(anytime: Any, measure: str) -> tuple[float, float]:
    """Return the part of the axis that is shown: from the first target reached to the end of the longest run."""
    floor = CLOCK if measure == "cpu_seconds" else 1.0
    high = max(floor, float(anytime[f"spent_{measure}"].max())) if anytime[f"spent_{measure}"].notna().any() else 1.0
    low = anytime[measure].dropna()
    first = max(floor, float(low.min())) if len(low) else high / 100
    return first / 1.5, 1.5 * high


def _distribution(
    ax: Any, anytime: Any, measure: str, solvers: Sequence[str], limits: tuple[float, float] | None = None
) -> None:
    """Draw, for each solver, which share of its lines was reached by when; a line ends with the longest run."""
    low, high = limits or _limits(anytime, measure)
    for number, solver in enumerate(solvers):
        lines = anytime[anytime["solver"] == solver]
        spent = lines[f"spent_{measure}"].dropna()
        if spent.empty:
            continue
        times = np.sort(lines.loc[lines["reached"], measure].dropna().to_numpy(dtype=float))
        _line(ax, *steps(times, len(lines)), (low, max(low, float(spent.max()))), _look(number, solvers))
    _axes(ax, (low, high))


def _line(ax: Any, x: Any, y: Any, ends: tuple[float, float], look: dict[str, Any]) -> None:
    """Draw steps from where the first one rises to the right end; without any, a line at zero between both ends."""
    start = x[0] if len(x) else ends[0]
    ax.step([start, *x, ends[1]], [0.0, *y, y[-1] if len(y) else 0.0], where="post", **look)


def steps(times: Any, n: int) -> tuple[Any, Any]:
    """Return where the share of n things that happened by a time rises, and to what: times are sorted."""
    x, last = np.unique(times[::-1], return_index=True)
    return x, (len(times) - last) / n


def _look(number: int, solvers: Sequence[str]) -> dict[str, Any]:
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


def _axes(ax: Any, limits: tuple[float, float]) -> None:
    ax.set_xscale("log")
    ax.set(xlim=limits, ylim=(0, 1))
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    ax.tick_params(labelsize=style.SMALL)
    ax.xaxis.set_major_formatter(lambda value, _: style.number(value))
    ax.xaxis.set_minor_formatter(lambda value, _: "")
    ax.grid(True, which="major", color="0.9", linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)


def _legend(strip: Any, solvers: Sequence[str], labels: Labels | None) -> None:
    names = [captions.name(solver, labels) for solver in solvers]
    handles = [Line2D([], [], **{**_look(number, solvers), "markevery": None}) for number in range(len(solvers))]
    place: dict[str, Any] = {"loc": "center", "ncols": style.legend_columns(names, style.WIDTH - 0.8)}
    strip.legend(handles, names, fontsize=style.SMALL, frameon=False, handlelength=3, **place)
