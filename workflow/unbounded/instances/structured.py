"""An instance as named tuples of arrays and numbers, which is what compiled code takes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unbounded.instances.hessians import Diagonal, FloatArray, Hadamard, Hessian, PlaneRotated
from unbounded.instances.instance import Instance

DIAGONAL, PLANE_ROTATED, HADAMARD, DENSE = 0, 1, 2, 3
NO_FACTOR: FloatArray = np.empty((0, 0))


class StructuredForm(NamedTuple):
    """A quadratic form (1/c)(x−ξ)ᵀH(x−ξ), by the structure of H."""

    structure: int
    #: Size of a Hadamard block.
    block: int
    centre: FloatArray
    #: Spectrum over c, over the block size where the transform is not normalised.
    weights: FloatArray
    #: F of `Hessian.squares` where H has no structure that compiled code knows.
    factor: FloatArray


class StructuredInstance(NamedTuple):
    """An instance as compiled code takes it."""

    f: StructuredForm
    g: StructuredForm
    E: float
    tolerance: float
    n_r: int
    n_z: int


def _structure(H: Hessian, centre: FloatArray, c: float) -> StructuredForm:
    # By the very class: what is derived from it may rotate otherwise.
    if type(H) is Hadamard:
        return StructuredForm(HADAMARD, H.n, centre, H.spectrum / c / H.n, NO_FACTOR)
    known = {Diagonal: DIAGONAL, PlaneRotated: PLANE_ROTATED}.get(type(H))
    if known is not None:
        return StructuredForm(known, 0, centre, H.spectrum / c, NO_FACTOR)
    factor, weights = H.squares()
    return StructuredForm(DENSE, 0, centre, weights / c, factor)


def structure(instance: Instance) -> StructuredInstance:
    """Return the instance for compiled code."""
    return StructuredInstance(
        _structure(instance.hessian_f, instance.xi0, instance.c),
        _structure(instance.hessian_g, instance.xi1, instance.c),
        instance.E,
        instance.tolerance,
        instance.n_r,
        instance.n_z,
    )
