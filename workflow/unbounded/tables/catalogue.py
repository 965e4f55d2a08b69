"""Which table is made from which, by which function; imports no table code until a table is made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Recipe:
    """A table's function and the tables that it takes, in order."""

    module: str
    function: str
    inputs: tuple[str, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The tables whose files it reads: traces and vectors are parts of the trials'."""
        return tuple(dict.fromkeys("trials" if name in ("traces", "vectors") else name for name in self.inputs))


def _recipe(module: str, function: str, *inputs: str) -> Recipe:
    return Recipe(f"unbounded.tables.{module}", function, inputs)


RECIPES: dict[str, Recipe] = {
    "references": _recipe("references", "references_table", "trials"),
    "refused_bounds": _recipe("references", "refused_bounds_table", "trials", "references"),
    "runs": _recipe("runs", "runs_table", "trials", "plan", "references", "vectors"),
    "cells": _recipe("cells", "cells_table", "runs"),
    "verdicts": _recipe("verdicts", "verdicts_table", "cells", "runs"),
    "verdict_tolerances": _recipe("verdicts", "verdict_tolerances", "cells"),
    "instance_tests": _recipe("strategy_tests", "instance_tests", "runs", "trials"),
    "strategy_tests": _recipe("strategy_tests", "strategy_tests", "instance_tests"),
    "translation": _recipe("translation", "translation_table", "runs"),
    "translation_counts": _recipe("translation", "translation_counts", "translation", "runs"),
    "invariance": _recipe("invariance", "invariance_table", "runs", "trials"),
    "preliminary": _recipe("preliminary", "preliminary_table", "runs", "trials"),
    "multimodality": _recipe("multimodality", "multimodality_table", "runs", "trials"),
    "multimodality_tests": _recipe("rank_tests", "multimodality_tests", "runs", "trials"),
    "multimodality_distances": _recipe("multimodality", "multimodality_distances", "runs", "trials"),
    "multimodality_found": _recipe("multimodality_near", "multimodality_found", "runs", "trials", "vectors"),
    "multimodality_near_vectors": _recipe(
        "multimodality_near", "multimodality_near_vectors", "runs", "trials", "vectors"
    ),
    "multimodality_near_distances": _recipe(
        "multimodality_near", "multimodality_near_distances", "runs", "trials", "vectors"
    ),
    "multimodality_near": _recipe(
        "multimodality_near",
        "multimodality_near",
        "runs",
        "trials",
        "vectors",
        "multimodality_near_vectors",
        "multimodality_near_distances",
    ),
    "anytime": _recipe("anytime", "anytime_table", "trials", "traces", "runs"),
    "expected_runtimes": _recipe("anytime", "expected_runtimes_table", "anytime"),
    "profiles": _recipe("anytime", "profiles_table", "expected_runtimes"),
    "formulations": _recipe("formulations", "formulations_table", "runs", "trials", "refused_bounds"),
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
        "multimodality_near",
    ),
}


def make(name: str, folder: Path) -> None:
    """Make a table in the folder of tables from those that are there."""
    from unbounded.tables import files

    recipe = RECIPES[name]
    files.make(recipe.module, recipe.function, recipe.inputs, folder / name)
