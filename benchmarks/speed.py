"""Evaluations a second of the compiled strategies, each against its peer in the same run, on one thread.

    python benchmarks/speed.py

`cma-IH-fast` and `cma-IH-AL-fast` against those on pycma, `cma-wM-fast` against `cma-wM` on cmaes, `mies` against the
same algorithm in vectorised NumPy (mies_numpy.py), `mies-corr` against `mies`.
Then each of them against what it cannot do without: its random numbers and multiply-adds, by numpy's own loops.
Loading and compiling are left out; both sides count the whole generation, evaluation included, in CPU seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from unbounded.running.environment import hold_threads

hold_threads(1)

import numpy as np  # noqa: E402
from mies_numpy import solve as mies_numpy  # noqa: E402
from result import Result, show  # noqa: E402

from unbounded.instances import build  # noqa: E402
from unbounded.solvers.contract import Budget, Report  # noqa: E402
from unbounded.solvers.registry import find  # noqa: E402

#: Evaluations of a measurement: enough for a second on the slow side and for tenths of one on the fast.
SLOW, FAST = 12_000, 400_000
#: Of both sides, where the beginning of a run is slower than its end: samples outside the box are drawn again.
BOTH = 30_000
REPEATS = 5
#: So that growth can be read.
DIMENSIONS = (32, 64, 128)
UNIT = "evaluations/s"


def rates(id: str, *sides: tuple[Callable[..., Any], Any, int]) -> list[float]:
    """Return evaluations a CPU second of each side (solve, options, evaluations) on an instance.

    The sides take turns and the best of a few turns counts: other work on the machine only ever slows down.
    """
    best = [0.0] * len(sides)
    for seed in range(1, REPEATS + 1):
        for i, (solve, options, evaluations) in enumerate(sides):
            instance, budget = build(id), Budget(kind="evaluations", amount=evaluations)
            report = Report(instance, budget)
            solve(instance, budget, seed, options, report)
            best[i] = max(best[i], report.evaluations / report.cpu_seconds)
    return best


def measure() -> Iterator[Result]:
    """Yield the rates of the compiled strategies, against their peers and against the least that they could cost."""
    fast, slow, mies, corr = find("cma-IH-fast"), find("cma-IH"), find("mies"), find("mies-corr")
    pairs = (
        (find("cma-IH-AL-fast"), find("cma-IH-AL"), "pycma", 20),
        (find("cma-wM-fast"), find("cma-wM"), "cmaes", 30),
    )
    for entry in (fast, slow, mies, corr, *(side for pair in pairs for side in pair[:2])):
        entry.solver.prepare()
        entry.solver.unavailable()
    for D, aim in ((32, 15), (64, 20), (128, 8)):
        for population in (16, 40):
            sides = (fast, FAST), (slow, SLOW)
            chosen = {"population": population}
            a, b = rates(
                f"mixed-D{D}-t0-TC7-c1e3-E30",
                *((side.solver.solve, side.options(chosen), count) for side, count in sides),
            )
            yield Result(f"cma-IH-fast, D = {D}, λ = {population}", a, "cma-IH (pycma)", b, UNIT, f"at least {aim}×")
    for ours, theirs, package, aim in pairs:
        for D in DIMENSIONS:
            for kind in ("mixed", "integer"):
                sides = ((side.solver.solve, side.options({}), BOTH) for side in (ours, theirs))
                a, b = rates(f"{kind}-D{D}-t0-TC4-c1e1-E30", *sides)
                wanted = f"at least {aim}×" if D == 64 else ""
                yield Result(f"{ours.id}, D = {D}, {kind}", a, f"{theirs.id} ({package})", b, UNIT, wanted)
    for D in DIMENSIONS:
        for case in (0, 7):
            sides = (mies.solver.solve, mies.options({}), FAST), (mies_numpy, mies.options({}), FAST)
            a, b = rates(f"mixed-D{D}-t0-TC{case}-c1e3-E30", *sides)
            wanted = "at least 300,000/s, or 2×" if D == 64 else ""
            yield Result(f"mies, D = {D}, TC-{case}", a, "NumPy", b, UNIT, wanted)
    for D in DIMENSIONS:
        for kind in ("mixed", "integer"):
            sides = (corr.solver.solve, corr.options({}), FAST), (mies.solver.solve, mies.options({}), FAST)
            a, b = rates(f"{kind}-D{D}-t0-TC4-c1e1-E30", *sides)
            yield Result(f"mies-corr, D = {D}, {kind}", a, "mies", b, UNIT, "at least 0.5×" if D == 64 else "")
    for entry in (fast, pairs[0][0], pairs[1][0], mies, corr):
        for D in DIMENSIONS:
            options = entry.options({})
            (a,) = rates(f"integer-D{D}-t0-TC4-c1e1-E30", (entry.solver.solve, options, FAST))
            b = 1 / least_seconds(entry.id, options, D)
            yield Result(f"{entry.id}, D = {D}, integer", a, "its random numbers and multiply-adds", b, UNIT, "")


def least_seconds(solver: str, options: Any, D: int) -> float:
    """Return what an evaluation cannot do without, all-integer, at the speed of numpy's own loops, on one thread.

    CMA-ES draws D normals for a sample, correlates them by a triangle (D²/2 multiply-adds), adds the sample to the
    triangle of C (D²/2), and factors C once in a generation (D³/6). `mies` draws two exponentials for each integer, and
    one normal for each, and one more, for each parent. `mies-corr` draws as CMA-ES does; two vectors a parent change C.
    """
    if solver.startswith("cma"):
        lam = options.population_at(D)
        normals, exponentials, multiply_adds = D, 0.0, D**2 + D**3 / 6 / lam
    else:
        mu, lam = options.parents, options.offspring
        if solver == "mies":
            normals, exponentials, multiply_adds = (1 + D) * mu / lam, 2.0 * D, 0.0
        else:
            normals, exponentials, multiply_adds = D + 2, 0.0, D**2 / 2 + (2 * mu * D**2 / 2 + D**3 / 6) / lam
    rng = np.random.Generator(np.random.SFC64(1))
    room, A, B = np.empty(10_000), rng.random((400, 400)), rng.random((400, 400))
    return float(
        normals * _least(lambda: rng.standard_normal(out=room)) / room.size
        + exponentials * _least(lambda: rng.standard_exponential(out=room)) / room.size
        + multiply_adds * _least(lambda: A @ B) / 400**3
    )


def _least(work: Callable[[], object]) -> float:
    """Return the CPU seconds of some work: of many turns the best."""
    best = np.inf
    for _ in range(50):
        began = time.process_time_ns()
        work()
        best = min(best, time.process_time_ns() - began)
    return float(best) / 1e9


if __name__ == "__main__":
    show(measure())
