"""The Cigar, (H-1)."""

from __future__ import annotations

from unbounded.instances.forms.contract import Form
from unbounded.instances.hessians import Diagonal, Hessian


class Cigar(Form):
    """Two diagonal blocks, each diag(1, c, …, c); in the plane one, diag(1, c)."""

    name = "cigar"
    label = "Cigar"

    def make(self, D: int, c: float) -> Hessian:
        """Return the two blocks."""
        return Diagonal([1.0, *[c] * (D // 2 - 1)] * 2)

    def plane(self, c: float) -> Hessian:
        """Return diag(1, c): two blocks of one would be the identity."""
        return Diagonal([1.0, c])


FORM = Cigar()
