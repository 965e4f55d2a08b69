"""The audit of the published results: every stored vector evaluated again, under both readings of the hadellipse.

A run solved the reading whose recomputed value is the one it claims: f, or f plus the penalty with the dimension 32 or
D. Where both agree with the claim (at ξ0, say), or there is no point, the run is taken to have solved what most of
its solver's other runs on that kind of instances did.

CPLEX's vectors are rounded. For a rounding error u of x, and since no eigenvalue of H/c is above 1, a recomputed value
v may be off by 2 √v ‖u‖ + ‖u‖²; claims are compared, and feasibility is said, within that.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from unbounded.instances import Instance, InstanceSpec
from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import FEASIBILITY_TOLERANCE, Penalty
from unbounded.tables.audit_bests import PROBLEM
from unbounded.tables.columns import COMPARED, INSTANCE, some
from unbounded.tables.contract import CLONE, Column, Table
from unbounded.tables.measures import zero_optimum
from unbounded.tables.published import NO_POINT, NO_VECTOR, Published, StoredRun

#: The dimension in the penalty that the published runs used at every D.
PUBLISHED_PENALTY = Penalty(dimension=32)
#: A claim is met if it is this close, relatively, where vectors are exact.
CLAIM = 1e-6
#: Claims of zero are met by what is zero up to this.
CLAIM_OF_ZERO = 1e-9


def make(published: Published) -> pd.DataFrame:
    """Return a line for each stored run: what it claims, what is so, and which problem it solved."""
    rows = []
    for spec, group in groupby(published.runs, key=lambda run: run.spec):
        rows.extend(_rows(spec, list(group)))
    if not rows:
        return pd.DataFrame()
    table = pd.DataFrame(rows)
    usual = table.groupby(["kind", "solver"])["reading"].transform(_usual)
    inferred = usual.where(table["hadellipse"], "same")
    table["solved"] = table["reading"].where(table["reading"].isin(["full", "block"]), inferred)
    block = table["solved"] == "block"
    for name in ("f", "g"):
        table[name] = table[f"{name}_full"].where(~block, table[f"{name}_block"])
        table[f"{name}_rounding"] = _rounding(table[name].to_numpy(), table["rounding"].to_numpy())
    table["violation"] = np.maximum(0.0, table["g"] - table["E"])
    allowed = FEASIBILITY_TOLERANCE * np.maximum(1.0, table["E"])
    table["feasible"] = np.select(
        [
            table["claim"].isin([NO_POINT, NO_VECTOR]),
            table["violation"] <= allowed,
            table["violation"] <= allowed + table["g_rounding"],
        ],
        [table["claim"], "yes", "undecided"],
        default="no",
    )
    ids = table["instance"] + np.where(block, "-block", "")
    table["zero_optimum"] = [zero_optimum(id) for id in ids]
    return table


def _usual(readings: pd.Series) -> str:
    """Return the reading that most runs with a hadellipse were found to have solved."""
    decided = readings[readings.isin(["full", "block"])]
    return str(decided.mode().iloc[0]) if len(decided) else "full"


def _rows(spec: InstanceSpec, runs: list[StoredRun]) -> list[dict[str, Any]]:
    """Evaluate the runs of one instance under both readings."""
    full = Instance(spec)
    hadellipse = "hadellipse" in (spec.objective, spec.constraint)
    block = Instance(replace(spec, hessian="block")) if hadellipse else full
    X = np.array([np.full(spec.D, np.nan) if run.x is None else run.x for run in runs])
    values = {
        "full": full.evaluate(full.round(X)),
        "block": block.evaluate(block.round(X)),
    }
    rows = []
    for i, run in enumerate(runs):
        rounding = _norm_of_rounding(full, run)
        if run.x is None:
            claim = reading = run.stored
        else:
            found = {name: _claim(run, f[i], g[i], full, rounding) for name, (f, g) in values.items()}
            claim, reading = min(found.values())[1], _reading(found, hadellipse, exact=run.digits is None)
        rows.append(
            {
                "file": run.file,
                "line": run.line,
                "solver": run.solver,
                "run": run.run,
                "instance": spec.id,
                "kind": spec.kind,
                "D": spec.D,
                "t": spec.t,
                "case": spec.case_name,
                "tc": spec.case,
                "c": spec.c,
                "E": spec.E,
                "claimed": run.claimed,
                "claim": claim,
                "reading": reading,
                **{f"f_{name}": f[i] for name, (f, _) in values.items()},
                **{f"g_{name}": g[i] for name, (_, g) in values.items()},
                "hadellipse": hadellipse,
                "rounding": rounding,
            }
        )
    return rows


def _norm_of_rounding(instance: Instance, run: StoredRun) -> float:
    """Return the largest ‖u‖ that rounding to the run's digits can have made; integers below 10^digits are exact."""
    if run.x is None or run.digits is None:
        return 0.0
    size = np.abs(run.x)
    last = 10.0 ** (np.floor(np.log10(np.where(size > 0, size, 1.0))) - run.digits + 1)
    exact = (size == 0) | ((np.arange(instance.D) >= instance.n_r) & (size < 10.0**run.digits))
    return float(np.linalg.norm(np.where(exact, 0.0, last / 2)))


def _rounding(value: FloatArray | float, norm: FloatArray | float) -> Any:
    return 2 * np.sqrt(value) * norm + np.square(norm)


def _claim(run: StoredRun, f: float, g: float, instance: Instance, norm: float) -> tuple[float, str]:
    """Return how far the claim is off and what it is: f, f with a penalty, or nothing where it is off by too much."""
    violation = max(0.0, g - instance.E)
    weights = {"f": 0.0}
    if run.digits is None:  # only strategies, whose vectors are exact, see a penalty
        weights["f + penalty (32)"] = PUBLISHED_PENALTY.weight(instance.D)
        weights["f + penalty (D)"] = Penalty().weight(instance.D)
    off = {name: abs(run.claimed - f - weight * violation**2) for name, weight in weights.items()}
    nearest = min(off, key=lambda name: off[name])
    met = off[nearest] <= CLAIM * abs(run.claimed) + CLAIM_OF_ZERO + _rounding(f, norm)
    return off[nearest], nearest if met else ""


def _reading(found: dict[str, tuple[float, str]], hadellipse: bool, exact: bool) -> str:
    """Say which reading the claim holds under.

    A large penalty hides f, and then both readings may meet a claim; where vectors are exact, one that is off by a
    hundredth of the other's is the one. So it is where none meets it: CPLEX claims f at integers that are whole only
    to its integrality tolerance, of which the stored vector says nothing.
    """
    if not hadellipse:
        return "same"
    met = sorted((off, reading) for reading, (off, claim) in found.items() if claim)
    if not met:
        near, far = sorted((off, reading) for reading, (off, _) in found.items())
        return near[1] if 100 * near[0] < far[0] else "neither"
    decided = len(met) == 1 or (exact and 100 * met[0][0] < met[1][0])
    return met[0][1] if decided else "either"


TABLE = Table(
    name="audit",
    summary="Every stored run evaluated again, under both readings of the hadellipse",
    line="a stored run",
    inputs=(CLONE,),
    columns={
        "file": Column("str", "the file that it is stored in"),
        "line": Column("int64", "the line of the file"),
        "solver": Column("str", "the solver, by its id here"),
        "run": Column("int64", "the number of the run"),
        **some(INSTANCE, *PROBLEM),
        "claimed": Column("float64", "the value that is claimed"),
        "claim": Column("str", "what the claim is: f, f with a penalty, or empty; `no vector`, `no point`"),
        "reading": Column(
            "str",
            "under which reading it holds: `full`, `block`, `same`, `either`, `neither`; `no vector`, `no point`",
        ),
        "solved": Column("str", "the reading that it is taken to have solved"),
        "f_full": Column("float64", "f of the stored vector under the full reading"),
        "g_full": Column("float64", "g of it under the full reading"),
        "f_block": Column("float64", "f of it under the block reading"),
        "g_block": Column("float64", "g of it under the block reading"),
        "f": Column("float64", "f under the reading that was solved"),
        "g": Column("float64", "g under the reading that was solved"),
        "f_rounding": Column("float64", "by how much f may be off for the rounding of the vector"),
        "g_rounding": Column("float64", "by how much g may be off for it"),
        "violation": Column("float64", "by how much g is above E"),
        "feasible": Column("str", "`yes`, `no`, `undecided`; `no vector`, `no point`"),
        **some(COMPARED, "zero_optimum"),
    },
    make=make,
)
