"""What the next run would do, why, and what it would cost.

The decision is Snakemake's own: its command line makes a dry run, profile and all, and this module listens to what it
logs about every job that it would start. Nothing here compares times or params.
"""

from __future__ import annotations

import ast
import io
import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from unbounded.campaign.checking import RUN_RULE
from unbounded.campaign.costs import CostModel
from unbounded.campaign.layout import Layout, present
from unbounded.campaign.plan import Plan

#: The repository that this package lies in.
ROOT = Path(__file__).parents[3]

#: How Snakemake begins a reason, and what it is called here.
REASONS = {
    "Missing output files": "missing",
    "Incomplete output files": "incomplete",
    "Updated input files": "inputs are newer",
    "Set of input files has changed": "other inputs than before",
    "Code has changed": "the rule's script is newer",
    "Software environment definition has changed": "another software environment",
    # Nothing else forces a job here: `unbounded.campaign.start` has such trials run again.
    "Forced execution": "its file is of no use",
}
#: The reason of a job that is up to date itself.
FOLLOWS = "inputs are remade"
_FOLLOWS = "Input files updated by another job"
_PARAMS = "Params have changed since last execution: "
#: Names for keys of a trial's params that people know under another one.
PARAM_NAMES = {"instance_digest": "instance"}
#: What params that are texts stand for: digests of code, the plan's digest. Others are JSON.
_TEXTS = {
    "code": re.compile(r"[0-9a-f]{16}$"),
    "planned trials": re.compile(r"plan [0-9a-f]{16}$"),
}


@dataclass(frozen=True)
class Job:
    """A job that the next run would start."""

    rule: str
    wildcards: Mapping[str, str]
    output: Sequence[str]
    #: Its own reasons; `FOLLOWS` alone where it has none but the jobs before it.
    reasons: tuple[str, ...]

    @property
    def solver(self) -> str | None:
        """The solver, where the job is a trial."""
        is_trial = self.rule.startswith(RUN_RULE) and {"instance", "seed"} <= self.wildcards.keys()
        return self.rule.removeprefix(RUN_RULE) if is_trial else None


class _Listener(logging.Handler):
    """Keeps what Snakemake logs about jobs."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[Job] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a job; targets, which make nothing, are no jobs."""
        if getattr(record, "event", None) == "job_info" and getattr(record, "output", None):
            told: Any = record
            self.jobs.append(Job(told.rule_name, dict(told.wildcards), list(told.output), tuple(reasons(told.reason))))


def planned_jobs(campaign: Path, targets: Sequence[str] = ()) -> list[Job]:
    """Return the jobs that `snakemake` would start in this folder, in the order of a dry run."""
    from snakemake.cli import main

    # With rules and progress alone as what is kept quiet, a dry run would count the jobs and stop.
    quiet = ["--quiet", "rules", "progress", "reason"]
    command = ["--dry-run", *quiet, "--snakefile", str(ROOT / "Snakefile"), "--configfile", str(campaign)]
    listener = _Listener()
    logger = logging.getLogger("snakemake")
    logger.addHandler(listener)
    output = io.StringIO()
    try:
        with redirect_stdout(output), redirect_stderr(output):
            main([*targets, *command])
    except SystemExit as end:
        if end.code:
            raise ValueError(f"snakemake cannot plan {campaign}:\n{output.getvalue().strip()}") from None
    finally:
        logger.removeHandler(listener)
    return listener.jobs


def reasons(text: str) -> Iterator[str]:
    """Yield the reasons in Snakemake's sentence; that of following other jobs only where there is no other."""
    head, found, params = text.partition(_PARAMS)
    own = [name for beginning, name in REASONS.items() if beginning in head]
    if found:
        own.append(f"changed: {', '.join(changed_params(params))}")
        last = params.rpartition("; ")[2]
        own += [name for beginning, name in REASONS.items() if last.startswith(beginning)]
    if not own:
        own = [FOLLOWS if _FOLLOWS in head else text]
    yield from own


def changed_params(text: str) -> list[str]:
    """Return what differs between the params before and now; Snakemake names values, not keys."""
    _, _, values = text.partition("before: ")
    for match in re.finditer(r" now: ", values):
        before, now = values[: match.start()], values[match.end() :].partition(" ; ")[0]
        try:
            return sorted(_differences(_values(before), _values(now)))
        except (ValueError, SyntaxError):
            continue
    return ["params"]


def _values(text: str) -> list[Any]:
    """Read params as Snakemake writes them: Python literals, separated by commas."""
    if text.strip() == "<nothing exclusive>":
        return []
    values: list[Any] = ast.literal_eval(f"[{text.strip()}]")
    return [json.loads(value) if isinstance(value, str) and value.startswith("{") else value for value in values]


def _differences(before: list[Any], now: list[Any]) -> set[str]:
    names: set[str] = set()
    for value in (*before, *now):
        if isinstance(value, str):
            names.add(next((name for name, form in _TEXTS.items() if form.match(value)), "params"))
        elif not isinstance(value, dict):
            names.add("params")
    old = [value for value in before if isinstance(value, dict)]
    new = [value for value in now if isinstance(value, dict)]
    if any("studies" in value for value in (*old, *new)):
        names.add("campaign")
    elif len(old) == len(new) == 1:
        names.update(_keys(old[0], new[0]))
    elif old or new:
        names.add("params")
    return names


def _keys(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys whose values differ, an option by its own name."""
    for key in before.keys() | now.keys():
        old, new = before.get(key), now.get(key)
        if old == new:
            continue
        if key == "options" and isinstance(old, dict) and isinstance(new, dict):
            yield from (f"{key}.{inner}" for inner in _keys(old, new))
        else:
            yield PARAM_NAMES.get(key, key)


@dataclass(frozen=True)
class Group:
    """Jobs that have a rule and a reason in common."""

    reason: str
    rule: str
    jobs: int
    #: None where the jobs are no trials.
    cpu_hours: float | None
    #: Of the jobs, those whose cost comes from recorded trials.
    recorded: int


def group(jobs: Sequence[Job], plan: Plan, costs: CostModel) -> list[Group]:
    """Return the jobs by reason and rule, those that follow others last."""
    members: dict[tuple[str, str], list[Job]] = {}
    for job in jobs:
        members.setdefault((", ".join(job.reasons), job.rule), []).append(job)
    groups = []
    for (reason, rule), found in members.items():
        cells = [plan.cells[job.wildcards["instance"], job.solver] for job in found if job.solver is not None]
        hours = sum(map(costs.seconds, cells)) / 3600 if cells else None
        groups.append(Group(reason, rule, len(found), hours, sum(map(costs.recorded, cells))))
    return sorted(
        groups, key=lambda group: (group.cpu_hours is None, group.reason == FOLLOWS, group.reason, group.rule)
    )


def survey(campaign_file: Path, plan: Plan) -> tuple[list[Job], list[Group]]:
    """Return what the next run of a campaign would do, job by job and in groups."""
    jobs = planned_jobs(campaign_file)
    folder = Layout.of(plan.campaign.name).trials
    costs = CostModel(plan, folder)
    costs.learn(present(folder) if any(job.solver for job in jobs) else ())
    return jobs, group(jobs, plan, costs)


def as_text(groups: Sequence[Group], campaign_file: Path, plan: Plan) -> str:
    """Return the groups for people."""
    title = f"Campaign {plan.campaign.name} ({campaign_file})"
    if not groups:
        return f"{title}: nothing is stale."
    trials = sum(group.jobs for group in groups if group.cpu_hours is not None)
    hours = sum(group.cpu_hours or 0.0 for group in groups)
    lines = [
        f"{title}: {sum(group.jobs for group in groups)} jobs would run, {trials} of them trials, "
        f"{'' if hours < 0.001 else 'about '}{_hours(hours)} CPU hours.",
        "",
    ]
    width = max(len("why"), *(len(group.reason) for group in groups))
    what = max(len("rule"), *(len(group.rule) for group in groups))
    lines.append(f"{'why':<{width}}  {'rule':<{what}}  {'jobs':>6}  {'CPU hours':>9}")
    for group in groups:
        cost = "" if group.cpu_hours is None else f"  {_hours(group.cpu_hours):>9}"
        lines.append(f"{group.reason:<{width}}  {group.rule:<{what}}  {group.jobs:>6}{cost}")
    if trials:
        recorded = sum(group.recorded for group in groups)
        lines += [
            "",
            f"CPU hours: of {recorded} trials from recorded times (the median of their solver and dimension), "
            f"of {trials - recorded} from the plan's estimates.",
        ]
    return "\n".join(lines)


def _hours(hours: float) -> str:
    if 0 < hours < 0.001:
        return "< 0.001"
    return f"{hours:.1f}" if hours >= 10 else f"{hours:.3f}"


def as_data(jobs: Sequence[Job], groups: Sequence[Group]) -> dict[str, Any]:
    """Return the same for machines."""
    return {"jobs": [asdict(job) for job in jobs], "groups": [asdict(group) for group in groups]}
