"""What a form says of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod

from unbounded.instances.hessians import Hessian


class Form(ABC):
    """A family of Hessians, one for every dimension D that it allows and every c."""

    #: In campaigns and in ids of instances: small letters and digits, a letter first.
    name: str
    #: In figures and on the page.
    label: str
    #: What it asks of D, which is even in any case, in words that go on from "which exists only …".
    asks: str = ""
    #: Whether it has a variant of two diagonal blocks (`hessian: block`).
    has_block: bool = False

    @abstractmethod
    def make(self, D: int, c: float) -> Hessian:
        """Return the Hessian; by custom its eigenvalues run from 1 to c."""

    def allows(self, D: int) -> bool:
        """Say whether there is one of this dimension."""
        return True

    def block(self, D: int, c: float) -> Hessian:
        """Return the variant of two blocks; a form that has none is the same in both."""
        return self.make(D, c)

    def plane(self, c: float) -> Hessian:
        """Return the Hessian of pictures in the plane."""
        return self.make(2, c)
