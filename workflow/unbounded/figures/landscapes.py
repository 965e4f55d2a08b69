"""Landscapes: the relaxed two-dimensional instances of all nine test cases, and TC-4 on the integer lattice.

In two dimensions a form has one block: the Cigar is diag(1, c).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unbounded.figures import captions, style
from unbounded.instances.forms import cigar, hadellipse, rotellipse
from unbounded.instances.hessians import FloatArray, Hessian

#: The rows and the columns of the test-case table.
FORMS = (cigar.FORM, rotellipse.FORM, hadellipse.FORM)
XI0 = np.array([7.0, -7.0])
XI1 = np.array([-4.0, 4.0])


def quadratic(H: Hessian, centre: FloatArray, c: float, X: FloatArray, Y: FloatArray) -> FloatArray:
    """Return (1/c)(x−ξ)ᵀH(x−ξ) on a grid."""
    points = np.column_stack([X.ravel(), Y.ravel()]) - centre
    values: FloatArray = (H.rotate(points) ** 2 @ H.spectrum / c).reshape(X.shape)
    return values


def gallery(c: float, levels: Sequence[float], paths: Sequence[Path], extent: float = 36.0) -> None:
    """Draw the objective of every test case as a landscape and its constraint at several levels E."""
    axis = np.linspace(-extent, extent, 145)
    X, Y = np.meshgrid(axis, axis)
    fig, axes = style.figure(3, 3, (7.4, 6.9), sharex=True, sharey=True)
    image: Any = None
    for row, objective in enumerate(FORMS):
        f = quadratic(objective.plane(c), XI0, c, X, Y)
        for column, constraint in enumerate(FORMS):
            g = quadratic(constraint.plane(c), XI1, c, X, Y)
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
    fig.colorbar(image, ax=axes, shrink=0.6, label=r"$\sqrt{f}$")
    style.save(fig, paths)


def integer_contours(c: float, E: float, extents: Sequence[float], paths: Sequence[Path]) -> None:
    """Draw TC-4 on the integer lattice: each cell is one lattice point, feasible ones are dotted."""
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
        fig.colorbar(image, ax=ax, shrink=0.8, label=r"$\sqrt{f}$")
    style.save(fig, paths)


def caption_gallery(c: float, levels: Sequence[float]) -> str:
    """Say what `gallery` shows."""
    return captions.sentences(
        f"Relaxed two-dimensional instances of the nine test cases, objective f by row and constraint g by column, at "
        f"c = {style.number(c)}.",
        "Colour is the square root of f, centred at ξ0 = (7, −7) (white plus); the curves are g = E around "
        f"ξ1 = (−4, 4) (cross) at E = {captions.listing([style.number(E) for E in sorted(levels)])}, inside out.",
        "Drawn from the instances themselves: no solver was run for this figure.",
    )


def caption_contours(c: float, E: float, extents: Sequence[float]) -> str:
    """Say what `integer_contours` shows."""
    return captions.sentences(
        f"The all-integer TC-4 (RotEllipse + RotEllipse) in two dimensions at c = {style.number(c)}, within "
        f"{captions.listing([f'±{extent:g}' for extent in extents])}: every cell is a lattice point, coloured by the "
        "square root of f.",
        f"The curve is g = {style.number(E)}; dots are feasible lattice points, the star is the best of those shown.",
        "Drawn from the instances themselves: no solver was run for this figure.",
    )
