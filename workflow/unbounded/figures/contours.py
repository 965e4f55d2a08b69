"""Integer contours: TC-4 in two dimensions on the lattice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.contract import Description, Figure

if TYPE_CHECKING:
    from unbounded.figures.planned import Planned


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Every study of landscapes."""
    for name, study in plan.landscapes.items():
        yield (
            f"{name}/contours",
            {"study": name, "options": {"c": study.c, "E": study.contour_E, "extents": list(study.extents)}},
        )


def draw(*, c: float, E: float, extents: Sequence[float], paths: Sequence[Path], labels: Labels | None = None) -> None:
    """Draw TC-4 on the integer lattice: each cell is one lattice point, feasible ones are dotted."""
    from unbounded.figures.parts.plane import XI0, XI1, quadratic
    from unbounded.instances.forms import rotellipse

    fig, axes = style.figure(1, len(extents), (3.7 * len(extents), 3.4))
    form = rotellipse.FORM.plane(c)
    for ax, extent in zip(axes[0], extents, strict=True):
        lattice = np.arange(-int(extent), int(extent) + 1, dtype=float)
        X, Y = np.meshgrid(lattice, lattice)
        f = quadratic(form, XI0, c, X, Y)
        g = quadratic(form, XI1, c, X, Y)
        image = ax.pcolormesh(X, Y, np.sqrt(f), cmap=style.LANDSCAPE_MAP, shading="nearest", rasterized=True)
        fine = np.linspace(-extent - 0.5, extent + 0.5, 401)
        XF, YF = np.meshgrid(fine, fine)
        ax.contour(XF, YF, quadratic(form, XI1, c, XF, YF), levels=[E], colors=style.CONSTRAINT, linewidths=2.2)
        feasible = g <= E
        ax.plot(X[feasible], Y[feasible], ".", color="white", markersize=60 / (extent + 10))
        best = np.argmin(np.where(feasible, f, np.inf))
        if feasible.any():
            ax.plot(
                X.ravel()[best], Y.ravel()[best], "*", color=style.CONSTRAINT, markeredgecolor="white", markersize=10
            )
        ax.set(xlabel="$z_1$", ylabel="$z_2$", title=f"$[-{extent:g}, {extent:g}]^2$", aspect="equal")
        fig.colorbar(image, ax=ax, shrink=0.8, label="√f")
    style.save(fig, paths)


def caption(
    *,
    c: float,
    E: float,
    extents: Sequence[float],
    labels: Labels | None = None,
    budgets: Budgets | None = None,
) -> str:
    """Say what `draw` shows."""
    return captions.sentences(
        f"The all-integer TC-4 (RotEllipse + RotEllipse) in two dimensions at c = {style.number(c)}, within "
        f"{captions.listing([f'±{extent:g}' for extent in extents])}: every cell is a lattice point, coloured by the "
        "square root of f.",
        f"The curve is g = {style.number(E)}; dots are feasible lattice points, the star is the best of those shown.",
        "Drawn from the instances themselves: no solver was run for this figure.",
    )


FIGURE = Figure(
    name="contours",
    title="TC-4 in two dimensions on the integer lattice",
    tables=(),
    planned=planned,
    draw=draw,
    caption=caption,
    place=20,
)
