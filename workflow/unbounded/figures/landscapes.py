"""Landscapes: the relaxed two-dimensional instances of all nine test cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.contract import Description, Figure

if TYPE_CHECKING:
    from unbounded.figures.planned import Planned


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Every study of landscapes."""
    for name, study in plan.landscapes.items():
        yield f"{name}/gallery", {"study": name, "options": {"c": study.c, "levels": list(study.E)}}


def draw(
    *,
    c: float,
    levels: Sequence[float],
    paths: Sequence[Path],
    labels: Labels | None = None,
    extent: float = 36.0,
) -> None:
    """Draw the objective of every test case as a landscape and its constraint at several levels E."""
    from unbounded.figures.parts.plane import XI0, XI1, quadratic
    from unbounded.instances.forms.registry import find
    from unbounded.instances.hessians import TABLE_ORDER

    axis = np.linspace(-extent, extent, 145)
    X, Y = np.meshgrid(axis, axis)
    fig, axes = style.figure(3, 3, (7.4, 6.9), sharex=True, sharey=True)
    image: Any = None
    for row, objective in enumerate(TABLE_ORDER):
        f = quadratic(find(objective).plane(c), XI0, c, X, Y)
        for column, constraint in enumerate(TABLE_ORDER):
            g = quadratic(find(constraint).plane(c), XI1, c, X, Y)
            ax = axes[row, column]
            # Square roots of f are distances, which show the shape far from the centre as well as close to it.
            image = ax.contourf(X, Y, np.sqrt(f), levels=np.linspace(0, 54, 19), cmap=style.LANDSCAPE_MAP, extend="max")
            # As thousands of paths the landscape would make megabytes of SVG; lines and text stay vectors.
            image.set_rasterized(True)
            ax.contour(X, Y, g, levels=sorted(levels), colors=style.CONSTRAINT, linewidths=1.8)
            ax.plot(*XI0, marker="+", color="white", markersize=7)
            ax.plot(*XI1, marker="x", color=style.CONSTRAINT, markersize=5)
            ax.set_title(style.case_name(3 * row + column), fontsize=8)
            ax.set_aspect("equal")
    for ax in axes[-1, :]:
        ax.set_xlabel("$x_1$")
    for ax in axes[:, 0]:
        ax.set_ylabel("$x_2$")
    fig.colorbar(image, ax=axes, shrink=0.6, label="√f")
    style.save(fig, paths)


def caption(*, c: float, levels: Sequence[float], labels: Labels | None = None, budgets: Budgets | None = None) -> str:
    """Say what `draw` shows."""
    return captions.sentences(
        f"Relaxed two-dimensional instances of the nine test cases, objective f by row and constraint g by column, at "
        f"c = {style.number(c)}.",
        "Colour is the square root of f, centred at ξ0 = (7, −7) (white plus); the curves are g = E around "
        f"ξ1 = (−4, 4) (cross) at E = {captions.listing([style.number(E) for E in sorted(levels)])}, inside out.",
        "Drawn from the instances themselves: no solver was run for this figure.",
    )


FIGURE = Figure(
    name="landscapes",
    title="Landscapes of the nine test cases in two dimensions",
    tables=(),
    planned=planned,
    draw=draw,
    caption=caption,
    place=10,
)
