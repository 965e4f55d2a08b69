"""Hessians, each with its structure kept: what the forms (`unbounded.instances.forms`) are made of.

A Hessian is H = Q diag(e) Qᵀ with an orthogonal Q: `rotate` applies Qᵀ to the rows of a matrix, where Q has a
structure in O(D) or O(D log D), so a quadratic is the weighted sum of squares Σ e_k (Qᵀy)_k². The dense matrix, for
solvers that want one, is assembled from additions, products and square roots in a fixed order (no BLAS, no libm
powers): its bits are the same on every platform, and so is its digest.
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


class Hessian(ABC):
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

    def quadratic(self, Y: FloatArray, c: float) -> FloatArray:
        """Return (1/c) yᵀHy of every row y: the same bits alone and in any batch."""
        W = self.rotate(Y)
        result: FloatArray = np.einsum("ij,j->i", W * W, self.spectrum / c)
        return result

    def squares(self) -> tuple[FloatArray, FloatArray]:
        """Return F and w with yᵀHy = Σ w_k (Fy)_k², for code that knows no structure."""
        return np.ascontiguousarray(self.rotate(np.eye(self.D)).T), self.spectrum


class Diagonal(Hessian):
    """A separable form: Q is the identity."""

    def rotate(self, Y: FloatArray) -> FloatArray:
        """Return Y itself."""
        return Y

    def dense(self, spectrum: FloatArray) -> FloatArray:
        """Return diag(spectrum)."""
        return np.diag(spectrum)


class PlaneRotated(Hessian):
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


class Hadamard(Hessian):
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


class Rotated(Hessian):
    """Any orthogonal rotation, given as the matrix Q: O(D²) for each point."""

    def __init__(self, spectrum: Any, Q: FloatArray) -> None:
        super().__init__(spectrum)
        self.Q = Q

    def rotate(self, Y: FloatArray) -> FloatArray:
        """Return Qᵀy, summed in a fixed order."""
        return _product(Y, self.Q)

    def dense(self, spectrum: FloatArray) -> FloatArray:
        """Return Σ e_k q_k q_kᵀ over the columns of Q."""
        H: FloatArray = np.zeros((self.D, self.D))
        for e, q in zip(spectrum, self.Q.T, strict=True):
            # The product of two entries first, which does not depend on their order: symmetric to the last bit.
            H += (q[:, None] * q[None, :]) * e
        return H


class Given(Hessian):
    """Any symmetric positive definite matrix as it is; raises ValueError if it is not positive definite.

    Values come from its Cholesky factor, taken in a fixed order: they are the same on every platform, which those by
    LAPACK's eigenvectors would not be.
    """

    def __init__(self, H: FloatArray) -> None:
        spectrum, self.Q = np.linalg.eigh(H)
        super().__init__(spectrum)
        self.H = H
        self.factor = _cholesky(H)

    def rotate(self, Y: FloatArray) -> FloatArray:
        """Return Qᵀy by the eigenvectors."""
        return _product(Y, self.Q)

    def dense(self, spectrum: FloatArray) -> FloatArray:
        """Return the matrix with these eigenvalues."""
        return Rotated(spectrum, self.Q).matrix()

    def matrix(self) -> FloatArray:
        """Return H as it was given."""
        return self.H

    def quadratic(self, Y: FloatArray, c: float) -> FloatArray:
        """Return ‖Lᵀy‖²/c of every row, H = LLᵀ."""
        W = _product(Y, self.factor)
        result: FloatArray = np.einsum("ij,j->i", W * W, np.full(self.D, 1.0 / c))
        return result

    def squares(self) -> tuple[FloatArray, FloatArray]:
        """Return Lᵀ and ones."""
        return np.ascontiguousarray(self.factor.T), np.ones(self.D)


def _product(Y: FloatArray, M: FloatArray) -> FloatArray:
    """Return YM, each entry summed in the order of the rows of M: BLAS has another order for every size of Y."""
    W: FloatArray = np.zeros((Y.shape[0], M.shape[1]))
    for column, row in zip(Y.T, M, strict=True):
        W += column[:, None] * row
    return W


def _cholesky(H: FloatArray) -> FloatArray:
    """Return the lower factor L of H = LLᵀ, column by column."""
    rest, L = H.copy(), np.zeros_like(H)
    for k in range(len(H)):
        if not rest[k, k] > 0:
            raise ValueError("the matrix is not positive definite")
        L[k:, k] = rest[k:, k] / math.sqrt(rest[k, k])
        rest[k + 1 :, k + 1 :] -= L[k + 1 :, k, None] * L[k + 1 :, k]
    return L
