"""How each kind of figure is drawn from tables; imports no drawing code until one is drawn."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

#: Kind of figure → the module that draws it, and the tables it takes.
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "maps": ("unbounded.figures.heatmaps", ("cells", "verdicts")),
    "ratio": ("unbounded.figures.heatmaps", ("translation", "translation_counts", "cells")),
    "boxplots": ("unbounded.figures.boxplots", ("runs",)),
    "gallery": ("unbounded.figures.boxplots", ("runs",)),
    "preliminary": ("unbounded.figures.preliminary", ("preliminary",)),
    "multimodality": ("unbounded.figures.multimodality", ("runs", "multimodality_distances")),
    "near": (
        "unbounded.figures.multimodality_near",
        (
            "multimodality_near",
            "multimodality_found",
            "multimodality_near_vectors",
            "multimodality_near_distances",
            "runs",
        ),
    ),
    "runtimes": ("unbounded.figures.anytime", ("anytime", "runs")),
    "targets": ("unbounded.figures.anytime", ("anytime", "runs")),
    "profiles": ("unbounded.figures.anytime", ("profiles", "runs")),
    "formulations": ("unbounded.figures.formulations", ("formulations",)),
    "invariance": ("unbounded.figures.invariance", ("invariance",)),
    "completeness": ("unbounded.figures.completeness", ("completeness",)),
}

#: A figure as plain data: its kind and what of the tables it shows.
Description = dict[str, Any]


def draw(
    figure: Description, tables: Mapping[str, Any], paths: Sequence[Path], labels: Mapping[str, str] | None = None
) -> str:
    """Draw a figure from its tables to every path, and return its caption."""
    kind = figure["kind"]
    module = importlib.import_module(KINDS[kind][0])
    shown = [select(table, figure) for table in tables.values()]
    budgets = {solver: tuple(budget) for solver, budget in figure.get("budgets", {}).items()}
    told = {"labels": labels, "budgets": budgets}
    # Between two dollars matplotlib would read formulas.
    drawn = {solver: label.replace("$", r"\$") for solver, label in (labels or {}).items()}
    text: str
    if kind == "maps":
        cells, verdicts = shown
        module.draw_maps(cells, figure["statistic"], paths, labels=drawn)
        text = module.caption_maps(cells, verdicts, figure["statistic"], **told)
    elif kind == "ratio":
        translation, counts, cells = shown
        module.draw_translation(translation, paths, strategies=figure["strategies"], labels=drawn)
        text = module.caption_translation(translation, counts, cells=cells, strategies=figure["strategies"], **told)
    elif kind == "boxplots":
        module.draw_boxplots(*shown, figure["tc"], figure["measures"], paths, labels=drawn)
        text = module.caption_boxplots(*shown, figure["tc"], figure["measures"], **told)
    elif kind == "gallery":
        module.draw_box_gallery(*shown, figure["measure"], paths, labels=drawn)
        text = module.caption_boxplots(*shown, None, [figure["measure"]], **told)
    elif kind == "preliminary":
        module.draw_preliminary(*shown, paths, labels=drawn)
        text = module.caption_preliminary(*shown, **told)
    elif kind == "formulations":
        module.draw_formulations(*shown, paths, labels=drawn)
        text = module.caption_formulations(*shown, **told)
    elif kind == "invariance":
        module.draw_invariance(*shown, paths, labels=drawn)
        text = module.caption_invariance(*shown, **told)
    elif kind == "multimodality":
        white_box = figure["white_box"]
        module.draw_multimodality(*shown, figure["instance"], paths, white_box=white_box, labels=drawn)
        text = module.caption_multimodality(*shown, figure["instance"], white_box=white_box, **told)
    elif kind == "near":
        module.draw_near(*shown, figure["instance"], paths, labels=drawn)
        text = module.caption_near(*shown, figure["instance"], **told)
    elif kind in ("runtimes", "targets", "profiles"):
        getattr(module, f"draw_{kind}")(*shown, paths, labels=drawn)
        text = getattr(module, f"caption_{kind}")(*shown, **told)
    else:
        module.draw_completeness(*shown, paths, labels=drawn)
        text = module.caption_completeness(*shown)
    return text


def rows_behind(table: Any, figure: Description) -> Any:
    """Return the rows of one of its tables that a figure rests on: those of its test cases and solvers alone."""
    rows = select(table, figure)
    if "tc" in rows and figure["kind"] in ("boxplots", "gallery"):
        boxplots, captions = (
            importlib.import_module(name) for name in (KINDS[figure["kind"]][0], "unbounded.figures.captions")
        )
        cases = [figure["tc"]] if "tc" in figure else boxplots.gallery_cases(rows, figure["measure"])
        rows = rows[rows["case"].map(captions.case_of).isin(cases)]
    elif "tc" in rows:
        rows = rows[rows["case"] != "sphere"]
    return rows[rows["solver"].isin(figure["strategies"])] if "strategies" in figure else rows


def select(table: Any, figure: Description) -> Any:
    """Return the rows of a table that a figure is drawn from."""
    for column in ("study", "group", "instance"):
        if column in figure and column in table:
            table = table[table[column] == figure[column]]
    if "without" in figure:
        table = table[~table["solver"].isin(figure["without"])]
    if "dimension" in figure:
        kind, D = figure["dimension"]
        table = table[(table["kind"] == kind) & (table["D"] == D)]
    if "slice" in figure:
        kind, D, t = figure["slice"]
        # The table of pairs has one line for both; that of cells has the untranslated ones in lines of their own.
        translations = [t] if "translated_best_f" in table else [0, t]
        table = table[(table["kind"] == kind) & (table["D"] == D) & table["t"].isin(translations)]
    return table
