"""What comes before the jobs of a run: hold the campaign's folder, find files of no use, refuse too few threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from unbounded.campaign.layout import Layout, trial_of
from unbounded.campaign.plan import Plan
from unbounded.running.errors import listed
from unbounded.running.lock import hold
from unbounded.trials.broken import Broken, Recorded, find_broken, find_cut, set_aside

#: Whether Snakemake remembers how a product was made; then it sees by itself whether that has changed.
Remembered = Callable[[Path], bool]


def start_run(
    layout: Layout,
    plan: Plan,
    products: Sequence[Path],
    recorded: Recorded,
    remembered: Remembered,
    say: Callable[[str], None],
    unlock: Callable[[], None],
) -> list[str]:
    """Begin a run; return the files that it has to make again. Raises LockedError.

    `products` are the files that it makes from trials. `unlock` removes the locks of Snakemake itself,
    which one that was killed has left behind.
    """
    last = hold(layout.folder)
    if last is not None:
        say(last)
        unlock()
    useless = find_useless(layout, plan, products, recorded, remembered)
    if useless:
        # Products come from rows: of them there is nothing to keep.
        rows = [file for file in useless if file.path.is_relative_to(layout.trials)]
        set_aside(rows, layout.folder, layout.broken)
        say("\n".join(_lines(useless, f"made again; those of trials were moved to {layout.broken}")))
    return [str(file.path) for file in useless]


def start_dry_run(
    layout: Layout,
    plan: Plan,
    products: Sequence[Path],
    recorded: Recorded,
    remembered: Remembered,
    say: Callable[[str], None],
) -> list[str]:
    """Return the files that a run would make again for being of no use; a dry run moves none."""
    useless = find_useless(layout, plan, products, recorded, remembered)
    if useless:
        say("\n".join(_lines(useless, "would be made again")))
    return [str(file.path) for file in useless]


def find_useless(
    layout: Layout, plan: Plan, products: Sequence[Path], recorded: Recorded, remembered: Remembered
) -> list[Broken]:
    """Return the files of planned trials and the products that are there but of no use."""
    trials = (str(layout.trial(trial)) for trial in plan.trials())
    cut = list(find_cut(path for path in products if path.suffix == ".parquet"))
    known = {file.path for file in cut}
    return [
        *find_broken(trials, lambda path: plan.columns(trial_of(Path(path))), recorded),
        *cut,
        *(file for file in _of_another(layout, plan, products, remembered) if file.path not in known),
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


def _of_another(layout: Layout, plan: Plan, products: Sequence[Path], remembered: Remembered) -> Iterator[Broken]:
    """Yield the products that another campaign file has made, where Snakemake would not see it.

    It compares what it remembers, and of products that came with a folder or an archive it remembers nothing: after an
    edit of the campaign they would stay as they are. The record beside the tables says what they were made from.
    """
    if not layout.record.exists() or layout.record.read_text(encoding="utf-8") == plan.campaign.record() + "\n":
        return
    for path in products:
        if path.exists() and not remembered(path):
            yield Broken(path, "made for the campaign as it was, before its file was edited")


def _lines(useless: list[Broken], what: str) -> Iterator[str]:
    yield f"{len(useless)} file{'s are' if len(useless) > 1 else ' is'} there but of no use, and {what}:"
    yield from listed([f"{file.path}: {file.why}" for file in useless])
