"""Test cases in two dimensions."""

from __future__ import annotations

import numpy as np

from unbounded.instances.hessians import FloatArray, Hessian

XI0 = np.array([7.0, -7.0])
XI1 = np.array([-4.0, 4.0])


def quadratic(H: Hessian, centre: FloatArray, c: float, X: FloatArray, Y: FloatArray) -> FloatArray:
    """Return (1/c)(x−ξ)ᵀH(x−ξ) on a grid."""
    points = np.column_stack([X.ravel(), Y.ravel()]) - centre
    values: FloatArray = (H.rotate(points) ** 2 @ H.spectrum / c).reshape(X.shape)
    return values
