"""Instances of rows, and their twins.

A translation by whole numbers moves an instance and its integers as they are, so instances that differ in such a
translation alone have one optimum: bounds hold for all of them, and points, moved along and verified anew, count too.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

from unbounded.instances import InstanceSpec, build
from unbounded.instances.hessians import FloatArray
from unbounded.instances.relaxation import solve_relaxation
from unbounded.running.errors import listed
from unbounded.tables.measures import zero_optimum

#: Whole numbers up to here are added to coordinates without rounding.
_EXACT = 2.0**50


@cache
def family(instance: str) -> str:
    """Return the id of the untranslated instance that this one is a translation of, by whole numbers."""
    spec = InstanceSpec.parse(instance)
    return replace(spec, t=0.0).id if spec.t.is_integer() and abs(spec.t) < _EXACT else instance


def move(x: FloatArray, origin: str, instance: str) -> FloatArray:
    """Return a point of one translation of an instance in the coordinates of another."""
    return np.asarray(x, dtype=np.float64) + (InstanceSpec.parse(instance).t - InstanceSpec.parse(origin).t)


def check_digests(trials: pd.DataFrame) -> None:
    """Raise ValueError that names instances, solvers and digests where rows of one instance solved different arrays."""
    pairs = trials[["instance", "solver", "instance_digest"]].drop_duplicates()
    mixed = pairs.groupby("instance")["instance_digest"].transform("nunique") > 1
    if mixed.any():
        lines = [
            f"{instance}: " + ", ".join(f"{row.solver} solved {row.instance_digest}" for row in rows.itertuples())
            for instance, rows in pairs[mixed].groupby("instance")
        ]
        shown = "\n".join(listed(lines))
        raise ValueError(f"rows of one instance solved different arrays and cannot be compared:\n{shown}")


def instances_of(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the instances with rows; what we compute ourselves is about arrays of the rows' digest or left out."""
    table = trials[["instance", "instance_digest"]].drop_duplicates("instance").reset_index(drop=True)
    made = [(id, _digest(id) == digest) for id, digest in table.itertuples(index=False)]
    return table.assign(
        family=[family(id) if ours else f"{id} (other arrays)" for id, ours in made],
        zero_optimum=np.array([ours and zero_optimum(id) for id, ours in made], dtype=bool),
        relaxation_bound=np.array([_relaxation(id)[0] if ours else np.nan for id, ours in made], dtype=np.float64),
        worth=np.array([_relaxation(id)[1] if ours else 0.0 for id, ours in made], dtype=np.float64),
    )


@cache
def _digest(instance: str) -> str:
    return build(instance).digest


@cache
def _relaxation(instance: str) -> tuple[float, float]:
    """Return the relaxation's bound, and what the feasibility tolerance is worth by its multiplier."""
    built = build(instance)
    relaxation = solve_relaxation(built)
    return relaxation.bound, relaxation.multiplier * built.tolerance
