"""The generation loop of `mies-corr`: that of `mies` with correlated steps, and the learning of the correlations."""

from __future__ import annotations

import math
from typing import Any

from unbounded.solvers.compiled.common import copy, note_best, sort
from unbounded.solvers.compiled.compiling import LANES, compiled
from unbounded.solvers.compiled.correlations import correlate, factor, update
from unbounded.solvers.compiled.evaluation import evaluate, penalise
from unbounded.solvers.compiled.logarithms import log, log_tail
from unbounded.solvers.compiled.mies import mutate_steps, winner
from unbounded.solvers.compiled.vectors import (
    add,
    copy_sign,
    divide,
    floor,
    load,
    multiply,
    not_negative,
    spread,
    square_root,
    store,
    subtract,
    where_at_most,
    zeros,
)


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

    `w` is room to work in. Integers that move by their parent's q have their laws worked out for the parents alone.
    """
    lam, mu, D, n_r = p.offspring, p.parents, X.shape[1], problem.n_r
    children, new, f, g, cost, order, Y = w.children, w.steps, w.f, w.g, w.cost, w.order, s.Y
    # Normals of the factors common to all integers, and of those of single coordinates, if there are any.
    common = 1 + n_r if s.local else 1
    for generation in range(normals.shape[0]):
        correlate(s.U, independent[generation], Y)
        if not p.new_integer_step:
            for parent in range(mu):
                write_laws(steps[parent], n_r, s.laws, parent)
        for i in range(lam):
            parent = winner(mu, uniforms[generation, i])
            w.parents[i] = parent
            z = normals[generation, i]
            mutate_steps(steps[parent, :n_r], z, s.local, p.sigma_min, p.largest_step, new[i, :n_r])
            mutate_steps(steps[parent, n_r:], z[common:], s.local, 1.0, p.largest_step, new[i, n_r:])
            row = parent
            if p.new_integer_step:
                row = i
                write_laws(new[i], n_r, s.laws, i)
            for k in range(n_r):
                children[i, k] = X[parent, k] + new[i, k] * Y[i, k]
            write_quantiles(Y, i, n_r, s.laws, row)
            for k in range(n_r, D):
                children[i, k] = X[parent, k] + s.laws.steps[0, k]
                # From here on the step in units of its standard deviation.
                Y[i, k] = s.laws.steps[0, k] * s.laws.units[row, k]
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
def write_laws(q: Any, n_r: int, laws: Any, row: int) -> None:
    """Write, for step sizes q of all integers, −log(1−p), log(2−p) and p/√(2(1−p)), which is one over the deviation.

    With m = q/n_z and p = 1 − m/(√(1+m²)+1), 1/(1−p) = r = a + √(1+a²) where a = 1/m; its logarithm loses digits where
    a is small, but there two terms of the series of arsinh(a) have them all.
    """
    N, n_z = q.size, q.size - n_r
    for k in range(n_r, N):
        laws.steps[0, k] = q[k]
    one = spread(1.0)
    for column in range(n_r - n_r % LANES, N, LANES):
        a = divide(spread(float(n_z)), load(laws.steps, 0, column))
        a2 = multiply(a, a)
        root = square_root(add(one, a2))
        r = add(a, root)
        # r − 1, with all digits.
        beyond = add(a, divide(a2, add(one, root)))
        series = multiply(a, subtract(one, multiply(spread(1 / 6), a2)))
        store(laws.decays, row, column, where_at_most(a, spread(1e-3), series, log(r)))
        store(laws.shifts, row, column, log(add(one, divide(one, r))))
        store(laws.units, row, column, divide(beyond, square_root(add(r, r))))


@compiled()
def write_quantiles(W: Any, i: int, n_r: int, laws: Any, row: int) -> None:
    """Write F⁻¹(Φ(w)) for the integers of a row of W, F the double-geometric law P(z = k) = p/(2−p) (1−p)^|k| of each.

    P(z ≥ k) = (1−p)^k/(2−p) for k ≥ 1, so |z| is the largest k for which the tail of the normal beyond |w| is at most
    that; by symmetry the sign is that of w. The tail itself is used, not 1 − Φ, which has no digits where w is large.
    """
    for column in range(n_r - n_r % LANES, W.shape[1], LANES):
        w = load(W, i, column)
        beyond = add(log_tail(w), load(laws.shifts, row, column))
        size = not_negative(floor(divide(subtract(zeros(), beyond), load(laws.decays, row, column))))
        store(laws.steps, 0, column, copy_sign(size, w))


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
