"""Invariance: regret, feasibility and right integers against the translation, by solver and starting radius."""

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

#: Rows of panels: a column of the table and its name on the axis.
MEASURES = {
    "regret_median": "median regret",
    "solved_share": "runs with a\nfeasible point",
    "integers_share": "runs with the\noptimum's integers",
}
#: Regrets up to the lowest are drawn there: points may use up the tolerance of feasibility.
LOWEST = 1e-7
PANEL, ROW = 1.55, 0.2


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Every kind and dimension of a study of invariance; its translations are in one picture."""
    for study in plan.studies("invariance"):
        yield from study.of_dimensions()


def draw(table: Any, *, paths: Sequence[Path], labels: Labels | None = None) -> None:
    """Draw one kind and dimension of a study of the table `invariance`: a column of panels for each strategy."""
    for single in ("study", "kind", "D"):
        captions.only(table, single)
    columns = _columns(table)
    translations = sorted(table["t"].unique())
    rows = max(len(solvers) for solvers in columns.values())
    footer = 0.2 + ROW * rows
    size = (max(4.6, min(style.WIDTH, 1.2 + 2.2 * len(columns))), PANEL * len(MEASURES) + 0.5 + footer)
    fig, axes, strip = style.figure_with_footer(len(MEASURES), len(columns), size, footer, sharex=True, sharey="row")
    high = _highest(table)
    for at, (title, solvers) in enumerate(columns.items()):
        for row, measure in enumerate(MEASURES):
            ax = axes[row, at]
            for number, solver in enumerate(solvers):
                lines = table[table["solver"] == solver].set_index("t").reindex(translations)
                _line(ax, lines, measure, number, high, _name(lines, labels))
            _axes(ax, measure, translations, high)
        axes[0, at].set_title(title, fontsize=8)
        axes[-1, at].set_xlabel("translation t", fontsize=8)
        place: Any = {"loc": "upper center", "bbox_to_anchor": ((at + 0.6) / (len(columns) + 0.1), 1)}
        handles = axes[1, at].get_legend_handles_labels()
        strip.legend(*handles, fontsize=style.SMALL, frameon=False, handlelength=3, **place)
    for row, name in enumerate(MEASURES.values()):
        axes[row, 0].set_ylabel(name, fontsize=8)
    style.save(fig, paths)


def caption(table: Any, *, labels: Labels | None = None, budgets: Budgets | None = None) -> str:
    """Say what `draw` shows and stands on."""
    kind, D = captions.KINDS[captions.only(table, "kind")], int(captions.only(table, "D"))
    t = captions.listing([style.number(value) for value in sorted(table["t"].unique())])
    # Solvers that differ in R share a budget, so that the first of them stands for all.
    first = table.drop_duplicates("variant")["solver"].tolist()
    return captions.sentences(
        f"How results move with the translation t = {t}, {kind}, D = {D}: median regret f/f* − 1 against the proven "
        "optimum, where that is above zero; share of the runs with a point that our own evaluation finds feasible; "
        "share of the runs whose integers are those of an optimum.",
        f"A cross at the top: the median run has no feasible point. Regrets below {style.number(LOWEST)} are drawn "
        "there. R is the radius that a strategy starts from.",
        _tests(table[table["pairs"] > 0], labels),
        captions.budgets_text(budgets, first, labels),
        captions.stands_on(table["made"].sum(), table["planned"].sum(), table["solved"].sum()),
    )


def _tests(moved: Any, labels: Labels | None) -> str:
    """Write whose results move with t, by the sign tests against t = 0, or nothing where there are no pairs."""
    from unbounded.tables.rank_tests import ALPHA  # brings scipy.stats along

    if moved.empty:
        return ""
    found = [
        f"{captions.name(line.solver, labels)} at {style.number(line.t)} (f lower in {line.lower}, higher in "
        f"{line.higher} of {captions.count(line.pairs, 'pair')})"
        for line in moved[moved["p_holm"] < ALPHA].itertuples()
    ]
    most = captions.count(moved["pairs"].max(), "pair")
    return (
        "Against t = 0, pair by pair with the same instance and seed (sign test, Holm's correction over the study), "
        + (f"results differ for {captions.listing(found)}." if found else "no solver's results differ significantly, ")
        + ("" if found else f"by at most {most} each.")
    )


def _columns(table: Any) -> dict[str, list[str]]:
    """Return the columns of panels with their solvers: those that start from no R together, then each strategy's."""
    once = table.drop_duplicates("solver")
    plain = once.loc[once["radius"].isna(), "solver"].tolist()
    columns = {"no starting radius": plain} if plain else {}
    for line in once[once["radius"].notna()].sort_values("radius", kind="stable").itertuples():
        columns.setdefault(line.variant, []).append(line.solver)
    return columns


def _name(lines: Any, labels: Labels | None) -> str:
    line = lines.dropna(subset=["solver"]).iloc[0]
    name = captions.name(line["solver"], labels)
    return name if np.isnan(line["radius"]) else f"{name}, R = {style.number(line['radius'])}"


def _highest(table: Any) -> float:
    """Return where crosses stand: a decade above the largest regret."""
    largest = table["regret_median"].max()
    return 10.0 * max(1e-3, 0.0 if np.isnan(largest) else float(largest))


def _line(ax: Any, lines: Any, measure: str, number: int, high: float, name: str) -> None:
    y = lines[measure].to_numpy(dtype=float)
    # Beside one another, so that lines that coincide are still seen as several.
    x = np.arange(len(y)) + 0.06 * (number - 1)
    look: dict[str, Any] = {"color": style.CATEGORIES[(number + 4) % len(style.CATEGORIES)]}
    if measure == "regret_median":
        without = np.isnan(y) & (lines["measured"].to_numpy(dtype=float) > 0)
        if without.any():  # without points the line's extent would be the whole page
            cross: Any = {"linestyle": "", "marker": "x", "markersize": 5, "clip_on": False}
            ax.plot(x[without], np.full(without.sum(), high), **cross, **look)
        y = np.maximum(y, LOWEST)
    dashes, marker = style.DASHES[number % len(style.DASHES)], style.MARKERS[number % len(style.MARKERS)]
    ax.plot(x, y, linestyle=dashes, linewidth=1.2, marker=marker, markersize=3.5, clip_on=False, label=name, **look)


def _axes(ax: Any, measure: str, translations: Sequence[float], high: float) -> None:
    if measure == "regret_median":
        ax.set_yscale("log")
        ax.set_ylim(LOWEST / 2, high)
        ax.yaxis.set_major_formatter(lambda value, _: style.number(value))
        ax.yaxis.set_minor_formatter(lambda value, _: "")
    else:
        ax.set_ylim(0, 1)
        ax.set_yticks([0, 0.5, 1], ["0", "50 %", "100 %"])
    ax.set_xticks(range(len(translations)), [style.number(t) for t in translations])
    ax.tick_params(labelsize=style.SMALL)
    ax.grid(True, which="major", color="0.9", linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)


FIGURE = Figure(
    name="invariance",
    title="Results against the translation, by solver and starting radius",
    tables=("invariance",),
    planned=planned,
    draw=draw,
    caption=caption,
)
