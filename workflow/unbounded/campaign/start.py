"""What happens before Snakemake plans: hold the campaign's folder, find files that are of no use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from unbounded.campaign.layout import trial_of, trial_path
from unbounded.campaign.plan import Plan
from unbounded.running.errors import listed
from unbounded.running.lock import hold
from unbounded.trials.broken import Broken, Recorded, find_broken, find_cut, set_aside


def start_run(
    results: Path,
    plan: Plan,
    tables: Sequence[str],
    recorded: Recorded,
    say: Callable[[str], None],
    unlock: Callable[[], None],
) -> list[str]:
    """Begin a run; return the files that it has to make again. Raises LockedError.

    `tables` are the parquet files that it makes, below the results. `unlock` removes the locks of Snakemake itself,
    which one that was killed has left behind.
    """
    last = hold(results)
    if last is not None:
        say(last)
        unlock()
    useless = find_useless(results, plan, tables, recorded)
    if useless:
        # Tables come from rows: of them there is nothing to keep.
        trials, aside = results / "trials", results / "broken"
        set_aside([file for file in useless if file.path.is_relative_to(trials)], results, aside)
        say("\n".join(_lines(useless, f"made again; those of trials were moved to {aside}")))
    return [str(file.path) for file in useless]


def start_dry_run(
    results: Path, plan: Plan, tables: Sequence[str], recorded: Recorded, say: Callable[[str], None]
) -> list[str]:
    """Return the files that a run would make again for being of no use; a dry run moves none."""
    useless = find_useless(results, plan, tables, recorded)
    if useless:
        say("\n".join(_lines(useless, "would be made again")))
    return [str(file.path) for file in useless]


def find_useless(results: Path, plan: Plan, tables: Sequence[str], recorded: Recorded) -> list[Broken]:
    """Return the files of planned trials and tables that are there but of no use."""
    trials = (f"{results}/trials/{trial_path(trial)}" for trial in plan.trials())
    return [
        *find_broken(trials, lambda path: plan.columns(trial_of(Path(path))), recorded),
        *find_cut(results / path for path in tables),
    ]


def _lines(useless: list[Broken], what: str) -> Iterator[str]:
    yield f"{len(useless)} file{'s are' if len(useless) > 1 else ' is'} there but of no use, and {what}:"
    yield from listed([f"{file.path}: {file.why}" for file in useless])
