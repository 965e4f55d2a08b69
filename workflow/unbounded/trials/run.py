"""Runs one trial: a solver on an instance with a seed, verified, as a row; for the workflow and the command line."""

from __future__ import annotations

import json
import platform
import traceback
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from unbounded.instances import build
from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance, Verdict
from unbounded.provenance import code_digest, versions
from unbounded.solvers.contract import Budget, Options, Outcome, Point, Vectors
from unbounded.solvers.registry import Entry, find
from unbounded.trials.row import SOLVED
from unbounded.trials.shared import Shared, SharedReport
from unbounded.trials.supervision import DISK_FULL, Limits, supervise

#: A proof of optimality is about the point handed in only if the claimed and the verified f agree to this, relatively.
CLAIM_TOLERANCE = 1e-3


@dataclass(frozen=True)
class _Answer:
    """What a solver's process hands in, for the row."""

    outcome: Outcome
    evaluations: int
    trace: list[Point]
    best: FloatArray | None
    wall_seconds: float
    cpu_seconds: float


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
    #: Digest of the code it runs, where the plan has it already; reading the code anew takes longer than many a trial.
    code: str | None = None


def trial_code(entry: Entry) -> str:
    """Return the digest of the code that a trial of this solver runs."""
    return code_digest(__name__, "unbounded.trials.__main__", entry.module)


def run_trial(trial: Trial, log: Path | None = None, limits: Limits | None = None) -> dict[str, Any]:
    """Run the trial and return its row; what goes wrong inside a solver becomes a row, not an exception.

    Raises ChildProcessError if it was ended from outside, OSError if the disk is full.
    """
    entry = find(trial.variant)
    options = entry.options(trial.options)
    entry.check_budget(trial.budget)
    instance = build(trial.instance)
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    digest = instance.digest
    shared = Shared(instance.D)
    ended = supervise(partial(_solve, entry, instance, trial, options, shared), limits or Limits(), log)
    answer = ended.answer
    if answer is None:
        spent = shared.wall_seconds, shared.cpu_seconds(ended.cpu_seconds)
        outcome = Outcome("error", ended.text, None)
        answer = _Answer(outcome, shared.evaluations, [], shared.best, *spent)
    outcome = answer.outcome
    # Here, in a process that has not run the solver.
    status, point = _judge(instance, outcome, answer.best)
    return {
        "instance": instance.id,
        "solver": trial.solver,
        "variant": trial.variant,
        "seed": trial.seed,
        "instance_digest": digest,
        "status": ended.fault or status,
        "termination": outcome.termination,
        "feasible": point is not None and point.feasible,
        "x": None if point is None else point.x.tolist(),
        "f": None if point is None else point.f,
        "g": None if point is None else point.g,
        "violation": None if point is None else point.violation,
        "integrality_error": None if point is None else point.integrality_error,
        "claimed_f": outcome.claimed_f,
        "bound": outcome.bound,
        "evaluations": answer.evaluations,
        "ticks": outcome.ticks,
        "wall_seconds": answer.wall_seconds,
        "cpu_seconds": answer.cpu_seconds,
        "max_rss_mb": ended.max_rss_mb,
        "trace": [asdict(improvement) for improvement in answer.trace],
        "vector_count": None if outcome.vectors is None else outcome.vectors.count,
        "vectors": None if outcome.vectors is None else _vectors(outcome.vectors),
        "options": json.dumps(options.model_dump(), sort_keys=True),
        "budget_kind": trial.budget.kind,
        "budget_amount": trial.budget.amount,
        "threads": trial.threads,
        "code_digest": trial.code or trial_code(entry),
        "versions": json.dumps(versions(entry.solver.packages), sort_keys=True),
        "host": platform.node(),
        "started_at": started_at,
    }


def _solve(
    entry: Entry, instance: Instance, trial: Trial, options: Options, shared: Shared, log: IO[str] | None
) -> _Answer:
    """Run the solver; in a process of its own."""
    listen = partial(SharedReport, instance, trial.budget, trial.threads, log, shared=shared)
    report = listen()
    try:
        reason = entry.solver.unavailable()
        if reason is None:
            entry.solver.prepare()
        # The clocks start here: loading and compiling are no part of what a solver spends.
        shared.start()
        report = listen()
        if reason is None:
            outcome = entry.solver.solve(instance, trial.budget, trial.seed, options, report)
            _check(outcome, instance)
        else:
            outcome = Outcome("skipped", reason, None)
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in DISK_FULL:
            raise
        traceback.print_exc(file=log)
        outcome = Outcome("error", f"{type(error).__name__}: {error}", None)
    return _Answer(outcome, report.evaluations, report.trace, report.best, report.wall_seconds, report.cpu_seconds)


def _check(outcome: Any, instance: Instance) -> None:
    """Raise an error if this is no outcome, or its point no point of the instance."""
    if not isinstance(outcome, Outcome):
        raise TypeError(f"solve returned {type(outcome).__name__} in place of an Outcome")
    if outcome.x is not None and np.shape(outcome.x) != (instance.D,):
        raise ValueError(f"solve returned a point of shape {np.shape(outcome.x)}, the instance has D = {instance.D}")


def _judge(instance: Instance, outcome: Outcome, best: FloatArray | None) -> tuple[str, Verdict | None]:
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
    return status, None if best is None else instance.verify(best)


def _vectors(vectors: Vectors) -> list[dict[str, Any]]:
    columns = vectors.f.tolist(), vectors.orbit.tolist(), vectors.z.astype(np.int64).tolist()
    return [{"f": f, "orbit": orbit, "z": z} for f, orbit, z in zip(*columns, strict=True)]


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
        "spent": f"{row['evaluations']} evaluations, {row['wall_seconds']:.2f} s wall, {row['cpu_seconds']:.2f} s CPU, "
        f"{row['max_rss_mb']:.0f} MB"
        + ("" if row["ticks"] is None else f", {row['ticks']:.4g} {find(row['variant']).solver.unit}"),
        "trace": f"{len(row['trace'])} improvements kept",
        **(
            {}
            if row["vector_count"] is None
            else {"vectors": f"{row['vector_count']:,.0f} integer vectors near the optimum, {len(row['vectors'])} kept"}
        ),
    }
    return "\n".join(f"{name:<9}{text}" for name, text in lines.items())
