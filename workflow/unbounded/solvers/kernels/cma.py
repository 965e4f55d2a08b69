"""The generation loop of `cma-IH-fast`; equations are those of Hansen's tutorial (2016)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unbounded.compiling import FAST, compiled
from unbounded.instances.compiled import best_of, evaluate, penalise


@compiled()
def advance(problem: Any, p: Any, s: Any, normals: Any, found_x: Any, found_f: Any, found_violation: Any) -> Any:
    """Run a generation for each block of normals; return how many were run and the criterion that stopped, or 0.

    Row k of `found_*` is the best point of generation k, in the report's order.
    """
    N, lam = s.mean.size, p.lam
    Y = np.empty((lam, N))
    X = np.empty((lam, N))
    V = np.empty((lam, N))
    f, g, cost = np.empty(lam), np.empty(lam), np.empty(lam)
    scratch = np.empty(N)
    z_mean, shift = np.empty(N), np.empty(N)
    generations = normals.shape[0]
    for generation in range(generations):
        # Sampling: y = A z ~ N(0, C), x = m + σ s∘y with s the scaling of coordinates (Eqs. 38 to 40).
        Z = normals[generation]
        _correlate(s.A, Z, Y)
        sigma = s.sigma[0]
        for i in range(lam):
            for k in range(N):
                x = s.mean[k] + sigma * s.scaling[k] * Y[i, k]
                X[i, k] = x if k < problem.n_r else np.rint(x)
        evaluate(problem, X, f, g, scratch)
        penalise(problem, p.penalty, f, g, cost)
        best = best_of(problem, f, g)
        found_x[generation] = X[best]
        found_f[generation] = f[best]
        found_violation[generation] = max(g[best] - problem.E, 0.0)

        order = np.argsort(cost)
        s.iteration[0] += 1
        _adapt(p, s, order, Z, Y, V, z_mean, shift)
        stop = _factor_and_stop(p, s, cost[order], scratch)
        if stop:
            return generation + 1, stop
    return generations, 0


@compiled(fastmath=FAST)
def _adapt(p: Any, s: Any, order: Any, Z: Any, Y: Any, V: Any, z_mean: Any, shift: Any) -> None:
    """Move the mean, the paths, C and σ."""
    N, lam, mu = s.mean.size, p.lam, p.mu
    z_mean[:] = 0.0
    shift[:] = 0.0
    for rank in range(mu):
        i, w = order[rank], p.weights[rank]
        for k in range(N):
            z_mean[k] += w * Z[i, k]
            shift[k] += w * Y[i, k]
    # Mean (Eq. 42).
    for k in range(N):
        s.mean[k] += s.sigma[0] * s.scaling[k] * shift[k]

    # Path of σ in the coordinates of A, where A⁻¹ <y> is <z> (Eq. 43).
    keep, add = 1 - p.c_sigma, math.sqrt(p.c_sigma * (2 - p.c_sigma) * p.mu_eff)
    length2 = 0.0
    for k in range(N):
        s.p_sigma[k] = keep * s.p_sigma[k] + add * z_mean[k]
        length2 += s.p_sigma[k] * s.p_sigma[k]

    # Path of C, stalled while the path of σ is long (Eq. 45).
    t = s.iteration[0]
    h = 1.0 if length2 / (1 - (1 - p.c_sigma) ** (2 * t)) / N - 1 < 1 + 4 / (N + 1) else 0.0
    keep, add = 1 - p.c_c, h * math.sqrt(p.c_c * (2 - p.c_c) * p.mu_eff)
    for k in range(N):
        s.p_c[k] = keep * s.p_c[k] + add * shift[k]

    # Covariance (Eq. 47): rank-one and rank-μ with negative weights, whose y are taken at length √N: ‖A⁻¹y‖ = ‖z‖.
    total = 0.0
    for rank in range(lam):
        i, w = order[rank], p.weights[rank]
        total += w
        if w < 0:
            norm2 = 0.0
            for k in range(N):
                norm2 += Z[i, k] * Z[i, k]
            w *= N / (math.sqrt(norm2) + 1e-9) ** 2
        for k in range(N):
            V[i, k] = p.c_mu * w * Y[i, k]
    # The loss of variance where h = 0 is made up for.
    decay = 1 - p.c_1 * (1 - (1 - h) * p.c_c * (2 - p.c_c)) - p.c_mu * total
    for k in range(N):
        row, weight = s.C[k], p.c_1 * s.p_c[k]
        for j in range(k + 1):
            row[j] = decay * row[j] + weight * s.p_c[j]
        # Four samples at a time: the row of C is read and written a quarter as often.
        for i in range(0, lam - 3, 4):
            a, b, c, d = V[i, k], V[i + 1, k], V[i + 2, k], V[i + 3, k]
            y0, y1, y2, y3 = Y[i], Y[i + 1], Y[i + 2], Y[i + 3]
            for j in range(k + 1):
                row[j] += a * y0[j] + b * y1[j] + c * y2[j] + d * y3[j]
        for i in range(lam - lam % 4, lam):
            a, y0 = V[i, k], Y[i]
            for j in range(k + 1):
                row[j] += a * y0[j]

    # Step size (Eq. 44).
    change = (math.sqrt(length2) / p.chi_n - 1) * p.c_sigma / p.d_sigma
    s.sigma[0] *= math.exp(min(1.0, max(-1.0, change)))

    # Deviations of integers stay at or above 1/(2 n_z + 1).
    for k in range(N):
        deviation = s.sigma[0] * s.scaling[k] * math.sqrt(s.C[k, k])
        if deviation < p.min_std[k]:
            s.scaling[k] *= p.min_std[k] / deviation


@compiled()
def _factor_and_stop(p: Any, s: Any, cost: Any, scratch: Any) -> int:
    """Factor C anew, write the histories, and return the index of the first criterion that holds, or 0.

    `cost` is sorted. The criteria and their thresholds are pycma's defaults.
    """
    N, lam, t = s.mean.size, p.lam, s.iteration[0]
    if not _factor(s.C, s.A):
        return 11

    # Histories.
    if cost[0] < s.best_cost[0]:
        s.best_cost[0] = cost[0]
        s.best_iteration[0] = t
    s.recent[(t - 1) % s.recent.size] = cost[0]
    if t % 5 == 0:
        length = s.history_length[0]
        if length == s.history_best.size:
            s.history_best[:-1] = s.history_best[1:]
            s.history_median[:-1] = s.history_median[1:]
            length -= 1
        s.history_best[length] = cost[0]
        middle = lam // 2
        s.history_median[length] = cost[middle] if lam % 2 else (cost[middle - 1] + cost[middle]) / 2
        s.history_length[0] = length + 1

    if t >= p.max_iterations:
        return 1
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
        return 2
    if largest < 1e-11 and small_path:
        return 3
    lowest, highest = np.inf, -np.inf
    for k in range(min(t, s.recent.size)):
        lowest, highest = min(lowest, s.recent[k]), max(highest, s.recent[k])
    if highest - lowest < 1e-11 and cost[-1] - cost[0] < 1e-11:
        return 4
    if t > 9 and highest - lowest < 1e-12:
        return 5
    if _stagnates(p, s):
        return 6

    # The mean has hardly moved for a tenth of the run.
    patience = 20 + 0.1 * t
    moved = 0.0
    for k in range(N):
        moved += (s.mean[k] - s.still_mean[k]) ** 2
    if math.sqrt(moved) > 1e-9 * math.sqrt(max(1.0, (t - s.still_since[0]) / patience)):
        s.still_mean[:] = s.mean
        s.still_since[0] = t
    elif t - s.still_since[0] > patience:
        return 7

    if no_effect:
        return 9
    along = True
    column = t % N
    for k in range(N):
        along = along and s.mean[k] == s.mean[k] + 0.1 * sigma * s.scaling[k] * s.A[k, column]
    if along:
        return 10
    greatest, least = _extreme_eigenvalues(s, scratch)
    if sigma / math.sqrt(greatest) > p.sigma_0 * 1e20:
        return 8
    if greatest > 1e14 * least:
        return 11
    if cost[0] < cost[int(0.75 * lam)]:
        s.flat_iterations[0] = 0
    else:
        s.flat_iterations[0] += 1
        if s.flat_iterations[0] > 1:
            return 12
    return 0


@compiled(fastmath=FAST)
def _correlate(A: Any, Z: Any, Y: Any) -> None:
    """Write A z to the rows of Y for the rows z of Z; A is lower triangular."""
    for i in range(Z.shape[0]):
        z, y = Z[i], Y[i]
        for k in range(z.size):
            row, total = A[k], 0.0
            for j in range(k + 1):
                total += row[j] * z[j]
            y[k] = total


@compiled(fastmath=FAST)
def _factor(C: Any, A: Any) -> bool:
    """Write the Cholesky factor of C, of which the lower triangle is read, to A; return whether there is one."""
    N = C.shape[0]
    for k in range(N):
        row = A[k]
        for j in range(k):
            other, total = A[j], C[k, j]
            for i in range(j):
                total -= row[i] * other[i]
            row[j] = total / other[j]
        total = C[k, k]
        for i in range(k):
            total -= row[i] * row[i]
        # Also false for NaN.
        if not total > 0.0:
            return False
        row[k] = math.sqrt(total)
    return True


@compiled()
def _stagnates(p: Any, s: Any) -> Any:
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
    late, early = slice(length - span, length), slice(length - 2 * span, length - span)
    return np.median(s.history_median[late]) >= np.median(s.history_median[early]) and np.median(
        s.history_best[late]
    ) >= np.median(s.history_best[early])


@compiled(fastmath=FAST)
def _extreme_eigenvalues(s: Any, w: Any) -> Any:
    """One step each of the power iterations with C and with C⁻¹ = (A Aᵀ)⁻¹; both go on in the next generation."""
    N = s.mean.size
    w[:] = 0.0
    for k in range(N):
        row, v, total = s.C[k], s.v_max[k], 0.0
        for j in range(k):
            total += row[j] * s.v_max[j]
            w[j] += row[j] * v
        w[k] += total + row[k] * v
    greatest = _normalise(w, s.v_max)
    # A u = v, then Aᵀ w = u; both by rows of A, so that memory is read in order.
    for k in range(N):
        total = s.v_min[k]
        for j in range(k):
            total -= s.A[k, j] * w[j]
        w[k] = total / s.A[k, k]
    for k in range(N - 1, -1, -1):
        w[k] /= s.A[k, k]
        for j in range(k):
            w[j] -= s.A[k, j] * w[k]
    return greatest, 1.0 / _normalise(w, s.v_min)


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
