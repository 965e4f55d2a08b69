"""The generation loop of `cma-IH-fast` and `cma-IH-AL-fast`; equations are those of Hansen's tutorial (2016)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unbounded.solvers.compiled.common import copy, median, note_best, sort
from unbounded.solvers.compiled.compiling import FAST, compiled
from unbounded.solvers.compiled.correlations import correlate, factor, update
from unbounded.solvers.compiled.criteria import (
    MAXITER,
    NOEFFECTAXIS,
    NOEFFECTCOORD,
    PLAIN,
    RUNNING,
    TO_TRANSFORM,
    TOLCONDITIONCOV,
    TOLFACUPX,
    TOLFLATFITNESS,
    TOLFUN,
    TOLFUNHIST,
    TOLSTAGNATION,
    TOLUPSIGMA,
    TOLX,
    TOLXSTAGNATION,
    TRANSFORMED,
)
from unbounded.solvers.compiled.evaluation import evaluate, penalise
from unbounded.solvers.compiled.lagrangian import adapt_lagrangian, augment


@compiled()
def advance(problem: Any, p: Any, s: Any, w: Any, normals: Any, found: Any) -> None:
    """Run a generation for each block of normals, until a criterion stops; `s.stop` is its code.

    Returns early, too, where the coordinates are to be transformed (`s.transformed`). `w` is room to work in.
    """
    N, lam = s.mean.size, p.lam
    X, Y, f, g, cost, order = w.X, w.Y, w.f, w.g, w.cost, w.order
    for generation in range(normals.shape[0]):
        # Sampling: y = Uᵀz ~ N(0, C), x = m + σ s∘y with s the scaling of coordinates (Eqs. 38 to 40).
        Z = normals[generation]
        correlate(s.U, Z, Y)
        sigma = s.sigma[0]
        for i in range(lam):
            for k in range(N):
                X[i, k] = s.mean[k] + sigma * s.scaling[k] * Y[i, k]
            if s.transformed[0] == TRANSFORMED:
                copy(X[i], w.scratch)
                for k in range(N):
                    row, total = s.A[k], 0.0
                    for j in range(N):
                        total += row[j] * w.scratch[j]
                    X[i, k] = total
            for k in range(problem.n_r, N):
                X[i, k] = np.rint(X[i, k])
        evaluate(problem, X, f, g, w.scratch)
        if p.augmented:
            augment(s.lagrangian, problem.E, s.iteration[0] == 0, f, g, cost)
        else:
            penalise(problem, p.penalty, f, g, cost)
        note_best(problem, X, f, g, generation, found)
        sort(cost, order)
        s.iteration[0] += 1
        _adapt(p, s, w, Z)
        if p.augmented:
            adapt_lagrangian(s.lagrangian, problem.E, N, f, g, cost, w.values, w.ranks)
        s.stop[0] = _factor_and_stop(p, s, w)
        if s.stop[0] != RUNNING or s.transformed[0] == TO_TRANSFORM:
            return


@compiled(fastmath=FAST)
def _adapt(p: Any, s: Any, w: Any, Z: Any) -> None:
    """Move the mean, the paths, C and σ."""
    N, z_mean, shift = s.mean.size, w.z_mean, w.shift
    recombine(p.weights[: p.mu], w.order, Z, w.Y, z_mean, shift)
    # Mean (Eq. 42).
    for k in range(N):
        s.mean[k] += s.sigma[0] * s.scaling[k] * shift[k]

    # Path of σ in the coordinates of the factor, where U⁻ᵀ<y> is <z> (Eq. 43).
    length2 = follow(s.p_sigma, p.c_sigma, p.mu_eff, z_mean)

    # Path of C, stalled while the path of σ is long (Eq. 45).
    t = s.iteration[0]
    h = 1.0 if length2 / (1 - (1 - p.c_sigma) ** (2 * t)) / N - 1 < 1 + 4 / (N + 1) else 0.0
    follow(s.p_c, p.c_c, h * p.mu_eff, shift)
    # The loss of variance where h = 0 is made up for.
    learn(s.C, p.weights, p.c_mu, p.c_1, (1 - h) * p.c_c * (2 - p.c_c), s.p_c, w.order, Z, w.Y, w.V, 0.0, 1e-9)

    # Step size (Eq. 44).
    change = (math.sqrt(length2) / p.chi_n - 1) * p.c_sigma / p.d_sigma
    s.sigma[0] *= math.exp(min(1.0, max(-1.0, change)))

    # Deviations of integers stay at or above 1/(2 n_z + 1).
    for k in range(N):
        deviation = s.sigma[0] * s.scaling[k] * math.sqrt(s.C[k, k])
        if deviation < p.min_std[k]:
            s.scaling[k] *= p.min_std[k] / deviation

    # Where variances differ too much, all of them become 1, and their roots a part of the scaling. The factor's columns
    # are divided by them, so the samples z, and with them the path of σ, stay as they are.
    greatest, least = 0.0, np.inf
    for k in range(N):
        greatest, least = max(greatest, s.C[k, k]), min(least, s.C[k, k])
    if greatest > p.coordinates * least:
        for k in range(N):
            w.scratch[k] = math.sqrt(s.C[k, k])
        for k in range(N):
            s.scaling[k] *= w.scratch[k]
            s.p_c[k] /= w.scratch[k]
            for j in range(k, N):
                s.C[k, j] /= w.scratch[k] * w.scratch[j]


@compiled(fastmath=FAST)
def recombine(weights: Any, order: Any, Z: Any, Y: Any, z_mean: Any, shift: Any) -> None:
    """Write the weighted means of the best samples, as z and as y (Eq. 41)."""
    z_mean[:] = 0.0
    shift[:] = 0.0
    for rank in range(weights.size):
        i, weight = order[rank], weights[rank]
        for k in range(shift.size):
            z_mean[k] += weight * Z[i, k]
            shift[k] += weight * Y[i, k]


@compiled(fastmath=FAST)
def follow(path: Any, rate: float, mu_eff: float, shift: Any) -> float:
    """Let a path follow the mean's shift, and return its squared length (Eqs. 43 and 45)."""
    keep, add = 1 - rate, math.sqrt(rate * (2 - rate) * mu_eff)
    length2 = 0.0
    for k in range(path.size):
        path[k] = keep * path[k] + add * shift[k]
        length2 += path[k] * path[k]
    return length2


@compiled(fastmath=FAST)
def learn(
    C: Any,
    weights: Any,
    c_mu: float,
    c_1: float,
    kept: float,
    p_c: Any,
    order: Any,
    Z: Any,
    Y: Any,
    V: Any,
    guard2: float,
    guard: float,
) -> None:
    """Move C towards the samples and its path (Eq. 47); `kept` is the share of the rank-one part that C keeps.

    Samples with negative weights are taken at length √N: ‖U⁻ᵀy‖ = ‖z‖, whose square or which itself is kept from zero.
    Y has a row for the path, V is room.
    """
    N, lam = p_c.size, weights.size
    total = 0.0
    for rank in range(lam):
        i, weight = order[rank], weights[rank]
        total += weight
        if weight < 0:
            norm2 = 0.0
            for k in range(N):
                norm2 += Z[i, k] * Z[i, k]
            weight *= N / (math.sqrt(norm2 + guard2) + guard) ** 2
        for k in range(N):
            V[i, k] = c_mu * weight * Y[i, k]
    for k in range(N):
        Y[lam, k] = p_c[k]
        V[lam, k] = c_1 * p_c[k]
    update(C, 1 - c_1 * (1 - kept) - c_mu * total, V, Y)


@compiled()
def _factor_and_stop(p: Any, s: Any, w: Any) -> int:
    """Factor C anew, write the histories, and return the code of the first criterion that holds, or RUNNING.

    The criteria and their thresholds are pycma's defaults.
    """
    N, lam, t = s.mean.size, p.lam, s.iteration[0]
    cost, order = w.cost, w.order
    best, worst = cost[order[0]], cost[order[lam - 1]]
    if not factor(s.C, s.U, N):
        return TOLCONDITIONCOV

    # Histories.
    if best < s.best_cost[0]:
        s.best_cost[0] = best
        s.best_iteration[0] = t
    s.recent[(t - 1) % s.recent.size] = best
    if t % 5 == 0:
        length = s.history_length[0]
        if length == s.history_best.size:
            for k in range(length - 1):
                s.history_best[k] = s.history_best[k + 1]
                s.history_median[k] = s.history_median[k + 1]
            length -= 1
        s.history_best[length] = best
        upper, lower = cost[order[lam // 2]], cost[order[(lam - 1) // 2]]
        s.history_median[length] = (lower + upper) / 2
        s.history_length[0] = length + 1

    if t >= p.max_iterations:
        return MAXITER
    sigma = s.sigma[0]
    largest = 0.0
    no_effect = False
    small_path = True
    for k in range(N):
        deviation = sigma * s.scaling[k] * math.sqrt(s.C[k, k])
        largest = max(largest, deviation)
        small_path = small_path and sigma * s.scaling[k] * s.p_c[k] < 1e-11
        no_effect = no_effect or s.mean[k] == s.mean[k] + 0.2 * deviation
    if largest > p.sigma_0 * 1e3:
        return TOLFACUPX
    if largest < 1e-11 and small_path:
        return TOLX
    lowest, highest = np.inf, -np.inf
    for k in range(min(t, s.recent.size)):
        lowest, highest = min(lowest, s.recent[k]), max(highest, s.recent[k])
    if highest - lowest < 1e-11 and worst - best < 1e-11:
        return TOLFUN
    if t > 9 and highest - lowest < 1e-12:
        return TOLFUNHIST
    if _stagnates(p, s, w.history):
        return TOLSTAGNATION

    # The mean has hardly moved for a tenth of the run.
    patience = 20 + 0.1 * t
    moved = 0.0
    for k in range(N):
        moved += (s.mean[k] - s.still_mean[k]) ** 2
    if math.sqrt(moved) > 1e-9 * math.sqrt(max(1.0, (t - s.still_since[0]) / patience)):
        copy(s.mean, s.still_mean)
        s.still_since[0] = t
    elif t - s.still_since[0] > patience:
        return TOLXSTAGNATION

    if no_effect:
        return NOEFFECTCOORD
    along = True
    row = t % N
    for k in range(N):
        along = along and s.mean[k] == s.mean[k] + 0.1 * sigma * s.scaling[k] * s.U[row, k]
    if along:
        return NOEFFECTAXIS
    # C takes hundreds of generations to change its shape.
    if t % 5 == 0:
        greatest = greatest_eigenvalue(s.C, s.v_max, w.scratch)
        least = least_eigenvalue(s.U, s.v_min, w.scratch)
        if sigma / math.sqrt(greatest) > p.sigma_0 * 1e20:
            return TOLUPSIGMA
        if greatest > 1e14 * least:
            return TOLCONDITIONCOV
        if greatest > p.axes * least and s.transformed[0] == PLAIN:
            s.transformed[0] = TO_TRANSFORM
    if best < cost[order[int(0.75 * lam)]]:
        s.flat_iterations[0] = 0
    else:
        s.flat_iterations[0] += 1
        if s.flat_iterations[0] > 1:
            return TOLFLATFITNESS
    return RUNNING


@compiled()
def _stagnates(p: Any, s: Any, scratch: Any) -> Any:
    """Whether neither the best nor the median costs of late are below those before, over a tenth of the run."""
    N, t, length = s.mean.size, s.iteration[0], s.history_length[0]
    span = int(max(p.stagnation / 10, length / 10))
    if (
        length <= 100
        or 2 * span >= length
        or t <= N * (5 + 100 / p.lam)
        or t - s.best_iteration[0] <= p.stagnation / 2
        or t % 5 != 0
    ):
        return False
    early, late = length - 2 * span, length - span
    for history in (s.history_median, s.history_best):
        if median(history[late:length], scratch) < median(history[early:late], scratch):
            return False
    return True


@compiled(fastmath=FAST)
def greatest_eigenvalue(C: Any, direction: Any, w: Any) -> float:
    """One step of the power iteration with C, from a direction that it turns."""
    N = direction.size
    w[:] = 0.0
    for k in range(N):
        row, v, tail = C[k, k:N], direction[k:], w[k:]
        first, total = v[0], 0.0
        for j in range(1, row.size):
            total += row[j] * v[j]
            tail[j] += row[j] * first
        tail[0] += total + row[0] * first
    return float(_normalise(w, direction))


@compiled(fastmath=FAST)
def least_eigenvalue(U: Any, direction: Any, w: Any) -> float:
    """One step of the power iteration with C⁻¹ = (UᵀU)⁻¹, from a direction that it turns."""
    N = direction.size
    # Uᵀu = v, then U w = u; both by rows of U, so that memory is read in order.
    copy(direction, w)
    for k in range(N):
        row, tail = U[k, k:N], w[k:]
        tail[0] /= row[0]
        for j in range(1, row.size):
            tail[j] -= row[j] * tail[0]
    for k in range(N - 1, -1, -1):
        row, tail = U[k, k:N], w[k:]
        total = tail[0]
        for j in range(1, row.size):
            total -= row[j] * tail[j]
        tail[0] = total / row[0]
    return 1.0 / float(_normalise(w, direction))


@compiled(fastmath=FAST)
def _normalise(w: Any, v: Any) -> float:
    """Write w/‖w‖ to v and return ‖w‖."""
    norm2 = 0.0
    for k in range(w.size):
        norm2 += w[k] * w[k]
    norm = math.sqrt(norm2)
    for k in range(w.size):
        v[k] = w[k] / norm
    return norm
