"""The Hadamard Ellipse, (H-3), in its full (one block) and its block (two blocks) form."""

from __future__ import annotations

from unbounded.instances.forms.contract import Form
from unbounded.instances.hessians import Hadamard, Hessian, ellipse_spectrum


class HadEllipse(Form):
    """An ellipse rotated by the Hadamard matrix."""

    name = "hadellipse"
    label = "HadEllipse"
    asks = "where D is a power of two"
    has_block = True

    def allows(self, D: int) -> bool:
        """Say whether there is a Sylvester-Hadamard matrix of this size."""
        return D & (D - 1) == 0

    def make(self, D: int, c: float) -> Hessian:
        """Return the full reading."""
        return Hadamard(ellipse_spectrum(D, c))

    def block(self, D: int, c: float) -> Hessian:
        """Return two blocks, each with the whole spectrum."""
        return Hadamard(ellipse_spectrum(D // 2, c) * 2, blocks=2)


FORM = HadEllipse()
