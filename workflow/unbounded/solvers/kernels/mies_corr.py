"""The generation loop of `mies-corr`: that of `mies` with correlated steps, and the learning of the correlations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unbounded.compiling import compiled
from unbounded.instances.compiled import evaluate, penalise
from unbounded.solvers.kernels.common import copy, note_best, sort
from unbounded.solvers.kernels.correlations import correlate, factor, update
from unbounded.solvers.kernels.mies import geometric_rate, mutate_steps, winner


@compiled()
def advance(
    problem: Any,
    p: Any,
    s: Any,
    X: Any,
    steps: Any,
    w: Any,
    uniforms: Any,
    normals: Any,
    independent: Any,
    found: Any,
) -> None:
    """Run a generation for each block of random numbers; X and steps hold the parents, best first, before and after.

    `w` is room to work in.
    """
    lam, mu, D = p.offspring, p.parents, X.shape[1]
    n_r, n_z = problem.n_r, problem.n_z
    children, new, f, g, cost, order, Y = w.children, w.steps, w.f, w.g, w.cost, w.order, s.Y
    for generation in range(normals.shape[0]):
        correlate(s.U, independent[generation], Y)
        for i in range(lam):
            parent = winner(mu, uniforms[generation, i])
            w.parents[i] = parent
            z = normals[generation, i]
            mutate_steps(steps[parent, :n_r], z[: 1 + n_r], s.local, p.sigma_min, p.largest_step, new[i, :n_r])
            mutate_steps(steps[parent, n_r:], z[1 + n_r :], s.local, 1.0, p.largest_step, new[i, n_r:])
            for k in range(n_r):
                children[i, k] = X[parent, k] + new[i, k] * Y[i, k]
            for k in range(n_r, D):
                decay = geometric_rate((new[i, k] if p.new_integer_step else steps[parent, k]) / n_z)
                step = double_geometric_quantile(decay, Y[i, k])
                children[i, k] = X[parent, k] + step
                # From here on the step in units of its standard deviation, √(2(1−p))/p.
                Y[i, k] = step * -math.expm1(-decay) / math.sqrt(2 * math.exp(-decay))
        evaluate(problem, children, f, g, w.scratch)
        penalise(problem, p.penalty, f, g, cost)
        note_best(problem, children, f, g, generation, found)
        sort(cost, order)
        for rank in range(mu):
            copy(children[order[rank]], X[rank])
            copy(new[order[rank]], steps[rank])
            copy(Y[order[rank]], s.learned[rank])
        if s.rate > 0:
            learn(s, w.parents, order, w.scratch)
            for rank in range(mu):
                for k in range(D):
                    lowest = p.sigma_min if k < n_r else 1.0
                    steps[rank, k] = min(max(steps[rank, k] * w.scratch[k], lowest), p.largest_step)


@compiled()
def double_geometric_quantile(decay: float, w: float) -> float:
    """Return F⁻¹(Φ(w)) for the double-geometric law P(z = k) = p/(2−p) (1−p)^|k| with −log(1−p) = `decay`.

    P(z ≥ k) = (1−p)^k/(2−p) for k ≥ 1, so |z| is the largest k for which the tail of the normal beyond |w| is at most
    that; by symmetry the sign is that of w. The tail itself is used, not 1 − Φ, which has no digits where w is large.
    """
    tail = 0.5 * math.erfc(abs(w) * math.sqrt(0.5))
    size = float(np.floor(-(math.log(tail) + math.log1p(math.exp(-decay))) / decay))
    return math.copysign(size, w) if size > 0 else 0.0


@compiled()
def learn(s: Any, parents: Any, order: Any, scales: Any) -> None:
    """Follow the survivors' paths, move C towards their steps and paths, and write the factors of the step sizes."""
    mu, D = s.paths.shape
    keep, add = 1 - s.path_rate, math.sqrt(s.path_rate * (2 - s.path_rate))
    for rank in range(mu):
        before = s.paths[parents[order[rank]]]
        for k in range(D):
            y = s.learned[rank, k]
            v = keep * before[k] + add * y
            s.learned[mu + rank, k] = v
            s.weighted[rank, k] = s.rate * (1 - s.share) / mu * y
            s.weighted[mu + rank, k] = s.rate * s.share / mu * v
    update(s.C, 1 - s.rate, s.weighted, s.learned)
    standardise(s.C, D, scales)
    for rank in range(mu):
        for k in range(D):
            s.paths[rank, k] = s.learned[mu + rank, k] / scales[k]
    if not factor(s.C, s.U, D):
        # Correlations of 1 up to rounding: they are learned anew.
        for k in range(D):
            for j in range(D):
                s.C[k, j] = s.U[k, j] = 1.0 if j == k else 0.0


@compiled()
def standardise(C: Any, D: int, scales: Any) -> None:
    """Bring the diagonal of C back to 1, and write the square roots of what it was."""
    for k in range(D):
        scales[k] = math.sqrt(C[k, k])
    for k in range(D):
        C[k, k] = 1.0
        for j in range(k + 1, D):
            C[k, j] /= scales[k] * scales[j]
