"""The generation loop of `mies`: selection and the mutation of Algorithm 1."""

from __future__ import annotations

import math
from typing import Any

from unbounded.compiling import compiled
from unbounded.instances.compiled import evaluate, penalise
from unbounded.solvers.kernels.common import copy, note_best, sort


@compiled()
def advance(
    problem: Any,
    p: Any,
    X: Any,
    steps: Any,
    w: Any,
    uniforms: Any,
    normals: Any,
    exponentials: Any,
    found: Any,
) -> None:
    """Run a generation for each block of random numbers; X and steps hold the parents, best first, before and after.

    `w` is room to work in.
    """
    lam, mu, D = p.offspring, p.parents, X.shape[1]
    n_r, n_z = problem.n_r, problem.n_z
    children, new, f, g, cost, order = w.children, w.steps, w.f, w.g, w.cost, w.order
    for generation in range(normals.shape[0]):
        for i in range(lam):
            parent = winner(mu, uniforms[generation, i])
            z, e = normals[generation, i], exponentials[generation, i]
            mutate_steps(problem, p, 1.0, steps[parent], z, new[i])
            for k in range(n_r):
                children[i, k] = X[parent, k] + new[i, k] * z[2 + D + k]
            for k in range(n_r, D):
                mean = (new[i, k] if p.new_integer_step else steps[parent, k]) / n_z
                children[i, k] = X[parent, k] + double_geometric(mean, e[0, k - n_r], e[1, k - n_r])
        evaluate(problem, children, f, g, w.scratch)
        penalise(problem, p.penalty, f, g, cost)
        note_best(problem, children, f, g, generation, found)
        sort(cost, order)
        for rank in range(mu):
            copy(children[order[rank]], X[rank])
            copy(new[order[rank]], steps[rank])


@compiled()
def winner(parents: int, uniforms: Any) -> int:
    """Return the parent that wins a tournament: parents are sorted by cost, so it is the smallest index drawn."""
    parent = parents - 1
    for u in uniforms:
        parent = min(parent, int(parents * u))
    return parent


@compiled()
def mutate_steps(problem: Any, p: Any, local: float, old: Any, z: Any, new: Any) -> None:
    """Write the step sizes of an offspring (Algorithm 1): a factor for all reals, one for all integers, one for each.

    `local` multiplies the rates of the last; max() only where there are no such variables.
    """
    n_r, n_z = problem.n_r, problem.n_z
    rate, common = local / math.sqrt(2 * math.sqrt(max(n_r, 1))), z[0] / math.sqrt(2 * max(n_r, 1))
    for k in range(n_r):
        new[k] = min(max(old[k] * math.exp(common + rate * z[2 + k]), p.sigma_min), p.radius)
    rate, common = local / math.sqrt(2 * math.sqrt(max(n_z, 1))), z[1] / math.sqrt(2 * max(n_z, 1))
    for k in range(n_r, n_r + n_z):
        new[k] = min(max(old[k] * math.exp(common + rate * z[2 + k]), 1.0), p.radius)


@compiled()
def double_geometric(mean: float, e1: float, e2: float) -> float:
    """Turn two standard exponentials into z = g1 − g2, both geometric: P(g = k) = p (1−p)^k (Eq. doubleGeometric).

    p is such that E|z| = mean; −log(1−U) is a standard exponential.
    """
    rate = geometric_rate(mean)
    return float(math.floor(e1 / rate) - math.floor(e2 / rate))


@compiled()
def geometric_rate(mean: float) -> float:
    """Return −log(1−p) of the double-geometric variable whose mean absolute value is `mean`.

    With p = 1 − m/(√(1+m²)+1) for m = S/n_z, log(1−p) is −arsinh(1/m). arsinh(a) as log(a + √(1+a²)) is eight times as
    fast as the library's, but loses digits where a is small; there two terms of its series have them all.
    """
    a = 1.0 / mean
    return math.log(a + math.sqrt(1 + a * a)) if a > 1e-3 else a * (1 - a * a / 6)
