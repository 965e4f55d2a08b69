"""Test cases in two dimensions.

In two dimensions a form has one block: the Cigar is diag(1, c).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unbounded.instances import hessians
from unbounded.instances.hessians import FloatArray, Form

XI0 = np.array([7.0, -7.0])
XI1 = np.array([-4.0, 4.0])


def plane_form(name: str, c: float) -> Form:
    """Return a form at D = 2."""
    forms: dict[str, Callable[[], Form]] = {
        "cigar": lambda: hessians.cigar(2, c, blocks=1),
        "rotellipse": lambda: hessians.rotellipse(2, c),
        "hadellipse": lambda: hessians.hadellipse(2, c),
    }
    return forms[name]()


def quadratic(form: Form, centre: FloatArray, c: float, X: FloatArray, Y: FloatArray) -> FloatArray:
    """Return (1/c)(x−ξ)ᵀH(x−ξ) on a grid."""
    points = np.column_stack([X.ravel(), Y.ravel()]) - centre
    values: FloatArray = (form.rotate(points) ** 2 @ form.spectrum / c).reshape(X.shape)
    return values
