"""`mies` in plain vectorised NumPy: the peer of the compiled one, with the same algorithm and options."""

from __future__ import annotations

import numpy as np

from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.solvers.contract import Budget, Ending, Report
from unbounded.solvers.mies import UNLIMITED, MiesOptions


def double_geometric(rng: np.random.Generator, mean: FloatArray) -> FloatArray:
    """Draw z = g1 − g2, both g geometric with P(g = k) = p (1−p)^k and p such that E|z| = mean (Eq. doubleGeometric).

    With p = 1 − m/(√(1+m²)+1) for m = S/n_z, log(1−p) is −arsinh(1/m) exactly, which loses no digits where p is
    close to 0 or to 1; −log(1−U) is a standard exponential.
    """
    rate = np.arcsinh(1.0 / mean)
    g = np.floor(rng.standard_exponential((2, *mean.shape)) / rate)
    result: FloatArray = g[0] - g[1]
    return result


def solve(instance: Instance, budget: Budget, seed: int, options: MiesOptions, report: Report) -> Ending:
    """Run the strategy until the budget is spent; it has no other stopping rule."""
    rng = np.random.default_rng(seed)
    n_r, n_z, D = instance.n_r, instance.n_z, instance.D
    mu, lam, R = options.parents, options.offspring, options.radius
    if report.remaining < mu + lam:
        return Ending("budget", f"{budget} do not allow one generation of {mu} + {lam}", None)

    # Learning rates of Algorithm 1, laid out along the coordinates: reals first, integers last.
    sizes = np.repeat([n_r, n_z], [n_r, n_z]).astype(float)
    tau_global, tau_local = 1.0 / np.sqrt(2.0 * sizes), 1.0 / np.sqrt(2.0 * np.sqrt(sizes))
    lower, upper = np.repeat([options.sigma_min, 1.0], [n_r, n_z]), R if options.limit_steps else UNLIMITED

    X = instance.round(rng.uniform(-R, R, (mu, D)))
    steps = np.tile(np.repeat([2 * R / 3, 2 * R / np.sqrt(n_z) if n_z else 0.0], [n_r, n_z]), (mu, 1))
    steps = np.clip(steps, lower, upper)
    f, g = instance.evaluate(X)
    report.population(X, f, g)
    best_first = np.argsort(options.penalty.cost(instance, f, g), kind="stable")
    X, steps = X[best_first], steps[best_first]

    children = np.empty((lam, D))
    while report.remaining >= lam:
        # Parents are sorted by cost, so the smallest index wins the tournament.
        parent = rng.integers(mu, size=(options.tournament, lam)).min(axis=0)
        old = steps[parent]
        common = np.repeat(rng.standard_normal((lam, 2)), [n_r, n_z], axis=1)
        new = old * np.exp(tau_global * common + tau_local * rng.standard_normal((lam, D)))
        np.clip(new, lower, upper, out=new)
        integer_step = (old if options.integer_step == "parent" else new)[:, n_r:]
        children[:, :n_r] = X[parent, :n_r] + new[:, :n_r] * rng.standard_normal((lam, n_r))
        children[:, n_r:] = X[parent, n_r:] + double_geometric(rng, integer_step / max(n_z, 1))

        f, g = instance.evaluate(children)
        report.population(children, f, g)
        best_first = np.argsort(options.penalty.cost(instance, f, g), kind="stable")[:mu]
        X, steps = children[best_first], new[best_first]
    return Ending("budget", f"{budget} spent", report.feasible_best)
