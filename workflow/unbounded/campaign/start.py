"""What comes before the jobs of a run: hold the campaign's folder, find files of no use, refuse too few threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from unbounded.campaign.layout import Layout, trial_of
from unbounded.campaign.origin import Made, otherwise_made
from unbounded.campaign.plan import Plan
from unbounded.running.errors import listed
from unbounded.running.lock import hold
from unbounded.trials.broken import Broken, Recorded, find_broken, find_cut, set_aside


def start_run(
    layout: Layout, plan: Plan, made: Made, recorded: Recorded, say: Callable[[str], None], unlock: Callable[[], None]
) -> list[str]:
    """Begin a run; return the files that it has to make again. Raises LockedError.

    `unlock` removes the locks of Snakemake itself, which one that was killed has left behind.
    """
    last = hold(layout.folder)
    if last is not None:
        say(last)
        unlock()
    useless = find_useless(layout, plan, made, recorded)
    if useless:
        # Products come from rows: of them there is nothing to keep, and whoever makes one again replaces it.
        rows = [file for file in useless if file.path.is_relative_to(layout.trials)]
        set_aside(rows, layout.folder, layout.broken)
        moved = f"; those of trials were moved to {layout.broken}" if rows else ""
        say("\n".join(_lines(useless, f"made again when asked for{moved}")))
    return [str(file.path) for file in useless]


def start_dry_run(layout: Layout, plan: Plan, made: Made, recorded: Recorded, say: Callable[[str], None]) -> list[str]:
    """Return the files that a run would make again for being of no use; a dry run moves none."""
    useless = find_useless(layout, plan, made, recorded)
    if useless:
        say("\n".join(_lines(useless, "would be made again when asked for")))
    return [str(file.path) for file in useless]


def find_useless(layout: Layout, plan: Plan, made: Made, recorded: Recorded) -> list[Broken]:
    """Return the files of planned trials and the products that are there but of no use."""
    trials = (str(layout.trial(trial)) for trial in plan.trials())
    cut = list(find_cut(path for path in made.files if path.suffix == ".parquet"))
    known = {file.path for file in cut}
    return [
        *find_broken(trials, lambda path: plan.columns(trial_of(Path(path))), recorded),
        *cut,
        *(Broken(path, why) for path, why in otherwise_made(layout, made) if path not in known),
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
