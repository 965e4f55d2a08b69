"""The optimum of the continuous relaxation: min f(x) s.t. g(x) ≤ E over all of R^D.

With A = Hf/c, B = Hg/c, s = x − ξ1 and d = ξ0 − ξ1, stationarity is (A + μB) s = A d, and the multiplier μ ≥ 0
solves the secular equation g(s(μ)) = E. φ(μ) = 1/√g is concave and nearly linear in μ, so Newton's method on
φ(μ) = 1/√E started at μ = 0 climbs monotonically to the root.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance


@dataclass(frozen=True)
class Relaxation:
    """The relaxed optimiser, its value, the multiplier of g ≤ E, and a lower bound on every feasible f."""

    x: FloatArray
    f: float
    multiplier: float
    bound: float


def solve_relaxation(instance: Instance, tolerance: float = 1e-13, iterations: int = 200) -> Relaxation:
    """Return the relaxation's optimum.

    `bound` is the Lagrangian dual value at the multiplier found: by weak duality it is a valid lower bound even
    where rounding left the multiplier a little off.
    """
    A, B = instance.Hf / instance.c, instance.Hg / instance.c
    d = instance.xi0 - instance.xi1
    E = instance.E
    if float(d @ B @ d) <= E:
        return Relaxation(instance.xi0.copy(), 0.0, 0.0, 0.0)

    target = 1.0 / math.sqrt(E)
    mu = 0.0
    s: NDArray[np.floating[Any]] = d
    for _ in range(iterations):
        K = A + mu * B
        s = np.linalg.solve(K, A @ d)
        Bs = B @ s
        g = float(s @ Bs)
        # g'(μ) = −2 (Bs)ᵀ (A + μB)⁻¹ (Bs), hence φ' = −½ g^(−3/2) g'.
        slope = float(Bs @ np.linalg.solve(K, Bs)) / g**1.5
        gap = target - 1.0 / math.sqrt(g)
        mu += gap / slope
        if abs(gap) <= tolerance * target:
            break
    # Scaled onto the boundary, so that the point is feasible to the last bits.
    s = s * math.sqrt(E / float(s @ B @ s))
    x = instance.xi1 + s
    residual = s - d
    f = float(residual @ A @ residual)
    K = A + mu * B
    best = np.linalg.solve(K, A @ d)
    dual = float((best - d) @ A @ (best - d)) + mu * (float(best @ B @ best) - E)
    return Relaxation(x, f, mu, min(f, dual))
