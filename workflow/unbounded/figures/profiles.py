"""Performance profiles of a slice: on how many instances a solver is how many times slower than the fastest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.contract import Description, Figure
from unbounded.tables.targets import TARGETS

if TYPE_CHECKING:
    from unbounded.figures.planned import Planned


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Every slice that compares strategies; exact solvers are in it too."""
    for part in plan.slices("benchmark", "translation", "all-integer"):
        yield f"{part.path}-profiles", part.of_traces()


def draw(profiles: Any, runs: Any, *, paths: Sequence[Path], labels: Labels | None = None) -> None:
    """Draw, for each target, the share of instances by the ratio to the least expected running time in CPU seconds."""
    from unbounded.figures.parts import step_lines

    solvers = step_lines.solvers_of(runs)
    table = profiles[profiles["measure"] == "cpu_seconds"]
    end = 1.3 * max(10.0, float(table["ratio"].max()) if len(table) else 10.0)
    fig, axes, strip = step_lines.grid(2, 3, solvers, labels, height=step_lines.PANEL)
    for position, (ax, target) in enumerate(zip(axes.flat, TARGETS, strict=True)):
        ax.set_title(f"{style.letter(position)} target {step_lines.target_text(target)}", loc="left")
        for number, solver in enumerate(solvers):
            lines = table[(table["target"] == target) & (table["solver"] == solver)].sort_values("ratio")
            shares = np.diff(lines["share"].to_numpy(), prepend=0.0)
            look = step_lines.look_of(number, solvers)
            step_lines.line(ax, lines["ratio"].to_numpy(), shares, (1.0, end), look)
        step_lines.set_axes(ax, (0.9, end))
        ax.set_xlabel("ratio to the least expected CPU time" if position >= 3 else "", fontsize=8)
    for ax in axes[:, 0]:
        ax.set_ylabel("share of instances", fontsize=8)
    step_lines.legend(strip, solvers, labels)
    style.save(fig, paths)


def caption(
    profiles: Any,
    runs: Any,
    *,
    labels: Labels | None = None,
    budgets: Budgets | None = None,
    trace_points: int | None = None,
) -> str:
    """Say what `draw` shows and stands on."""
    from unbounded.figures.parts import step_lines

    table = profiles[profiles["measure"] == "cpu_seconds"]
    solved = table.groupby(["solver", "target"])["share"].max()
    ends = [
        f"{captions.name(solver, labels)} "
        + " / ".join(f"{100 * solved.get((solver, target), 0.0):.0f}" for target in TARGETS)
        for solver in step_lines.solvers_of(runs)
    ]
    return captions.sentences(
        "Performance profiles: the share of the instances on which a solver's expected running time to a target is at "
        f"most so many times the least of all solvers ({step_lines.slice_text(runs)}).",
        "The expected running time is what all runs on an instance spent, each up to the target or to its end, divided "
        "by the number of those that reached it.",
        f"Instances on which the target was reached at all, in % by target from 10⁻¹ to 10⁻⁶: {'; '.join(ends)}.",
        *step_lines.common(runs, labels, budgets, trace_points),
    )


FIGURE = Figure(
    name="profiles",
    title="Performance profiles of expected running times",
    tables=("profiles", "runs"),
    planned=planned,
    draw=draw,
    caption=caption,
    place=40,
)
