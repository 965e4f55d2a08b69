"""An instance as named tuples of arrays and numbers, which is what compiled code takes."""

from __future__ import annotations

from typing import NamedTuple

from unbounded.instances.hessians import Diagonal, FloatArray, Form, Hadamard, PlaneRotated
from unbounded.instances.instance import Instance

DIAGONAL, PLANE_ROTATED, HADAMARD = 0, 1, 2


class StructuredForm(NamedTuple):
    """A quadratic form (1/c)(x−ξ)ᵀH(x−ξ), by the structure of H."""

    structure: int
    #: Size of a Hadamard block.
    block: int
    centre: FloatArray
    #: Spectrum over c, over the block size where the transform is not normalised.
    weights: FloatArray


class StructuredInstance(NamedTuple):
    """An instance as compiled code takes it."""

    f: StructuredForm
    g: StructuredForm
    E: float
    tolerance: float
    n_r: int
    n_z: int


def _structure(form: Form, centre: FloatArray, c: float) -> StructuredForm:
    weights = form.spectrum / c
    if isinstance(form, Hadamard):
        return StructuredForm(HADAMARD, form.n, centre, weights / form.n)
    structure = {Diagonal: DIAGONAL, PlaneRotated: PLANE_ROTATED}[type(form)]
    return StructuredForm(structure, 0, centre, weights)


def structure(instance: Instance) -> StructuredInstance:
    """Return the instance for compiled code."""
    return StructuredInstance(
        _structure(instance.form_f, instance.xi0, instance.c),
        _structure(instance.form_g, instance.xi1, instance.c),
        instance.E,
        instance.tolerance,
        instance.n_r,
        instance.n_z,
    )
