"""Which figures a campaign has, and how each is drawn from tables; imports no drawing code until one is drawn."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unbounded.config import LandscapeStudy, ReadStudy, RunStudy
from unbounded.plan import Plan
from unbounded.solvers import registry

#: Kind of figure → the module that draws it, and the tables it takes.
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "maps": ("unbounded.figures.heatmaps", ("cells",)),
    "ratio": ("unbounded.figures.heatmaps", ("translation", "cells")),
    "boxplots": ("unbounded.figures.boxplots", ("runs",)),
    "gallery": ("unbounded.figures.boxplots", ("runs",)),
    "preliminary": ("unbounded.figures.preliminary", ("preliminary",)),
    "multimodality": ("unbounded.figures.multimodality", ("runs", "multimodality_distances")),
    "runtimes": ("unbounded.figures.anytime", ("anytime", "runs")),
    "targets": ("unbounded.figures.anytime", ("anytime", "runs")),
    "profiles": ("unbounded.figures.anytime", ("profiles", "runs")),
    "formulations": ("unbounded.figures.formulations", ("formulations",)),
    "completeness": ("unbounded.figures.completeness", ("completeness",)),
}

#: A figure as plain data: its kind and what of the tables it shows.
Description = dict[str, Any]


def figures(plan: Plan) -> dict[str, Description]:
    """Return the campaign's figures by path, `<study>/<name>`; landscapes, which need no tables, are not among them."""
    found: dict[str, Description] = {}
    for name, study in plan.campaign.studies.items():
        if isinstance(study, LandscapeStudy):
            continue
        for title, description in _of_study(plan, name, study):
            found[f"{name}/{title}"] = description
    if plan.cells:
        found["campaign/completeness"] = {"kind": "completeness"}
    return found


def _of_study(plan: Plan, name: str, study: RunStudy | ReadStudy) -> Iterator[tuple[str, Description]]:
    if isinstance(study, ReadStudy):
        if study.type == "discrepancy":
            for other in study.of:
                for group, cases in _slices(plan, other):
                    if cases and _strategies(plan, other):
                        common = {"study": other, "group": group, **_spent(plan, other, group)}
                        prefix = f"{other}-{group}"
                        yield f"{prefix}-map", {"kind": "maps", "statistic": "delta_z", **common}
                        yield f"{prefix}-known-map", {"kind": "maps", "statistic": "delta_z_best_known", **common}
                        yield f"{prefix}-certified-map", {"kind": "maps", "statistic": "delta_z_certified", **common}
                        yield f"{prefix}-boxes", {"kind": "gallery", "measure": "delta_z", **common}
                        for tc in cases:
                            yield f"{prefix}-TC{tc}", {"kind": "boxplots", "tc": tc, "measures": ["delta_z"], **common}
        return
    if study.type == "formulation":
        firsts = {(spec.kind, spec.D): spec.group for spec in study.specs()}
        for dimension, group in firsts.items():
            shown = {"study": name, "dimension": list(dimension), **_spent(plan, name, group)}
            yield f"{dimension[0]}-D{dimension[1]}", {"kind": "formulations", **shown}
        return
    strategies = _strategies(plan, name)
    for group, cases in _slices(plan, name) if strategies else ():
        common = {"study": name, "group": group, **_spent(plan, name, group)}
        if study.type == "preliminary":
            continue
        if cases and study.type != "multimodality":
            yield f"{group}-best", {"kind": "maps", "statistic": "best", **common}
            yield f"{group}-median", {"kind": "maps", "statistic": "median", **common}
            yield f"{group}-known-best", {"kind": "maps", "statistic": "known_best", **common}
            yield f"{group}-known-median", {"kind": "maps", "statistic": "known_median", **common}
            for kind in ("runtimes", "targets", "profiles"):
                yield f"{group}-{kind}", {"kind": kind, **common}
        if cases and study.type in ("benchmark", "translation"):
            yield f"{group}-boxes", {"kind": "gallery", "measure": "normalised", **common}
        if cases and study.type in ("benchmark", "all-integer"):
            measures = ["normalised", "delta_z"] if study.type == "all-integer" else ["normalised"]
            for tc in cases:
                yield f"{group}-TC{tc}", {"kind": "boxplots", "tc": tc, "measures": measures, **common}
        if study.type == "translation":
            kind, D, t = _first(plan, name, group)
            if t != 0 and _has_slice(plan, kind, D):
                shown = {"slice": [kind, D, t], "strategies": strategies, **_spent(plan, name, group)}
                yield f"{group}-ratio", {"kind": "ratio", **shown}
    if study.type == "preliminary":
        yield "statuses", {"kind": "preliminary", "study": name, **_spent(plan, name, _slices(plan, name)[0][0])}
    if study.type == "multimodality":
        white_box = [id for id in study.solvers if _entry(plan, study, id).solver.white_box]
        for spec in study.specs():
            shown = {"study": name, "instance": spec.id, "white_box": white_box}
            yield spec.id, {"kind": "multimodality", **shown, **_spent(plan, name, spec.group)}


def _strategies(plan: Plan, study: str) -> list[str]:
    """Return the solvers of a study that are compared with its reference."""
    settings = plan.campaign.run_studies[study]
    return [id for id in settings.solvers if id != settings.reference]


def _entry(plan: Plan, study: RunStudy, id: str) -> registry.Entry:
    return registry.find(plan.campaign.settings(study, id).use or id)


def _slices(plan: Plan, study: str) -> list[tuple[str, list[int]]]:
    """Return the slices of a study with their test cases, sphere aside."""
    slices: dict[str, dict[int, None]] = {}
    for spec in plan.campaign.run_studies[study].specs():
        cases = slices.setdefault(spec.group, {})
        if spec.case != "sphere":
            cases[spec.case] = None
    return [(group, sorted(cases)) for group, cases in slices.items()]


def _first(plan: Plan, study: str, group: str) -> tuple[str, int, float]:
    spec = next(spec for spec in plan.campaign.run_studies[study].specs() if spec.group == group)
    return spec.kind, spec.D, spec.t


def _has_slice(plan: Plan, kind: str, D: int) -> bool:
    """Whether the campaign has the untranslated twin of a slice."""
    return any((cell.spec.kind, cell.spec.D, cell.spec.t) == (kind, D, 0) for cell in plan.cells.values())


def _spent(plan: Plan, study: str, group: str) -> Description:
    """Return what a run of every solver of a slice may spend, and how many runs there are, for captions."""
    budgets: dict[str, tuple[str, float]] = {}
    runs: dict[str, int] = {}
    settings = plan.campaign.run_studies[study]
    spec = next(spec for spec in settings.specs() if spec.group == group)
    for solver in settings.solvers:
        budget = plan.cells[spec.id, solver].budget
        budgets[solver] = (budget.kind, budget.amount)
        runs[solver] = len(plan.campaign.settings(settings, solver).seeds or settings.seeds)
    return {"budgets": budgets, "runs": runs}


def draw(
    figure: Description, tables: Mapping[str, Any], paths: Sequence[Path], labels: Mapping[str, str] | None = None
) -> str:
    """Draw a figure from its tables to every path, and return its caption."""
    kind = figure["kind"]
    module = importlib.import_module(KINDS[kind][0])
    shown = [select(table, figure) for table in tables.values()]
    budgets = {solver: tuple(budget) for solver, budget in figure.get("budgets", {}).items()}
    told = {"labels": labels, "budgets": budgets}
    text: str
    if kind == "maps":
        module.draw_maps(*shown, figure["statistic"], paths, labels=labels)
        text = module.caption_maps(*shown, figure["statistic"], **told)
    elif kind == "ratio":
        translation, cells = shown
        module.draw_translation(translation, paths, strategies=figure["strategies"], labels=labels)
        text = module.caption_translation(translation, cells=cells, strategies=figure["strategies"], **told)
    elif kind == "boxplots":
        module.draw_boxplots(*shown, figure["tc"], figure["measures"], paths, labels=labels)
        text = module.caption_boxplots(*shown, figure["tc"], figure["measures"], **told)
    elif kind == "gallery":
        module.draw_box_gallery(*shown, figure["measure"], paths, labels=labels)
        text = module.caption_boxplots(*shown, None, [figure["measure"]], **told)
    elif kind == "preliminary":
        module.draw_preliminary(*shown, paths, labels=labels)
        text = module.caption_preliminary(*shown, **told)
    elif kind == "formulations":
        module.draw_formulations(*shown, paths, labels=labels)
        text = module.caption_formulations(*shown, **told)
    elif kind == "multimodality":
        where = {"white_box": figure["white_box"], "labels": labels}
        module.draw_multimodality(*shown, figure["instance"], paths, **where)
        text = module.caption_multimodality(*shown, figure["instance"], **where, budgets=budgets)
    elif kind in ("runtimes", "targets", "profiles"):
        getattr(module, f"draw_{kind}")(*shown, paths, labels=labels)
        text = getattr(module, f"caption_{kind}")(*shown, **told)
    else:
        module.draw_completeness(*shown, paths, labels=labels)
        text = module.caption_completeness(*shown)
    return text


def rows_behind(table: Any, figure: Description) -> Any:
    """Return the rows of one of its tables that a figure rests on: those of its test cases and solvers alone."""
    rows = select(table, figure)
    if "tc" in rows and figure["kind"] in ("boxplots", "gallery"):
        boxplots = importlib.import_module(KINDS[figure["kind"]][0])
        cases = [figure["tc"]] if "tc" in figure else boxplots.gallery_cases(rows, figure["measure"])
        rows = rows[rows["tc"].isin(cases)]
    elif "tc" in rows:
        rows = rows[rows["tc"].notna()]
    return rows[rows["solver"].isin(figure["strategies"])] if "strategies" in figure else rows


def select(table: Any, figure: Description) -> Any:
    """Return the rows of a table that a figure is drawn from."""
    for column in ("study", "group", "instance"):
        if column in figure and column in table:
            table = table[table[column] == figure[column]]
    if "dimension" in figure:
        kind, D = figure["dimension"]
        table = table[(table["kind"] == kind) & (table["D"] == D)]
    if "slice" in figure:
        kind, D, t = figure["slice"]
        # The table of pairs has one line for both; that of cells has the untranslated ones in lines of their own.
        translations = [t] if "translated_best_f" in table else [0, t]
        table = table[(table["kind"] == kind) & (table["D"] == D) & table["t"].isin(translations)]
    return table
