"""Anytime comparison of a slice, target by target: the share of runs that reached it, by the CPU seconds spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.contract import Description, Figure
from unbounded.tables.targets import TARGETS

if TYPE_CHECKING:
    from unbounded.figures.planned import Planned


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Every slice that compares strategies; exact solvers are in it too."""
    for part in plan.slices("benchmark", "translation", "all-integer"):
        yield f"{part.path}-targets", part.of_traces()


def draw(anytime: Any, runs: Any, *, paths: Sequence[Path], labels: Labels | None = None) -> None:
    """Draw the share of runs that reached each target by the CPU seconds spent."""
    from unbounded.figures.parts import step_lines

    solvers = step_lines.solvers_of(runs)
    fig, axes, strip = step_lines.grid(2, 3, solvers, labels, height=step_lines.PANEL)
    limits = step_lines.limits_of(anytime, "cpu_seconds")
    for position, (ax, target) in enumerate(zip(axes.flat, TARGETS, strict=True)):
        ax.set_title(f"{style.letter(position)} target {step_lines.target_text(target)}", loc="left")
        step_lines.distribution(ax, anytime[anytime["target"] == target], "cpu_seconds", solvers, limits)
        ax.set_xlabel(step_lines.AXES["cpu_seconds"] if position >= 3 else "", fontsize=8)
    for ax in axes[:, 0]:
        ax.set_ylabel("share of runs", fontsize=8)
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

    shares = anytime.groupby(["solver", "target"])["reached"].mean()
    ends = [
        f"{captions.name(solver, labels)} "
        + " / ".join(f"{100 * shares.get((solver, target), 0.0):.0f}" for target in TARGETS)
        for solver in step_lines.solvers_of(runs)
    ]
    return captions.sentences(
        f"Share of the runs that reached a target, by {step_lines.AXES['cpu_seconds']} "
        f"({step_lines.slice_text(runs)}).",
        step_lines.ENDS,
        f"In the end, in % by target from 10⁻¹ to 10⁻⁶: {'; '.join(ends)}.",
        *step_lines.common(runs, labels, budgets, trace_points),
    )


FIGURE = Figure(
    name="targets",
    title="Share of runs that reached each target by the time spent",
    tables=("anytime", "runs"),
    planned=planned,
    draw=draw,
    caption=caption,
    place=30,
)
