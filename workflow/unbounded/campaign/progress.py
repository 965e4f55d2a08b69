"""Progress of a campaign: trials done of planned, by study and solver, the rate, and the time to go.

Counts come from the files on disk, none of which is parsed for it. Time to go weighs every trial by the CPU time that
it is expected to take, since a campaign's trials differ a thousandfold in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TextIO

from unbounded.campaign import run_record
from unbounded.campaign.costs import CostModel
from unbounded.campaign.layout import Layout, Trial, present
from unbounded.campaign.plan import Plan
from unbounded.campaign.run_record import RunRecord

if TYPE_CHECKING:
    from rich.table import Table

#: CPU seconds that a trial's process takes besides its solver: interpreter, libraries, Snakemake's share.
START_SECONDS = 0.5


@dataclass(frozen=True)
class Line:
    """One solver in one study."""

    study: str
    solver: str
    done: int
    planned: int
    #: CPU seconds expected for those not done.
    to_spend: float


@dataclass(frozen=True)
class RunState:
    """How far a run has come."""

    run: RunRecord
    #: Seconds since it began, until its end.
    elapsed: float
    done: int
    planned: int
    #: Expected CPU seconds of its trials that are done, and of those that are not.
    spent: float
    to_spend: float

    @property
    def per_hour(self) -> float:
        """Trials done in an hour of it."""
        return 3600 * self.done / max(self.elapsed, 1e-9)

    @property
    def observed(self) -> bool:
        """Whether enough trials are done to tell a rate: as many as run at once, and the long ones among them."""
        return self.done >= self.run.cores and self.spent > 0

    @property
    def to_go(self) -> float:
        """Seconds to its end: at the pace so far, or at first as if all cores were busy."""
        pace = self.spent / self.elapsed if self.observed else self.run.cores
        return self.to_spend / max(pace, 1e-9)


@dataclass(frozen=True)
class View:
    """A campaign at one moment."""

    campaign: str
    at: float
    lines: Sequence[Line]
    #: All of the campaign, trials that studies share counted once.
    total: Line
    state: RunState | None

    @property
    def complete(self) -> bool:
        """Whether all planned trials are done."""
        return self.total.done == self.total.planned


class Observer:
    """Looks at a campaign's folder, again and again."""

    def __init__(self, plan: Plan, layout: Layout) -> None:
        self._plan = plan
        self._layout = layout
        self._costs = CostModel(plan, layout.trials)
        self._studies = {name: list(plan.trials(name)) for name in plan.campaign.run_studies}

    def look(self, now: float | None = None) -> View:
        """Return the campaign as it is now."""
        at = time.time() if now is None else now
        run = run_record.read(self._layout.run)
        files = present(self._layout.trials)
        self._costs.learn(files)
        seconds = {key: START_SECONDS + self._costs.seconds(cell) for key, cell in self._plan.cells.items()}

        def is_done(trial: Trial) -> bool:
            changed = files.get(trial)
            if changed is None:
                return False
            # What the run is to make anew is done when its file is one of the run's. File systems may cut times off.
            return run is None or trial not in run.trials or changed >= run.started - 1

        done = {trial for trial in self._plan.trials() if is_done(trial)}
        lines = [line for name, trials in self._studies.items() for line in _lines(name, trials, done, seconds)]
        all_trials = list(self._plan.trials())
        left = sum(seconds[trial[:2]] for trial in all_trials if trial not in done)
        total = Line("all", "", len(done), len(all_trials), left)
        return View(self._plan.campaign.name, at, lines, total, None if run is None else _state(run, at, done, seconds))


def _lines(
    study: str, trials: Sequence[Trial], done: set[Trial], seconds: dict[tuple[str, str], float]
) -> Iterator[Line]:
    solvers: dict[str, list[Trial]] = {}
    for trial in trials:
        solvers.setdefault(trial[1], []).append(trial)
    for solver, own in solvers.items():
        left = [trial for trial in own if trial not in done]
        yield Line(study, solver, len(own) - len(left), len(own), sum(seconds[trial[:2]] for trial in left))


def _state(run: RunRecord, at: float, done: set[Trial], seconds: dict[tuple[str, str], float]) -> RunState:
    planned = [trial for trial in run.trials if trial[:2] in seconds]
    made = [trial for trial in planned if trial in done]
    spent = sum(seconds[trial[:2]] for trial in made)
    return RunState(
        run=run,
        elapsed=max(0.0, (run.ended or at) - run.started),
        done=len(made),
        planned=len(planned),
        spent=spent,
        to_spend=sum(seconds[trial[:2]] for trial in planned) - spent,
    )


# --- Words ---------------------------------------------------------------------------------------------------------


def duration(seconds: float) -> str:
    """Write a span of time in the two units that matter."""
    minutes = round(seconds / 60)
    if seconds < 60:
        return f"{seconds:.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes:02} min"
    return f"{hours // 24} d {hours % 24} h"


def share(line: Line) -> str:
    """Write how many are done, and the share; 100 % only where all are."""
    percent = 100.0 if line.done == line.planned else min(99.9, 100 * line.done / line.planned)
    return f"{line.done} of {line.planned} trials ({percent:.1f} %)"


def run_sentence(state: RunState | None) -> str:
    """Say how the run goes."""
    if state is None:
        return "no run is recorded"
    run = state.run
    since = f"{datetime.fromtimestamp(run.started):%Y-%m-%d %H:%M}"
    made = f"{state.done} of {state.planned} trials"
    if not run.active:
        how = "ended" if run.ended is not None else "was cut off"
        return f"no run is active; the last one, of {since}, {how} after {made}"
    if state.done == state.planned:
        return f"run since {since}: all of its {state.planned} trials are made"
    basis = f"{state.per_hour:.0f} trials an hour" if state.observed else f"estimated for {run.cores} cores"
    return f"run since {since}: {made}, {basis}, about {duration(state.to_go)} to go"


def plain_lines(view: View) -> list[str]:
    """Return a line for each study, one for all, and one for the run; for logs."""
    studies: dict[str, list[Line]] = {}
    for line in view.lines:
        studies.setdefault(line.study, []).append(line)
    texts = []
    for study, lines in studies.items():
        whole = Line(study, "", sum(line.done for line in lines), sum(line.planned for line in lines), 0.0)
        parts = ", ".join(f"{line.solver} {line.done}/{line.planned}" for line in lines)
        texts.append(f"{study}: {share(whole)}: {parts}")
    texts.append(f"all: {share(view.total)}; {run_sentence(view.state)}")
    stamp = f"{datetime.fromtimestamp(view.at):%Y-%m-%d %H:%M:%S} {view.campaign}"
    return [f"{stamp} {text}" for text in texts]


def table(view: View) -> Table:
    """Return the view as a table with bars, for terminals: what matters most on top, where low ones do not cut it."""
    from rich.box import SIMPLE_HEAD
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    title = f"{view.campaign}: {share(view.total)}\n{run_sentence(view.state)}"
    # Words and numbers stay whole as long as they can; the bar takes what they leave of the width.
    made = Table(title=title, title_justify="left", box=SIMPLE_HEAD, show_edge=False, padding=0)
    made.add_column("study", no_wrap=True)
    made.add_column("solver", no_wrap=True)
    made.add_column("done", justify="right", no_wrap=True)
    made.add_column("planned", justify="right", no_wrap=True)
    made.add_column("", max_width=30)
    made.add_column("CPU hours\nto go", justify="right", no_wrap=True)
    shown = None
    for line in (view.total, *view.lines):
        made.add_row(
            line.study if line.study != shown else "",
            line.solver,
            str(line.done),
            str(line.planned),
            ProgressBar(total=max(1, line.planned), completed=line.done),
            f"{line.to_spend / 3600:.1f}",
        )
        shown = line.study
    return made


# --- Following -----------------------------------------------------------------------------------------------------


def follow(
    observer: Observer, every: float, show: Callable[[View], None], *, log: TextIO | None = None, watch: bool = True
) -> View:
    """Show the campaign every so many seconds until it is complete or the run that was under way has ended.

    Without a run it waits for one. Returns what was seen last.
    """
    seen_active = False
    while True:
        view = observer.look()
        show(view)
        if log is not None:
            log.writelines(f"{line}\n" for line in plain_lines(view))
            log.flush()
        active = view.state is not None and view.state.run.active
        if not watch or view.complete or (seen_active and not active):
            return view
        seen_active = seen_active or active
        time.sleep(every)
