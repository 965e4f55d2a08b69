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
#: What identifies a trial.
TRIAL = ["instance", "solver", "seed"]

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
REFERENCES: Columns = {
    "instance": "str",
    "instance_digest": "str",
    "zero_optimum": "bool",
    "best_f": "float64",
    "best_instance": "str",
    "best_solver": "str",
    "best_seed": "Int64",
    "bound": "float64",
    "bound_instance": "str",
    "bound_solver": "str",
    "bound_seed": "Int64",
    "relaxation_bound": "float64",
    "gap": "float64",
    "status": "str",
}
REFUSED_BOUNDS: Columns = {
    "instance": "str",
    "solver": "str",
    "seed": "Int64",
    "status": "str",
    "bound": "float64",
    "best_f": "float64",
    "best_instance": "str",
    "best_solver": "str",
    "best_seed": "Int64",
    "reason": "str",
}
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
    "certified": "bool",
    "zero_optimum": "bool",
    "normalised": "float64",
    "normalised_known": "float64",
    "delta_z": "float64",
    "delta_z_best_known": "float64",
    "delta_z_certified": "float64",
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
    "made": "int64",
    "solved": "int64",
    "best_f": "float64",
    "median_f": "float64",
    "worst_f": "float64",
    "best_seed": "Int64",
    "reference_f": "float64",
    "best_known_f": "float64",
    "certified": "bool",
    "zero_optimum": "bool",
    "normalised_best": "float64",
    "normalised_median": "float64",
    "normalised_known_best": "float64",
    "normalised_known_median": "float64",
    "verdict_best": "str",
    "verdict_median": "str",
    "delta_z_best": "float64",
    "delta_z_best_known": "float64",
    "delta_z_certified": "float64",
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
ANYTIME: Columns = {
    **STUDY,
    "group": "str",
    "instance": "str",
    "solver": "str",
    "seed": "int64",
    "target": "float64",
    "reached": "bool",
    "evaluations": "Int64",
    "cpu_seconds": "float64",
    "spent_evaluations": "Int64",
    "spent_cpu_seconds": "float64",
}
EXPECTED_RUNTIMES: Columns = {
    **STUDY,
    "group": "str",
    "instance": "str",
    "solver": "str",
    "target": "float64",
    "runs": "int64",
    "successes": "int64",
    "ert_evaluations": "float64",
    "ert_cpu_seconds": "float64",
    "ratio_evaluations": "float64",
    "ratio_cpu_seconds": "float64",
}
PROFILES: Columns = {
    **STUDY,
    "group": "str",
    "measure": "str",
    "target": "float64",
    "solver": "str",
    "ratio": "float64",
    "instances": "int64",
    "share": "float64",
}
FORMULATIONS: Columns = {
    "study": "str",
    "kind": "str",
    "D": "int64",
    "t": "float64",
    "c": "float64",
    "solver": "str",
    "base": "str",
    "form": "str",
    "centre": "str",
    "box": "str",
    "planned": "int64",
    "made": "int64",
    "verified": "int64",
    "solved": "int64",
    "proven": "int64",
    "wrong": "int64",
    "no_solution": "int64",
    "errors": "int64",
    "cpu_median": "float64",
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
    "references": REFERENCES,
    "refused_bounds": REFUSED_BOUNDS,
    "runs": RUNS,
    "cells": CELLS,
    "verdicts": VERDICTS,
    "translation": TRANSLATION,
    "translation_counts": TRANSLATION_COUNTS,
    "preliminary": PRELIMINARY,
    "multimodality": MULTIMODALITY,
    "multimodality_tests": MULTIMODALITY_TESTS,
    "multimodality_distances": MULTIMODALITY_DISTANCES,
    "anytime": ANYTIME,
    "expected_runtimes": EXPECTED_RUNTIMES,
    "profiles": PROFILES,
    "formulations": FORMULATIONS,
    "completeness": COMPLETENESS,
    "claims": CLAIMS,
}

_PUBLISHED: Columns = {
    "instance": "str",
    "D": "int64",
    "t": "float64",
    "case": "str",
    "tc": "Int64",
    "c": "float64",
    "E": "float64",
}
AUDIT: Columns = {
    "file": "str",
    "line": "int64",
    "solver": "str",
    "run": "int64",
    **_PUBLISHED,
    "claimed": "float64",
    "claim": "str",
    "form": "str",
    "solved": "str",
    "f_full": "float64",
    "g_full": "float64",
    "f_block": "float64",
    "g_block": "float64",
    "f": "float64",
    "g": "float64",
    "f_rounding": "float64",
    "g_rounding": "float64",
    "violation": "float64",
    "feasible": "str",
    "zero_optimum": "bool",
}
AUDIT_CELLS: Columns = {
    **_PUBLISHED,
    "solver": "str",
    "runs": "int64",
    "feasible": "int64",
    "undecided": "int64",
    "solved": "str",
    "reference_solved": "str",
    "same_problem": "bool",
    "zero_optimum": "bool",
    "claimed_best": "float64",
    "reference_claimed_best": "float64",
    "verdict_claimed_best": "str",
    "best_f": "float64",
    "reference_best_f": "float64",
    "verdict_best_f": "str",
}
AUDIT_COUNTS: Columns = {
    "D": "int64",
    "t": "float64",
    "solver": "str",
    "values": "str",
    "which": "str",
    "better": "int64",
    "similar": "int64",
    "worse": "int64",
    "neither": "int64",
    "cells": "int64",
    "zero_optima": "int64",
    "tolerance": "float64",
}

#: The tables of the audit of published results, which are made from a clone of the authors' repository.
AUDIT_TABLES: Mapping[str, Columns] = {"audit": AUDIT, "audit_cells": AUDIT_CELLS, "audit_counts": AUDIT_COUNTS}


def shape(table: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Return the table with exactly these columns, in this order and of these types, its lines numbered anew."""
    return table.reindex(columns=list(columns)).astype(dict(columns)).reset_index(drop=True)
