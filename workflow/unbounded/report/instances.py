"""What the page shows of one instance: its formula, all its trials, their traces, and the command that repeats each."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unbounded.figures import style
from unbounded.instances.files import FileSpec
from unbounded.instances.instance import FEASIBILITY_TOLERANCE
from unbounded.instances.spec import InstanceSpec
from unbounded.report.columns import encoded, plain, significant
from unbounded.report.commands import command
from unbounded.report.known import Known
from unbounded.tables.measures import is_solved
from unbounded.tables.parquet import read_table
from unbounded.tables.refuted import as_in_runs

#: Points of all traces together; each trial gets its share of them, at most MOST_POINTS and at least FEWEST_POINTS.
TRACE_POINTS = 700_000
MOST_POINTS, FEWEST_POINTS = 100, 12
#: Columns of a trial that the page shows as they are.
SHOWN = (
    "status",
    "ending",
    "termination",
    "f",
    "repaired_f",
    "g",
    "violation",
    "claimed_f",
    "bound",
    "evaluations",
    "ticks",
    "cpu_seconds",
    "wall_seconds",
    "threads",
    "host",
    "started_at",
)
#: Further columns that a command is made from.
SETTINGS = ("variant", "seed", "budget_kind", "budget_amount", "options", "versions", "instance_digest")


def instance_data(trials: Path, runs: pd.DataFrame, known: Known) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (id, data) of every planned instance, in the order of the plan."""
    table = read_table(trials, ["instance", "solver", *SETTINGS, *SHOWN, "trace"])
    traces = table["trace"].combine_chunks()
    rows = as_in_runs(table.drop_columns(["trace"]).to_pandas(), runs)
    most = int(np.clip(TRACE_POINTS / max(1, len(rows)), FEWEST_POINTS, MOST_POINTS))
    made = {str(id): part for id, part in rows.groupby("instance", sort=False)}
    for id, planned in runs.groupby("instance", sort=False):
        yield str(id), _instance(str(id), planned, made.get(str(id), rows.iloc[:0]), traces, most, known)


def _instance(
    id: str, planned: pd.DataFrame, rows: pd.DataFrame, traces: Any, most: int, known: Known
) -> dict[str, Any]:
    spec = InstanceSpec.parse(id)
    order = {solver: position for position, solver in enumerate(planned["solver"].drop_duplicates())}
    # Rows of other plans of the same campaign stay beside the planned ones.
    places = rows["solver"].map(order).fillna(len(order))
    rows = rows.assign(place=places, solved=is_solved(rows["status"])).sort_values(["place", "solver", "seed"])
    there = set(zip(rows["solver"], rows["seed"], strict=True))
    pairs = planned.drop_duplicates(["solver", "seed"])
    missing = [(row.solver, int(row.seed)) for row in pairs.itertuples() if (row.solver, row.seed) not in there]
    references = planned[planned["is_reference"]].drop_duplicates("study")
    return {
        "id": id,
        "spec": _spec_data(spec),
        "digest": rows["instance_digest"].iloc[0] if len(rows) else None,
        "zero": bool(planned["zero_optimum"].iloc[0]),
        "references": [
            {"study": row.study, "solver": row.solver, "f": None if pd.isna(row.reference_f) else row.reference_f}
            for row in references.itertuples()
        ],
        "known": {
            "f": known.values.get(id),
            "bound": known.bounds.get(id),
            "status": known.status(id),
            "source": known.sources.get(id),
            "optimum": known.optima.get(id),
        },
        # A file's name is known to its campaign alone.
        "trials": _trials(rows, os.path.relpath(spec.path) if isinstance(spec, FileSpec) else id),
        "traces": [_trace(traces[position], spec, most) for position in rows.index],
        "missing": missing,
    }


def _spec_data(spec: InstanceSpec) -> dict[str, Any]:
    objective, constraint = spec.labels
    return {
        "case": spec.case_name if spec.tc is None else f"TC-{spec.tc}",
        "file": spec.path.name if isinstance(spec, FileSpec) else None,
        "objective": objective,
        "constraint": constraint,
        "hessian": spec.hessian,
        "kind": spec.kind,
        "D": spec.D,
        "n_r": spec.D - spec.n_z,
        "n_z": spec.n_z,
        "t": spec.t,
        "c": style.number(spec.c),
        "E": style.number(spec.E),
    }


def _trials(rows: pd.DataFrame, instance: str) -> dict[str, Any]:
    """Return the trials column by column; f only where it is verified, since nothing else counts.

    `instance` is what a command calls it.
    """
    commands = [
        command(instance, row.variant, int(row.seed), row.budget_kind, row.budget_amount, row.options, int(row.threads))
        for row in rows.itertuples()
    ]
    budgets = [f"{row.budget_amount:,.15g} {row.budget_kind}" for row in rows.itertuples()]
    columns: dict[str, list[Any]] = {
        "solver": plain(rows["solver"]),
        "seed": plain(rows["seed"]),
        "solved": rows["solved"].tolist(),
        **{name: plain(rows[name].where(rows["solved"]) if name == "f" else rows[name]) for name in SHOWN},
        "budget": budgets,
        "repeatable": (rows["budget_kind"] != "seconds").tolist(),
        "versions": [_versions(text) for text in rows["versions"]],
        "command": commands,
    }
    return {name: encoded(values) for name, values in columns.items()}


def _versions(text: str) -> str:
    return ", ".join(f"{name} {version}" for name, version in json.loads(text).items())


def _trace(trace: Any, spec: InstanceSpec, most: int) -> dict[str, Any] | None:
    """Return the feasible part of a trace for drawing, thinned, or None if there is none."""
    points = trace.values if trace.is_valid else None
    if points is None or len(points) == 0:
        return None
    columns: Mapping[str, np.ndarray[Any, np.dtype[np.float64]]] = {
        name: points.field(name).to_numpy(zero_copy_only=False).astype(np.float64)
        for name in ("evaluations", "cpu_seconds", "f", "violation", "bound")
    }
    feasible = np.flatnonzero(columns["violation"] <= FEASIBILITY_TOLERANCE * max(1.0, spec.E))
    if len(feasible) == 0:
        return None
    kept = feasible[np.unique(np.linspace(0, len(feasible) - 1, min(most, len(feasible))).round().astype(int))]
    drawn = {name: significant(columns[name][kept]) for name in ("evaluations", "cpu_seconds", "f")}
    bounds = columns["bound"][kept]
    # Values of a white-box solver come with the bound known then; strategies have none.
    return {**drawn, **({"bound": [_short(value) for value in bounds]} if np.isfinite(bounds).any() else {})}


def _short(value: float) -> float | int | None:
    return significant(np.array([value]))[0] if np.isfinite(value) else None
