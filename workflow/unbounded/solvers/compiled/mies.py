"""The generation loop of `mies`: selection and the mutation of Algorithm 1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unbounded.solvers.compiled.common import copy, note_best, sort
from unbounded.solvers.compiled.compiling import compiled
from unbounded.solvers.compiled.evaluation import evaluate, penalise


@compiled()
def advance(
    problem: Any,
    p: Any,
    X: Any,
    steps: Any,
    w: Any,
    uniforms: Any,
    normals: Any,
    integer_normals: Any,
    exponentials: Any,
    found: Any,
) -> None:
    """Run a generation for each block of random numbers; X and steps hold the parents, best first, before and after.

    `w` is room to work in. An offspring whose integers move by its parent's q needs a q of its own only as a parent:
    then q is mutated after selection, for the survivors alone, and p belongs to the parents.
    """
    lam, mu, n_r, n_z = p.offspring, p.parents, problem.n_r, problem.n_z
    children, new, parents, rates, order = w.children, w.steps, w.parents, w.rates, w.order
    for generation in range(normals.shape[0]):
        if not p.new_integer_step:
            for parent in range(mu):
                geometric_rates(steps[parent, n_r:], rates[parent])
        for i in range(lam):
            parent = winner(mu, uniforms[generation, i])
            parents[i] = parent
            z, e = normals[generation, i], exponentials[generation, i]
            mutate_steps(steps[parent, :n_r], z, 1.0, p.sigma_min, p.largest_step, new[i, :n_r])
            for k in range(n_r):
                children[i, k] = X[parent, k] + new[i, k] * z[1 + n_r + k]
            row = parent
            if p.new_integer_step:
                row = i
                z = integer_normals[generation, i]
                mutate_steps(steps[parent, n_r:], z, 1.0, 1.0, p.largest_step, new[i, n_r:])
                geometric_rates(new[i, n_r:], rates[i])
            for k in range(n_z):
                children[i, n_r + k] = X[parent, n_r + k] + double_geometric(rates[row, k], e[0, k], e[1, k])
        evaluate(problem, children, w.f, w.g, w.scratch)
        penalise(problem, p.penalty, w.f, w.g, w.cost)
        note_best(problem, children, w.f, w.g, generation, found)
        sort(w.cost, order)
        if not p.new_integer_step:
            for rank in range(mu):
                i = order[rank]
                z = integer_normals[generation, rank]
                mutate_steps(steps[parents[i], n_r:], z, 1.0, 1.0, p.largest_step, new[i, n_r:])
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
def mutate_steps(old: Any, z: Any, local: float, lowest: float, highest: float, new: Any) -> None:
    """Write the step sizes of an offspring's reals, or of its integers (Algorithm 1): a factor for all, one for each.

    `local` multiplies the rate of the latter; where it is 0 their normals need not be there.
    """
    n = old.size
    common, rate = z[0] / math.sqrt(2 * n), local / math.sqrt(2 * math.sqrt(n))
    if local == 0:
        factor = math.exp(common)
        for k in range(n):
            new[k] = min(max(old[k] * factor, lowest), highest)
        return
    for k in range(n):
        new[k] = min(max(old[k] * math.exp(common + rate * z[1 + k]), lowest), highest)


@compiled()
def double_geometric(rate: float, e1: float, e2: float) -> float:
    """Turn two standard exponentials into z = g1 − g2, both geometric: P(g = k) = p (1−p)^k (Eq. doubleGeometric).

    `rate` is −log(1−p); −log(1−U) is a standard exponential.
    """
    return float(np.floor(e1 / rate) - np.floor(e2 / rate))


@compiled()
def geometric_rates(q: Any, rates: Any) -> None:
    """Write −log(1−p) for the step sizes q of all integers."""
    for k in range(q.size):
        rates[k] = geometric_rate(q[k] / q.size)


@compiled()
def geometric_rate(mean: float) -> float:
    """Return −log(1−p) of the double-geometric variable whose mean absolute value is `mean`.

    With p = 1 − m/(√(1+m²)+1) for m = S/n_z, log(1−p) is −arsinh(1/m). arsinh(a) as log(a + √(1+a²)) is eight times as
    fast as the library's, but loses digits where a is small; there two terms of its series have them all.
    """
    a = 1.0 / mean
    return math.log(a + math.sqrt(1 + a * a)) if a > 1e-3 else a * (1 - a * a / 6)
