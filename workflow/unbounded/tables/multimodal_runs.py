"""The runs of the multimodality studies, with their points (paper's section on TC-4).

Strategies are the study's solvers other than its reference and other than white-box solvers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from unbounded.instances import InstanceSpec
from unbounded.instances.hessians import FloatArray
from unbounded.solvers import registry
from unbounded.tables.columns import TRIAL
from unbounded.tables.measures import is_made
from unbounded.tables.twins import check_digests

#: Real coordinates are compared to so many decimals; integer ones are integers.
DECIMALS = 6


def multimodality_runs(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of the multimodality studies that were made, with their points and whether a strategy's."""
    check_digests(trials)
    rows = runs[(runs["type"] == "multimodality") & is_made(runs["status"])]
    rows = rows.merge(trials[[*TRIAL, "variant", "x"]], on=TRIAL, how="left", validate="many_to_one")
    white_box = {variant: registry.find(variant).solver.white_box for variant in rows["variant"].unique()}
    return rows.assign(strategy=~rows["is_reference"] & ~rows["variant"].map(white_box).astype(bool))


def points(instance: str, x: pd.Series) -> FloatArray:
    """Return points as the rows of a matrix, rounded so that equal solutions are equal."""
    n_z = InstanceSpec.parse(instance).n_z
    matrix: FloatArray = np.stack(x.tolist()).astype(np.float64)
    matrix[:, :-n_z] = np.round(matrix[:, :-n_z], DECIMALS)
    matrix[:, -n_z:] = np.rint(matrix[:, -n_z:])
    return matrix
