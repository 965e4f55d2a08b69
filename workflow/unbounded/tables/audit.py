"""The audit of the published results: every stored vector evaluated again, under both forms of the hadellipse.

A run solved the form whose recomputed value is the one it claims: f, or f plus the penalty with the dimension 32 or D.
Where both forms agree with the claim (at ξ0, say), or there is no point, the run is taken to have solved what most of
its solver's other runs on that kind of instances did.

CPLEX's vectors are rounded. For a rounding error u of x, and since no eigenvalue of H/c is above 1, a recomputed value
v may be off by 2 √v ‖u‖ + ‖u‖²; claims are compared, and feasibility is said, within that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from unbounded.instances import Instance, InstanceSpec
from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import FEASIBILITY_TOLERANCE, Penalty
from unbounded.tables.measures import SIMILAR, VERDICTS, normalise, verdict, zero_optimum
from unbounded.tables.published import NO_POINT, NO_VECTOR, REFERENCE, StoredRun
from unbounded.tables.schema import AUDIT, AUDIT_CELLS, AUDIT_COUNTS, shape

#: The dimension in the penalty that the published runs used at every D.
PUBLISHED_PENALTY = Penalty(dimension=32)
#: A claim is met if it is this close, relatively, where vectors are exact.
CLAIM = 1e-6
#: Claims of zero are met by what is zero up to this.
CLAIM_OF_ZERO = 1e-9
PROBLEM = ["instance", "kind", "D", "t", "case", "tc", "c", "E"]
KEY = ["instance", "solver"]


def audit_runs(stored: Sequence[StoredRun]) -> pd.DataFrame:
    """Return a line for each stored run: what it claims, what is so, and which problem it solved."""
    rows = []
    for spec, group in groupby(stored, key=lambda run: run.spec):
        rows.extend(_rows(spec, list(group)))
    table = pd.DataFrame(rows)
    usual = table.groupby(["kind", "solver"])["form"].transform(_usual)
    inferred = usual.where(table["hadellipse"], "same")
    table["solved"] = table["form"].where(table["form"].isin(["full", "block"]), inferred)
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
    return shape(table, AUDIT)


def _usual(forms: pd.Series) -> str:
    """Return the form that most runs with a hadellipse were found to have solved."""
    decided = forms[forms.isin(["full", "block"])]
    return str(decided.mode().iloc[0]) if len(decided) else "full"


def _rows(spec: InstanceSpec, runs: list[StoredRun]) -> list[dict[str, Any]]:
    """Evaluate the runs of one instance under both forms."""
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
            claim = form = run.stored
        else:
            found = {name: _claim(run, f[i], g[i], full, rounding) for name, (f, g) in values.items()}
            claim, form = min(found.values())[1], _form(found, hadellipse, exact=run.digits is None)
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
                "form": form,
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


def _form(found: dict[str, tuple[float, str]], hadellipse: bool, exact: bool) -> str:
    """Say which form the claim holds under.

    A large penalty hides f, and then both forms may meet a claim; where vectors are exact, one that is off by a
    hundredth of the other's is the one. So it is where none meets it: CPLEX claims f at integers that are whole only
    to its integrality tolerance, of which the stored vector says nothing.
    """
    if not hadellipse:
        return "same"
    met = sorted((off, form) for form, (off, claim) in found.items() if claim)
    if not met:
        near, far = sorted((off, form) for form, (off, _) in found.items())
        return near[1] if 100 * near[0] < far[0] else "neither"
    decided = len(met) == 1 or (exact and 100 * met[0][0] < met[1][0])
    return met[0][1] if decided else "either"


def best_values(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each solver on each instance: its best values, claimed and recomputed.

    Recomputed values are of runs that are feasible, or may be within their rounding.
    """
    possible = runs[runs["feasible"].isin(["yes", "undecided"])].sort_values("f", kind="stable").drop_duplicates(KEY)
    best = possible.set_index(KEY)
    grouped = runs.groupby(KEY, sort=False)
    table = runs.drop_duplicates(KEY)[[*PROBLEM, "solver", "zero_optimum"]].set_index(KEY)
    table["runs"] = grouped.size()
    for column, word in (("feasible", "yes"), ("undecided", "undecided")):
        table[column] = grouped["feasible"].agg(lambda words, word=word: int((words == word).sum()))
    table["solved"] = grouped["solved"].agg(lambda forms: "/".join(sorted(set(forms))))
    table["claimed_best"] = grouped["claimed"].min()
    table["best_f"], table["best_f_rounding"] = best["f"], best["f_rounding"]
    # Without the tolerance that feasibility is granted: with whole numbers that may be worth a step of f.
    table["inside_f"] = runs[(runs["feasible"] == "yes") & (runs["violation"] == 0)].groupby(KEY)["f"].min()
    return table.reset_index()


def audit_cells(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each strategy on each instance that CPLEX was run on: its best values against CPLEX's."""
    bests = best_values(runs)
    reference = bests[bests["solver"] == REFERENCE].set_index("instance")
    table = bests[(bests["solver"] != REFERENCE) & bests["instance"].isin(reference.index)].copy()
    table["reference_solved"] = table["instance"].map(reference["solved"])
    agrees = table["solved"] == table["reference_solved"]
    table["same_problem"] = agrees.groupby(table["instance"]).transform("all")
    for name in ("claimed_best", "best_f"):
        table[f"reference_{name}"] = table["instance"].map(reference[name])
        value, against = table[name], table[f"reference_{name}"]
        table[f"verdict_{name}"] = verdict(normalise(value, against), value.notna(), against.notna())
    return shape(table, AUDIT_CELLS)


def audit_counts(cells: pd.DataFrame) -> pd.DataFrame:
    """Return how often each strategy was better, similar or worse: by claims and recomputed, on all cells and on those
    where all solvers solved the same problem.
    """
    rows = []
    for (kind, D, t, solver), part in cells.groupby(["kind", "D", "t", "solver"]):
        for values, column in (("claimed", "verdict_claimed_best"), ("recomputed", "verdict_best_f")):
            for which, chosen in (("all", part), ("same problem", part[part["same_problem"]])):
                counts = {word: int((chosen[column] == word).sum()) for word in VERDICTS}
                rows.append(
                    {
                        "kind": kind,
                        "D": D,
                        "t": t,
                        "solver": solver,
                        "values": values,
                        "which": which,
                        **counts,
                        "cells": len(chosen),
                        "zero_optima": int(chosen["zero_optimum"].sum()),
                        "tolerance": SIMILAR,
                    }
                )
    return shape(pd.DataFrame(rows), AUDIT_COUNTS)
