"""Anytime comparison of a slice: the share of all pairs of run and target reached, by what was spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.contract import Description, Figure

if TYPE_CHECKING:
    from unbounded.figures.planned import Planned


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Every slice that compares strategies; exact solvers are in it too."""
    for part in plan.slices("benchmark", "translation", "all-integer"):
        yield f"{part.path}-runtimes", part.of_traces()


def draw(anytime: Any, runs: Any, *, paths: Sequence[Path], labels: Labels | None = None) -> None:
    """Draw the share of all pairs of run and target by what was spent: in CPU seconds, and in evaluations."""
    from unbounded.figures.parts import step_lines

    solvers = step_lines.solvers_of(runs)
    measures = step_lines.measures_of(anytime)
    fig, axes, strip = step_lines.grid(1, len(measures), solvers, labels, height=2.7)
    for position, measure in enumerate(measures):
        ax = axes[0, position]
        mark = f"{style.letter(position)} " if len(measures) > 1 else ""
        ax.set_title(f"{mark}all targets", loc="left")
        step_lines.distribution(ax, anytime, measure, solvers)
        ax.set_xlabel(step_lines.AXES[measure], fontsize=8)
    axes[0, 0].set_ylabel("share of runs and targets", fontsize=8)
    step_lines.legend(strip, solvers, labels)
    style.save(fig, paths)


def caption(
    anytime: Any,
    runs: Any,
    *,
    labels: Labels | None = None,
    budgets: Budgets | None = None,
    trace_points: int | None = None,
) -> str:
    """Say what `draw` shows and stands on."""
    from unbounded.figures.parts import step_lines

    reached = anytime.groupby("solver")["reached"].mean()
    ends = [f"{captions.name(s, labels)} {100 * reached.get(s, 0.0):.0f} %" for s in step_lines.solvers_of(runs)]
    by = captions.listing([step_lines.AXES[measure] for measure in step_lines.measures_of(anytime)])
    return captions.sentences(
        f"Share of the pairs of a run and a target that were reached, by {by} ({step_lines.slice_text(runs)}).",
        step_lines.ENDS,
        f"In the end: {'; '.join(ends)}.",
        *step_lines.common(runs, labels, budgets, trace_points),
    )


FIGURE = Figure(
    name="runtimes",
    title="Share of targets reached by the time spent",
    tables=("anytime", "runs"),
    planned=planned,
    draw=draw,
    caption=caption,
    place=20,
)
