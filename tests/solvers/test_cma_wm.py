"""`cma-wM`: what is given to cmaes in place of scipy.stats."""

import subprocess
import sys

import numpy as np
from scipy import stats

from unbounded.solvers.cma_wm import chi2_ppf, norm_cdf


def test_the_two_functions_are_those_of_scipy_stats_to_the_bit() -> None:
    rng = np.random.default_rng(1)
    x, loc, scale = rng.normal(0, 3, 10_000), rng.normal(0, 1, 10_000), rng.lognormal(0, 2, 10_000)
    np.testing.assert_array_equal(norm_cdf(x, loc=loc, scale=scale), stats.norm.cdf(x, loc=loc, scale=scale))
    q = np.concatenate([[0.0, 1.0, 1e-300, 1 - 1e-16], rng.uniform(0, 1, 10_000)])
    np.testing.assert_array_equal(chi2_ppf(q=q), stats.chi2.ppf(q=q, df=1))


def test_a_run_does_not_load_scipy_stats_and_calls_these_functions() -> None:
    script = """
import sys
from unbounded.instances import build
from unbounded.solvers import cma_wm
from unbounded.solvers.contract import Budget, Report

called = []
for name in ("norm_cdf", "chi2_ppf"):
    original = getattr(cma_wm, name)
    setattr(cma_wm, name, lambda *a, f=original, n=name, **k: (called.append(n), f(*a, **k))[1])
instance, budget = build("integer-D4-t0-TC0-c1e1-E30"), Budget.parse("evaluations=200")
cma_wm.solve(instance, budget, 1, cma_wm.MarginOptions(), Report(instance, budget))
print(sorted(set(called)), "scipy.stats" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['chi2_ppf', 'norm_cdf'] False"
