"""The audit of the published results: every stored vector evaluated again, under both forms of the hadellipse.

A run solved the form whose recomputed value is the one it claims: f, or f plus the penalty with the dimension 32 or D.
Where both forms agree with the claim (at ξ0, say), the run is taken to have solved what most of its solver's other
runs did.

CPLEX's vectors are rounded. For a rounding error u of x, and since no eigenvalue of H/c is above 1, a recomputed value
v may be off by 2 √v ‖u‖ + ‖u‖²; claims are compared, and feasibility is said, within that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unbounded.instances import Instance, InstanceSpec
from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import FEASIBILITY_TOLERANCE, Penalty
from unbounded.tables.files import write
from unbounded.tables.measures import SIMILAR, VERDICTS, normalise, verdict, zero_optimum
from unbounded.tables.published import StoredRun, read_checkout
from unbounded.tables.schema import AUDIT, AUDIT_CELLS, AUDIT_COUNTS, shape

#: The dimension in the penalty that the published runs used at every D.
PUBLISHED_PENALTY = Penalty(dimension=32)
#: A claim is met if it is this close, relatively, where vectors are exact.
CLAIM = 1e-6
#: Claims of zero are met by what is zero up to this.
CLAIM_OF_ZERO = 1e-9
REFERENCE = "cplex"
PROBLEM = ["instance", "D", "t", "case", "tc", "c", "E"]
KEY = ["instance", "solver"]


def audit(checkout: Path, folder: Path) -> str:
    """Write the tables `audit`, `audit_cells` and `audit_counts` and the page `audit.md`; return the page."""
    runs = audit_runs(read_checkout(checkout))
    cells = audit_cells(runs)
    counts = audit_counts(cells)
    for name, table in (("audit", runs), ("audit_cells", cells), ("audit_counts", counts)):
        write(table, folder / name)
    page = audit_page(runs, cells, counts)
    (folder / "audit.md").write_text(page, encoding="utf-8")
    return page


def audit_runs(stored: Sequence[StoredRun]) -> pd.DataFrame:
    """Return a line for each stored run: what it claims, what is so, and which problem it solved."""
    rows = []
    for spec, group in groupby(stored, key=lambda run: run.spec):
        rows.extend(_rows(spec, list(group)))
    table = pd.DataFrame(rows)
    usual = table.groupby("solver")["form"].agg(_usual)
    inferred = table["solver"].map(usual).where(table["hadellipse"], "same")
    table["solved"] = table["form"].where(table["form"].isin(["full", "block"]), inferred)
    block = table["solved"] == "block"
    for name in ("f", "g"):
        table[name] = table[f"{name}_full"].where(~block, table[f"{name}_block"])
        table[f"{name}_rounding"] = _rounding(table[name].to_numpy(), table["rounding"].to_numpy())
    table["violation"] = np.maximum(0.0, table["g"] - table["E"])
    allowed = FEASIBILITY_TOLERANCE * np.maximum(1.0, table["E"])
    table["feasible"] = np.select(
        [table["violation"] <= allowed, table["violation"] <= allowed + table["g_rounding"]],
        ["yes", "undecided"],
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
    X = np.array([run.x for run in runs])
    values = {
        "full": full.evaluate(full.round(X)),
        "block": block.evaluate(block.round(X)),
    }
    rows = []
    for i, run in enumerate(runs):
        rounding = _norm_of_rounding(full, run)
        found = {name: _claim(run.claimed, f[i], g[i], full, rounding) for name, (f, g) in values.items()}
        form = _form(found, hadellipse, exact=rounding == 0.0)
        rows.append(
            {
                "file": run.file,
                "line": run.line,
                "solver": run.solver,
                "run": run.run,
                "instance": spec.id,
                "D": spec.D,
                "t": spec.t,
                "case": spec.case_name,
                "tc": spec.case,
                "c": spec.c,
                "E": spec.E,
                "claimed": run.claimed,
                "claim": min(found.values())[1],
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
    if run.digits is None:
        return 0.0
    size = np.abs(run.x)
    last = 10.0 ** (np.floor(np.log10(np.where(size > 0, size, 1.0))) - run.digits + 1)
    exact = (size == 0) | ((np.arange(instance.D) >= instance.n_r) & (size < 10.0**run.digits))
    return float(np.linalg.norm(np.where(exact, 0.0, last / 2)))


def _rounding(value: FloatArray | float, norm: FloatArray | float) -> Any:
    return 2 * np.sqrt(value) * norm + np.square(norm)


def _claim(claimed: float, f: float, g: float, instance: Instance, norm: float) -> tuple[float, str]:
    """Return how far the claim is off and what it is: f, f with a penalty, or nothing where it is off by too much."""
    violation = max(0.0, g - instance.E)
    weights = {"f": 0.0}
    if norm == 0.0:  # only strategies, whose vectors are exact, see a penalty
        weights["f + penalty (32)"] = PUBLISHED_PENALTY.weight(instance.D)
        weights["f + penalty (D)"] = Penalty().weight(instance.D)
    off = {name: abs(claimed - f - weight * violation**2) for name, weight in weights.items()}
    nearest = min(off, key=lambda name: off[name])
    met = off[nearest] <= CLAIM * abs(claimed) + CLAIM_OF_ZERO + _rounding(f, norm)
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


def audit_cells(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each strategy on each instance, against CPLEX: best values, claimed and recomputed.

    Recomputed values are of runs that are feasible, or may be within their rounding. An instance that CPLEX has no line
    for was left without a solution; there it is taken to have solved the form that it solved elsewhere.
    """
    runs = runs.assign(point=runs["f"].where(runs["feasible"] != "no"))
    grouped = runs.groupby(KEY, sort=False)
    cells = runs.drop_duplicates(KEY)[[*PROBLEM, "solver", "zero_optimum"]].set_index(KEY)
    cells["runs"] = grouped.size()
    for column, word in (("feasible", "yes"), ("undecided", "undecided")):
        cells[column] = grouped["feasible"].agg(lambda words, word=word: int((words == word).sum()))
    cells["solved"] = grouped["solved"].agg(lambda forms: "/".join(sorted(set(forms))))
    cells["claimed_best"] = grouped["claimed"].min()
    cells["best_f"] = grouped["point"].min()
    cells = cells.reset_index()

    reference = cells[cells["solver"] == REFERENCE].set_index("instance")
    table = cells[cells["solver"] != REFERENCE].copy()
    elsewhere = table["solved"].where(table["solved"] == "same", _usual(reference["solved"]))
    table["reference_solved"] = table["instance"].map(reference["solved"]).fillna(elsewhere)
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
    for (D, t, solver), part in cells.groupby(["D", "t", "solver"], sort=False):
        for values, column in (("claimed", "verdict_claimed_best"), ("recomputed", "verdict_best_f")):
            for which, chosen in (("all", part), ("same problem", part[part["same_problem"]])):
                counts = {word: int((chosen[column] == word).sum()) for word in VERDICTS}
                rows.append(
                    {
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


def audit_page(runs: pd.DataFrame, cells: pd.DataFrame, counts: pd.DataFrame) -> str:
    """Return the audit as a Markdown page."""
    lines = [
        "# Audit of the published results",
        "",
        f"{len(runs)} stored runs on {runs['instance'].nunique()} instances, each evaluated again. How to read this: "
        "docs/audit.md.",
        "",
        "## Which problem was solved",
        "",
        "`same`: no hadellipse, one problem. `either`: the claim holds under both forms. `neither`: under none, "
        "and it is not a hundred times closer to one than to the other.",
        "",
        *_table(pd.crosstab(runs["solver"], runs["form"]).reset_index()),
        "",
        "## What was claimed",
        "",
        *_table(pd.crosstab(runs["solver"], runs["claim"].replace("", "not met")).reset_index()),
        "",
        "## Feasibility, recomputed",
        "",
        "`undecided`: violated by less than the rounding of the stored vector can explain.",
        "",
        *_table(pd.crosstab(runs["solver"], runs["feasible"]).reset_index()),
        "",
        "## Best values against CPLEX",
        "",
        f"Similar means within {SIMILAR:.0%}. {int((~cells['same_problem']).sum())} of {len(cells)} comparisons are "
        "between different problems.",
        "",
        *_table(counts.drop(columns="tolerance")),
    ]
    unmet = runs[runs["claim"] == ""]
    if len(unmet):
        lines += [
            "",
            "## Claims that no form meets",
            "",
            *_table(unmet[["file", "line", "form", "claimed", "f", "g"]].head(50)),
        ]
        if len(unmet) > 50:
            lines += ["", f"The first 50 of {len(unmet)}; all are in audit.csv, with an empty `claim`."]
    return "\n".join(lines) + "\n"


def _table(table: pd.DataFrame) -> list[str]:
    rows = [[f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in row] for row in table.to_numpy(object)]
    return ["| " + " | ".join(row) + " |" for row in [[str(c) for c in table.columns], ["---"] * table.shape[1], *rows]]
