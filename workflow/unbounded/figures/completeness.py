"""Completeness: how the planned runs of every study and solver ended, and how many are still missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.contract import Description, Figure

if TYPE_CHECKING:
    from unbounded.figures.planned import Planned

#: Statuses in the order of the bars: with a verified solution, without one, not run; colour and hatch of each.
LOOKS = {
    "optimal": ("#009E73", ""),
    "tolerance": ("#56B4E9", ""),
    "unproven": ("#56B4E9", "////"),
    "refuted": ("#D40000", ""),
    "time-out": ("#0072B2", ""),
    "converged": ("#F0E442", ""),
    "budget": ("#E69F00", ""),
    "incumbent": ("#0072B2", "////"),
    "no-solution": ("#D55E00", ""),
    "unverified": ("#D55E00", "////"),
    "error": ("#7A2E00", ""),
    "overrun": ("#BBBBBB", ""),
    "crashed": ("#555555", ""),
    "out-of-memory": ("#BBBBBB", "////"),
    "skipped": ("#CC79A7", ""),
    "missing": ("#FFFFFF", "\\\\\\\\"),
}
OTHER = ("#999999", "xxxx")
#: The columns of the table that are no status.
TOTALS = ("study", "solver", "planned", "present", "solved", "failed")


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Once, for a campaign that runs anything."""
    if plan.runs:
        yield "campaign/completeness", {}


def draw(completeness: Any, *, paths: Sequence[Path], labels: Labels | None = None) -> None:
    """Draw the table `completeness`: a bar for each study and solver, as shares of its planned runs."""
    from matplotlib.patches import Patch

    table = completeness.assign(missing=completeness["planned"] - completeness["present"]).reset_index(drop=True)
    statuses = _statuses(table)
    places, studies = _places(table)
    bottom = places[-1] + 1 if places else 1.0
    fig, axes = style.figure(1, 1, (style.WIDTH, 0.9 + 0.2 * bottom))
    ax = axes[0, 0]
    planned = table["planned"].clip(lower=1)
    left = planned * 0.0
    for status in statuses:
        colour, hatch = LOOKS.get(status, OTHER)
        share = table[status].fillna(0) / planned
        look: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": "0.25", "linewidth": 0.4}
        ax.barh(places, share, left=left, height=0.8, clip_on=False, **look)
        left = left + share
    for place, line in zip(places, table.itertuples(), strict=True):
        text = f"{int(line.present):,} of {int(line.planned):,}"
        ax.text(1.01, place, text, va="center", fontsize=style.SMALL)
    for place, study in studies:
        ax.text(0, place, study, va="center", fontsize=8, fontweight="bold")
    ax.set_yticks(places, [captions.name(solver, labels) for solver in table["solver"]], fontsize=style.SMALL)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"], fontsize=style.SMALL)
    ax.set(xlim=(0, 1), ylim=(bottom - 0.4, -0.6))
    ax.set_xlabel("share of the planned runs; at the right, runs done", fontsize=8)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    handles = [
        Patch(facecolor=LOOKS.get(s, OTHER)[0], hatch=LOOKS.get(s, OTHER)[1], edgecolor="0.25", linewidth=0.4)
        for s in statuses
    ]
    legend: dict[str, Any] = {"loc": "outside lower center", "ncols": style.legend_columns(statuses, 6.5)}
    fig.legend(handles, statuses, fontsize=style.SMALL, frameon=False, handlelength=1.5, **legend)
    style.save(fig, paths)


def caption(completeness: Any, *, labels: Labels | None = None, budgets: Budgets | None = None) -> str:
    """Say what `draw` shows."""
    planned, present, solved = (completeness[column].sum() for column in ("planned", "present", "solved"))
    refuted = int(completeness["refuted"].sum())
    studies = completeness["study"].nunique()
    return captions.sentences(
        f"How the planned runs of {studies} {'study' if studies == 1 else 'studies'} ended, by solver, as shares of "
        "those planned; runs that several studies share count in each.",
        f"Red: {captions.count(refuted, 'proof')} that a verified point or a proven optimum contradicts."
        if refuted
        else "",
        captions.stands_on(present, planned, solved),
    )


def _statuses(table: Any) -> list[str]:
    """Return the statuses that occur, known ones in their order."""
    found = [column for column in table.columns if column not in TOTALS and table[column].fillna(0).sum() > 0]
    return [*(s for s in LOOKS if s in found), *(s for s in found if s not in LOOKS)]


def _places(table: Any) -> tuple[list[float], list[tuple[float, str]]]:
    """Return the height of every bar, and of the name of every study above its bars."""
    places: list[float] = []
    studies: list[tuple[float, str]] = []
    height, previous = 0.0, None
    for study in table["study"]:
        if study != previous:
            height += 0.3 if previous is not None else 0.0
            studies.append((height, study))
            height += 1.0
            previous = study
        places.append(height)
        height += 1.0
    return places, studies


FIGURE = Figure(
    name="completeness",
    title="Planned trials by how they ended",
    tables=("completeness",),
    planned=planned,
    draw=draw,
    caption=caption,
)
