"""Boxplots of single runs on one test case: normalised objective values and Δz side by side.

The paper's Figures `miER64` and `iqcqp64`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unbounded.figures import captions
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.contract import Description, Figure
from unbounded.instances.spec import Case

if TYPE_CHECKING:
    from unbounded.figures.parts.box_panel import Measure
    from unbounded.figures.planned import Planned

#: What is compared with the reference, and its like against the optimum.
TO_OPTIMUM = {"normalised": "normalised_optimum", "delta_z": "delta_z_proven"}


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Every test case of a benchmark, of all-integer instances, and of what Δz is asked of."""
    asked = [(part.path, part, ["normalised"]) for part in plan.slices("benchmark")]
    asked += [(part.path, part, ["normalised", "delta_z"]) for part in plan.slices("all-integer")]
    asked += [(path, part, ["delta_z"]) for path, part in plan.discrepancies()]
    for path, part, compared in asked:
        measures = [*compared, *([TO_OPTIMUM[measure] for measure in compared] if part.proven else [])]
        for tc in part.cases:
            yield f"{path}-{_file_name(tc)}", part.of_strategies(tc=tc, measures=measures)


def _file_name(tc: Case) -> str:
    """Return a test case as pictures are named by it."""
    if isinstance(tc, int):
        return f"TC{tc}"
    # A file may have the name of another picture.
    return tc if "." in tc else f"file-{tc}"


def rests_on(rows: Any, description: Description) -> Any:
    """Return the runs on the test case."""
    return rows[rows["case"].map(captions.case_of) == description["options"]["tc"]]


def draw(
    runs: Any,
    *,
    tc: Case,
    measures: Sequence[Measure],
    paths: Sequence[Path],
    strategies: Sequence[str] | None = None,
    labels: Labels | None = None,
) -> None:
    """Draw one test case of a study's slice from the table `runs`, its measures side by side."""
    from unbounded.figures.parts import box_grid

    box_grid.draw(runs, [(tc, measure) for measure in measures], strategies, labels, paths)


def caption(
    runs: Any,
    *,
    tc: Case,
    measures: Sequence[Measure],
    strategies: Sequence[str] | None = None,
    labels: Labels | None = None,
    budgets: Budgets | None = None,
) -> str:
    """Say what `draw` shows and stands on."""
    from unbounded.figures.parts import box_grid

    return box_grid.caption(runs, [tc], measures, strategies=strategies, labels=labels, budgets=budgets)


FIGURE = Figure(
    name="boxplots",
    title="Boxplots of single runs",
    tables=("runs",),
    planned=planned,
    draw=draw,
    caption=caption,
    place=60,
    rests_on=rests_on,
)
