"""Heat-maps of a slice: best and median values against the reference solver, the optimum or the best known, Δz, t.

The paper's Figures `cmaMap_best64`, `cmaMap_all64`, `Tmap`, `Trelative` and `DeltaIntMaps`: a panel for each strategy,
in it the nine test cases (objective by row, constraint by column), in each of these a cell for every c and E. Other
pairs of forms come below them, and problems from files, each a block of one cell. Against the proven optima and the
best known values of the table `references` the reference solver has a panel of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from unbounded.figures import captions, scales, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.tables.measures import ATOL, CLOSE, OPTIMAL, SIMILAR, VERDICTS, within
from unbounded.tables.references import CERTIFIED

Statistic = Literal[
    "best",
    "median",
    "known_best",
    "known_median",
    "optimum_best",
    "optimum_median",
    "delta_z",
    "delta_z_best_known",
    "delta_z_certified",
    "delta_z_proven",
]
#: For each statistic: the shown column, the strategy's value it rests on, and the value it is compared with.
COLUMNS = {
    "best": ("normalised_best", "best_f", "reference_f"),
    "median": ("normalised_median", "median_f", "reference_f"),
    "known_best": ("normalised_known_best", "best_f", "best_known_f"),
    "known_median": ("normalised_known_median", "median_f", "best_known_f"),
    "optimum_best": ("normalised_optimum_best", "best_f", "optimum"),
    "optimum_median": ("normalised_optimum_median", "median_f", "optimum"),
    "delta_z": ("delta_z_best", "best_f", "reference_f"),
    "delta_z_best_known": ("delta_z_best_known", "best_f", "best_known_f"),
    "delta_z_certified": ("delta_z_certified", "best_f", "best_known_f"),
    "delta_z_proven": ("delta_z_proven", "best_f", "optimum"),
}
#: Between blocks, as a share of a block: room for their names above, little at the sides.
GAP_X, GAP_Y = 0.07, 0.22
EDGE = "#9A9A9A"
#: What is certified: a value, not the point that has it.
_CERTIFIED = f"a bound is at most {100 * CERTIFIED:g} % below its value"


def draw_maps(
    cells: Any,
    statistic: Statistic,
    paths: Sequence[Path],
    *,
    strategies: Sequence[str] | None = None,
    labels: Labels | None = None,
    tolerance: float = 0.01,
) -> None:
    """Draw a statistic of one study's slice, from the table `cells`."""
    captions.only(cells, "study")
    captions.only(cells, "group")
    shown = _shown(cells, statistic, strategies)
    table = _with_states(cells, statistic)
    to_reference = COLUMNS[statistic][2] == "reference_f"
    other = captions.reference_of(cells, labels) if to_reference else "any solver"
    scale = scales.OPTIMUM if COLUMNS[statistic][2] == "optimum" else scales.OBJECTIVE
    zones = None if statistic.startswith("delta_z") else replace(scale, tolerance=tolerance)
    title = {
        "best": f"best value / value of {other}",
        "median": f"median value / value of {other}",
        "known_best": "best value / best known value",
        "known_median": "median value / best known value",
        "optimum_best": "best value / optimum",
        "optimum_median": "median value / optimum",
        "delta_z": f"Δz of the best run, against {other}",
        "delta_z_best_known": "Δz of the best run, against the best known solution",
        "delta_z_certified": f"Δz of the best run, against the best known solution where {_CERTIFIED}",
        "delta_z_proven": "Δz of the best run, against the nearest optimal integers",
    }[statistic]
    strategy = "strategy without solution" if to_reference else "solver without solution"
    marks = {
        "unpaired": f"{other} without solution",
        "failed": "no solution in half of the runs or more" if statistic.endswith("median") else strategy,
        "neither": "neither has a solution" if to_reference else "no solver has a solution",
        "open": "optimum not proven" if COLUMNS[statistic][2] == "optimum" else "best known value not certified",
    }
    _draw(table, shown, zones, title, marks, labels, paths, least=not to_reference)


def draw_translation(
    translation: Any,
    paths: Sequence[Path],
    *,
    strategies: Sequence[str] | None = None,
    labels: Labels | None = None,
    tolerance: float = 0.01,
) -> None:
    """Draw translated against untranslated bests of one slice, from the table `translation`."""
    for column in ("kind", "D", "t"):
        captions.only(translation, column)
    shown = captions.strategies_of(translation, strategies)
    table = captions.all_cases(translation)
    states = _states(table["translated_best_f"], table["best_f"])
    states = np.where(table["verdict"].isna(), "waiting", states)
    table = table.assign(value=table["ratio"], state=states, open=False)
    title = f"best value at t = {style.number(float(captions.only(translation, 't')))} / best value at t = 0"
    marks = {
        "unpaired": "no untranslated solution",
        "failed": "no translated solution",
        "neither": "neither has a solution",
    }
    _draw(table, shown, replace(scales.RATIO, tolerance=tolerance), title, marks, labels, paths)


def caption_maps(
    cells: Any,
    verdicts: Any,
    statistic: Statistic,
    *,
    strategies: Sequence[str] | None = None,
    labels: Labels | None = None,
    budgets: Budgets | None = None,
    tolerance: float = 0.01,
) -> str:
    """Say what a map of `draw_maps` shows and stands on; the table `verdicts` has the intervals of its counts."""
    shown = _shown(cells, statistic, strategies)
    known, optimum = COLUMNS[statistic][2] != "reference_f", COLUMNS[statistic][2] == "optimum"
    other = "any solver" if known else captions.reference_of(cells, labels)
    table = _with_states(cells, statistic)
    used = table[table["solver"].isin(shown) | table["is_reference"].astype(bool)]
    compared = used[used["state"] != "waiting"]
    table = table[table["solver"].isin(shown)]
    what = {
        "best": f"Best objective value of the runs, divided by the value of {other}",
        "median": f"Median objective value of the runs, divided by the value of {other}",
        "delta_z": f"Δz, the share of integer variables in which the best run differs from {other}'s solution",
        "known_best": "Best objective value of the runs, divided by the best value known from any solver",
        "known_median": "Median objective value of the runs, divided by the best value known from any solver",
        "delta_z_best_known": "Δz, the share of integer variables in which the best run differs from the best solution "
        "known from any solver",
        "delta_z_certified": "Δz, the share of integer variables in which the best run differs from the best solution "
        f"known, where {_CERTIFIED}; nothing certifies that its integers are the only ones of that value",
        "optimum_best": "Best objective value of the runs, divided by the proven optimum",
        "optimum_median": "Median objective value of the runs, divided by the proven optimum",
        "delta_z_proven": "Δz, the share of integer variables in which the best run differs from the nearest solution "
        "that is proven optimal, whatever the order of interchangeable variables",
    }[statistic]
    white = {
        "reference_f": f"white is below 0.9, pale yellow better by more than {100 * tolerance:g} %, ",
        "best_known_f": "",
        "optimum": f"white is within {100 * OPTIMAL:g} %, ",
    }[COLUMNS[statistic][2]]
    scale = (
        "Blue: the same integers; red: all differ."
        if statistic.startswith("delta_z")
        else f"Scale [{1 if known else 0.9:g}, 1.5]: {white}yellow similar, red to black worse."
    )
    names = captions.listing([captions.name(solver, labels) for solver in shown])
    failures = (
        "Runs without a verified solution stand above every value; where they are half or more, the cell is black with "
        "a dash."
        if statistic.endswith("median")
        else "Runs without a verified solution do not count as a best; where no run has one, the cell is black."
    )
    solvers = used["solver"].unique().tolist()
    return captions.sentences(
        f"{what}: {names}, {captions.seeds(table['planned'].tolist())} on each of "
        f"{captions.count(table['instance'].nunique(), 'instance')} ({captions.the_slice(cells)}; "
        f"{captions.grid(table)}).",
        _blocks(table),
        scale,
        _within(table, shown, labels, tolerance) if known and statistic.startswith("known") else "",
        _near(table, verdicts, statistic, shown, labels) if statistic.startswith("optimum") else "",
        _same_integers(table, shown, labels) if statistic == "delta_z_proven" else "",
        "" if known else _verdicts(table, verdicts, statistic, shown, labels),
        _sure(table, captions.proven_optima if optimum else captions.certified_values) if known else "",
        _zeros(table, divided=not statistic.startswith("delta_z")),
        _marked(table, other),
        failures,
        captions.budgets_text(budgets, solvers, labels),
        captions.stands_on(compared["present"].sum(), used["planned"].sum(), compared["solved"].sum()),
    )


def caption_translation(
    translation: Any,
    translation_counts: Any,
    *,
    cells: Any = None,
    strategies: Sequence[str] | None = None,
    labels: Labels | None = None,
    budgets: Budgets | None = None,
    tolerance: float = 0.01,
) -> str:
    """Say what `draw_translation` shows; `cells` of both slices, where given, say on how many runs.

    The table `translation_counts` has the intervals of the counts.
    """
    shown = captions.strategies_of(translation, strategies)
    table = captions.all_cases(translation)
    table = table[table["solver"].isin(shown)]
    names = captions.listing([captions.name(solver, labels) for solver in shown])

    def tell(pairs: Any, solver: str, optima: str) -> str:
        lines = translation_counts[translation_counts["cells"] == pairs["verdict"].notna().sum()]
        lines = lines[(lines["solver"] == solver) & (lines["optima"] == optima)].to_dict("records")
        line = {**(lines[0] if lines else {}), **{word: (pairs["verdict"] == word).sum() for word in _VERDICTS}}
        return captions.listing([f"{word} on {_bracketed(line, word)}" for word in _VERDICTS])

    counts = []
    for solver in shown:
        own = table[table["solver"] == solver]
        zero = own[own["zero_optimum"].astype(bool)]
        apart = f", with a zero optimum {tell(zero, solver, 'zero')}" if len(zero) else ""
        counts.append(f"{captions.name(solver, labels)} {tell(own, solver, 'all')}{apart}")
    share = ""
    if cells is not None:
        used = captions.all_cases(cells)
        # Studies may share trials: each cell counts once, where most of its runs are.
        used = (
            used[used["solver"].isin(shown)].sort_values("planned").drop_duplicates(["instance", "solver"], keep="last")
        )
        share = captions.stands_on(used["present"].sum(), used["planned"].sum(), used["solved"].sum())
    instances = len(table[["case", "c", "E"]].drop_duplicates())
    return captions.sentences(
        f"Best objective value of the runs on the translated instances, divided by the same strategy's best on the "
        f"untranslated ones: {names} on {captions.count(instances, 'pair')} of instances "
        f"({captions.the_slice(translation)}; {captions.grid(table)}).",
        f"Scale [0.5, 2.0], logarithmic: white is below 0.5, palest blue better by more than {100 * tolerance:g} %, "
        "light blue the same, darker blue worse.",
        f"Under translation, {captions.BRACKETS}: {'; '.join(counts)}.",
        _zeros(table, divided=True),
        "Runs without a verified solution do not count as a best.",
        captions.budgets_text(budgets, shown, labels),
        share,
    )


def _blocks(table: Any) -> str:
    """Say what the blocks are."""
    nine, pairs, files = (_cases(table)[kind] for kind in ("nine", "pairs", "files"))
    cells = "cells are c by row and E by column"
    return captions.sentences(
        f"Blocks are the test cases, objective f by row and constraint g by column; {cells}." if nine else "",
        "Below them are other pairs of forms, of f and of g." if nine and pairs else "",
        f"Blocks are pairs of forms, of f and of g; {cells}." if pairs and not nine else "",
        "A block of one cell is a problem from a file." if files else "",
    )


# --- What is in a cell -----------------------------------------------------------------------------------------------

_VERDICTS = ("same", "better", "worse", "neither")


def _states(own: Any, other: Any) -> Any:
    """Return what each cell is: a value, or the reason why there is none."""
    return np.select(
        [own.isna() & other.isna(), own.isna(), other.isna()], ["neither", "failed", "unpaired"], default="value"
    )


def _shown(cells: Any, statistic: Statistic, strategies: Sequence[str] | None) -> list[str]:
    """Return the solvers with a panel; against optima and best known values the reference is one like the others."""
    everyone = statistic.startswith(("known", "optimum")) or statistic == "delta_z_proven"
    return captions.strategies_of(cells.assign(is_reference=False) if everyone else cells, strategies)


def _with_states(cells: Any, statistic: Statistic) -> Any:
    """Return the cells of the nine test cases with `value`, `state` and `open`; what was not run is no failure.

    `open` marks cells that are compared with a best known value of which nobody knows how good it is, or that would be
    compared with an optimum that is not proven.
    """
    value, own, other = COLUMNS[statistic]
    table = captions.all_cases(cells)
    states = _states(table[own], table[other])
    if statistic == "delta_z_certified":
        states = np.where(table["certified"] | (states != "value"), states, "open")
    elif other == "optimum":
        states = np.where(table["proven"], states, "open")
    waiting = table["verdict_best"].isna() if other == "reference_f" else table["made"] == 0
    sure = {"reference_f": True, "best_known_f": table["certified"] | table[other].isna(), "optimum": table["proven"]}
    return table.assign(value=table[value], state=np.where(waiting, "waiting", states), open=~np.asarray(sure[other]))


def _within(table: Any, shown: Sequence[str], labels: Labels | None, tolerance: float) -> str:
    table = table.assign(held=within(table["value"], tolerance))[table["state"] != "waiting"]
    return f"Cells within {100 * tolerance:g} % of the best known value, {_shares(table, shown, labels)}"


def _near(table: Any, verdicts: Any, statistic: Statistic, shown: Sequence[str], labels: Labels | None) -> str:
    """Say how many cells come how near the optimum, where it is proven, and how many of these have a zero optimum."""
    ran = table[~table["state"].isin(["waiting", "open"])]

    def tell(solver: str, cells: Any, optima: str) -> str:
        lines = _lines(verdicts, "optimum", statistic.removeprefix("optimum_"), solver, optima, len(cells))
        between = {line["tolerance"]: captions.near_optimum(line)[1] for line in lines}
        counts = {tolerance: int(within(cells["value"], tolerance).sum()) for tolerance in (OPTIMAL, CLOSE, SIMILAR)}
        near = (captions.counted(count, between.get(tolerance, "")) for tolerance, count in counts.items())
        return f"{' / '.join(near)} of {len(cells)}"

    return f"Cells within 0.01 % / 0.1 % / 1 % of the optimum, {_told(ran, shown, labels, tell)}"


def _same_integers(table: Any, shown: Sequence[str], labels: Labels | None) -> str:
    ran = table[~table["state"].isin(["waiting", "open"])]
    return f"Cells with the integers of an optimum, {_shares(ran.assign(held=ran['value'] == 0), shown, labels)}"


def _shares(table: Any, shown: Sequence[str], labels: Labels | None) -> str:
    """Say on how many of its cells something is `held` for each solver."""
    return _told(table, shown, labels, lambda _, cells, __: captions.share(int(cells["held"].sum()), len(cells)))


def _told(table: Any, shown: Sequence[str], labels: Labels | None, tell: Callable[[str, Any, str], str]) -> str:
    """Say something of each solver's cells, and apart of those with a zero optimum: a constant decides them."""
    zero = table["optimum"].fillna(table["best_known_f"]) <= ATOL
    parts = []
    for solver in shown:
        own = table["solver"] == solver
        text = f"{captions.name(solver, labels)} {tell(solver, table[own], 'all')}"
        apart = tell(solver, table[own & zero], "zero") if (own & zero).any() else ""
        parts.append(f"{text}, with a zero optimum {apart}" if apart else text)
    return f"{captions.BRACKETS}: {'; '.join(parts)}."


def _lines(verdicts: Any, against: str, statistic: str, solver: str, optima: str, cells: int) -> list[dict[str, Any]]:
    """Return the lines of `verdicts` about exactly these cells: a map leaves out the sphere, which they may count."""
    wanted = {"case": "all", "against": against, "statistic": statistic, "solver": solver, "optima": optima}
    lines = verdicts[verdicts["cells"] == cells]
    for column, value in wanted.items():
        lines = lines[lines[column] == value]
    found: list[dict[str, Any]] = lines.to_dict("records")
    return found


def _sure(table: Any, tell: Callable[[Any], str]) -> str:
    """Say on how many instances what is compared with is known for sure."""
    instances = table.drop_duplicates("instance")
    return captions.sentences(tell(instances), "Dots mark where it is not." if instances["open"].any() else "")


def _verdicts(table: Any, verdicts: Any, statistic: Statistic, shown: Sequence[str], labels: Labels | None) -> str:
    if statistic.startswith("delta_z"):
        return ""

    def tell(solver: str, cells: Any, optima: str) -> str:
        lines = _lines(verdicts, "reference", statistic, solver, optima, len(cells))
        counts = {word: int((cells[f"verdict_{statistic}"] == word).sum()) for word in VERDICTS}
        line = {**(lines[0] if lines else {}), **counts}
        return " / ".join(_bracketed(line, word) for word in VERDICTS)

    ran = table[table["state"] != "waiting"]
    return f"Cells better / similar / worse / neither with a solution, {_told(ran, shown, labels, tell)}"


def _bracketed(line: dict[str, Any], word: str) -> str:
    """Write a count of a line with its interval, if it has one."""
    return captions.counted(int(line[word]), captions.interval(line.get(f"{word}_low"), line.get(f"{word}_high")))


def _zeros(table: Any, divided: bool) -> str:
    zeros = len(table.loc[table["zero_optimum"].astype(bool), ["case", "c", "E"]].drop_duplicates())
    return captions.zero_optima(zeros, divided)


def _marked(table: Any, other: str) -> str:
    unpaired = table.loc[table["state"].isin(["unpaired", "neither"]), "instance"].nunique()
    waiting = (table["state"] == "waiting").sum()
    nobody = "no solver has a" if other == "any solver" else f"{other} has no"
    return captions.sentences(
        f"Crosses mark {captions.count(unpaired, 'instance')} that {nobody} solution of." if unpaired else "",
        f"Hatched: {captions.count(waiting, 'cell')} not run." if waiting else "",
    )


# --- Drawing ---------------------------------------------------------------------------------------------------------


def _draw(
    table: Any,
    shown: Sequence[str],
    zones: scales.Zones | None,
    title: str,
    marks: dict[str, str],
    labels: Labels | None,
    paths: Sequence[Path],
    least: bool = False,
) -> None:
    table = table[table["solver"].isin(shown)]
    levels = sorted(table["c"].unique()), sorted(table["E"].unique())
    columns = {1: 1, 2: 2, 4: 2}.get(len(shown), 3)
    rows = math.ceil(len(shown) / columns)
    block = 0.95 if rows == 1 and len(levels[0]) > 3 else 0.8
    width = style.WIDTH if columns > 1 else 4.6
    handles = _handles(table, marks)
    per_row = 5 if columns > 1 else 2
    footer = 0.68 + 0.22 * math.ceil(len(handles) / per_row)
    places, height = _places(table)
    size = (width, rows * (height * block + 0.75) + footer)
    fig, axes, strip = style.figure_with_footer(rows, columns, size, footer)
    for position, ax in enumerate(axes.flat):
        if position >= len(shown):
            ax.axis("off")
            continue
        solver = shown[position]
        _panel(ax, table[table["solver"] == solver], levels, zones, places)
        _names(ax, places, leftmost=position % columns == 0, narrow=columns == 3)
        _ticks(ax, *levels, block, places, leftmost=position % columns == 0)
        ax.set(xlim=(-0.01, 3.01 + 2 * GAP_X), ylim=(height - GAP_Y + 0.02, -GAP_Y))
        mark = f"{style.letter(position)} " if len(shown) > 1 else ""
        ax.set_title(f"{mark}{captions.name(solver, labels)}", fontweight="bold", pad=16)
    _footer(strip, handles, per_row, zones, title, least)
    style.save(fig, paths)


#: A test case, or a file's name → left and top of its block.
Places = dict[int | str, tuple[float, float]]


def _cases(table: Any) -> dict[str, list[int | str]]:
    """Return the blocks: all nine test cases if there is one of them, the other pairs of forms, and the files."""
    found = table["tc"].unique().tolist()
    others = sorted(case for case in found if isinstance(case, str))
    return {
        "nine": list(range(9)) if len(found) > len(others) else [],
        "pairs": [case for case in others if "." in case],
        "files": [case for case in others if "." not in case],
    }


def _places(table: Any) -> tuple[Places, float]:
    """Return where the blocks are, three in a row, each one unit wide and high, and the height of them all."""
    cases = _cases(table)
    places: Places = {}
    top = 0.0
    # The names of two forms take a line more than a number does.
    for blocks, gap in ((cases["nine"], GAP_Y), ([*cases["pairs"], *cases["files"]], 2 * GAP_Y)):
        for row in range(math.ceil(len(blocks) / 3)):
            top += gap if places else 0.0
            places |= {case: (k * (1 + GAP_X), top) for k, case in enumerate(blocks[3 * row : 3 * row + 3])}
            top += 1
    return places, top + GAP_Y


def _panel(
    ax: Any, table: Any, levels: tuple[list[float], list[float]], zones: scales.Zones | None, places: Places
) -> None:
    """Draw the blocks of a strategy."""
    for tc, (left, top) in places.items():
        lines = table[table["tc"] == tc]
        is_file = isinstance(tc, str) and "." not in tc
        c_levels, E_levels = (sorted(lines["c"].unique()), sorted(lines["E"].unique())) if is_file else levels
        rows = {c: position for position, c in enumerate(c_levels)}
        columns = {E: position for position, E in enumerate(E_levels)}
        height, width = 1 / max(len(rows), 1), 1 / max(len(columns), 1)
        name = f"TC-{tc}" if isinstance(tc, int) else style.case_name(tc).replace(" + ", "\n+ ")
        ax.text(left, top - 0.03, name, fontsize=style.SMALL, ha="left", va="bottom", clip_on=False)
        colours = np.ones((len(rows), len(columns), 4))
        for line in lines.itertuples():
            row, column = rows[line.c], columns[line.E]
            colours[row, column] = _colour(line, zones)
            _mark(ax, line, colours[row, column], (left + column * width, top + row * height, width, height))
        if lines.empty:
            ax.add_patch(Rectangle((left, top), 1, 1, fill=False, edgecolor=EDGE, linestyle=":", linewidth=0.8))
            ax.text(left + 0.5, top + 0.5, "not in\nthis study", ha="center", va="center", fontsize=style.SMALL)
            continue
        edges = np.linspace(left, left + 1, len(columns) + 1), np.linspace(top, top + 1, len(rows) + 1)
        ax.pcolormesh(*edges, colours, edgecolors=EDGE, linewidth=0.4, zorder=1)


def _names(ax: Any, places: Places, leftmost: bool, narrow: bool) -> None:
    """Name the nine blocks' columns by the form of g, and their rows, left of the leftmost panel, by that of f."""
    if 0 not in places:
        return
    size = style.SMALL if narrow else 8
    for position, form in enumerate(style.FORM_NAMES.values()):
        # Side by side in a narrow panel there is room for one prefix.
        column = form if narrow and position else f"g: {form}"
        ax.text(position * (1 + GAP_X) + 0.5, -GAP_Y, column, fontsize=size, ha="center", va="bottom")
        if leftmost:
            place = (-0.55 if narrow else -0.42), position * (1 + GAP_Y) + 0.5
            ax.text(*place, f"f: {form}", fontsize=size, ha="right", va="center", rotation=90)


def _ticks(ax: Any, c_levels: list[float], E_levels: list[float], block: float, places: Places, leftmost: bool) -> None:
    """Label the rows and columns of cells, every k-th where there are too many to read."""
    ax.tick_params(length=0, pad=1.5)
    ax.spines[:].set_visible(False)
    grids = [place for case, place in places.items() if isinstance(case, int) or "." in case]
    lefts, tops = sorted({left for left, _ in grids}), sorted({top for _, top in grids})
    if not grids:
        ax.set(xticks=[], yticks=[])
        return
    every = math.ceil(len(c_levels) * 0.12 / block)
    at = [(top + (i + 0.5) / len(c_levels), c) for top in tops for i, c in enumerate(c_levels)]
    texts = [style.number(c) if leftmost and c_levels.index(c) % every == 0 else "" for _, c in at]
    ax.set_yticks([position for position, _ in at], texts, fontsize=style.SMALL)
    longest = max(len(style.number(E)) for E in E_levels)
    every = math.ceil(len(E_levels) * longest * 0.07 / 0.62)
    at = [(left + (i + 0.5) / len(E_levels), E) for left in lefts for i, E in enumerate(E_levels)]
    texts = [style.number(E) if E_levels.index(E) % every == 0 else "" for _, E in at]
    ax.set_xticks([position for position, _ in at], texts, fontsize=style.SMALL)
    ax.set_xlabel("E", fontsize=8, labelpad=1)
    if leftmost:
        ax.text(-0.1, -0.03, "c", fontsize=8, ha="right", va="bottom")


def _colour(line: Any, zones: scales.Zones | None) -> scales.RGBA:
    if line.state == "value":
        if zones is not None:
            return zones.colour(float(line.value))
        red, green, blue, alpha = scales.DELTA_Z(float(line.value))
        return red, green, blue, alpha
    shade = {"waiting": 0.93, "unpaired": 1.0, "open": 0.85}.get(line.state, 0.0)
    return shade, shade, shade, 1.0


def _mark(ax: Any, line: Any, colour: Any, cell: tuple[float, float, float, float]) -> None:
    left, top, width, height = cell
    centre = left + width / 2, top + height / 2
    ink = "white" if scales.dark(tuple(colour)) else "black"
    if line.state == "waiting":
        look: dict[str, Any] = {"fill": False, "hatch": "//////", "linewidth": 0, "edgecolor": EDGE, "zorder": 2}
        ax.add_patch(Rectangle((left, top), width, height, **look))
    elif line.state not in ("value", "open"):
        ax.plot(*centre, "_" if line.state == "failed" else "x", color=ink, markersize=4, markeredgewidth=0.9)
    elif line.open:
        ax.plot(*centre, ".", color=ink, markersize=3)
    if line.zero_optimum:
        ax.plot(*centre, "o", color=ink, fillstyle="none", markersize=5.5 if line.state != "value" else 3.2, mew=0.7)


def _footer(strip: Any, handles: Sequence[Any], columns: int, zones: Any, title: str, least: bool) -> None:
    """Draw the scale, and below it the legend of those marks that occur."""
    _, key, _ = strip.subplots(1, 3, width_ratios=(1, 10, 1))
    for ax in strip.axes[::2]:
        ax.axis("off")
    if zones is not None:
        zones.draw_key(key, title, least)
    else:
        mappable = ScalarMappable(Normalize(0, 1), scales.DELTA_Z)
        strip.colorbar(mappable, cax=key, orientation="horizontal", ticks=np.linspace(0, 1, 5))
        ends = {0.0: "0 (same integers)", 1.0: "1 (all differ)"}
        key.set_xticks(key.get_xticks(), [ends.get(x, f"{x:g}") for x in key.get_xticks()], fontsize=style.SMALL)
        key.set_xlabel(title, fontsize=8)
    if handles:
        places: dict[str, Any] = {
            "loc": "outside lower center",
            "ncols": columns,
            "frameon": False,
            "handlelength": 1.2,
        }
        strip.legend([handle for handle, _ in handles], [text for _, text in handles], fontsize=style.SMALL, **places)


def _handles(table: Any, marks: dict[str, str]) -> list[tuple[Any, str]]:
    """Return handle and text of the marks that occur."""
    occurring = set(table["state"])
    handles: list[tuple[Any, str]] = []
    if table["zero_optimum"].astype(bool).any():
        handles.append((_sign("o", "black"), "zero optimum"))
    for state, sign, face, ink in (
        ("unpaired", "x", "white", "black"),
        ("failed", "_", "black", "white"),
        ("neither", "x", "black", "white"),
    ):
        if state in occurring:
            handles.append(((Patch(facecolor=face, edgecolor=EDGE), _sign(sign, ink)), marks[state]))
    if (table["open"] & table["state"].isin(["value", "open"])).any():
        handles.append((Line2D([], [], marker=".", color="black", linestyle="", markersize=4), marks["open"]))
    if "waiting" in occurring:
        handles.append((Patch(facecolor="#EDEDED", edgecolor=EDGE, hatch="//////", linewidth=0), "not run"))
    return handles


def _sign(marker: str, ink: str) -> Any:
    return Line2D([], [], marker=marker, color=ink, linestyle="", fillstyle="none", markersize=4, markeredgewidth=0.9)
