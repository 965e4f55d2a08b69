"""Which table is made from which, by which function; imports no table code until a table is made."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Recipe:
    """A table's function and the tables that it takes, in order."""

    module: str
    function: str
    inputs: tuple[str, ...]


def _recipe(module: str, function: str, *inputs: str) -> Recipe:
    return Recipe(f"unbounded.tables.{module}", function, inputs)


RECIPES: dict[str, Recipe] = {
    "runs": _recipe("runs", "runs_table", "trials", "plan"),
    "cells": _recipe("cells", "cells_table", "runs"),
    "verdicts": _recipe("verdicts", "verdicts_table", "cells"),
    "translation": _recipe("translation", "translation_table", "runs"),
    "translation_counts": _recipe("translation", "translation_counts", "translation"),
    "preliminary": _recipe("preliminary", "preliminary_table", "runs", "trials"),
    "multimodality": _recipe("multimodality", "multimodality_table", "runs", "trials"),
    "multimodality_tests": _recipe("rank_tests", "multimodality_tests", "runs", "trials"),
    "multimodality_distances": _recipe("multimodality", "multimodality_distances", "runs", "trials"),
    "completeness": _recipe("completeness", "completeness_table", "runs"),
    "claims": _recipe(
        "claims",
        "claims_from_tables",
        "trials",
        "runs",
        "cells",
        "translation",
        "preliminary",
        "multimodality",
        "multimodality_tests",
    ),
}


def make(name: str, folder: Path) -> None:
    """Make a table in the folder of tables from those that are there."""
    from unbounded.tables.files import read, read_trials, write

    recipe = RECIPES[name]
    inputs = [
        read_trials(folder / "trials.parquet") if table == "trials" else read(folder / f"{table}.parquet")
        for table in recipe.inputs
    ]
    write(getattr(importlib.import_module(recipe.module), recipe.function)(*inputs), folder / name)
