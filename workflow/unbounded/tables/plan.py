"""The plan as a table: every planned trial of every study that runs solvers."""

from __future__ import annotations

import pandas as pd

from unbounded.campaign.plan import Plan
from unbounded.tables.columns import INSTANCE, SEED, SOLVER, STUDY, some
from unbounded.tables.contract import CAMPAIGN, Column, Table


def make(plan: Plan) -> pd.DataFrame:
    """Return a line for every trial of every study with runs; studies that share a trial each have it."""
    rows = [
        (name, study.type, study.reference, instance, solver, seed)
        for name, study in plan.campaign.run_studies.items()
        for instance, solver, seed in plan.trials(name)
    ]
    return pd.DataFrame(rows, columns=list(TABLE.columns))


TABLE = Table(
    name="plan",
    summary="Every planned trial; studies that share a trial each have it",
    line="a planned trial of a study",
    inputs=(CAMPAIGN,),
    columns={
        **STUDY,
        "reference": Column("str", "the study's reference solver"),
        **some(INSTANCE, "instance"),
        **SOLVER,
        **SEED,
    },
    make=make,
)
