"""The preliminary study: how the exact solver ended on sphere-by-sphere instances, the paper's Table 1 as a figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.patches import Rectangle

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.instances.spec import InstanceSpec
from unbounded.tables.measures import NOT_MADE

#: The paper's green, blue and red, in tones that are told apart with any colour blindness and leave the text readable.
COLOURS = {"optimal": "#8FD4BB", "tolerance": "#A9D4F2", "time-out": "#F3AE86"}
OTHER = "#DDDDDD"


def draw_preliminary(preliminary: Any, paths: Sequence[Path], *, labels: Labels | None = None) -> None:
    """Draw one study of the table `preliminary`: statuses by dimension and level, with the time that each took."""
    captions.only(preliminary, "study")
    dimensions, levels = (sorted(preliminary[column].unique()) for column in ("D", "E"))
    tables = _tables(preliminary, labels)
    height = 0.36 * (len(dimensions) + 1) + (0.3 if len(tables) > 1 else 0.1)
    fig, axes = style.figure(len(tables), 1, (min(style.WIDTH, 0.9 + 1.25 * len(levels)), len(tables) * height))
    for ax, (title, lines) in zip(axes[:, 0], tables.items(), strict=True):
        _table(ax, lines.set_index(["D", "E"]), dimensions, levels)
        if len(tables) > 1:
            ax.set_title(title, fontsize=8, loc="left", fontweight="bold")
    style.save(fig, paths)


def caption_preliminary(preliminary: Any, *, labels: Labels | None = None, budgets: Budgets | None = None) -> str:
    """Say what `draw_preliminary` shows and stands on."""
    solvers = preliminary["solver"].unique().tolist()
    made = preliminary[captions.made(preliminary)]
    counts = made["status"].value_counts()
    ordered = [*(s for s in COLOURS if s in counts), *sorted(s for s in counts.index if s not in COLOURS)]
    names = captions.listing([captions.name(solver, labels) for solver in solvers])
    return captions.sentences(
        f"How {names} ended on sphere-by-sphere instances, by dimension D and constraint level E, and the wall-clock "
        "time it took.",
        f"{captions.listing([f'{counts[status]} {status}' for status in ordered])}." if ordered else "",
        "Optimal: proven; tolerance: proven within the relative gap; time-out: a solution whose optimality is open.",
        captions.budgets_text(budgets, solvers, labels),
        f"Stands on {len(made):,} of {captions.count(len(preliminary), 'planned run')}.",
    )


def _tables(preliminary: Any, labels: Labels | None) -> dict[str, Any]:
    """Return a table for each solver, and for each kind and translation where the study has several."""
    specs = [InstanceSpec.parse(instance) for instance in preliminary["instance"]]
    slices = preliminary.assign(kind=[spec.kind for spec in specs], t=[spec.t for spec in specs])
    several = [column for column in ("kind", "t") if slices[column].nunique() > 1]
    tables = {}
    for key, lines in slices.groupby(["solver", *several], sort=False):
        values = dict(zip(several, key[1:], strict=True))
        kind, t = captions.KINDS.get(values.get("kind", "")), values.get("t")
        words = [captions.name(key[0], labels), kind, None if t is None else f"t = {style.number(t)}"]
        tables[", ".join(filter(None, words))] = lines
    return tables


def _table(ax: Any, lines: Any, dimensions: Sequence[int], levels: Sequence[float]) -> None:
    for row, D in enumerate(dimensions):
        for column, E in enumerate(levels):
            if (D, E) not in lines.index:
                status, seconds = "not planned", np.nan
            else:
                line = lines.loc[(D, E)]
                status, seconds = line["status"], line["wall_seconds"]
                status = "not run" if status in NOT_MADE else status
            colour = COLOURS.get(status, "white" if status.startswith("not ") else OTHER)
            ax.add_patch(Rectangle((column, row), 1, 1, facecolor=colour, edgecolor="white", linewidth=1.5))
            known = seconds == seconds and seconds is not None
            place: dict[str, Any] = {"ha": "center", "va": "center"}
            ax.text(column + 0.5, row + (0.34 if known else 0.5), status, fontsize=8, **place)
            if known:
                ax.text(
                    column + 0.5, row + 0.72, _duration(float(seconds)), fontsize=style.SMALL, color="0.25", **place
                )
    ax.set(xlim=(0, len(levels)), ylim=(len(dimensions), 0))
    ax.set_xticks(np.arange(len(levels)) + 0.5, [f"E = {style.number(E)}" for E in levels], fontsize=8)
    ax.set_yticks(np.arange(len(dimensions)) + 0.5, [f"D = {int(D)}" for D in dimensions], fontsize=8)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def _duration(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:,.0f} s"
