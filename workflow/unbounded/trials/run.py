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
from unbounded.instances.completion import complete_points
from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import CheckedPoint, Instance
from unbounded.running.provenance import code_digest, versions
from unbounded.running.supervision import DISK_FULL, BrokenEnvironmentError, Fault, Limits, address_space, supervise
from unbounded.solvers.contract import Broken, Budget, Ending, Options, Point, Vectors
from unbounded.solvers.registry import Entry, find
from unbounded.trials.row import INCUMBENT, PROOFS, SOLVED
from unbounded.trials.shared import Shared, SharedReport

#: A proof of optimality is about the point handed in only if the claimed and the verified f agree to this, relatively.
PROOF_TOLERANCE = 1e-3


@dataclass(frozen=True)
class _Answer:
    """What a solver's process hands in, for the row."""

    ending: Ending
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


def trial_code(entry: Entry, *forms: str) -> str:
    """Return the digest of the code that a trial of this solver runs on an instance of these modules of forms."""
    return code_digest(__name__, "unbounded.trials.__main__", entry.module, *forms)


def run_trial(trial: Trial, log: Path | None = None, limits: Limits | None = None) -> dict[str, Any]:
    """Run the trial and return its row; what goes wrong inside a solver becomes a row, not an exception.

    Raises ChildProcessError if it was ended from outside, OSError if the disk is full or the environment broken.
    """
    entry = find(trial.variant)
    options = entry.options(trial.options)
    entry.check_budget(trial.budget)
    instance = build(trial.instance)
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    digest = instance.digest
    shared = Shared(instance.D)
    ended = supervise(partial(_solve, entry, instance, trial, options, shared), limits or Limits(), log)
    limit = address_space()
    if ended.fault == "crashed" and (limit or not shared.started):
        when = f"it died, and {limit}" if shared.started else "it died while its libraries were loaded"
        raise BrokenEnvironmentError(f"{entry.id} cannot run here: {when} ({ended.text})")
    answer = ended.answer
    if answer is None:
        spent = shared.wall_seconds, shared.cpu_seconds(ended.cpu_seconds)
        ending = Ending("error", ended.text, None)
        answer = _Answer(ending, shared.evaluations, [], shared.best, *spent)
    ending = answer.ending
    # Here, in a process that has not run the solver.
    judged = _judge(instance, ending, ended.fault, answer.best)
    point = judged.point
    return {
        "instance": instance.id,
        "solver": trial.solver,
        "variant": trial.variant,
        "seed": trial.seed,
        "instance_digest": digest,
        "status": judged.status,
        "ending": judged.ending,
        "termination": ending.termination,
        "feasible": point is not None and point.feasible,
        "x": None if point is None else point.x.tolist(),
        "f": None if point is None else point.f,
        "g": None if point is None else point.g,
        "violation": None if point is None else point.violation,
        "integrality_error": None if point is None else point.integrality_error,
        "handed_violation": None if judged.handed is None else judged.handed.violation,
        "repaired_f": _repaired(instance, judged.handed or point) if entry.solver.white_box else None,
        "claimed_f": ending.claimed_f,
        "bound": ending.bound,
        "evaluations": answer.evaluations,
        "ticks": ending.ticks,
        "wall_seconds": answer.wall_seconds,
        "cpu_seconds": answer.cpu_seconds,
        "max_rss_mb": ended.max_rss_mb,
        "trace": [asdict(improvement) for improvement in answer.trace],
        "vector_count": None if ending.vectors is None else ending.vectors.count,
        "vectors": None if ending.vectors is None else _vectors(ending.vectors),
        "options": json.dumps(options.model_dump(), sort_keys=True),
        "budget_kind": trial.budget.kind,
        "budget_amount": trial.budget.amount,
        "threads": trial.threads,
        "code_digest": trial.code or trial_code(entry, *instance.spec.modules),
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
        if isinstance(reason, Broken):
            raise BrokenEnvironmentError(f"{entry.id} cannot run here: {reason}")
        if reason is None:
            entry.solver.prepare()
        # The clocks start here: loading and compiling are no part of what a solver spends.
        shared.start()
        report = listen()
        if reason is None:
            ending = entry.solver.solve(instance, trial.budget, trial.seed, options, report)
            _check(ending, instance)
        else:
            ending = Ending("skipped", reason, None)
    except BrokenEnvironmentError:
        raise
    except Exception as error:
        full = isinstance(error, OSError) and error.errno in DISK_FULL
        if full or (isinstance(error, MemoryError) and shared.started):
            raise
        traceback.print_exc(file=log)
        # What cannot be loaded or compiled says nothing about the solver.
        if isinstance(error, ImportError) or not shared.started:
            raise BrokenEnvironmentError(f"{entry.id} cannot run here: {type(error).__name__}: {error}") from None
        ending = Ending("error", f"{type(error).__name__}: {error}", None)
    return _Answer(ending, report.evaluations, report.trace, report.best, report.wall_seconds, report.cpu_seconds)


def _check(ending: Any, instance: Instance) -> None:
    """Raise an error if this is no ending, or its point no point of the instance."""
    if not isinstance(ending, Ending):
        raise TypeError(f"solve returned {type(ending).__name__} in place of an Ending")
    if ending.x is not None and np.shape(ending.x) != (instance.D,):
        raise ValueError(f"solve returned a point of shape {np.shape(ending.x)}, the instance has D = {instance.D}")


@dataclass(frozen=True)
class _Judged:
    """What a run is worth: its status, what its last word alone is worth, the row's point, and the one handed in."""

    status: str
    ending: str
    point: CheckedPoint | None
    handed: CheckedPoint | None


def _judge(instance: Instance, ending: Ending, fault: Fault | None, best: FloatArray | None) -> _Judged:
    """Judge a run by its last word and by the best point that it came across.

    The best verified point is the row's, whoever it was found by and however the run ended: strategies hand in the
    best that they evaluated, so solvers that hand in their last are credited with theirs. Where the ending itself
    stands for no point, the status says so. Without a verified point the row holds the one handed in, or the least
    infeasible that was seen, under a status that keeps it out of every table.
    """
    handed = None if ending.x is None else instance.verify(ending.x)
    seen = None if best is None else instance.verify(best)
    feasible = [point for point in (handed, seen) if point is not None and point.feasible]
    point = min(feasible, key=lambda found: found.f, default=handed or seen)
    worth = fault or _worth(ending, handed, None if point is None else point.f)
    status = INCUMBENT if feasible and worth not in SOLVED else worth
    return _Judged(status, worth, point, handed)


def _worth(ending: Ending, handed: CheckedPoint | None, f: float | None) -> str:
    """Return what the solver's last word is worth, by the point that it handed in and the least verified f it had."""
    if handed is None:
        return "no-solution" if ending.how in SOLVED else ending.how
    if not handed.feasible:
        return "unverified"
    if ending.how in PROOFS and f is not None and ending.claimed_f is not None:
        return "unproven" if abs(ending.claimed_f - f) > PROOF_TOLERANCE * max(1.0, f) else ending.how
    return ending.how


def _repaired(instance: Instance, point: CheckedPoint | None) -> float | None:
    """Return f of an infeasible point once its reals are the best ones for its integers, if that makes it feasible."""
    if point is None or point.feasible or not np.isfinite(point.x).all():
        return None
    try:
        (x,) = complete_points(instance, point.x[None, instance.integers])
    except (ArithmeticError, np.linalg.LinAlgError):  # integers so far off that the equation cannot be solved
        return None
    repaired = instance.verify(x)
    return repaired.f if repaired.feasible else None


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
        "status": row["status"]
        + ("" if row["ending"] == row["status"] else f", ended: {row['ending']}")
        + f" ({row['termination']})",
        "f": f"{number(row['f'])} (claimed {number(row['claimed_f'])}, bound {number(row['bound'])})",
        "g": f"{number(row['g'])} (violation {number(row['violation'])}, "
        f"integrality error {number(row['integrality_error'])}, {'feasible' if row['feasible'] else 'not feasible'})",
        **({} if row["repaired_f"] is None else {"repaired": f"{number(row['repaired_f'])} with the best reals"}),
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
