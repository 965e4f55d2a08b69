"""Evaluation of an instance inside compiled code: the same sums of squares, one point at a time.

Summation runs in another order than in `Instance.evaluate`, so values may differ from it in the last bits; rows are
verified by `Instance` alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from unbounded.compiling import FAST, compiled
from unbounded.instances.hessians import Diagonal, FloatArray, Form, Hadamard, PlaneRotated
from unbounded.instances.instance import Instance

DIAGONAL, PLANE_ROTATED, HADAMARD = 0, 1, 2


class CompiledForm(NamedTuple):
    """A quadratic form (1/c)(x−ξ)ᵀH(x−ξ), by the structure of H."""

    structure: int
    #: Size of a Hadamard block.
    block: int
    centre: FloatArray
    #: Spectrum over c, over the block size where the transform is not normalised.
    weights: FloatArray


class CompiledInstance(NamedTuple):
    """An instance as compiled code takes it."""

    f: CompiledForm
    g: CompiledForm
    E: float
    tolerance: float
    n_r: int
    n_z: int


def _compile(form: Form, centre: FloatArray, c: float) -> CompiledForm:
    weights = form.spectrum / c
    if isinstance(form, Hadamard):
        return CompiledForm(HADAMARD, form.n, centre, weights / form.n)
    structure = {Diagonal: DIAGONAL, PlaneRotated: PLANE_ROTATED}[type(form)]
    return CompiledForm(structure, 0, centre, weights)


def compile_instance(instance: Instance) -> CompiledInstance:
    """Return the instance for compiled code."""
    return CompiledInstance(
        _compile(instance.form_f, instance.xi0, instance.c),
        _compile(instance.form_g, instance.xi1, instance.c),
        instance.E,
        instance.tolerance,
        instance.n_r,
        instance.n_z,
    )


@compiled(fastmath=FAST)
def quadratic(form: CompiledForm, x: FloatArray, y: FloatArray) -> float:
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
    else:
        for k in range(D):
            y[k] = x[k] - form.centre[k]
        half = 1
        while half < form.block:
            for start in range(0, D, 2 * half):
                for k in range(start, start + half):
                    a, b = y[k], y[k + half]
                    y[k] = a + b
                    y[k + half] = a - b
            half *= 2
        for k in range(D):
            total += form.weights[k] * y[k] * y[k]
    return total


@compiled()
def evaluate(problem: CompiledInstance, X: FloatArray, f: FloatArray, g: FloatArray, y: FloatArray) -> None:
    """Write f and g of every row of X, whose integers are rounded already."""
    for i in range(X.shape[0]):
        f[i] = quadratic(problem.f, X[i], y)
        g[i] = quadratic(problem.g, X[i], y)


@compiled()
def penalise(problem: CompiledInstance, weight: float, f: FloatArray, g: FloatArray, cost: FloatArray) -> None:
    """Write f + weight · max(0, g−E)² (paper's Eq. cost)."""
    for i in range(f.size):
        violation = max(g[i] - problem.E, 0.0)
        cost[i] = f[i] + weight * violation * violation


@compiled()
def best_of(problem: CompiledInstance, f: FloatArray, g: FloatArray) -> int:
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
