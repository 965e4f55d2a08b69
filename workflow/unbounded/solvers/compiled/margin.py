"""The generation loop of `cma-wM-fast`: CMA-ES (Hansen's tutorial, 2016) with the margin of Hamano et al. (2022)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unbounded.solvers.compiled.cma import follow, greatest_eigenvalue, learn, least_eigenvalue, recombine
from unbounded.solvers.compiled.common import note_best, sort
from unbounded.solvers.compiled.compiling import FAST, compiled
from unbounded.solvers.compiled.correlations import correlate, factor
from unbounded.solvers.compiled.criteria import NOEFFECTCOORD, RUNNING, TOLFUN, TOLX, TOLXUP
from unbounded.solvers.compiled.evaluation import evaluate, penalise

#: How near to 0 and to 1/2 the probability beyond a threshold may come.
SLACK = 1e-10


@compiled()
def advance(problem: Any, p: Any, s: Any, w: Any, generations: int, normals: Any, found: Any) -> None:
    """Run generations until a criterion stops (`s.stop`) or the normals may not suffice for another one.

    Returns early, too, where C has no factor (`s.broken`), whose criteria are looked at once it is mended, or is to be
    looked at along an axis (`s.look`). `s.used` is how many of the normals were used, `w` is room to work in.
    """
    N, lam, n_r = s.mean.size, p.lam, problem.n_r
    Z, f, g, cost = w.Z, w.f, w.g, w.cost
    used = 0
    if s.broken[0]:
        s.broken[0] = 0
        s.stop[0] = criterion(p, s, w.scratch)
    for generation in range(generations):
        if s.stop[0] != RUNNING or s.look[0]:
            break
        if normals.size - used < lam * (N + p.resamplings * n_r):
            break
        for i in range(lam):
            row = normals[used + i * N :]
            for k in range(N):
                Z[i, k] = row[k]
        used = _sample(p, s, w, n_r, normals, used + lam * N)
        place(p, s, w.X, w.Y, n_r)
        evaluate(problem, w.X, f, g, w.scratch)
        penalise(problem, p.penalty, f, g, cost)
        note_best(problem, w.X, f, g, generation, found)
        sort(cost, w.order)
        adapt(p, s, w)
        keep_margin(p, s, n_r)
        if not factor(s.C, s.U, N):
            s.broken[0] = 1
            break
        s.stop[0] = criterion(p, s, w.scratch)
    s.used[0] = used


@compiled()
def _sample(p: Any, s: Any, w: Any, n_r: int, normals: Any, used: int) -> int:
    """Write y = Uᵀz, samples whose reals leave the box drawn again; return how many normals were used in all."""
    correlate(s.U, w.Z, w.Y)
    for i in range(p.lam):
        for k in range(n_r):
            if not p.lower[k] <= s.mean[k] + s.sigma[0] * w.Y[i, k] <= p.upper[k]:
                used = resample(p, s, n_r, w.Z[i], w.Y[i], normals, used)
                break
    return used


@compiled()
def place(p: Any, s: Any, X: Any, Y: Any, n_r: int) -> None:
    """Write the points that are evaluated: m + σy, for integers the one nearest to m + Aσy, the lower one of two."""
    sigma = s.sigma[0]
    for i in range(X.shape[0]):
        for k in range(n_r):
            X[i, k] = min(max(s.mean[k] + sigma * Y[i, k], p.lower[k]), p.upper[k])
        for k in range(n_r, s.mean.size):
            x = np.ceil(s.mean[k] + s.A[k] * sigma * Y[i, k] - 0.5)
            X[i, k] = min(max(x, p.lower[k]), p.upper[k])


@compiled()
def resample(p: Any, s: Any, n_r: int, z: Any, y: Any, normals: Any, used: int) -> int:
    """Draw the reals of a sample until they are in the box; of the last attempt those outside go to its bounds.

    Reals come first and U is upper triangular, so that they depend on their own normals alone: a sample is given up at
    the first one that is outside, and the normals of integers need not be drawn again.
    """
    N, sigma, inside = s.mean.size, s.sigma[0], False
    for attempt in range(p.resamplings):
        y[:n_r] = 0.0
        inside = True
        for j in range(n_r):
            z[j] = normals[used]
            used += 1
            _add(z[j], s.U[j, j:n_r], y[j:n_r])
            x = s.mean[j] + sigma * y[j]
            if not p.lower[j] <= x <= p.upper[j]:
                inside = False
                if attempt < p.resamplings - 1:
                    break
        if inside:
            break
    y[n_r:N] = 0.0
    for j in range(N):
        first = max(j, n_r)
        _add(z[j], s.U[j, first:N], y[first:N])
    if not inside:
        for k in range(n_r):
            x = s.mean[k] + sigma * y[k]
            y[k] = (min(max(x, p.lower[k]), p.upper[k]) - s.mean[k]) / sigma
        # z goes with y again: Uᵀz = y, by rows of U.
        for k in range(N):
            z[k] = y[k]
        for k in range(N):
            z[k] /= s.U[k, k]
            _add(-z[k], s.U[k, k + 1 : N], z[k + 1 : N])
    return used


@compiled(fastmath=FAST)
def _add(factor: float, row: Any, total: Any) -> None:
    """Add a multiple of a row."""
    for k in range(total.size):
        total[k] += factor * row[k]


@compiled()
def adapt(p: Any, s: Any, w: Any) -> None:
    """Move the mean, the paths, σ and C, as the package does."""
    N = s.mean.size
    s.iteration[0] += 1
    t = s.iteration[0]
    term = s.recent.size // 2
    s.recent[2 * (t % term)] = w.cost[w.order[0]]
    s.recent[2 * (t % term) + 1] = w.cost[w.order[p.lam - 1]]

    recombine(p.weights[: p.mu], w.order, w.Z, w.Y, w.z_mean, w.shift)
    for k in range(N):
        s.mean[k] += s.sigma[0] * w.shift[k]
    length = math.sqrt(follow(s.p_sigma, p.c_sigma, p.mu_eff, w.z_mean))
    s.sigma[0] = min(s.sigma[0] * math.exp(p.c_sigma / p.d_sigma * (length / p.chi_n - 1)), 1e32)
    expected = math.sqrt(1 - (1 - p.c_sigma) ** (2 * (t + 1))) * (1.4 + 2 / (N + 1)) * p.chi_n
    h = 1.0 if length < expected else 0.0
    follow(s.p_c, p.c_c, h * p.mu_eff, w.shift)
    learn(s.C, p.weights, p.c_mu, p.c_1, (1 - h) * p.c_c * (2 - p.c_c), s.p_c, w.order, w.Z, w.Y, w.V, 1e-8, 0.0)


@compiled()
def keep_margin(p: Any, s: Any, n_r: int) -> None:
    """Move the mean and A of every integer such that its neighbours keep their least probability (their Sect. 4).

    `low` and `up` are the thresholds around the mean's cell, which are one and the same where the cell is an outer one.
    """
    for k in range(n_r, s.mean.size):
        if p.upper[k] == p.lower[k]:
            continue
        mean, deviation = s.mean[k], s.sigma[0] * math.sqrt(s.C[k, k])
        cell = min(max(np.ceil(mean - 0.5), p.lower[k]), p.upper[k])
        low, up = max(cell - 0.5, p.lower[k] + 0.5), min(cell + 0.5, p.upper[k] - 0.5)
        to_low, to_up = (mean - low) / (s.A[k] * deviation), (up - mean) / (s.A[k] * deviation)
        below, above = normal_tail(to_low), normal_tail(to_up)
        if max(below, above) > 0.5:
            if min(below, above) < p.margin:
                s.mean[k] = up + math.copysign(p.edge * s.A[k] * deviation, mean - up)
            continue
        least = p.margin / 2
        if min(below, above) >= least and max(below, above) <= 0.5 - SLACK:
            continue
        # What is missing below or above is taken from where there is more than the margin.
        middle = 1 - (below + above)
        below, above = max(below, least), max(above, least)
        share = (1 - below - above - middle) / (below + middle + above - 3 * least)
        a = _distance(p, below, share, least, to_low)
        b = _distance(p, above, share, least, to_up)
        s.A[k] = (up - low) / ((a + b) * deviation)
        s.mean[k] = (low * b + up * a) / (a + b)


@compiled()
def _distance(p: Any, probability: float, share: float, least: float, start: float) -> float:
    """Return how many deviations away a threshold is, beyond which lies what is left of a probability."""
    if probability == least:
        return float(p.side)
    left = min(probability + share * (probability - least), 0.5 - SLACK)
    return float(normal_tail_quantile(left, start))


@compiled()
def normal_tail(x: float) -> float:
    """Return the probability beyond x under the standard normal law."""
    return 0.5 * math.erfc(x * math.sqrt(0.5))


@compiled()
def normal_tail_quantile(probability: float, start: float) -> float:
    """Return the x beyond which this probability lies, from a start that is near, by Halley's method."""
    x = start
    for _ in range(20):
        error = (normal_tail(x) - probability) / (math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi))
        x += error / (1 - 0.5 * x * error)
        # Convergence is cubic.
        if abs(error) < 1e-6:
            break
    return x


@compiled()
def criterion(p: Any, s: Any, scratch: Any) -> int:
    """Return the code of the first of the package's criteria that holds, or RUNNING; `s.look` asks for an axis."""
    N, t, sigma = s.mean.size, s.iteration[0], s.sigma[0]
    lowest, highest = np.inf, -np.inf
    for value in s.recent:
        lowest, highest = min(lowest, value), max(highest, value)
    if t > s.recent.size // 2 and highest - lowest < 1e-12:
        return TOLFUN
    small, no_effect = True, False
    largest, trace, resolution = 0.0, 0.0, 0.0
    for k in range(N):
        variance = s.C[k, k]
        largest, trace, resolution = max(largest, variance), trace + variance, resolution + s.mean[k] * s.mean[k]
        small = small and sigma * variance < p.tol_x and sigma * s.p_c[k] < p.tol_x
        no_effect = no_effect or s.mean[k] == s.mean[k] + 0.2 * sigma * math.sqrt(variance)
    if small:
        return TOLX
    # The largest eigenvalue lies between the largest variance and their sum.
    limit = (1e4 / sigma) ** 2
    if trace > limit:
        for _ in range(10):
            largest = max(largest, greatest_eigenvalue(s.C, s.v_max, scratch))
        if largest > limit:
            return TOLXUP
    if no_effect:
        return NOEFFECTCOORD
    # A tenth of an axis of C has an effect if it is longer than the mean's last digits. The axis of this generation is
    # known as it was when the axes were last computed, or to be no shorter than the shortest; both to a factor of two.
    if t % 5 == 0:
        s.least[0] = least_eigenvalue(s.U, s.v_min, scratch)
    eigenvalue = max(s.spectrum[t % N], s.least[0])
    s.look[0] = 0.25 * eigenvalue * (0.1 * sigma) ** 2 <= 2.0**-106 * resolution
    return RUNNING
