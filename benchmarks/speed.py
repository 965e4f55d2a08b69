"""Evaluations a second of the compiled strategies, each against its peer in the same run, on one thread.

    python benchmarks/speed.py

`cma-IH-fast` against `cma-IH` on pycma, `mies` against the same algorithm in vectorised NumPy (mies_numpy.py).
Loading and compiling are left out; both sides count the whole generation, evaluation included.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unbounded.environment import hold_threads

hold_threads(1)

from mies_numpy import solve as mies_numpy  # noqa: E402

from unbounded.instances import build  # noqa: E402
from unbounded.solvers.contract import Budget, Report  # noqa: E402
from unbounded.solvers.registry import find  # noqa: E402

#: Evaluations of a measurement: enough for seconds on the slow side and tenths of one on the fast.
SLOW, FAST = 12_000, 400_000
REPEATS = 3


def rate(solve: Callable[..., Any], options: Any, id: str, evaluations: int) -> float:
    """Return the best of a few measurements: other work on the machine only ever slows down."""
    best = 0.0
    for seed in range(1, REPEATS + 1):
        instance, budget = build(id), Budget(kind="evaluations", amount=evaluations)
        report = Report(instance, budget)
        solve(instance, budget, seed, options, report)
        best = max(best, report.evaluations / report.cpu_seconds)
    return best


def main() -> None:
    """Print the table."""
    print("| what | instance | peer | evaluations/s | peer's | ratio |\n|---|---|---|---|---|---|")
    fast, slow = find("cma-IH-fast"), find("cma-IH")
    fast.solver.prepare()
    slow.solver.unavailable()
    for D, populations in ((32, (16, 40)), (64, (16, 40)), (128, (16, 40))):
        id = f"mixed-D{D}-t0-TC7-c1e3-E30"
        for population in populations:
            chosen = {"population": population}
            a = rate(fast.solver.solve, fast.options(chosen), id, FAST)
            b = rate(slow.solver.solve, slow.options(chosen), id, SLOW)
            print(
                f"| cma-IH-fast, λ = {population} | {id} | cma-IH (pycma) | {a:,.0f} | {b:,.0f} | {a / b:.1f} |",
                flush=True,
            )
    mies = find("mies")
    mies.solver.prepare()
    for id in ("mixed-D64-t0-TC0-c1e3-E30", "mixed-D64-t0-TC7-c1e3-E30"):
        a = rate(mies.solver.solve, mies.options({}), id, FAST)
        b = rate(mies_numpy, mies.options({}), id, FAST)
        print(f"| mies | {id} | NumPy | {a:,.0f} | {b:,.0f} | {a / b:.1f} |", flush=True)


if __name__ == "__main__":
    main()
