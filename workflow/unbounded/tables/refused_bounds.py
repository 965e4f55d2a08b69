"""Refused bounds: what solvers said and is not believed, or is contradicted."""

from __future__ import annotations

import pandas as pd

from unbounded.tables.bounds import bounds_of
from unbounded.tables.columns import SOLVER
from unbounded.tables.contract import Column, Table
from unbounded.tables.proofs import judged
from unbounded.tables.twins import instances_of


def make(trials: pd.DataFrame, best_known: pd.DataFrame) -> pd.DataFrame:
    """Return the bounds that were not used, each with the run that said it, the value it is held against and why."""
    table = best_known.merge(instances_of(trials)[["instance", "family", "worth"]], on="instance")
    bounds = bounds_of(judged(trials, best_known), table)
    return bounds[bounds["reason"].notna()]


TABLE = Table(
    name="refused_bounds",
    summary="The bounds that were not used, each with the run that said it, the value it is held against and why",
    line="a bound that was refused",
    inputs=("trials", "best_known"),
    columns={
        "instance": Column("str", "the id of the instance"),
        **SOLVER,
        "seed": Column("Int64", "the seed of the run"),
        "status": Column("str", "the status of the run"),
        "bound": Column("float64", "what it said"),
        "best_f": Column("float64", "the least verified value of the instance and its twins"),
        "best_instance": Column("str", "the instance where that was found, or whose point it is"),
        "best_solver": Column("str", "who found it"),
        "best_seed": Column("Int64", "the seed of that run"),
        "optimum": Column("float64", "the optimum, where it is proven"),
        "reason": Column(
            "str",
            "`above a proven optimum`, `above a verified value`, `the run is unverified`, …, "
            "`polynomials expanded at an offset`",
        ),
    },
    make=make,
)
