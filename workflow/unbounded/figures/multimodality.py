"""Multimodality: how good the solutions of many runs on one instance are, and how far they lie apart.

The paper's Figure `resIRR10`: on the left a histogram of normalised objective values by strategy, with the medians and
the reference as lines; on the right the mutual L1 distances of all solutions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.contract import Description, Figure

if TYPE_CHECKING:
    from unbounded.figures.planned import Planned

#: The paper's scale of L1 distances.
L1_SCALE = (0.0, 20.0)
BINS = 40
#: Width of the histogram and of the matrix at least, in inches.
PANEL, MATRIX = 2.9, 2.2


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Every instance of a study of multimodality."""
    for study in plan.studies("multimodality"):
        white_box = [id for id in study.settings.solvers if study.solver(id).white_box]
        for spec in study.specs:
            of = {"study": study.name, "instance": spec.id, "options": {"white_box": white_box}}
            yield f"{study.name}/{spec.id}", {**of, **study.spent(spec)}


def draw(
    runs: Any,
    distances: Any,
    *,
    paths: Sequence[Path],
    strategies: Sequence[str] | None = None,
    white_box: Sequence[str] = (),
    labels: Labels | None = None,
) -> None:
    """Draw both panels from the tables `runs` and `multimodality_distances`.

    Solvers named in `white_box` are lines at their best value, no histogram; the reference is one of them in any case.
    """
    runs, shown = _select(runs, strategies, white_box)
    fig, axes = style.figure(1, 2, (style.WIDTH, 3.2), width_ratios=(1.25, 1))
    _histogram(axes[0, 0], runs, shown, white_box, labels)
    _matrix(axes[0, 1], _pairs(distances, runs), shown, labels)
    for position, ax in enumerate(axes[0]):
        ax.set_title(style.letter(position), loc="left", fontweight="bold")
    style.save(fig, paths)


def caption(
    runs: Any,
    distances: Any,
    *,
    strategies: Sequence[str] | None = None,
    white_box: Sequence[str] = (),
    labels: Labels | None = None,
    budgets: Budgets | None = None,
) -> str:
    """Say what `draw` shows and stands on."""
    runs, shown = _select(runs, strategies, white_box)
    lines = runs[runs["solver"].isin(shown)]
    first = lines.iloc[0]
    made = captions.made(runs)
    solved = runs["solved"].astype(bool) & made
    failed = captions.made(lines) & ~lines["solved"].astype(bool)
    names = [captions.name(solver, labels) for solver in shown]
    medians = [f"{name} {_text(_median(lines[lines['solver'] == s]))}" for s, name in zip(shown, names, strict=True)]
    order = _order(_pairs(distances, runs), shown)
    case = style.case_name(captions.case_of(first["case"]))
    return captions.sentences(
        f"{case}, {captions.the_slice(lines)}, c = {style.number(first['c'])}, E = {style.number(first['E'])}: "
        f"{captions.seeds(lines.groupby('solver').size().tolist())} each of {captions.listing(names)}.",
        f"[A] Objective values divided by {captions.reference_of(runs, labels)}'s; medians: {'; '.join(medians)}.",
        f"[B] Mutual L1 distances of {captions.count(len(order), 'solution')}, from the best run of each strategy on; "
        f"above {L1_SCALE[1]:g} the colour stays the same.",
        "The optimum is zero: values are raised to at least 10⁻⁶ before they are divided."
        if bool(first["zero_optimum"])
        else "",
        f"{captions.count(failed.sum(), 'run')} without a verified solution: not in the histogram and the matrix, in "
        "the medians above every value."
        if failed.any()
        else "",
        captions.budgets_text(budgets, runs["solver"].unique().tolist(), labels),
        captions.stands_on(made.sum(), len(runs), solved.sum()),
    )


def _select(runs: Any, strategies: Sequence[str] | None, white_box: Sequence[str]) -> tuple[Any, list[str]]:
    captions.only(runs, "study")
    captions.only(runs, "instance")
    shown = [solver for solver in captions.strategies_of(runs, strategies) if solver not in white_box]
    kept = runs["solver"].isin([*shown, *white_box]) | runs["is_reference"].astype(bool)
    return runs[kept], shown


def _median(lines: Any) -> float:
    """Return the median of the runs that there are, failed ones above every value."""
    values = lines.loc[captions.made(lines), "normalised"].fillna(np.inf).sort_values().to_numpy(dtype=float)
    # Halfway between a value and none there is none.
    return float(np.median(values)) if values.size else np.nan


def _histogram(ax: Any, runs: Any, shown: Sequence[str], white_box: Sequence[str], labels: Labels | None) -> None:
    import seaborn as sns

    colours = style.strategy_colours(shown)
    values = {
        solver: runs.loc[runs["solver"] == solver, "normalised"].dropna().to_numpy(dtype=float) for solver in shown
    }
    lines = [(captions.reference_of(runs, labels), 1.0, "--")]
    for solver in white_box:
        own = runs[(runs["solver"] == solver) & ~runs["is_reference"].astype(bool)]["normalised"].dropna()
        if len(own):
            lines.append((captions.name(solver, labels), float(own.min()), ":"))
    medians = [(f"{captions.name(s, labels)} median", _median(runs[runs["solver"] == s]), "-") for s in shown]
    everything = np.concatenate([*values.values(), [value for _, value, _ in lines]])
    low, high = _range(everything)
    for position, solver in enumerate(shown):
        look: dict[str, Any] = {"element": "step", "hatch": style.HATCHES[position % len(style.HATCHES)], "alpha": 0.3}
        look |= {"color": colours[solver], "label": captions.name(solver, labels)}
        sns.histplot(x=values[solver], bins=np.linspace(low, high, BINS + 1).tolist(), ax=ax, **look)
    end = _lines(ax, [*lines, *medians], low, high, _beyond(values, high, labels))
    ax.set_xlim(low - 0.02 * (end - low), end + 0.02 * (end - low))
    ax.ticklabel_format(axis="x", useOffset=False)
    ax.tick_params(labelsize=style.SMALL)
    ax.locator_params(axis="x", nbins=5)
    ax.set_xlabel(f"f / f of {captions.reference_of(runs, labels)}", fontsize=8)
    ax.set_ylabel("runs", fontsize=8)
    place: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16), "ncols": min(3, len(shown))}
    if any(len(own) for own in values.values()):
        ax.legend(fontsize=style.SMALL, frameon=False, handlelength=1.6, **place)


def _range(values: Any) -> tuple[float, float]:
    """Return the part of the axis that is shown: all values but those far above the most."""
    quartile, third = np.quantile(values, (0.25, 0.75))
    inside = values[values <= third + 3 * max(third - quartile, 1e-4)]
    return float(values.min()), float(max(inside.max(), values.min() + 1e-4))


def _lines(ax: Any, lines: Sequence[tuple[str, float, str]], low: float, high: float, beyond: Sequence[str]) -> float:
    """Draw vertical lines, their labels in steps down to the right, and return where the axis must end for these.

    A label is right of its line, and lines further right are shorter, so no label meets another line. What lies beyond
    the axis is told above them.
    """
    counts = ax.get_ylim()[1]
    row = 0.085 * counts
    rows = len(lines) + len(beyond)
    ax.set_ylim(0, counts + (rows + 0.4) * row)
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= counts and tick == int(tick)])
    look: dict[str, Any] = {"va": "center", "fontsize": style.SMALL}
    at_the_end: dict[str, Any] = {"ha": "right", "transform": ax.get_yaxis_transform(), **look}
    for position, text in enumerate(beyond):
        ax.text(0.99, counts + (rows - position - 0.4) * row, text, **at_the_end)
    end = high
    for position, (name, value, dash) in enumerate(sorted(lines, key=lambda line: line[1])):
        height = counts + (len(lines) - position - 0.4) * row
        text = f"{name} {_text(value)}"
        if low <= value <= high:
            ax.plot([value, value], [0, height], color="black", linewidth=1.0, linestyle=dash)
            ax.text(value + 0.012 * (high - low), height, text, **look)
            end = max(end, low + (value - low) / (0.97 - style.text_width(text) / PANEL))
        else:
            ax.text(0.99, height, f"{text} →" if np.isfinite(value) else text, **at_the_end)
    return end


def _text(value: float) -> str:
    if not np.isfinite(value):
        return "none"
    return f"{value:.5f}" if value < 10 else f"{value:.4g}"


def _beyond(values: dict[str, Any], high: float, labels: Labels | None) -> list[str]:
    """Say of each strategy how many of its runs are right of the axis, if any."""
    counts = {captions.name(solver, labels): int((own > high).sum()) for solver, own in values.items()}
    return [f"{name}, {captions.count(count, 'run')} beyond →" for name, count in counts.items() if count]


def _pairs(distances: Any, runs: Any) -> Any:
    """Return the distances of the instance and study that the runs are of."""
    same = (distances["instance"] == captions.only(runs, "instance")) & (
        distances["study"] == captions.only(runs, "study")
    )
    return distances[same]


def _order(distances: Any, shown: Sequence[str]) -> list[tuple[str, int]]:
    """Return the runs (solver, seed) of the matrix: by strategy, in the order of the figure, the best run first."""
    rank = {
        (solver, int(seed)): int(number)
        for k in "ij"
        for number, solver, seed in distances[[k, f"solver_{k}", f"seed_{k}"]].drop_duplicates().itertuples(index=False)
    }
    found = [run for run in rank if run[0] in shown]
    return sorted(found, key=lambda run: (shown.index(run[0]), rank[run]))


def _matrix(ax: Any, distances: Any, shown: Sequence[str], labels: Labels | None) -> None:
    import seaborn as sns

    order = _order(distances, shown)
    if not order:
        ax.axis("off")
        ax.text(0.5, 0.5, "no solutions to compare", ha="center", transform=ax.transAxes)
        return
    place = {pair: position for position, pair in enumerate(order)}
    matrix = np.full((len(order), len(order)), np.nan)
    np.fill_diagonal(matrix, 0.0)
    for line in distances.itertuples():
        a, b = place.get((line.solver_i, int(line.seed_i))), place.get((line.solver_j, int(line.seed_j)))
        if a is not None and b is not None:
            matrix[a, b] = matrix[b, a] = line.l1
    sizes = [sum(solver == pair[0] for pair in order) for solver in shown]
    bounds = np.cumsum([0, *sizes])
    sns.heatmap(
        matrix,
        ax=ax,
        square=True,
        cmap=style.LANDSCAPE_MAP,
        vmin=L1_SCALE[0],
        vmax=L1_SCALE[1],
        xticklabels=False,
        yticklabels=False,
        # One picture in the file, not thousands of squares.
        rasterized=True,
        # Beside the matrix and as high as it is.
        cbar_ax=ax.inset_axes((1.04, 0, 0.05, 1)),
        cbar_kws={"extend": "max"},
    )
    for bound in bounds[1:-1]:
        ax.axhline(bound, color="white", linewidth=1.2)
        ax.axvline(bound, color="white", linewidth=1.2)
    centres = [(a + b) / 2 for a, b, n in zip(bounds, bounds[1:], sizes, strict=False) if n]
    names = [captions.name(solver, labels) for solver, n in zip(shown, sizes, strict=True) if n]
    if sum(map(style.text_width, names)) < MATRIX:
        ax.set_xticks(centres, names, fontsize=style.SMALL)
        ax.set_yticks(centres, names, fontsize=style.SMALL, rotation=90, va="center")
    else:
        # Side by side they would run into each other; the matrix is symmetric, so those below it are enough.
        ax.set_xticks(centres, names, fontsize=style.SMALL, rotation=25, ha="right", rotation_mode="anchor")
        ax.set_yticks([])
    ax.tick_params(length=0)
    bar = ax.collections[0].colorbar
    bar.ax.tick_params(labelsize=style.SMALL)
    bar.set_label("L1 distance of two solutions", fontsize=8)


FIGURE = Figure(
    name="multimodality",
    title="Histogram of objectives and mutual distances of solutions",
    tables=("runs", "multimodality_distances"),
    planned=planned,
    draw=draw,
    caption=caption,
    place=10,
)
