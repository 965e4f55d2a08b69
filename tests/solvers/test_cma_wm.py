"""`cma-wM`: what is given to cmaes in place of scipy.stats."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from unbounded.instances import build
from unbounded.solvers.cma_wm import MarginOptions, begin, chi2_ppf, norm_cdf
from unbounded.solvers.contract import Budget, Report
from unbounded.solvers.registry import find


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
cma_wm.SOLVER.solve(instance, budget, 1, cma_wm.MarginOptions(), Report(instance, budget))
print(sorted(set(called)), "scipy.stats" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['chi2_ppf', 'norm_cdf'] False"


@pytest.mark.parametrize("solver", ["cma-wM", "cma-wM-fast"])
def test_integers_stay_integers_in_a_box_whose_bounds_are_none(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    instance, budget, entry = build("mixed-D4-t0-TC0-c1e1-E30"), Budget(kind="evaluations", amount=800), find(solver)
    start = begin(instance, MarginOptions(box=4.5))
    np.testing.assert_array_equal(start.lower, [-4.5, -4.5, -4, -4])
    np.testing.assert_array_equal(start.upper, [4.5, 4.5, 4, 4])
    report = Report(instance, budget)
    seen = []
    monkeypatch.setattr(report, "_improve", lambda x, *_, **__: seen.append(np.array(x)))
    entry.solver.solve(instance, budget, 1, entry.options({"box": 4.5}), report)
    X = np.array(seen)
    assert len(X) > 10
    np.testing.assert_array_equal(X[:, 2:], np.rint(X[:, 2:]))
    assert (np.abs(X) <= 4.5).all()


@pytest.mark.parametrize("box", [0.5, 0, -3])
def test_a_box_without_three_integers_is_refused(box: float) -> None:
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        MarginOptions(box=box)
