"""The Sphere: the identity, whatever c is (preliminary study)."""

from __future__ import annotations

import numpy as np

from unbounded.instances.forms.contract import Form
from unbounded.instances.hessians import Diagonal, Hessian


class Sphere(Form):
    """The identity."""

    name = "sphere"
    label = "Sphere"

    def make(self, D: int, c: float) -> Hessian:
        """Return the identity."""
        return Diagonal(np.ones(D))


FORM = Sphere()
