"""Grids of boxplots of single runs, one panel for each test case and measure, and what is said below them.

The form of the paper's Figures `boxplotsObjF`, `miER64` and `iqcqp64`: grouped by E, the strategies side by side in
each group, coloured by c. Boxes that are far above the others are arrows at the top, with more heads for larger
magnitudes, so that the axis can show the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.legend_handler import HandlerTuple
from matplotlib.patches import Patch

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.parts.box_panel import SIGNS, Measure, Panel, palette


def draw(
    runs: Any,
    panels: Sequence[tuple[int | str, Measure]],
    strategies: Sequence[str] | None,
    labels: Labels | None,
    paths: Sequence[Path],
) -> None:
    """Draw panels, each a test case and a measure, of a study's slice from the table `runs`."""
    captions.only(runs, "study")
    captions.only(runs, "slice")
    shown = captions.strategies_of(runs, strategies)
    table = captions.all_cases(runs)
    colours = palette(sorted(table["c"].unique()))
    columns = min(2, len(panels))
    rows = math.ceil(len(panels) / columns)
    names = {solver: captions.name(solver, labels) for solver in shown}
    # Long names stand upright below the panels.
    upright = max(0.0, max(style.text_width(name) for name in names.values()) - 0.5)
    fig, axes = style.figure(rows, columns, (style.WIDTH, rows * ((2.5 if columns == 2 else 2.8) + upright) + 0.8))
    drawn = []
    for ax, (tc, measure) in zip(axes.flat, panels, strict=False):
        panel = Panel(ax, measure, names, captions.reference_of(runs, labels), colours, style.WIDTH / columns)
        panel.draw(table[table["tc"] == tc])
        drawn.append(panel)
    for position, (panel, (tc, _)) in enumerate(zip(drawn, panels, strict=True)):
        row = drawn[position - position % columns :][:columns]
        mark = f"{style.letter(position)} " if len(panels) > 1 else ""
        pad = 4 + max(neighbour.headroom for neighbour in row)
        panel.ax.set_title(f"{mark}{style.case_name(tc)}", loc="left", fontsize=8, pad=pad)
    for ax in axes.flat[len(panels) :]:
        ax.axis("off")
    found = {sign: entry for panel in drawn for sign, entry in panel.signs.items()}
    _legends(fig, colours, [found[sign] for sign in SIGNS if sign in found])
    style.save(fig, paths)


def caption(
    runs: Any,
    wanted: Sequence[int | str],
    measures: Sequence[Measure],
    *,
    strategies: Sequence[str] | None = None,
    labels: Labels | None = None,
    budgets: Budgets | None = None,
) -> str:
    """Say what the boxes of these test cases show and stand on."""
    shown = captions.strategies_of(runs, strategies)
    other = captions.reference_of(runs, labels)
    table = captions.all_cases(runs)
    table = table[table["tc"].isin(wanted)]
    lines = table[table["solver"].isin(shown)]
    # The reference's runs enter what is compared with its own.
    compared = not all(measure.endswith(("optimum", "proven")) for measure in measures)
    used = table[table["solver"].isin(shown) | (table["is_reference"].astype(bool) & compared)]
    seeds = lines.groupby(["instance", "solver"]).size().tolist()
    names = captions.listing([captions.name(solver, labels) for solver in shown])
    objective = any(measure.startswith("normalised") for measure in measures)
    words = {
        "normalised": f"objective values divided by {other}'s",
        "delta_z": f"Δz, the share of integer variables that differ from {other}'s solution",
        "delta_z_best_known": "Δz, the share of integer variables that differ from the best solution known",
        "normalised_optimum": "objective values divided by the proven optimum",
        "delta_z_proven": "Δz, the share of integer variables that differ from the nearest solution that is proven "
        "optimal, whatever the order of interchangeable variables",
    }
    to_optimum = {"normalised_optimum", "delta_z_proven"} & set(measures)
    zeros = lines.loc[lines["zero_optimum"].astype(bool), "instance"].nunique()
    without = lines["reference_f"].isna() & ~lines["zero_optimum"].astype(bool)
    unpaired = bool((without & lines["optimum"].notna()).any())
    lost = ["stand above every objective value"] * objective
    lost += ["have no Δz"] * any(measure.startswith("delta_z") for measure in measures)
    made = captions.made(used)
    failed = captions.made(lines) & ~lines["solved"].astype(bool)
    return captions.sentences(
        f"{captions.listing([style.case_name(tc) for tc in wanted])}: "
        f"{captions.listing([words[measure] for measure in measures])}; {captions.the_slice(lines)}.",
        f"In each group of one E, from left to right, {names}, {captions.seeds(seeds)} on each instance; boxes are "
        f"coloured by c ({captions.grid(lines)}).",
        "Boxes span the quartiles, whiskers reach the last run within 1.5 interquartile ranges, black circles are the "
        "runs beyond.",
        "Boxes far above the others are arrows at the top, with two heads from a median of 100 and three from 10⁶; "
        "axes of objective values differ between panels."
        if objective
        else "",
        captions.proven_optima(lines.drop_duplicates("instance")) if to_optimum else "",
        f"{captions.count(zeros, 'instance')} with a zero optimum: there the boxes are of f itself, in the strip below "
        f"the others, on a logarithmic axis that ends at 10⁻⁶{f'; dashes are that of {other}' if compared else ''}."
        if zeros and objective
        else "",
        captions.zero_optima(zeros, divided=False)
        if not all(measure.startswith("normalised") for measure in measures)
        else "",
        f"Where {other} has no value, those of the strategies are divided by the proven optimum; diamonds mark it."
        if "normalised" in measures and unpaired
        else "",
        f"{captions.count(failed.sum(), 'run')} without a verified solution in the boxes: they "
        f"{captions.listing(lost)}; numbers above a group say how many."
        if failed.any()
        else "",
        captions.budgets_text(budgets, used["solver"].unique().tolist(), labels),
        captions.stands_on(made.sum(), len(used), (used["solved"].astype(bool) & made).sum()),
        f"Among these are the runs of {other}." if len(used) > len(lines) else "",
    )


def _legends(fig: Any, colours: Mapping[float, Any], signs: Sequence[tuple[Any, str]]) -> None:
    """Say above the panels what the colours are, and below them what those signs are that occur."""
    look: dict[str, Any] = {"fontsize": style.SMALL, "frameon": False, "handlelength": 1.5, "columnspacing": 1.2}
    patches = [Patch(facecolor=colour, edgecolor="black", linewidth=0.5) for colour in colours.values()]
    texts = [f"c = {style.number(c)}" for c in colours]
    ncols = style.legend_columns(texts, style.WIDTH)
    fig.legend(patches, texts, loc="outside upper center", ncols=ncols, **look)
    if signs:
        handles, texts = zip(*signs, strict=True)  # type: ignore[assignment]
        # Arrows with two and three heads are tuples of as many signs.
        several = {tuple: HandlerTuple(ndivide=None, pad=0.1)}
        ncols = style.legend_columns(texts, style.WIDTH)
        fig.legend(handles, texts, loc="outside lower center", ncols=ncols, handler_map=several, **look)
