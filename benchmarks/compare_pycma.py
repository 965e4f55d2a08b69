"""Compares cma-IH on the installed pycma with pycma 3.3.0, the version of the published study.

pycma 3.3.0 needs numpy < 2, hence an environment of its own:

    python3 -m venv /tmp/pycma330 && /tmp/pycma330/bin/pip install cma==3.3.0 'numpy<2' pydantic
    PYTHONPATH=workflow /tmp/pycma330/bin/python benchmarks/compare_pycma.py run results/calibration/pycma-3.3.0.csv
    python benchmarks/compare_pycma.py run results/calibration/pycma-now.csv
    python benchmarks/compare_pycma.py test results/calibration/pycma-3.3.0.csv results/calibration/pycma-now.csv

Both run the same strategy from the same start distribution; 3.3.0 by its own `integer_variables`, the installed
version by the solver `cma-IH`. The test is Mann-Whitney's, two-sided, with Holm's correction over the instances.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from unbounded.environment import hold_threads

hold_threads(1)

import numpy as np  # noqa: E402

from unbounded.instances import build  # noqa: E402
from unbounded.solvers import cma_ih  # noqa: E402
from unbounded.solvers.contract import Budget, Report  # noqa: E402

INSTANCES = (
    "mixed-D32-t0-TC0-c1e1-E10",
    "mixed-D32-t0-TC4-c1e3-E30",
    "mixed-D32-t1e4-TC3-c1e4-E50",
    "integer-D32-t0-TC1-c1e2-E80",
)
SEEDS = 20
BUDGET = Budget(kind="evaluations", amount=1e6)
FIELDS = ("version", "instance", "seed", "f", "evaluations", "termination")


def solve_330(instance, report, seed, options):
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
    return ", ".join(es.stop()) or "budget"


def run(task):
    """Run one seed on one instance with the pycma that is installed."""
    id, seed = task
    instance, options = build(id), cma_ih.PycmaOptions()
    report = Report(instance, BUDGET)
    version = cma_ih.load_cma().__version__.split()[0]
    if version.startswith("3.3"):
        termination = solve_330(instance, report, seed, options)
    else:
        termination = cma_ih.solve(instance, BUDGET, seed, options, report).termination
    best = report.feasible_best
    f = float("inf") if best is None else instance.verify(best).f
    return dict(zip(FIELDS, (version, id, seed, f, report.evaluations, termination), strict=True))


def read(path: Path) -> dict[str, list[dict[str, str]]]:
    """Return the runs of a file by instance."""
    found: dict[str, list[dict[str, str]]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            found.setdefault(line["instance"], []).append(line)
    return found


def test(first: Path, second: Path) -> None:
    """Print medians and corrected p values of final f and of evaluations at termination."""
    from scipy.stats import mannwhitneyu

    a, b = read(first), read(second)
    rows = []
    for id in INSTANCES:
        for what in ("f", "evaluations"):
            x, y = ([float(line[what]) for line in runs[id]] for runs in (a, b))
            p = mannwhitneyu(x, y).pvalue
            rows.append([id, what, len(x), statistics.median(x), statistics.median(y), p])
    names = [next(iter(runs.values()))[0]["version"] for runs in (a, b)]
    print(f"| instance | of | runs each | median, {names[0]} | median, {names[1]} | p | p, Holm |")
    print("|---|---|---|---|---|---|---|")
    for what in ("f", "evaluations"):
        family = sorted((row for row in rows if row[1] == what), key=lambda row: row[-1])
        corrected = 0.0
        for position, row in enumerate(family):
            corrected = max(corrected, min(1.0, (len(family) - position) * row[-1]))
            print("| {} | {} | {} | {:.8g} | {:.8g} | {:.3f} |".format(*row), f"{corrected:.3f} |")


def main() -> None:
    """Run, or test two files of runs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("out", type=Path)
    runner.add_argument("--jobs", type=int, default=2)
    tester = commands.add_parser("test")
    tester.add_argument("files", type=Path, nargs=2)
    args = parser.parse_args()
    if args.command == "test":
        test(*args.files)
        return
    args.out.parent.mkdir(parents=True, exist_ok=True)
    tasks = [(id, seed) for seed in range(1, SEEDS + 1) for id in INSTANCES]
    with args.out.open("w", newline="", encoding="utf-8") as file, ProcessPoolExecutor(args.jobs) as pool:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for count, line in enumerate(pool.map(run, tasks), start=1):
            writer.writerow(line)
            print(f"\r{count} of {len(tasks)} runs", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


if __name__ == "__main__":
    main()
