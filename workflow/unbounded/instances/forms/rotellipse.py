"""The Rotated Ellipse, (H-2)."""

from __future__ import annotations

from unbounded.instances.forms.contract import Form
from unbounded.instances.hessians import Hessian, PlaneRotated, ellipse_spectrum


class RotEllipse(Form):
    """An ellipse rotated by π/4 in one plane."""

    name = "rotellipse"
    label = "RotEllipse"

    def make(self, D: int, c: float) -> Hessian:
        """Return the rotated ellipse."""
        return PlaneRotated(ellipse_spectrum(D, c))


FORM = RotEllipse()
