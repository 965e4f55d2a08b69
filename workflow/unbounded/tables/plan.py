"""The plan as a table: every planned trial of every study that runs solvers."""

from __future__ import annotations

import pandas as pd

from unbounded.campaign.plan import Plan
from unbounded.tables.schema import PLAN, shape


def plan_table(plan: Plan) -> pd.DataFrame:
    """Return a line for every trial of every study with runs; studies that share a trial each have it."""
    rows = [
        (name, study.type, study.reference, instance, solver, seed)
        for name, study in plan.campaign.run_studies.items()
        for instance, solver, seed in plan.trials(name)
    ]
    return shape(pd.DataFrame(rows, columns=list(PLAN)), PLAN)
