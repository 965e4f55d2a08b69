"""The Hessian forms of the study, each with its structure kept.

A form is H = Q diag(e) Qᵀ with an orthogonal Q that is never multiplied out: `rotate` applies Qᵀ to the
rows of a matrix in O(D) or O(D log D), so a quadratic is the weighted sum of squares Σ e_k (Qᵀy)_k².
The dense matrix, for solvers that want one, is assembled from additions, products and square roots in a
fixed order (no BLAS, no libm powers): its bits are the same on every platform, and so is its digest.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: Forms by the names used in campaigns and figures; the order is that of the paper's test-case table.
TABLE_ORDER = ("cigar", "rotellipse", "hadellipse")


@lru_cache(maxsize=256)
def ellipse_spectrum(n: int, c: float) -> tuple[float, ...]:
    """Return c^((i-1)/(n-1)) for i = 1…n, correctly rounded.

    libm's pow may differ in the last bit between platforms; decimal's does not.
    """
    with localcontext() as context:
        context.prec = 40
        return tuple(float(Decimal(c) ** (Decimal(i) / Decimal(n - 1))) for i in range(n))


class Form(ABC):
    """A symmetric positive definite matrix H = Q diag(e) Qᵀ, by its spectrum `e` and its rotation Q."""

    def __init__(self, spectrum: Any) -> None:
        self.spectrum: FloatArray = np.asarray(spectrum, dtype=np.float64)
        self.D = self.spectrum.size

    @abstractmethod
    def rotate(self, Y: FloatArray) -> FloatArray:
        """Return Qᵀy for every row y of Y."""

    @abstractmethod
    def dense(self, spectrum: FloatArray) -> FloatArray:
        """Return Q diag(spectrum) Qᵀ, exactly symmetric."""

    def matrix(self) -> FloatArray:
        """Return H itself."""
        return self.dense(self.spectrum)

    def inverse_diagonal(self) -> FloatArray:
        """Return the diagonal of H⁻¹ = Q diag(1/e) Qᵀ."""
        return np.diagonal(self.dense(1.0 / self.spectrum)).copy()


class Diagonal(Form):
    """A separable form: Q is the identity."""

    def rotate(self, Y: FloatArray) -> FloatArray:
        """Return Y itself."""
        return Y

    def dense(self, spectrum: FloatArray) -> FloatArray:
        """Return diag(spectrum)."""
        return np.diag(spectrum)


class PlaneRotated(Form):
    """The rotation by θ = π/4 in the plane of u = (1,0,1,0,…)/‖·‖ and v = (0,1,0,1,…)/‖·‖.

    R = I + sinθ (u vᵀ − v uᵀ) + (cosθ − 1)(u uᵀ + v vᵀ), a rank-two change of the identity.
    """

    SIN = math.sqrt(0.5)
    COS_1 = math.sqrt(0.5) - 1.0

    def rotate(self, Y: FloatArray) -> FloatArray:
        """Return Rᵀy by two inner products: u and v are constant on even and odd coordinates."""
        n = self.D // 2
        a = Y[:, 0::2].sum(axis=1) / n
        b = Y[:, 1::2].sum(axis=1) / n
        W = Y.copy()
        W[:, 0::2] += (self.COS_1 * a - self.SIN * b)[:, None]
        W[:, 1::2] += (self.SIN * a + self.COS_1 * b)[:, None]
        return W

    def dense(self, spectrum: FloatArray) -> FloatArray:
        """Return R diag(e) Rᵀ, written out entry by entry from R = I + U M Uᵀ, U = (u v).

        R diag(e) Rᵀ = diag(e) + U M Uᵀ diag(e) + diag(e) U Mᵀ Uᵀ + U (M diag(ū, v̄) Mᵀ) Uᵀ,
        where ū and v̄ are the means of e over the even and the odd coordinates.
        """
        n = self.D // 2
        s, k = self.SIN, self.COS_1
        mean_u = math.fsum(spectrum[0::2]) / n
        mean_v = math.fsum(spectrum[1::2]) / n
        M = np.array([[k, s], [-s, k]])
        middle = np.array(
            [
                [k * k * mean_u + s * s * mean_v, s * k * (mean_v - mean_u)],
                [s * k * (mean_v - mean_u), s * s * mean_u + k * k * mean_v],
            ]
        )
        side = np.arange(self.D) % 2
        left = M[side[:, None], side[None, :]] * spectrum[None, :]
        H: FloatArray = np.diag(spectrum) + (left + left.T + middle[side[:, None], side[None, :]]) / n
        return H


class Hadamard(Form):
    """The Sylvester-Hadamard rotation S = Hadamard(n)/√n, on `blocks` equal diagonal blocks."""

    def __init__(self, spectrum: Any, blocks: int = 1) -> None:
        super().__init__(spectrum)
        self.blocks = blocks
        self.n = self.D // blocks

    def _transform(self, Y: FloatArray) -> FloatArray:
        """Return the unnormalised Walsh-Hadamard transform of every row's blocks, by butterflies."""
        rows = Y.shape[0]
        half = 1
        while half < self.n:
            pairs = Y.reshape(rows, -1, 2, half)
            result = np.empty_like(pairs)
            np.add(pairs[:, :, 0], pairs[:, :, 1], out=result[:, :, 0])
            np.subtract(pairs[:, :, 0], pairs[:, :, 1], out=result[:, :, 1])
            Y = result
            half *= 2
        return Y.reshape(rows, self.D)

    def rotate(self, Y: FloatArray) -> FloatArray:
        """Return Sᵀy in O(D log D)."""
        return self._transform(np.ascontiguousarray(Y)) / math.sqrt(self.n)

    def dense(self, spectrum: FloatArray) -> FloatArray:
        """Return S diag(e) Sᵀ: its (i, j) entry depends on i xor j alone, by the transform of e."""
        column = self._transform(spectrum[None, :])[0].reshape(self.blocks, self.n) / self.n
        i = np.arange(self.n)
        H = np.zeros((self.D, self.D))
        for block in range(self.blocks):
            at = slice(block * self.n, (block + 1) * self.n)
            H[at, at] = column[block][i[:, None] ^ i[None, :]]
        return H


def sphere(D: int, c: float) -> Form:
    """Return the identity (preliminary study)."""
    return Diagonal(np.ones(D))


def cigar(D: int, c: float, blocks: int = 2) -> Form:
    """Return the Cigar, (H-1): `blocks` blocks, each diag(1, c, …, c)."""
    return Diagonal([1.0, *[c] * (D // blocks - 1)] * blocks)


def rotellipse(D: int, c: float) -> Form:
    """Return the Rotated Ellipse, (H-2)."""
    return PlaneRotated(ellipse_spectrum(D, c))


def hadellipse(D: int, c: float, blocks: int = 1) -> Form:
    """Return the Hadamard Ellipse, (H-3), in its `full` (one block) or `block` (two blocks) form."""
    return Hadamard(ellipse_spectrum(D // blocks, c) * blocks, blocks)
