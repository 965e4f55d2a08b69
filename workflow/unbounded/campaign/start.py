"""What comes before the jobs of a run: hold the campaign's folder, find files of no use, refuse too few threads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from unbounded.campaign.layout import Layout, trial_of
from unbounded.campaign.plan import Plan
from unbounded.running.errors import listed
from unbounded.running.lock import hold
from unbounded.trials.broken import Broken, Recorded, find_broken, find_cut, set_aside

#: Whether Snakemake remembers how a product was made; then it sees by itself whether that has changed.
Remembered = Callable[[Path], bool]


@dataclass(frozen=True)
class Made:
    """The files that a campaign makes from its trials."""

    files: Sequence[Path]
    #: Returns the digest of the code that makes them.
    code: Callable[[], str]
    remembered: Remembered


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
        rows = [file for file in useless if file.path.is_relative_to(layout.trials)]
        set_aside(rows, layout.folder, layout.broken)
        # Products come from rows: of them there is nothing to keep. One that stayed would be taken for this campaign's
        # by a later run, if this one makes others alone, or is stopped: then the record is new, and tells nothing.
        products = [file for file in useless if file not in rows]
        for file in products:
            file.path.unlink(missing_ok=True)
        where = [f"those of trials were moved to {layout.broken}"] if rows else []
        where += ["what trials are made into was removed"] if products else []
        say("\n".join(_lines(useless, f"made again; {', '.join(where)}")))
    return [str(file.path) for file in useless]


def start_dry_run(layout: Layout, plan: Plan, made: Made, recorded: Recorded, say: Callable[[str], None]) -> list[str]:
    """Return the files that a run would make again for being of no use; a dry run moves and removes none."""
    useless = find_useless(layout, plan, made, recorded)
    if useless:
        say("\n".join(_lines(useless, "would be made again")))
    return [str(file.path) for file in useless]


def find_useless(layout: Layout, plan: Plan, made: Made, recorded: Recorded) -> list[Broken]:
    """Return the files of planned trials and the products that are there but of no use."""
    trials = (str(layout.trial(trial)) for trial in plan.trials())
    cut = list(find_cut(path for path in made.files if path.suffix == ".parquet"))
    known = {file.path for file in cut}
    return [
        *find_broken(trials, lambda path: plan.columns(trial_of(Path(path))), recorded),
        *cut,
        *(file for file in _made_otherwise(layout, plan, made) if file.path not in known),
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


def _made_otherwise(layout: Layout, plan: Plan, made: Made) -> Iterator[Broken]:
    """Yield the products that another campaign or other code has made, where Snakemake would not see it.

    It compares what it remembers, and of products that came with a folder or an archive it remembers nothing: they
    would stay as they are. The record beside the tables says which campaign they were made for, and the provenance that
    an archive brings, by which code.
    """
    if layout.record.exists() and layout.record.read_text(encoding="utf-8").strip() != plan.campaign.record():
        why = f"made for another campaign than this one ({layout.record} differs)"
    elif (code := _code_of(layout.provenance)) is not None and code != made.code():
        why = f"made by other code than there is here ({layout.provenance} says by which)"
    else:
        return
    for path in made.files:
        if path.exists() and not made.remembered(path):
            yield Broken(path, why)


def _code_of(provenance: Path) -> str | None:
    try:
        told = json.loads(provenance.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError:
        told = None
    return str(told.get("products")) if isinstance(told, dict) else "unknown"


def _lines(useless: list[Broken], what: str) -> Iterator[str]:
    yield f"{len(useless)} file{'s are' if len(useless) > 1 else ' is'} there but of no use, and {what}:"
    yield from listed([f"{file.path}: {file.why}" for file in useless])
