"""What happens before Snakemake plans: hold the campaign's folder, and set trial files aside that are no rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from unbounded.lock import hold
from unbounded.trials.broken import Broken, find_broken, set_aside

#: Broken files that are named one by one.
NAMED = 20


def start_run(
    results: Path, trials: Iterable[str], say: Callable[[str], None], unlock: Callable[[], None]
) -> list[str]:
    """Begin a run; return the trial files that were set aside. Raises LockedError.

    `unlock` removes the locks of Snakemake itself, which one that was killed has left behind.
    """
    last = hold(results)
    if last is not None:
        say(last)
        unlock()
    broken = list(find_broken(trials))
    if broken:
        aside = results / "broken"
        set_aside(broken, results, aside)
        say("\n".join(_lines(broken, f"run again; the files were moved to {aside}")))
    return [str(file.path) for file in broken]


def start_dry_run(trials: Iterable[str], say: Callable[[str], None]) -> list[str]:
    """Return the trial files that a run would set aside, which is all that a dry run does about them."""
    broken = list(find_broken(trials))
    if broken:
        say("\n".join(_lines(broken, "would run again")))
    return [str(file.path) for file in broken]


def _lines(broken: list[Broken], what: str) -> Iterator[str]:
    count = f"{len(broken)} trial files are" if len(broken) > 1 else "1 trial file is"
    yield f"{count} no usable row; those trials {what}:"
    yield from (f"    {file.path}: {file.why}" for file in broken[:NAMED])
    if len(broken) > NAMED:
        yield f"    … and {len(broken) - NAMED} more"
