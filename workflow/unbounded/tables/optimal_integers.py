"""The integers of proven optima, and Δz to the nearest of them.

An exact solver lists every integer vector that attains the optimum, one for all of its rearrangements
(`unbounded.instances.symmetry`). With u = s·(z − ξ1), as whole numbers, a block of interchangeable coordinates can be
rearranged so that it agrees with another in as many places as their multisets of values have in common, and no more.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from unbounded.instances import build
from unbounded.instances.hessians import FloatArray
from unbounded.instances.symmetry import Symmetry, find_symmetry
from unbounded.tables.columns import TRIAL
from unbounded.tables.proofs import CENTRE
from unbounded.tables.twins import move

#: Two values of a proof are the same up to this, times max(1, f): what proofs leave open.
TIE = 1e-9


def optimal_integers(best_known: pd.DataFrame, vectors: pd.DataFrame, trials: pd.DataFrame) -> dict[str, FloatArray]:
    """Return, by instance whose optimum is proven, the integer vectors that attain it, in its own coordinates.

    `row` of the vectors counts the lines of the trials. Where the proof's run lists none, its own point's are taken;
    where the optimum is zero, those of ξ0, which alone attains it.
    """
    keys = list(trials[TRIAL].itertuples(index=False, name=None))
    points = dict(zip(keys, trials["x"], strict=True))
    listed = {keys[line.row]: line for line in vectors.itertuples()}
    found: dict[str, FloatArray] = {}
    for row in best_known[best_known["optimum"].notna()].itertuples():
        if row.proof_solver == CENTRE:
            instance = build(row.instance)
            found[row.instance] = instance.xi0[None, instance.integers]
            continue
        proof = (row.proof_instance, row.proof_solver, row.proof_seed)
        if proof in listed:
            f = listed[proof].vector_f
            Z = listed[proof].vector_z[f <= f.min() + TIE * max(1.0, float(f.min()))]
        else:
            x = np.asarray(points[proof], dtype=np.float64)
            Z = np.rint(x[None, build(row.instance).integers])
        found[row.instance] = move(Z, row.proof_instance, row.instance)
    return found


@cache
def _frame(instance: str) -> tuple[Symmetry, FloatArray]:
    built = build(instance)
    return find_symmetry(built), np.rint(built.xi1[built.integers])


def least_delta_z(instance: str, X: FloatArray, Z: FloatArray) -> FloatArray:
    """Return, for every row of X, the least Δz to a row of integers in Z or to one of its rearrangements."""
    symmetry, origin = _frame(instance)
    n_z = len(origin)
    U, V = (symmetry.sign * (np.rint(rows[:, -n_z:]) - origin) for rows in (X, Z))
    common = np.zeros((len(U), len(V)), dtype=np.int64)
    for block in np.unique(symmetry.block):
        mine, theirs = U[:, symmetry.block == block], V[:, symmetry.block == block]
        for value in np.unique(theirs):
            common += np.minimum.outer((mine == value).sum(axis=1), (theirs == value).sum(axis=1))
    share: FloatArray = (n_z - common.max(axis=1)) / n_z
    return share
