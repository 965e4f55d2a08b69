"""The paper's suite by name, and claims measured on campaigns made by hand."""

import json

import pandas as pd
from table_rows import line, plan, runs_table

from unbounded.tables.cells import TABLE as cells_table
from unbounded.tables.claims import TABLE as CLAIMS
from unbounded.tables.evidence import Evidence
from unbounded.tables.multimodality import TABLE as multimodality_table
from unbounded.tables.multimodality_near import TABLE as MULTIMODALITY_NEAR
from unbounded.tables.multimodality_tests import TABLE as multimodality_tests
from unbounded.tables.preliminary import TABLE as preliminary_table
from unbounded.tables.translation import TABLE as translation_table

#: The three instances of TC-7 that the paper's CPLEX did not solve, then the other 213 by test case.
FAILED = [f"TC7-c1e6-E{E}" for E in (10, 30, 80)]
SUITE = FAILED + [
    name
    for tc in range(9)
    for k in range(1, 7)
    for E in (10, 30, 50, 80)
    if (name := f"TC{tc}-c1e{k}-E{E}") not in FAILED
]
STILL = [f"mixed-D64-t0-{name}" for name in SUITE]
MOVED = [f"mixed-D64-t1e4-{name}" for name in SUITE]
CPLEX = {"budget_kind": "seconds", "budget_amount": 3600.0, "versions": json.dumps({"cplex": "12.8"})}


def evidence(rows: pd.DataFrame, *studies: dict) -> Evidence:
    runs = runs_table(rows, plan(*studies))
    return Evidence(
        trials=rows,
        runs=runs,
        cells=cells_table(runs),
        translation=translation_table(runs),
        preliminary=preliminary_table(runs, rows),
        multimodality=multimodality_table(runs, rows),
        multimodality_tests=multimodality_tests(runs, rows),
        multimodality_near=MULTIMODALITY_NEAR.empty(),
    )


def claims_table(evidence: Evidence) -> pd.DataFrame:
    return CLAIMS(*(getattr(evidence, name) for name in CLAIMS.inputs))


def claims(rows: pd.DataFrame, *studies: dict) -> pd.DataFrame:
    return claims_table(evidence(rows, *studies))


def claim(table: pd.DataFrame, id: str) -> dict:
    return line(table, id=id).to_dict()
