"""A gallery of boxplots of single runs: one measure on several test cases.

The paper's Figure `boxplotsObjF`, and the like of Δz.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unbounded.figures import captions
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.contract import Description, Figure

if TYPE_CHECKING:
    from unbounded.figures.parts.box_panel import Measure
    from unbounded.figures.planned import Planned

#: The panels of the paper's galleries.
OBJECTIVE = (0, 6, 5, 7)
DELTA_Z = (0, 1, 3, 4)


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Every slice of a benchmark or of translated instances, and every one that Δz is asked of."""
    for part in plan.slices("benchmark", "translation"):
        yield f"{part.path}-boxes", part.of_strategies(measure="normalised")
        if part.study.papers:
            yield f"{part.path}-paper-boxes", part.of_strategies(measure="normalised", strategies=part.study.papers)
        if part.proven:
            yield f"{part.path}-optimum-boxes", part.of_strategies(measure="normalised_optimum")
    for path, part in plan.discrepancies():
        if part.proven:
            yield f"{path}-proven-boxes", part.of_strategies(measure="delta_z_proven")
        if part.study.papers:
            measure = "delta_z_proven" if part.proven else "delta_z"
            yield f"{path}-paper-boxes", part.of_strategies(measure=measure, strategies=part.study.papers)
        yield f"{path}-boxes", part.of_strategies(measure="delta_z")


def cases_shown(runs: Any, measure: Measure) -> list[int | str]:
    """Return the paper's test cases, as far as the table has them, or, if it has none of them, its own."""
    found = captions.in_order(captions.all_cases(runs)["tc"])
    return [tc for tc in (OBJECTIVE if measure.startswith("normalised") else DELTA_Z) if tc in found] or found


def rests_on(rows: Any, description: Description) -> Any:
    """Return the runs on the test cases that are shown."""
    return rows[rows["case"].map(captions.case_of).isin(cases_shown(rows, description["options"]["measure"]))]


def draw(
    runs: Any,
    *,
    measure: Measure,
    paths: Sequence[Path],
    strategies: Sequence[str] | None = None,
    labels: Labels | None = None,
) -> None:
    """Draw several test cases of a study's slice from the table `runs`."""
    from unbounded.figures.parts import box_grid

    box_grid.draw(runs, [(tc, measure) for tc in cases_shown(runs, measure)], strategies, labels, paths)


def caption(
    runs: Any,
    *,
    measure: Measure,
    strategies: Sequence[str] | None = None,
    labels: Labels | None = None,
    budgets: Budgets | None = None,
) -> str:
    """Say what `draw` shows and stands on."""
    from unbounded.figures.parts import box_grid

    shown = cases_shown(runs, measure)
    return box_grid.caption(runs, shown, [measure], strategies=strategies, labels=labels, budgets=budgets)


FIGURE = Figure(
    name="gallery",
    title="Boxplots of single runs, several test cases",
    tables=("runs",),
    planned=planned,
    draw=draw,
    caption=caption,
    place=50,
    rests_on=rests_on,
)
