"""Heat-maps of a translated slice: each strategy's best values against its own on the untranslated instances.

The paper's Figures `Tmap` and `Trelative`, in the form of the other maps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.contract import Description, Figure, with_case

if TYPE_CHECKING:
    from unbounded.figures.planned import Planned

VERDICTS = ("same", "better", "worse", "neither")


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Every translated slice whose untranslated twin is in the campaign."""
    for study in plan.studies("translation"):
        for part in study.slices if study.strategies else ():
            if part.has_twin:
                first = part.specs[0]
                pair = {"slice": [first.kind, first.D, first.t]}
                yield f"{part.path}-ratio", {**part.of_everyone(strategies=study.strategies), **pair}


def select(table: Any, description: Description) -> Any:
    """Return the lines of both slices, whatever studies they are in."""
    kind, D, t = description["slice"]
    # The table of pairs has one line for both; that of cells has the untranslated ones in lines of their own.
    translations = [t] if "translated_best_f" in table else [0, t]
    return table[(table["kind"] == kind) & (table["D"] == D) & table["t"].isin(translations)]


def rests_on(rows: Any, description: Description) -> Any:
    """Return the lines of the strategies alone."""
    rows = with_case(rows, description)
    return rows[rows["solver"].isin(description["options"]["strategies"])]


def draw(
    translation: Any,
    translation_counts: Any,
    cells: Any,
    *,
    paths: Sequence[Path],
    strategies: Sequence[str] | None = None,
    labels: Labels | None = None,
    tolerance: float = 0.01,
) -> None:
    """Draw translated against untranslated bests of one slice, from the table `translation`."""
    from unbounded.figures.parts import map_panels, scales

    for column in ("kind", "D", "t"):
        captions.only(translation, column)
    shown = captions.strategies_of(translation, strategies)
    table = _paired(captions.all_cases(translation), shown)
    states = map_panels.states(table["translated_best_f"], table["best_f"])
    states = np.where(table["verdict"].isna(), "waiting", states)
    table = table.assign(value=table["ratio"], state=states, open=False)
    title = f"best value at t = {style.number(float(captions.only(translation, 't')))} / best value at t = 0"
    marks = {
        "unpaired": "no untranslated solution",
        "failed": "no translated solution",
        "neither": "neither has a solution",
    }
    map_panels.draw(table, shown, replace(scales.RATIO, tolerance=tolerance), title, marks, labels, paths)


def _paired(table: Any, shown: Sequence[str]) -> Any:
    """Return the pairs of all instances for each solver, those that it was not run on among them."""
    import pandas as pd

    keys = ["case", "c", "E"]
    pairs = table.drop_duplicates(keys).set_index(keys, drop=False)
    pairs = pairs.assign(verdict=None, best_f=np.nan, translated_best_f=np.nan, ratio=np.nan)
    parts = [table]
    for solver in shown:
        own = table[table["solver"] == solver].set_index(keys).index
        parts.append(pairs[~pairs.index.isin(own)].assign(solver=solver))
    return pd.concat([part.astype(table.dtypes) for part in parts if len(part)], ignore_index=True)


def caption(
    translation: Any,
    translation_counts: Any,
    cells: Any,
    *,
    strategies: Sequence[str] | None = None,
    labels: Labels | None = None,
    budgets: Budgets | None = None,
    tolerance: float = 0.01,
) -> str:
    """Say what `draw_translation` shows; `cells` of both slices, where given, say on how many runs.

    The table `translation_counts` has the intervals of the counts.
    """
    shown = captions.strategies_of(translation, strategies)
    table = _paired(captions.all_cases(translation), shown)
    waiting = int(table.loc[table["solver"].isin(shown), "verdict"].isna().sum())
    table = table[table["solver"].isin(shown) & table["verdict"].notna()]
    names = captions.listing([captions.name(solver, labels) for solver in shown])

    def tell(pairs: Any, solver: str, optima: str) -> str:
        lines = translation_counts[translation_counts["cells"] == pairs["verdict"].notna().sum()]
        lines = lines[(lines["solver"] == solver) & (lines["optima"] == optima)].to_dict("records")
        line = {**(lines[0] if lines else {}), **{word: (pairs["verdict"] == word).sum() for word in VERDICTS}}
        return captions.listing([f"{word} on {captions.bracketed(line, word)}" for word in VERDICTS])

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
        captions.zero_cells(table, divided=True),
        f"Hatched: {captions.count(waiting, 'pair')} of which not both were run." if waiting else "",
        "Runs without a verified solution do not count as a best.",
        captions.budgets_text(budgets, shown, labels),
        share,
    )


FIGURE = Figure(
    name="ratio",
    title="Map of translated against untranslated best values",
    tables=("translation", "translation_counts", "cells"),
    planned=planned,
    draw=draw,
    caption=caption,
    place=70,
    select=select,
    rests_on=rests_on,
)
