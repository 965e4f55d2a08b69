"""The preliminary study: how the exact solver ended on sphere-by-sphere instances, the paper's Table 1 as a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.contract import Description, Figure
from unbounded.instances.spec import InstanceSpec
from unbounded.tables.measures import NOT_MADE

if TYPE_CHECKING:
    from unbounded.figures.planned import Planned

#: The paper's green, blue and red, in tones that are told apart with any colour blindness and leave the text readable.
COLOURS = {"optimal": "#8FD4BB", "tolerance": "#A9D4F2", "time-out": "#F3AE86"}
OTHER = "#DDDDDD"


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Every preliminary study."""
    for study in plan.studies("preliminary"):
        yield f"{study.name}/statuses", {"study": study.name, **study.spent(study.specs[0])}


def draw(preliminary: Any, *, paths: Sequence[Path], labels: Labels | None = None) -> None:
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


def caption(preliminary: Any, *, labels: Labels | None = None, budgets: Budgets | None = None) -> str:
    """Say what `draw` shows and stands on."""
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
    """Draw a coloured table: in every cell the status, and the time that it took."""
    import seaborn as sns
    from matplotlib.colors import ListedColormap

    texts, colours = [], []
    for D in dimensions:
        for E in levels:
            status, seconds = "not planned", np.nan
            if (D, E) in lines.index:
                status, seconds = lines.loc[(D, E), ["status", "wall_seconds"]]
                status = "not run" if status in NOT_MADE else status
            known = seconds == seconds and seconds is not None
            texts.append(f"{status}\n{_duration(float(seconds))}" if known else status)
            colours.append(COLOURS.get(status, "white" if status.startswith("not ") else OTHER))
    shape = len(dimensions), len(levels)
    sns.heatmap(
        np.arange(len(colours)).reshape(shape),
        ax=ax,
        cmap=ListedColormap(colours),
        vmin=-0.5,
        vmax=len(colours) - 0.5,
        cbar=False,
        annot=np.array(texts).reshape(shape),
        fmt="",
        annot_kws={"fontsize": style.SMALL, "color": "black"},
        linewidths=1.5,
        xticklabels=[f"E = {style.number(E)}" for E in levels],
        yticklabels=[f"D = {int(D)}" for D in dimensions],
    )
    ax.xaxis.tick_top()
    ax.tick_params(length=0, labelsize=8, labelrotation=0)


def _duration(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:,.0f} s"


FIGURE = Figure(
    name="preliminary",
    title="Statuses of the preliminary study",
    tables=("preliminary",),
    planned=planned,
    draw=draw,
    caption=caption,
)
