"""Compares two strategies, or two implementations of one, by the distribution of their results.

    python benchmarks/compare.py run SET SOLVER OUT.csv      runs a solver on the instances of a set
    python benchmarks/compare.py test FILE.csv...            rank tests between the two solvers in such files

SET is `pycma` (four instances at D = 32: cma-IH against pycma 3.3.0, the version of the published study), `pycma-c1e6`
(the same at D = 16 on all test cases at c = 10⁶, where pycma alleviates the conditioning of C), `fast` (sixteen at
D = 64 over all test cases: cma-IH against cma-IH-fast), `margin` and `margin-ellipsoid` (twelve and four, D = 8 to 64:
cma-wM against cma-wM-fast), `lagrangian` (twelve, D = 8 to 32: cma-IH-AL against cma-IH-AL-fast), `strategies` (24 at
D = 64: a strategy against the one that it varies) or `demo` (the 36 at D = 8 of config/demo.yaml, multimodality aside).
SOLVER is a solver id, with options of its own as in `mies-corr:local_rate=1`, or `pycma-3.3.0`, which needs numpy < 2
and hence an environment of its own:

    python3 -m venv /tmp/pycma330 && /tmp/pycma330/bin/pip install cma==3.3.0 'numpy<2' pydantic
    PYTHONPATH=workflow /tmp/pycma330/bin/python benchmarks/compare.py run pycma pycma-3.3.0 OUT.csv

Runs already in OUT are not repeated. Tests are Mann-Whitney's, two-sided, of the final f and of the evaluations at
termination, each family with Holm's correction over the instances; a run without a feasible point ranks above all
others. A is Vargha-Delaney's: the chance that a run of the second solver is lower. Over the instances together, medians
are compared by the sign test, failed runs included, and by Wilcoxon's signed-rank test of their ratios.
"""

from __future__ import annotations

import argparse
import csv
import math
import statistics
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from unbounded.running.environment import hold_threads

hold_threads(1)

import numpy as np  # noqa: E402

from unbounded.cli.trial import parse_options  # noqa: E402
from unbounded.instances import Instance, build  # noqa: E402
from unbounded.solvers.cma_ih import PycmaOptions  # noqa: E402
from unbounded.solvers.contract import Budget, Ending, Report  # noqa: E402
from unbounded.solvers.registry import find  # noqa: E402

SETS = {
    "pycma": (
        "mixed-D32-t0-TC0-c1e1-E10",
        "mixed-D32-t0-TC4-c1e3-E30",
        "mixed-D32-t1e4-TC3-c1e4-E50",
        "integer-D32-t0-TC1-c1e2-E80",
    ),
    "pycma-c1e6": tuple(f"mixed-D16-t0-TC{tc}-c1e6-E30" for tc in range(9)),
    "fast": (
        "mixed-D64-t0-TC0-c1e1-E10",
        "mixed-D64-t1e4-TC1-c1e2-E30",
        "mixed-D64-t0-TC2-c1e2-E50",
        "integer-D64-t0-TC3-c1e3-E80",
        "mixed-D64-t0-TC4-c1e3-E30",
        "integer-D64-t1e4-TC4-c1e1-E10",
        "mixed-D64-t1e4-TC5-c1e1-E50",
        "mixed-D64-t0-TC6-c1e1-E10",
        "integer-D64-t0-TC7-c1e1-E30",
        "integer-D64-t0-TC8-c1e1-E50",
        "mixed-D64-t0-TC0-c1e6-E80",
        "mixed-D64-t1e4-TC4-c1e5-E10",
        # Runs end at local optima far apart.
        "mixed-D64-t0-TC6-c1e6-E10",
        "integer-D64-t0-TC7-c1e4-E30",
        "mixed-D64-t0-TC7-c1e5-E80",
        "mixed-D64-t1e4-TC8-c1e2-E80",
    ),
    "strategies": (
        "mixed-D64-t0-TC0-c1e1-E10",
        "mixed-D64-t0-TC0-c1e5-E30",
        "integer-D64-t0-TC0-c1e2-E80",
        "mixed-D64-t0-TC1-c1e1-E50",
        "mixed-D64-t0-TC1-c1e3-E30",
        "mixed-D64-t0-TC1-c1e6-E80",
        "mixed-D64-t1e4-TC1-c1e2-E30",
        "mixed-D64-t0-TC2-c1e2-E50",
        "mixed-D64-t0-TC3-c1e3-E30",
        "mixed-D64-t0-TC3-c1e6-E10",
        "integer-D64-t0-TC3-c1e3-E80",
        "mixed-D64-t0-TC4-c1e1-E30",
        "mixed-D64-t0-TC4-c1e4-E80",
        "integer-D64-t0-TC4-c1e1-E10",
        "mixed-D64-t0-TC5-c1e1-E50",
        "mixed-D64-t0-TC5-c1e2-E10",
        "mixed-D64-t1e4-TC5-c1e1-E50",
        "mixed-D64-t0-TC6-c1e2-E30",
        "mixed-D64-t0-TC6-c1e5-E10",
        "mixed-D64-t0-TC7-c1e3-E30",
        "mixed-D64-t0-TC7-c1e5-E80",
        "integer-D64-t0-TC7-c1e4-E30",
        "mixed-D64-t0-TC8-c1e1-E30",
        "integer-D64-t1e4-TC8-c1e1-E50",
    ),
    # Chosen before any of their runs: all test cases, a half of them all-integer; 60,000 evaluations.
    "margin": (
        "mixed-D8-t0-TC0-c1e1-E30",
        "integer-D8-t0-TC4-c1e2-E50",
        "mixed-D8-t0-TC7-c1e4-E10",
        "integer-D16-t0-TC1-c1e1-E80",
        "mixed-D16-t0-TC3-c1e3-E30",
        "integer-D16-t0-TC6-c1e2-E10",
        "mixed-D32-t0-TC2-c1e2-E50",
        "integer-D32-t0-TC8-c1e1-E30",
        "mixed-D32-t0-TC5-c1e5-E80",
        "integer-D64-t0-TC0-c1e3-E10",
        "mixed-D64-t0-TC4-c1e1-E50",
        "integer-D64-t0-TC7-c1e1-E30",
    ),
    # Likewise, for box=ellipsoid; 30,000 evaluations.
    "margin-ellipsoid": (
        "integer-D16-t1e4-TC0-c1e1-E30",
        "mixed-D16-t0-TC7-c1e3-E80",
        "mixed-D32-t1e4-TC4-c1e2-E10",
        "integer-D64-t0-TC6-c1e1-E50",
    ),
    # Likewise, for the augmented Lagrangian; 40,000 evaluations.
    "lagrangian": (
        "mixed-D8-t0-TC0-c1e1-E30",
        "integer-D8-t0-TC3-c1e2-E50",
        "mixed-D8-t1e4-TC6-c1e3-E10",
        "integer-D8-t0-TC8-c1e1-E80",
        "mixed-D16-t0-TC1-c1e2-E50",
        "integer-D16-t0-TC4-c1e1-E30",
        "mixed-D16-t0-TC5-c1e4-E10",
        "integer-D16-t1e4-TC7-c1e1-E50",
        "mixed-D32-t0-TC2-c1e3-E80",
        "integer-D32-t0-TC0-c1e2-E10",
        "mixed-D32-t0-TC4-c1e1-E30",
        "mixed-D32-t1e4-TC3-c1e5-E80",
    ),
    "demo": tuple(
        f"{slice}-E30"
        for tc in range(9)
        for slice in (
            f"mixed-D8-t0-TC{tc}-c1e1",
            f"mixed-D8-t0-TC{tc}-c1e3",
            f"mixed-D8-t1e4-TC{tc}-c1e1",
            f"integer-D8-t0-TC{tc}-c1e1",
        )
    ),
}
#: Medians this close, relatively, are alike: the tolerance of feasibility alone is worth as much.
TIE = 1e-5
FIELDS = ("solver", "instance", "seed", "f", "evaluations", "cpu_seconds", "termination")


def solve_330(instance: Instance, budget: Budget, seed: int, options: PycmaOptions, report: Report) -> Ending:
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
    return Ending("converged", ", ".join(es.stop()) or "budget", report.feasible_best)


def run(solver: str, budget: Budget, id: str, seed: int) -> dict[str, Any]:
    """Run one seed on one instance."""
    instance = build(id)
    if solver == "pycma-3.3.0":
        solve, options = solve_330, PycmaOptions()
    else:
        variant, *pairs = solver.split(":")
        entry = find(variant)
        entry.solver.prepare()
        solve, options = entry.solver.solve, entry.options(parse_options(pairs))
    report = Report(instance, budget)
    outcome = solve(instance, budget, seed, options, report)
    f = float("inf") if outcome.x is None else instance.verify(outcome.x).f
    termination = outcome.termination.partition("=")[0]
    values = (solver, id, seed, f, report.evaluations, round(report.cpu_seconds, 3), termination)
    return dict(zip(FIELDS, values, strict=True))


def read(path: Path) -> list[dict[str, str]]:
    """Return the runs of a file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run_set(name: str, solver: str, out: Path, seeds: int, budget: Budget, jobs: int) -> None:
    """Run what OUT does not hold yet, seed by seed."""
    out.parent.mkdir(parents=True, exist_ok=True)
    lines = read(out) if out.exists() else []
    done = {(line["solver"], line["instance"], int(line["seed"])) for line in lines}
    tasks = [(id, seed) for seed in range(1, seeds + 1) for id in SETS[name] if (solver, id, seed) not in done]
    with out.open("a", newline="", encoding="utf-8") as file, ProcessPoolExecutor(jobs) as pool:
        writer = csv.DictWriter(file, FIELDS)
        if not file.tell():
            writer.writeheader()
        futures = [pool.submit(run, solver, budget, *task) for task in tasks]
        for count, future in enumerate(as_completed(futures), start=1):
            writer.writerow(future.result())
            file.flush()
            print(f"\r{count} of {len(tasks)} runs", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def test(files: list[Path], solvers: list[str] | None, instances: str, seeds: tuple[int, int] | None) -> None:
    """Print medians and p values, corrected over the instances, then what all instances say together."""
    from scipy.stats import binomtest, wilcoxon

    from unbounded.tables.measures import normalise
    from unbounded.tables.rank_tests import ALPHA, holm, rank_sum

    lines = [line for path in files for line in read(path) if instances in line["instance"]]
    if seeds:
        lines = [line for line in lines if seeds[0] <= int(line["seed"]) <= seeds[1]]
    first, second = solvers or dict.fromkeys(line["solver"] for line in lines)
    a, b = ([line for line in lines if line["solver"] == solver] for solver in (first, second))
    common = {line["instance"] for line in b}
    ids = [id for id in dict.fromkeys(line["instance"] for line in a) if id in common]
    print(f"| instance | of | runs (feasible) | median, {first} | median, {second} | ratio | p | p, Holm | A |")
    print("|---|---|---|---|---|---|---|---|---|")
    verdicts = []
    for what in ("f", "evaluations"):
        samples = [[[float(line[what]) for line in runs if line["instance"] == id] for runs in (a, b)] for id in ids]
        if len({value for pair in samples for values in pair for value in values}) == 1:
            verdicts.append(f"{what}: the same in all runs.")
            continue
        found = [[sum(line["instance"] == id and line["f"] != "inf" for line in runs) for runs in (a, b)] for id in ids]
        tests = [rank_sum(y, x) for x, y in samples]
        corrected = holm([p for p, _ in tests])
        medians = [[statistics.median(values) for values in pair] for pair in samples]
        ratios = [1.0 if x == y else float(normalise(y, x)) for x, y in medians]
        for id, pair, feasible, (x, y), ratio, (p, effect), p_holm in zip(
            ids, samples, found, medians, ratios, tests, corrected, strict=True
        ):
            runs = ", ".join(f"{len(values)} ({n})" for values, n in zip(pair, feasible, strict=True))
            shown = " | ".join("none" if math.isinf(value) else f"{value:.8g}" for value in (x, y))
            quotient = "none" if math.inf in (x, y) else f"{ratio:.4f}"
            print(f"| {id} | {what} | {runs} | {shown} | {quotient} | {p:.4f} | {p_holm:.4f} | {effect:.2f} |")
        lower, higher = sum(ratio < 1 - TIE for ratio in ratios), sum(ratio > 1 + TIE for ratio in ratios)
        significant = [effect for (_, effect), p in zip(tests, corrected, strict=True) if p < ALPHA]
        logs = [math.log(ratio) for ratio in ratios if 0 < ratio < math.inf]
        verdicts.append(
            f"{what}: {second}'s median is lower on {lower} of {len(ids)}, higher on {higher} (sign test, p "
            f"{binomtest(lower, max(1, lower + higher)).pvalue:.2g}); significantly, instance by instance, on "
            f"{sum(effect > 0.5 for effect in significant)} and {sum(effect < 0.5 for effect in significant)}. "
            f"On {len(logs)} with both medians the median ratio is {math.exp(statistics.median(logs)):.4f}, "
            f"Wilcoxon's p {wilcoxon(logs).pvalue:.2g}."
        )
    print("", *verdicts, sep="\n")
    speeds = [
        sum(float(x["evaluations"]) for x in runs) / sum(float(x["cpu_seconds"]) for x in runs) for runs in (a, b)
    ]
    print(f"Evaluations a CPU second: {speeds[0]:.0f} and {speeds[1]:.0f}, ratio {speeds[1] / speeds[0]:.1f}.")


def main() -> None:
    """Run a set, or test two solvers' runs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("set", choices=SETS)
    runner.add_argument("solver")
    runner.add_argument("out", type=Path)
    runner.add_argument("--seeds", type=int, default=20, help="runs an instance (default 20)")
    runner.add_argument("--budget", type=Budget.parse, default="evaluations=1e6", help="(default evaluations=1e6)")
    runner.add_argument("--jobs", type=int, default=2)
    tester = commands.add_parser("test")
    tester.add_argument("files", type=Path, nargs="+")
    tester.add_argument("--of", nargs=2, metavar="SOLVER", help="the two solvers, where the files hold more")
    tester.add_argument("--instances", default="", metavar="PART", help="only instances whose ids have this part")
    tester.add_argument("--seeds", nargs=2, type=int, metavar=("FIRST", "LAST"), help="only these seeds")
    args = parser.parse_args()
    if args.command == "test":
        test(args.files, args.of, args.instances, args.seeds)
    else:
        run_set(args.set, args.solver, args.out, args.seeds, args.budget, args.jobs)


if __name__ == "__main__":
    main()
