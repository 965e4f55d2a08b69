"""Near-optimal vectors, where an exact solver has listed them: all, from the best on, and how far they lie apart.

On the left, f of every vector within 0.1 % of the optimum by its rank, which of them are local optima, and which the
strategies found; on the right, the distribution of L1 distances between them and to the optimum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.contract import Description, Figure
from unbounded.tables.measures import CLOSE, normalise

if TYPE_CHECKING:
    from unbounded.figures.planned import Planned

#: What is drawn of the distances: column, name, colour, dashes and marker; colours are those of strategies elsewhere.
DISTANCES = (
    ("pairs", "two of all", "black", "-", "o"),
    ("to_optimum", "to the optimum", "0.55", (0, (5, 1.5)), "s"),
    ("found_pairs", "two that strategies found", "0.3", (0, (1, 1)), "^"),
)
#: Height of the strip of a solver's finds, in inches.
STRIP = 0.17


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Every instance of a study of multimodality whose near-optimal vectors an exact solver counts."""
    for study in plan.studies("multimodality"):
        for spec in study.specs:
            if study.counts_near(spec.id):
                of = {"study": study.name, "instance": spec.id}
                yield f"{study.name}/{spec.id}-near", {**of, **study.spent(spec)}


def draw(
    near: Any,
    found: Any,
    vectors: Any,
    distances: Any,
    runs: Any,
    *,
    paths: Sequence[Path],
    labels: Labels | None = None,
) -> None:
    """Draw both panels from the tables `multimodality_near`, its companions, and `runs`."""
    from unbounded.tables.near_vectors import COUNTED

    line = near.iloc[0] if len(near) else None
    if line is None or line["status"] != COUNTED:
        fig, axes = style.figure(1, 1, (style.WIDTH, 1.2))
        axes[0, 0].axis("off")
        axes[0, 0].text(0.5, 0.5, _not_measured(line), ha="center", va="center", transform=axes[0, 0].transAxes)
        style.save(fig, paths)
        return
    solvers = _solvers(found)
    strips = STRIP * (len(solvers) + 1)
    height = 2.9 + strips
    fig, axes = style.figure(2, 2, (style.WIDTH, height), width_ratios=(1.25, 1), height_ratios=(2.3, strips))
    _values(axes[0, 0], vectors, runs, line, solvers)
    _finds(axes[1, 0], vectors, runs, line, solvers, labels)
    for ax in axes[:, 1]:
        ax.remove()
    right = fig.add_subplot(axes[0, 0].get_gridspec()[:, 1])
    _distances(right, distances)
    for position, ax in enumerate((axes[0, 0], right)):
        ax.set_title(style.letter(position), loc="left", fontweight="bold")
    style.save(fig, paths)


def caption(
    near: Any,
    found: Any,
    vectors: Any,
    distances: Any,
    runs: Any,
    *,
    labels: Labels | None = None,
    budgets: Budgets | None = None,
) -> str:
    """Say what `draw` shows and stands on."""
    from unbounded.tables.near_vectors import COUNTED

    first = runs.iloc[0]
    case = style.case_name(captions.case_of(first["case"]))
    what = f"{case}, {captions.the_slice(runs)}, c = {style.number(first['c'])}, E = {style.number(first['E'])}"
    line = near.iloc[0] if len(near) else None
    if line is None or line["status"] != COUNTED:
        return captions.sentences(f"{what}: {_not_measured(line)}.")
    solvers = _solvers(found)
    by = found.set_index("solver")
    finds = [
        f"{captions.name(solver, labels)} {captions.count(by.at[solver, 'found'], 'vector')} in "
        f"{captions.count(by.at[solver, 'runs'], 'run')}"
        + ("" if np.isnan(by.at[solver, "best_rank"]) else f", the best of rank {by.at[solver, 'best_rank']:,.0f}")
        for solver in solvers
    ]
    listed = f"the best {line['listed']:,.0f}" if line["capped"] else "all"
    spread = (
        f"[B] L1 distances of {listed}: two of them {_range(line, '')}, to the optimum {_range(line, 'optimum_')} "
        f"(least, median, largest). {_pieces(line)}"
        if len(distances)
        else "[B] Distances are not measured: coordinates are interchangeable."
    )
    unlisted = int(found["unlisted"].sum())
    return captions.sentences(
        f"{what}: {captions.count(line['vectors'], 'integer vector')} within 0.1 % of the optimum "
        f"{line['optimum']:.6f}, {line['optimal']:,.0f} of them optimal, as "
        f"{captions.name(line['solver'], labels)} has proven.",
        f"[A] f of {listed}, from the best on, and below which of them are local optima "
        f"({line['local_optima']:,.0f}: no better vector at ±1 of one or two coordinates; "
        f"{line['local_optima_single']:,.0f} of one coordinate) and where runs ended: {'; '.join(finds)}.",
        spread,
        f"{captions.count(unlisted, 'run')} within 0.1 % with a vector that is not listed." if unlisted else "",
        captions.budgets_text(budgets, solvers, labels),
    )


def _not_measured(line: Any) -> str:
    if line is None:
        return "near-optimal vectors were not counted (no proof)"
    above = f"up to {line['within']:g} above it" if line["within"] else "none above it"
    only = f": the run that proved the optimum counts {above}" if line["within"] < CLOSE else ""
    return f"near-optimal vectors were not counted ({line['status']}{only})"


def _solvers(found: Any) -> list[str]:
    """Return the solvers to show: strategies first, the paper's before others."""
    names = captions.strategies_of(found) if len(found) else []
    strategies = set(found.loc[found["strategy"].astype(bool), "solver"])
    return sorted(names, key=lambda solver: solver not in strategies)


def _range(line: Any, prefix: str) -> str:
    values = [line[f"{prefix}l1_{name}"] for name in ("least", "median", "largest")]
    return ", ".join("none" if pd.isna(value) else str(value) for value in values)


def _pieces(line: Any) -> str:
    if not line["joined_by"]:
        return ""
    return (
        f"They are {captions.count(line['pieces_single'], 'piece')} where steps from one to another have the length 1, "
        f"{line['pieces']:,} with steps of up to 2, one with steps of up to {line['joined_by']}."
    )


def _ranks(vectors: Any, runs: Any, solver: str) -> tuple[Any, int]:
    """Return the places in the list at which a solver's runs ended, and how many runs there are."""
    from unbounded.tables.near_vectors import SAME

    made = runs[(runs["solver"] == solver) & captions.made(runs)]
    values = made.loc[made["solved"].astype(bool), "f"].to_numpy(dtype=float)
    f = vectors["f"].to_numpy(dtype=float)
    slack = SAME * max(1.0, float(f[0]))
    values = np.sort(values[values <= f[-1] + slack])
    return np.minimum(np.searchsorted(f, values - slack), len(f) - 1), len(made)


def _values(ax: Any, vectors: Any, runs: Any, line: Any, solvers: Sequence[str]) -> None:
    """Draw f of the vectors by rank, with the runs that ended there."""
    rank = vectors["rank"].to_numpy(dtype=float)
    excess = 100 * (normalise(vectors["f"], line["optimum"]) - 1)
    ends = np.append(rank, line["listed"] + 1), np.append(excess, excess[-1])
    ax.step(*ends, where="post", color="black", linewidth=1)
    colours = style.strategy_colours(solvers)
    for position, solver in enumerate(solvers):
        at, _ = _ranks(vectors, runs, solver)
        look: dict[str, Any] = {"linestyle": "", "markersize": 5, "markeredgecolor": "white", "markeredgewidth": 0.4}
        marker = style.MARKERS[position % len(style.MARKERS)]
        ax.plot(rank[at], excess[at], marker=marker, color=colours[solver], **look)
    ax.set_ylabel("f above the optimum, %", fontsize=8)
    # The first line is on zero: it must not hide on the axis.
    ax.set_ylim(-0.03 * max(excess[-1], 1e-6), 1.05 * max(excess[-1], 1e-6))
    ax.tick_params(labelsize=style.SMALL, labelbottom=False)
    _rank_axis(ax, line)


def _finds(ax: Any, vectors: Any, runs: Any, line: Any, solvers: Sequence[str], labels: Labels | None) -> None:
    """Draw a strip with the ranks of local optima, and one for every solver with those of its runs."""
    colours = style.strategy_colours(solvers)
    rank = vectors["rank"].to_numpy(dtype=float)
    strips = [
        (f"local optima: {line['local_optima']:,.0f}", rank[vectors["local_optimum"].to_numpy(dtype=bool)], "grey")
    ]
    for solver in solvers:
        at, made = _ranks(vectors, runs, solver)
        strips.append(
            (f"{captions.name(solver, labels)}: {len(at)} of {captions.count(made, 'run')}", rank[at], colours[solver])
        )
    for position, (_, at, colour) in enumerate(strips):
        ax.eventplot(at, lineoffsets=-position, linelengths=0.7, linewidths=0.9, colors=colour)
    ax.set_yticks([-position for position in range(len(strips))], [name for name, _, _ in strips])
    ax.set_ylim(-len(strips) + 0.4, 0.6)
    ax.tick_params(labelsize=style.SMALL)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("rank of the integer vector", fontsize=8)
    _rank_axis(ax, line)


def _rank_axis(ax: Any, line: Any) -> None:
    ax.set_xscale("log")
    ax.set_xlim(0.9, 1.1 * (line["listed"] + 1))
    ax.xaxis.set_major_formatter(lambda value, _: style.number(value))


def _distances(ax: Any, distances: Any) -> None:
    if not len(distances):
        ax.axis("off")
        ax.text(0.5, 0.5, "distances are not measured", ha="center", transform=ax.transAxes)
        return
    # Beyond the ends there are none: lines come down to zero there, and in gaps.
    l1 = np.arange(int(distances["l1"].max()) + 2)
    for column, name, colour, dash, marker in DISTANCES:
        counts = distances.set_index("l1")[column].reindex(l1, fill_value=0).to_numpy(dtype=float)
        counts[0] = 0.0
        if counts.sum():
            look: dict[str, Any] = {"color": colour, "linestyle": dash, "marker": marker, "markersize": 3}
            ax.plot(l1, 100 * counts / counts.sum(), linewidth=1.2, label=f"{name} ({counts.sum():,.0f})", **look)
    ax.set_xlabel("L1 distance of near-optimal vectors", fontsize=8)
    ax.set_ylabel("share, %", fontsize=8)
    # Room for the legend.
    ax.set_ylim(0, 1.3 * ax.get_ylim()[1])
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.tick_params(labelsize=style.SMALL)
    # A single vector is at no distance from another.
    if ax.get_lines():
        ax.legend(fontsize=style.SMALL, frameon=False, loc="upper left", handlelength=2.4)


FIGURE = Figure(
    name="near",
    title="All integer vectors near the optimum, and which of them runs found",
    tables=(
        "multimodality_near",
        "multimodality_found",
        "multimodality_near_vectors",
        "multimodality_near_distances",
        "runs",
    ),
    planned=planned,
    draw=draw,
    caption=caption,
    place=20,
)
