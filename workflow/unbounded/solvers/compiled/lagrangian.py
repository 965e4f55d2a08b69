"""The augmented Lagrangian of pycma for one constraint h = g − E ≤ 0, on whole populations.

f + γ h + ω h²/2 where h > −γ/ω, f − γ²/(2ω) elsewhere (Atamna, Auger & Hansen, FOGA 2017, with the rules by which pycma
starts γ and ω and changes ω; Dufossé & Hansen, GECCO 2021).
"""

from __future__ import annotations

from typing import Any

from unbounded.solvers.compiled.common import sort
from unbounded.solvers.compiled.compiling import compiled

#: What is known of γ and ω: nothing, that they may be set anew, that they are only adapted.
UNSET, PRELIMINARY, SET = 0, 1, 2

#: Changes of ω in one direction from which on they grow, and so many further ones until they have grown fivefold.
PATIENCE = 3


@compiled()
def augment(a: Any, E: float, first: bool, f: Any, g: Any, cost: Any) -> None:
    """Write the costs of a population, point by point: h² until the first feasible point, from then on the Lagrangian.

    `a.clean` says whether f counted in all of them, and in the generation before, if there is one.
    """
    a.clean[0] = first or not a.searching[0]
    a.first[0] = f.size
    for i in range(f.size):
        h = g[i] - E
        if h <= 0:
            a.searching[0] = 0
        if a.searching[0]:
            a.clean[0] = 0
            cost[i] = h * h
        else:
            a.first[0] = min(a.first[0], i)
            a.penalised[0] += _is_penalised(a, h)
            cost[i] = f[i] + penalty(a, h)


@compiled()
def _is_penalised(a: Any, h: float) -> bool:
    return bool(a.weight[0] * h > -a.multiplier[0])


@compiled()
def penalty(a: Any, h: float) -> float:
    """Return γ h + ω h²/2, or its least value where h is below −γ/ω; 0 while both are unset."""
    multiplier, weight = a.multiplier[0], a.weight[0]
    if weight * h < -multiplier:
        h = -multiplier / weight
    return float(multiplier * h + 0.5 * weight * h * h)


@compiled()
def adapt_lagrangian(a: Any, E: float, N: int, f: Any, g: Any, cost: Any, values: Any, order: Any) -> None:
    """Set γ and ω from the spread of a population, or adapt them to its best point; `values` and `order` are room."""
    if a.searching[0]:
        return
    if a.known[0] != SET and a.clean[0]:
        set_coefficients(a, E, N, f, g, values, order)
    best = a.first[0]
    for i in range(best, f.size):
        if cost[i] < cost[best]:
            best = i
    follow_point(a, N, g[best] - E)


@compiled()
def set_coefficients(a: Any, E: float, N: int, f: Any, g: Any, values: Any, order: Any) -> None:
    """Start γ and ω from the interquartile ranges of f, h and h², until a population lies on both sides of h = 0."""
    infeasible, greatest = 0, 0.0
    for i in range(f.size):
        infeasible += g[i] - E > 0
        greatest = max(greatest, abs(g[i] - E))
    # From −1, all feasible, to 1.
    balance = 2 * infeasible / f.size - 1
    a.known[0] = PRELIMINARY
    if balance <= -0.8:
        return
    for i in range(f.size):
        values[i] = f[i]
    f_range = interquartile_range(values, order)
    for i in range(f.size):
        values[i] = g[i] - E
    h_range = interquartile_range(values, order)
    for i in range(f.size):
        values[i] = (g[i] - E) ** 2
    h2_range = interquartile_range(values, order)
    least = 1e-11 * (f_range + 1)
    weight = 0.4 * f_range / N / (h_range + 1e-6 * h2_range + least)
    multiplier = f_range / (N * h_range + least)
    if balance <= 0.2 and a.weight[0] > weight:
        multiplier *= weight / a.weight[0]
    # So large that the penalty begins within the population.
    weight = min(20 * weight, max(weight, multiplier / (1e-22 + greatest)))
    a.multiplier[0], a.weight[0] = multiplier, weight
    if a.updates[0] > 2 + N or abs(balance) < 0.8:
        a.known[0] = SET


@compiled()
def interquartile_range(values: Any, order: Any) -> float:
    """Return the distance of the quartiles, which are interpolated."""
    sort(values, order)
    return float(_quantile(values, order, 0.75) - _quantile(values, order, 0.25))


@compiled()
def _quantile(values: Any, order: Any, level: float) -> float:
    at = level * (values.size - 1)
    below = int(at)
    low, high = values[order[below]], values[order[min(below + 1, values.size - 1)]]
    return float(low + (at - below) * (high - low))


@compiled()
def follow_point(a: Any, N: int, h: float) -> None:
    """Adapt γ, and with it ω, to the constraint at a generation's best point."""
    a.history[a.noted[0] % a.history.size] = h
    a.noted[0] += 1
    if a.known[0] == UNSET:
        return
    # Whether any point since the last time is one that γ and ω matter to.
    active = a.penalised[0] > 0 or _is_penalised(a, h) or _is_penalised(a, a.previous[0])
    a.previous[0] = h
    a.penalised[0] = 0
    a.updates[0] += 1
    if a.weight[0] == 0:
        return
    if active:
        a.multiplier[0] += a.weight[0] * h / 5
    if a.multiplier[0] < 0:
        a.multiplier[0] = 0.0
        return
    if a.weight[0] * h < -a.multiplier[0]:
        return
    feasible, count = 0.0, min(a.noted[0], a.history.size)
    for k in range(count):
        feasible += 1.0 if a.history[k] < 0 else 0.5 if a.history[k] == 0 else 0.0
    share = feasible / count
    change = 0
    if h > 0 or (_is_penalised(a, h) and share > 0.95):
        change = 1
    elif h < 0 and share < 0.9:
        change = -1
    if change:
        if change * a.same[0] < 0:
            a.same[0] = 0
        a.same[0] += change
        growth = 4 * min(max(abs(a.same[0]) - PATIENCE, 0), PATIENCE) / PATIENCE
        a.weight[0] *= 2.0 ** (change * 0.25 * (1 + growth) / (5 * N))
