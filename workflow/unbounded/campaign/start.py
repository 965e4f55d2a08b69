"""What comes before the jobs of a run: hold the campaign's folder, find files of no use, refuse too few threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from unbounded.campaign.layout import Layout, trial_of
from unbounded.campaign.plan import Plan
from unbounded.running.errors import listed
from unbounded.running.lock import hold
from unbounded.trials.broken import Broken, Recorded, find_broken, find_cut, set_aside


def start_run(
    layout: Layout,
    plan: Plan,
    tables: Sequence[Path],
    recorded: Recorded,
    say: Callable[[str], None],
    unlock: Callable[[], None],
) -> list[str]:
    """Begin a run; return the files that it has to make again. Raises LockedError.

    `tables` are the parquet files that it makes. `unlock` removes the locks of Snakemake itself,
    which one that was killed has left behind.
    """
    last = hold(layout.folder)
    if last is not None:
        say(last)
        unlock()
    useless = find_useless(layout, plan, tables, recorded)
    if useless:
        # Tables come from rows: of them there is nothing to keep.
        rows = [file for file in useless if file.path.is_relative_to(layout.trials)]
        set_aside(rows, layout.folder, layout.broken)
        say("\n".join(_lines(useless, f"made again; those of trials were moved to {layout.broken}")))
    return [str(file.path) for file in useless]


def start_dry_run(
    layout: Layout, plan: Plan, tables: Sequence[Path], recorded: Recorded, say: Callable[[str], None]
) -> list[str]:
    """Return the files that a run would make again for being of no use; a dry run moves none."""
    useless = find_useless(layout, plan, tables, recorded)
    if useless:
        say("\n".join(_lines(useless, "would be made again")))
    return [str(file.path) for file in useless]


def find_useless(layout: Layout, plan: Plan, tables: Sequence[Path], recorded: Recorded) -> list[Broken]:
    """Return the files of planned trials and tables that are there but of no use."""
    trials = (str(layout.trial(trial)) for trial in plan.trials())
    return [
        *find_broken(trials, lambda path: plan.columns(trial_of(Path(path))), recorded),
        *find_cut(tables),
    ]


def check_threads(plan: Plan, given: Mapping[str, int]) -> None:
    """Refuse a run that gives a solver's trials fewer threads than planned: their number is a part of a trial."""
    needs = plan.needs()
    for solver, threads in given.items():
        if threads < needs[solver].threads:
            raise ValueError(
                f"Trials of {solver} are planned with {needs[solver].threads} threads, and this run gives them "
                f"{threads}. Nothing was started: give it more --cores, or plan fewer threads."
            )


def _lines(useless: list[Broken], what: str) -> Iterator[str]:
    yield f"{len(useless)} file{'s are' if len(useless) > 1 else ' is'} there but of no use, and {what}:"
    yield from listed([f"{file.path}: {file.why}" for file in useless])
