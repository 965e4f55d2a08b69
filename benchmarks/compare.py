"""Compares two implementations of one strategy by the distribution of their results.

    python benchmarks/compare.py run SET SOLVER OUT.csv      runs a solver on the instances of a set, 20 seeds each
    python benchmarks/compare.py test A.csv B.csv            rank tests between two such files

SET is `pycma` (four instances at D = 32: cma-IH against pycma 3.3.0, the version of the published study) or `fast`
(twelve at D = 64 over all test cases: cma-IH against cma-IH-fast). SOLVER is a solver id, or `pycma-3.3.0`, which needs
numpy < 2 and hence an environment of its own:

    python3 -m venv /tmp/pycma330 && /tmp/pycma330/bin/pip install cma==3.3.0 'numpy<2' pydantic
    PYTHONPATH=workflow /tmp/pycma330/bin/python benchmarks/compare.py run pycma pycma-3.3.0 OUT.csv

Runs already in OUT are not repeated. Tests are Mann-Whitney's, two-sided, of the final f and of the evaluations at
termination, each family with Holm's correction over the instances.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from unbounded.environment import hold_threads

hold_threads(1)

import numpy as np  # noqa: E402

from unbounded.instances import Instance, build  # noqa: E402
from unbounded.solvers.cma_ih import PycmaOptions  # noqa: E402
from unbounded.solvers.contract import Budget, Outcome, Report  # noqa: E402
from unbounded.solvers.registry import find  # noqa: E402

SETS = {
    "pycma": (
        "mixed-D32-t0-TC0-c1e1-E10",
        "mixed-D32-t0-TC4-c1e3-E30",
        "mixed-D32-t1e4-TC3-c1e4-E50",
        "integer-D32-t0-TC1-c1e2-E80",
    ),
    "fast": (
        "mixed-D64-t0-TC0-c1e1-E10",
        "mixed-D64-t1e4-TC1-c1e2-E30",
        "mixed-D64-t0-TC2-c1e2-E50",
        "integer-D64-t0-TC3-c1e3-E80",
        "mixed-D64-t0-TC4-c1e3-E30",
        "integer-D64-t1e4-TC4-c1e1-E10",
        "mixed-D64-t1e4-TC5-c1e1-E50",
        "mixed-D64-t0-TC6-c1e6-E10",
        "integer-D64-t0-TC7-c1e4-E30",
        "mixed-D64-t0-TC7-c1e5-E80",
        "integer-D64-t0-TC8-c1e1-E50",
        "mixed-D64-t1e4-TC8-c1e2-E80",
    ),
}
SEEDS = 20
BUDGET = Budget(kind="evaluations", amount=1e6)
FIELDS = ("solver", "instance", "seed", "f", "evaluations", "cpu_seconds", "termination")


def solve_330(instance: Instance, budget: Budget, seed: int, options: PycmaOptions, report: Report) -> Outcome:
    """Run pycma 3.3.0 as the study did: `integer_variables`, all else at its defaults but the population."""
    import cma

    np.random.seed(seed)
    integers = list(range(instance.n_r, instance.D))
    settings = {"popsize": options.population_at(instance.D), "integer_variables": integers, "seed": np.nan}
    settings.update({"verbose": -9, "verb_log": 0, "signals_filename": ""})
    R = options.radius
    es = cma.CMAEvolutionStrategy(np.random.uniform(-R, R, instance.D), 2 * R / 3, settings)
    while report.remaining >= settings["popsize"] and not es.stop():
        X = es.ask()
        rounded = instance.round(np.asarray(X))
        f, g = instance.evaluate(rounded)
        report.population(rounded, f, g)
        es.tell(X, options.penalty.cost(instance, f, g).tolist())
    return Outcome("converged", ", ".join(es.stop()) or "budget", report.feasible_best)


def run(solver: str, id: str, seed: int) -> dict[str, Any]:
    """Run one seed on one instance."""
    instance = build(id)
    if solver == "pycma-3.3.0":
        solve, options = solve_330, PycmaOptions()
    else:
        entry = find(solver)
        entry.solver.prepare()
        solve, options = entry.solver.solve, entry.options({})
    report = Report(instance, BUDGET)
    outcome = solve(instance, BUDGET, seed, options, report)
    f = float("inf") if outcome.x is None else instance.verify(outcome.x).f
    termination = outcome.termination.partition("=")[0]
    values = (solver, id, seed, f, report.evaluations, report.cpu_seconds, termination)
    return dict(zip(FIELDS, values, strict=True))


def read(path: Path) -> list[dict[str, str]]:
    """Return the runs of a file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run_set(name: str, solver: str, out: Path, jobs: int) -> None:
    """Run what OUT does not hold yet, seed by seed."""
    out.parent.mkdir(parents=True, exist_ok=True)
    done = {(line["instance"], int(line["seed"])) for line in read(out)} if out.exists() else set()
    tasks = [(id, seed) for seed in range(1, SEEDS + 1) for id in SETS[name] if (id, seed) not in done]
    with out.open("a", newline="", encoding="utf-8") as file, ProcessPoolExecutor(jobs) as pool:
        writer = csv.DictWriter(file, FIELDS)
        if not file.tell():
            writer.writeheader()
        futures = [pool.submit(run, solver, *task) for task in tasks]
        for count, future in enumerate(as_completed(futures), start=1):
            writer.writerow(future.result())
            file.flush()
            print(f"\r{count} of {len(tasks)} runs", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def test(first: Path, second: Path) -> None:
    """Print medians and p values, corrected over the instances."""
    from scipy.stats import mannwhitneyu

    a, b = read(first), read(second)
    print(f"| instance | of | runs | median, {a[0]['solver']} | median, {b[0]['solver']} | p | p, Holm |")
    print("|---|---|---|---|---|---|---|")
    for what in ("f", "evaluations"):
        rows = []
        for id in dict.fromkeys(line["instance"] for line in a):
            x, y = ([float(line[what]) for line in runs if line["instance"] == id] for runs in (a, b))
            p = float(mannwhitneyu(x, y).pvalue)
            rows.append((p, id, f"{len(x)}, {len(y)}", statistics.median(x), statistics.median(y)))
        corrected = 0.0
        for position, (p, id, runs, median_a, median_b) in enumerate(sorted(rows)):
            corrected = max(corrected, min(1.0, (len(rows) - position) * p))
            print(f"| {id} | {what} | {runs} | {median_a:.8g} | {median_b:.8g} | {p:.3f} | {corrected:.3f} |")
    speeds = [
        sum(float(x["evaluations"]) for x in runs) / sum(float(x["cpu_seconds"]) for x in runs) for runs in (a, b)
    ]
    print(f"\nEvaluations a CPU second: {speeds[0]:.0f} and {speeds[1]:.0f}, ratio {speeds[1] / speeds[0]:.1f}.")


def main() -> None:
    """Run a set, or test two files of runs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("set", choices=SETS)
    runner.add_argument("solver")
    runner.add_argument("out", type=Path)
    runner.add_argument("--jobs", type=int, default=2)
    tester = commands.add_parser("test")
    tester.add_argument("files", type=Path, nargs=2)
    args = parser.parse_args()
    if args.command == "test":
        test(*args.files)
    else:
        run_set(args.set, args.solver, args.out, args.jobs)


if __name__ == "__main__":
    main()
