"""The columns of every table with their types: what docs/tables.md describes and figures rely on.

Types are fixed even where a table is empty, so a campaign without a study has the same files as one with it.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from unbounded.trials.row import STATUSES

Columns = Mapping[str, str]

#: The status of a planned trial that has no row.
MISSING = "missing"

STUDY: Columns = {"study": "str", "type": "str"}
INSTANCE: Columns = {
    "instance": "str",
    "group": "str",
    "kind": "str",
    "D": "int64",
    "t": "float64",
    "case": "str",
    "tc": "Int64",
    "c": "float64",
    "E": "float64",
    "hessian": "str",
}
PLAN: Columns = {**STUDY, "reference": "str", "instance": "str", "solver": "str", "seed": "int64"}
RUNS: Columns = {
    **STUDY,
    **INSTANCE,
    "solver": "str",
    "is_reference": "bool",
    "seed": "int64",
    "status": "str",
    "solved": "bool",
    "f": "float64",
    "reference_f": "float64",
    "best_known_f": "float64",
    "zero_optimum": "bool",
    "normalised": "float64",
    "delta_z": "float64",
    "delta_z_best_known": "float64",
    "evaluations": "Int64",
    "cpu_seconds": "float64",
    "wall_seconds": "float64",
}
CELLS: Columns = {
    **STUDY,
    **INSTANCE,
    "solver": "str",
    "is_reference": "bool",
    "planned": "int64",
    "present": "int64",
    "solved": "int64",
    "best_f": "float64",
    "median_f": "float64",
    "worst_f": "float64",
    "best_seed": "Int64",
    "reference_f": "float64",
    "best_known_f": "float64",
    "zero_optimum": "bool",
    "normalised_best": "float64",
    "normalised_median": "float64",
    "verdict_best": "str",
    "verdict_median": "str",
    "delta_z_best": "float64",
    "delta_z_best_known": "float64",
}
VERDICTS: Columns = {
    **STUDY,
    "group": "str",
    "kind": "str",
    "D": "int64",
    "t": "float64",
    "solver": "str",
    "case": "str",
    "statistic": "str",
    "better": "int64",
    "similar": "int64",
    "worse": "int64",
    "neither": "int64",
    "cells": "int64",
    "zero_optima": "int64",
    "tolerance": "float64",
}
TRANSLATION: Columns = {
    "kind": "str",
    "D": "int64",
    "t": "float64",
    "case": "str",
    "tc": "Int64",
    "c": "float64",
    "E": "float64",
    "hessian": "str",
    "solver": "str",
    "best_f": "float64",
    "translated_best_f": "float64",
    "ratio": "float64",
    "verdict": "str",
    "zero_optimum": "bool",
}
TRANSLATION_COUNTS: Columns = {
    "kind": "str",
    "D": "int64",
    "t": "float64",
    "solver": "str",
    "same": "int64",
    "better": "int64",
    "worse": "int64",
    "neither": "int64",
    "cells": "int64",
    "tolerance": "float64",
}
PRELIMINARY: Columns = {
    "study": "str",
    "instance": "str",
    "solver": "str",
    "D": "int64",
    "E": "float64",
    "status": "str",
    "f": "float64",
    "bound": "float64",
    "wall_seconds": "float64",
}
MULTIMODALITY: Columns = {
    "study": "str",
    "instance": "str",
    "D": "int64",
    "c": "float64",
    "E": "float64",
    "solver": "str",
    "runs": "int64",
    "solved": "int64",
    "unique": "int64",
    "unique_share": "float64",
    "best_f": "float64",
    "median_f": "float64",
    "normalised_median": "float64",
    "within_share": "float64",
}
MULTIMODALITY_TESTS: Columns = {
    "study": "str",
    "instance": "str",
    "solver": "str",
    "other": "str",
    "n": "int64",
    "n_other": "int64",
    "median": "float64",
    "median_other": "float64",
    "p": "float64",
    "p_holm": "float64",
    "effect": "float64",
    "significant": "bool",
}
MULTIMODALITY_DISTANCES: Columns = {
    "study": "str",
    "instance": "str",
    "i": "int64",
    "j": "int64",
    "solver_i": "str",
    "seed_i": "int64",
    "solver_j": "str",
    "seed_j": "int64",
    "l1": "float64",
}
COMPLETENESS: Columns = {
    "study": "str",
    "solver": "str",
    "planned": "int64",
    "present": "int64",
    "solved": "int64",
    **dict.fromkeys((*STATUSES, MISSING), "int64"),
}
CLAIMS: Columns = {
    "id": "str",
    "section": "str",
    "statement": "str",
    "printed": "str",
    "measured": "str",
    "cells": "int64",
    "agrees": "str",
    "why": "str",
}

#: Every table that is made from the trials and the plan, by the name of its file.
TABLES: Mapping[str, Columns] = {
    "plan": PLAN,
    "runs": RUNS,
    "cells": CELLS,
    "verdicts": VERDICTS,
    "translation": TRANSLATION,
    "translation_counts": TRANSLATION_COUNTS,
    "preliminary": PRELIMINARY,
    "multimodality": MULTIMODALITY,
    "multimodality_tests": MULTIMODALITY_TESTS,
    "multimodality_distances": MULTIMODALITY_DISTANCES,
    "completeness": COMPLETENESS,
    "claims": CLAIMS,
}


def shape(table: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Return the table with exactly these columns, in this order and of these types, its lines numbered anew."""
    return table.reindex(columns=list(columns)).astype(dict(columns)).reset_index(drop=True)
