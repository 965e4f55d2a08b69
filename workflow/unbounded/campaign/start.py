"""What comes before the jobs of a run: hold the campaign's folder, find files of no use, refuse too few threads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unbounded.campaign.layout import Layout, trial_of
from unbounded.campaign.plan import Plan
from unbounded.running.errors import listed
from unbounded.running.lock import hold
from unbounded.running.writing import write_text
from unbounded.trials.broken import Broken, Recorded, find_broken, find_cut, set_aside

#: Keys of a solver's settings that no value depends on.
RUNNING = ("watchdog", "mem_mb", "runtime")
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
        # Products come from rows: of them there is nothing to keep, and whoever makes one again replaces it.
        rows = [file for file in useless if file.path.is_relative_to(layout.trials)]
        set_aside(rows, layout.folder, layout.broken)
        moved = f"; those of trials were moved to {layout.broken}" if rows else ""
        say("\n".join(_lines(useless, f"made again when asked for{moved}")))
    _note_origin(layout, made)
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
    would stay as they are.
    """
    unremembered = list(_unremembered(made))
    if not unremembered:
        return
    origin = _origin(layout)
    if _of_values(origin.get("campaign")) != _of_values(json.loads(plan.campaign.record())):
        why = f"made for another campaign than this one, by {_witness(layout)}"
    elif "products" in origin and origin["products"] != made.code():
        why = f"made by other code than there is here, by {_witness(layout)}"
    else:
        return
    for path in unremembered:
        yield Broken(path, why)


def _unremembered(made: Made) -> Iterator[Path]:
    return (path for path in made.files if path.exists() and not made.remembered(path))


def _witness(layout: Layout) -> Path:
    """Return the file that tells what products without a memory were made for.

    An archive brings one. Without it, it is the record of the campaign beside the tables, as long as no run has renewed
    that (`_note_origin`).
    """
    return layout.provenance if layout.provenance.exists() else layout.record


def _origin(layout: Layout) -> dict[str, Any]:
    """Return for which campaign products without a memory were made and, if that is known, by which code."""
    try:
        told = json.loads(_witness(layout).read_bytes())
    except (OSError, ValueError):
        return {}
    return told if layout.provenance.exists() and isinstance(told, dict) else {"campaign": told}


def _note_origin(layout: Layout, made: Made) -> None:
    """Keep what products without a memory were made for: this run may write the record anew, and leave them."""
    if not layout.provenance.exists() and any(_unremembered(made)):
        write_text(layout.provenance, json.dumps(_origin(layout), indent=1) + "\n")


def _of_values(record: object) -> object:
    """Return a campaign's record without what only concerns how trials are run: that makes nothing stale."""
    if isinstance(record, dict):
        return {key: _of_values(value) for key, value in record.items() if key not in RUNNING}
    return [_of_values(value) for value in record] if isinstance(record, list) else record


def _lines(useless: list[Broken], what: str) -> Iterator[str]:
    yield f"{len(useless)} file{'s are' if len(useless) > 1 else ' is'} there but of no use, and {what}:"
    yield from listed([f"{file.path}: {file.why}" for file in useless])
