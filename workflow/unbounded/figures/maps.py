"""Heat-maps of a slice: best and median values against the reference solver, the optimum or the best known, and Δz.

The paper's Figures `cmaMap_best64`, `cmaMap_all64` and `DeltaIntMaps`: a panel for each strategy, in it the nine test
cases (objective by row, constraint by column), in each of these a cell for every c and E. Other pairs of forms come
below them, and problems from files, each a block of one cell. Against the proven optima and the best known values of
the table `best_known` the reference solver has a panel of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from unbounded.figures import captions
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.contract import Description, Figure
from unbounded.tables.bounds import CERTIFIED
from unbounded.tables.measures import ATOL, CLOSE, OPTIMAL, SIMILAR, VERDICTS, within

if TYPE_CHECKING:
    from unbounded.figures.planned import Planned

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
#: What is certified: a value, not the point that has it.
_CERTIFIED = f"a bound is at most {100 * CERTIFIED:g} % below its value"


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Every slice that compares strategies: to the reference, and to the optimum or the best known; Δz where asked."""
    for part in plan.slices("benchmark", "translation", "all-integer"):
        # Where optima are proven, they are the best known values.
        known = "optimum" if part.proven else "known"
        for statistic in ("best", "median", f"{known}_best", f"{known}_median"):
            yield f"{part.path}-{statistic.replace('_', '-')}", part.of_strategies(statistic=statistic)
        if part.proven and part.study.papers:
            paper = [part.study.settings.reference, *part.study.papers]
            yield f"{part.path}-paper", part.of_strategies(statistic="optimum_median", strategies=paper)
    for path, part in plan.discrepancies():
        yield f"{path}-map", part.of_strategies(statistic="delta_z")
        if part.proven:
            yield f"{path}-proven-map", part.of_strategies(statistic="delta_z_proven")
        else:
            yield f"{path}-known-map", part.of_strategies(statistic="delta_z_best_known")
            yield f"{path}-certified-map", part.of_strategies(statistic="delta_z_certified")


def draw(
    cells: Any,
    verdicts: Any,
    *,
    statistic: Statistic,
    paths: Sequence[Path],
    strategies: Sequence[str] | None = None,
    labels: Labels | None = None,
    tolerance: float = 0.01,
) -> None:
    """Draw a statistic of one study's slice, from the table `cells`."""
    from unbounded.figures.parts import map_panels, scales

    captions.only(cells, "study")
    captions.only(cells, "slice")
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
    map_panels.draw(table, shown, zones, title, marks, labels, paths, least=not to_reference)


def caption(
    cells: Any,
    verdicts: Any,
    *,
    statistic: Statistic,
    strategies: Sequence[str] | None = None,
    labels: Labels | None = None,
    budgets: Budgets | None = None,
    tolerance: float = 0.01,
) -> str:
    """Say what a map of `draw` shows and stands on; the table `verdicts` has the intervals of its counts."""
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
        captions.zero_cells(table, divided=not statistic.startswith("delta_z")),
        _marked(table, other),
        failures,
        captions.budgets_text(budgets, solvers, labels),
        captions.stands_on(compared["present"].sum(), used["planned"].sum(), compared["solved"].sum()),
    )


def _blocks(table: Any) -> str:
    """Say what the blocks are."""
    from unbounded.figures.parts import map_panels

    nine, pairs, files = map_panels.blocks(table)
    cells = "cells are c by row and E by column"
    return captions.sentences(
        f"Blocks are the test cases, objective f by row and constraint g by column; {cells}." if nine else "",
        "Below them are other pairs of forms, of f and of g." if nine and pairs else "",
        f"Blocks are pairs of forms, of f and of g; {cells}." if pairs and not nine else "",
        "A block of one cell is a problem from a file." if files else "",
    )


# --- What is in a cell-----------------------------------------------------------------------------------------------


def _shown(cells: Any, statistic: Statistic, strategies: Sequence[str] | None) -> list[str]:
    """Return the solvers with a panel; against optima and best known values the reference is one like the others."""
    everyone = statistic.startswith(("known", "optimum")) or statistic == "delta_z_proven"
    return captions.strategies_of(cells.assign(is_reference=False) if everyone else cells, strategies)


def _with_states(cells: Any, statistic: Statistic) -> Any:
    """Return the cells of all cases but the sphere, with `value`, `state` and `open`; what was not run is no failure.

    `open` marks cells that are compared with a best known value of which nobody knows how good it is, or that would be
    compared with an optimum that is not proven.
    """
    from unbounded.figures.parts import map_panels

    value, own, other = COLUMNS[statistic]
    table = captions.all_cases(cells)
    states = map_panels.states(table[own], table[other])
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
        return " / ".join(captions.bracketed(line, word) for word in VERDICTS)

    ran = table[table["state"] != "waiting"]
    return f"Cells better / similar / worse / neither with a solution, {_told(ran, shown, labels, tell)}"


def _marked(table: Any, other: str) -> str:
    unpaired = table.loc[table["state"].isin(["unpaired", "neither"]), "instance"].nunique()
    waiting = (table["state"] == "waiting").sum()
    nobody = "no solver has a" if other == "any solver" else f"{other} has no"
    return captions.sentences(
        f"Crosses mark {captions.count(unpaired, 'instance')} that {nobody} solution of." if unpaired else "",
        f"Hatched: {captions.count(waiting, 'cell')} not run." if waiting else "",
    )


FIGURE = Figure(
    name="maps",
    title="Map of the normalised values, or of the integers that differ",
    tables=("cells", "verdicts"),
    planned=planned,
    draw=draw,
    caption=caption,
    place=10,
)
