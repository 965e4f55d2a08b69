"""The generation loop of `mies`: selection and the mutation of Algorithm 1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unbounded.compiling import compiled
from unbounded.instances.compiled import best_of, evaluate, penalise


@compiled()
def advance(
    problem: Any,
    p: Any,
    X: Any,
    steps: Any,
    uniforms: Any,
    normals: Any,
    exponentials: Any,
    found_x: Any,
    found_f: Any,
    found_violation: Any,
) -> None:
    """Run a generation for each block of random numbers; X and steps hold the parents, best first, before and after.

    Row k of `found_*` is the best point of generation k, in the report's order.
    """
    lam, mu, D = p.offspring, p.parents, X.shape[1]
    n_r, n_z = problem.n_r, problem.n_z
    children = np.empty((lam, D))
    new = np.empty((lam, D))
    f, g, cost = np.empty(lam), np.empty(lam), np.empty(lam)
    scratch = np.empty(D)
    # Learning rates (Algorithm 1); max() only where there are no such variables.
    global_r, local_r = 1 / math.sqrt(2 * max(n_r, 1)), 1 / math.sqrt(2 * math.sqrt(max(n_r, 1)))
    global_z, local_z = 1 / math.sqrt(2 * max(n_z, 1)), 1 / math.sqrt(2 * math.sqrt(max(n_z, 1)))
    for generation in range(normals.shape[0]):
        for i in range(lam):
            # Parents are sorted by cost, so the smallest index wins the tournament.
            parent = mu - 1
            for u in uniforms[generation, i]:
                parent = min(parent, int(mu * u))
            z, e = normals[generation, i], exponentials[generation, i]
            common = global_r * z[0]
            for k in range(n_r):
                step = steps[parent, k] * math.exp(common + local_r * z[2 + k])
                step = min(max(step, p.sigma_min), p.radius)
                new[i, k] = step
                children[i, k] = X[parent, k] + step * z[2 + D + k]
            common = global_z * z[1]
            for k in range(n_r, D):
                old = steps[parent, k]
                step = old * math.exp(common + local_z * z[2 + k])
                step = min(max(step, 1.0), p.radius)
                new[i, k] = step
                mean = (step if p.new_integer_step else old) / n_z
                children[i, k] = X[parent, k] + double_geometric(mean, e[0, k - n_r], e[1, k - n_r])
        evaluate(problem, children, f, g, scratch)
        penalise(problem, p.penalty, f, g, cost)
        best = best_of(problem, f, g)
        found_x[generation] = children[best]
        found_f[generation] = f[best]
        found_violation[generation] = max(g[best] - problem.E, 0.0)
        order = np.argsort(cost, kind="mergesort")
        for rank in range(mu):
            X[rank] = children[order[rank]]
            steps[rank] = new[order[rank]]


@compiled()
def double_geometric(mean: float, e1: float, e2: float) -> float:
    """Turn two standard exponentials into z = g1 − g2, both geometric: P(g = k) = p (1−p)^k (Eq. doubleGeometric).

    p is such that E|z| = mean. With p = 1 − m/(√(1+m²)+1) for m = S/n_z, log(1−p) is −arsinh(1/m), and −log(1−U) is a
    standard exponential. arsinh(a) as log(a + √(1+a²)) is eight times as fast as the library's, but loses digits
    where a is small; there two terms of its series have them all.
    """
    a = 1.0 / mean
    rate = math.log(a + math.sqrt(1 + a * a)) if a > 1e-3 else a * (1 - a * a / 6)
    return float(math.floor(e1 / rate) - math.floor(e2 / rate))
