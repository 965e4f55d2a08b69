"""What happens before Snakemake plans: hold the campaign's folder, find files that are of no use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from unbounded import products
from unbounded.errors import listed
from unbounded.lock import hold
from unbounded.plan import Plan
from unbounded.trials.broken import Broken, Recorded, find_broken, find_cut, set_aside
from unbounded.trials.on_disk import trial_of, trial_path


def start_run(
    results: Path, plan: Plan, recorded: Recorded, say: Callable[[str], None], unlock: Callable[[], None]
) -> list[str]:
    """Begin a run; return the files that it has to make again. Raises LockedError.

    `unlock` removes the locks of Snakemake itself, which one that was killed has left behind.
    """
    last = hold(results)
    if last is not None:
        say(last)
        unlock()
    useless = find_useless(results, plan, recorded)
    if useless:
        # Tables come from rows: of them there is nothing to keep.
        trials, aside = results / "trials", results / "broken"
        set_aside([file for file in useless if file.path.is_relative_to(trials)], results, aside)
        say("\n".join(_lines(useless, f"made again; those of trials were moved to {aside}")))
    return [str(file.path) for file in useless]


def start_dry_run(results: Path, plan: Plan, recorded: Recorded, say: Callable[[str], None]) -> list[str]:
    """Return the files that a run would make again for being of no use; a dry run moves none."""
    useless = find_useless(results, plan, recorded)
    if useless:
        say("\n".join(_lines(useless, "would be made again")))
    return [str(file.path) for file in useless]


def find_useless(results: Path, plan: Plan, recorded: Recorded) -> list[Broken]:
    """Return the files of planned trials and tables that are there but of no use."""
    trials = (f"{results}/trials/{trial_path(trial)}" for trial in plan.trials())
    tables = [path for path in (*products.group_tables(plan), *products.tables(plan)) if path.endswith(".parquet")]
    return [
        *find_broken(trials, lambda path: plan.columns(trial_of(Path(path))), recorded),
        *find_cut(results / path for path in tables),
    ]


def _lines(useless: list[Broken], what: str) -> Iterator[str]:
    yield f"{len(useless)} file{'s are' if len(useless) > 1 else ' is'} there but of no use, and {what}:"
    yield from listed([f"{file.path}: {file.why}" for file in useless])
