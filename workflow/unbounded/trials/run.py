"""Runs one trial: a solver on an instance with a seed, verified, as a row; for the workflow and the command line."""

from __future__ import annotations

import json
import platform
import traceback
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from unbounded.instances import build
from unbounded.instances.instance import Instance, Verdict
from unbounded.provenance import code_digest, versions
from unbounded.solvers.contract import Budget, Options, Outcome, Report
from unbounded.solvers.registry import Entry, find
from unbounded.trials.row import SOLVED

_Ended = tuple[Report, Outcome]

#: A proof of optimality is about the point handed in only if the claimed and the verified f agree to this, relatively.
CLAIM_TOLERANCE = 1e-3


@dataclass(frozen=True)
class Trial:
    """All that determines a trial's result."""

    instance: str
    #: The solver's id in the campaign: its name in paths and tables.
    solver: str
    #: The registry's id behind it.
    variant: str
    seed: int
    budget: Budget
    options: Mapping[str, Any] = field(default_factory=dict)
    threads: int = 1


def trial_code(entry: Entry) -> str:
    """Return the digest of the code that a trial of this solver runs."""
    return code_digest(__name__, entry.module)


def run_trial(trial: Trial, log: Path | None = None) -> dict[str, Any]:
    """Run the trial and return its row; what goes wrong inside a solver becomes a row, not an exception."""
    entry = find(trial.variant)
    options = entry.options(trial.options)
    entry.check_budget(trial.budget)
    instance = build(trial.instance)
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    digest = instance.digest
    if log is None:
        report, outcome = _solve(entry, instance, trial, options, None)
    else:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w", encoding="utf-8") as stream:
            report, outcome = _solve(entry, instance, trial, options, stream)
    wall_seconds, cpu_seconds = report.wall_seconds, report.cpu_seconds

    status, point = _judge(instance, outcome, report)
    return {
        "instance": instance.id,
        "solver": trial.solver,
        "variant": trial.variant,
        "seed": trial.seed,
        "instance_digest": digest,
        "status": status,
        "termination": outcome.termination,
        "feasible": point is not None and point.feasible,
        "x": None if point is None else point.x.tolist(),
        "f": None if point is None else point.f,
        "g": None if point is None else point.g,
        "violation": None if point is None else point.violation,
        "integrality_error": None if point is None else point.integrality_error,
        "claimed_f": outcome.claimed_f,
        "bound": outcome.bound,
        "evaluations": report.evaluations,
        "ticks": outcome.ticks,
        "wall_seconds": wall_seconds,
        "cpu_seconds": cpu_seconds,
        "trace": [asdict(improvement) for improvement in report.trace],
        "options": json.dumps(options.model_dump(), sort_keys=True),
        "budget_kind": trial.budget.kind,
        "budget_amount": trial.budget.amount,
        "threads": trial.threads,
        "code_digest": trial_code(entry),
        "versions": json.dumps(versions(entry.solver.packages), sort_keys=True),
        "host": platform.node(),
        "started_at": started_at,
    }


def _solve(entry: Entry, instance: Instance, trial: Trial, options: Options, log: IO[str] | None) -> _Ended:
    reason = entry.solver.unavailable()
    if reason is not None:
        return Report(instance, trial.budget, trial.threads, log), Outcome("skipped", reason, None)
    entry.solver.prepare()
    # The clocks start here: loading and compiling are no part of what a solver spends.
    report = Report(instance, trial.budget, trial.threads, log)
    try:
        return report, entry.solver.solve(instance, trial.budget, trial.seed, options, report)
    except Exception as error:
        if log is not None:
            traceback.print_exc(file=log)
        return report, Outcome("error", f"{type(error).__name__}: {error}", None)


def _judge(instance: Instance, outcome: Outcome, report: Report) -> tuple[str, Verdict | None]:
    """Return the status of the row and the point it holds.

    Only a point that the solver handed in and that is feasible keeps the solver's claim. Without one, the row holds
    the best point that was seen on the way, under a status that keeps it out of every table.
    """
    if outcome.x is not None:
        verdict = instance.verify(outcome.x)
        if not verdict.feasible:
            return "unverified", verdict
        off = 0.0 if outcome.claimed_f is None else abs(outcome.claimed_f - verdict.f)
        if outcome.claim in ("optimal", "tolerance") and off > CLAIM_TOLERANCE * max(1.0, verdict.f):
            return "unproven", verdict
        return outcome.claim, verdict
    status = "no-solution" if outcome.claim in SOLVED else outcome.claim
    return status, None if report.best is None else instance.verify(report.best)


def summary(row: Mapping[str, Any]) -> str:
    """Return a few lines about a row, for people."""

    def number(value: float | None) -> str:
        return "none" if value is None else f"{value:.10g}"

    lines = {
        "instance": f"{row['instance']} (arrays {row['instance_digest']})",
        "solver": f"{row['solver']}, seed {row['seed']}, {row['budget_amount']:g} {row['budget_kind']}, "
        f"threads {row['threads']}",
        "status": f"{row['status']} ({row['termination']})",
        "f": f"{number(row['f'])} (claimed {number(row['claimed_f'])}, bound {number(row['bound'])})",
        "g": f"{number(row['g'])} (violation {number(row['violation'])}, "
        f"integrality error {number(row['integrality_error'])}, {'feasible' if row['feasible'] else 'not feasible'})",
        "spent": f"{row['evaluations']} evaluations, {row['wall_seconds']:.2f} s wall, {row['cpu_seconds']:.2f} s CPU"
        + ("" if row["ticks"] is None else f", {row['ticks']:.0f} ticks"),
        "trace": f"{len(row['trace'])} improvements kept",
    }
    return "\n".join(f"{name:<9}{text}" for name, text in lines.items())
