"""Evaluation of an instance inside compiled code: the same sums of squares, one point at a time.

Summation runs in another order than in `Instance.evaluate`, so values may differ from it in the last bits; rows are
verified by `Instance` alone.
"""

from __future__ import annotations

import math

import numpy as np

from unbounded.instances.hessians import FloatArray
from unbounded.instances.structured import DENSE, DIAGONAL, PLANE_ROTATED, StructuredForm, StructuredInstance
from unbounded.solvers.compiled.compiling import FAST, compiled


@compiled(fastmath=FAST)
def quadratic(form: StructuredForm, x: FloatArray, y: FloatArray) -> float:
    """Return the form's value at x; y is scratch space."""
    D = x.size
    total = 0.0
    if form.structure == DIAGONAL:
        for k in range(D):
            d = x[k] - form.centre[k]
            total += form.weights[k] * d * d
    elif form.structure == PLANE_ROTATED:
        even = odd = 0.0
        for k in range(0, D, 2):
            y[k] = x[k] - form.centre[k]
            y[k + 1] = x[k + 1] - form.centre[k + 1]
            even += y[k]
            odd += y[k + 1]
        sin = math.sqrt(0.5)
        cos_1 = sin - 1.0
        to_even = (cos_1 * even - sin * odd) / (D // 2)
        to_odd = (sin * even + cos_1 * odd) / (D // 2)
        for k in range(0, D, 2):
            a = y[k] + to_even
            b = y[k + 1] + to_odd
            total += form.weights[k] * a * a + form.weights[k + 1] * b * b
    elif form.structure == DENSE:
        for k in range(D):
            y[k] = x[k] - form.centre[k]
        for k in range(D):
            row = form.factor[k]
            entry = 0.0
            for j in range(D):
                entry += row[j] * y[j]
            total += form.weights[k] * entry * entry
    else:
        for k in range(D):
            y[k] = x[k] - form.centre[k]
        half = 1
        if form.block >= 4:
            # The two stages whose halves are too short for vector units, at once.
            for k in range(0, D, 4):
                a, b, c, d = y[k] + y[k + 1], y[k] - y[k + 1], y[k + 2] + y[k + 3], y[k + 2] - y[k + 3]
                y[k], y[k + 1], y[k + 2], y[k + 3] = a + c, b + d, a - c, b - d
            half = 4
        while half < form.block:
            for start in range(0, D, 2 * half):
                left, right = y[start : start + half], y[start + half : start + 2 * half]
                for k in range(half):
                    a, b = left[k], right[k]
                    left[k] = a + b
                    right[k] = a - b
            half *= 2
        for k in range(D):
            total += form.weights[k] * y[k] * y[k]
    return total


@compiled()
def evaluate(problem: StructuredInstance, X: FloatArray, f: FloatArray, g: FloatArray, y: FloatArray) -> None:
    """Write f and g of every row of X, whose integers are rounded already."""
    for i in range(X.shape[0]):
        f[i] = quadratic(problem.f, X[i], y)
        g[i] = quadratic(problem.g, X[i], y)


@compiled()
def penalise(problem: StructuredInstance, weight: float, f: FloatArray, g: FloatArray, cost: FloatArray) -> None:
    """Write f + weight · max(0, g−E)² (paper's Eq. cost)."""
    for i in range(f.size):
        violation = max(g[i] - problem.E, 0.0)
        cost[i] = f[i] + weight * violation * violation


@compiled()
def best_of(problem: StructuredInstance, f: FloatArray, g: FloatArray) -> int:
    """Return the row that is best in the report's order: feasible before infeasible, then f, else violation."""
    best = -1
    best_feasible = False
    best_value = np.inf
    for i in range(f.size):
        violation = max(g[i] - problem.E, 0.0)
        feasible = violation <= problem.tolerance
        value = f[i] if feasible else violation
        if (feasible and not best_feasible) or (feasible == best_feasible and value < best_value):
            best, best_feasible, best_value = i, feasible, value
    return best
