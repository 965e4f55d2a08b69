"""Compares a strategy with reference values: our best, median and worst beside those of a CSV.

    python benchmarks/calibrate.py REFERENCE.csv --solver cma-IH [--column cma-IH] [--seeds 10] [--out runs.csv]

The reference has a line for each instance: D, kind, shift, tc, E, c, cplex (the reference solver's value) and
<column>_best, <column>_median, <column>_worst. Values compared are costs, f plus the penalty, since reference runs
that diverged were recorded so. Runs already in --out are not repeated, so an interrupted calibration goes on.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from unbounded.running.environment import hold_threads

hold_threads(1)

from unbounded.cli.trial import parse_options  # noqa: E402
from unbounded.instances import InstanceSpec  # noqa: E402
from unbounded.instances.instance import Penalty  # noqa: E402
from unbounded.solvers.contract import Budget, PenaltyOptions  # noqa: E402
from unbounded.solvers.registry import find  # noqa: E402
from unbounded.trials.run import Trial, run_trial  # noqa: E402

FIELDS = ("instance", "solver", "seed", "cost", "f", "violation", "status", "termination", "evaluations", "cpu_seconds")

#: Above this multiple of the reference solver's value a strategy has diverged.
DIVERGED = 1e6


@dataclass(frozen=True)
class Reference:
    """One line of the reference: an instance, the reference solver's value, and the strategy's."""

    instance: str
    cplex: float
    best: float
    median: float
    worst: float

    @property
    def diverged(self) -> bool:
        """Whether the reference's median run did not come near."""
        return self.median > DIVERGED * self.cplex


def read_reference(path: Path, column: str) -> Iterator[Reference]:
    """Yield the lines of a reference file."""
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            tc = line["tc"]
            spec = InstanceSpec(
                kind=line["kind"],
                D=int(line["D"]),
                t=float(line["shift"]),
                case="sphere" if tc == "sphere" else int(tc),
                c=float(line["c"]),
                E=float(line["E"]),
            )
            values = (float(line[f"{column}_{name}"]) for name in ("best", "median", "worst"))
            yield Reference(spec.id, float(line["cplex"]), *values)


def run(trial: Trial) -> dict[str, object]:
    """Run one trial; return the fields of its line, with the cost that the strategy saw."""
    row = run_trial(trial)
    entry = find(trial.variant)
    options = entry.options(trial.options)
    D = InstanceSpec.parse(trial.instance).D
    penalty = options.penalty if isinstance(options, PenaltyOptions) else Penalty()
    cost = float("inf") if row["f"] is None else row["f"]
    if not row["feasible"]:
        cost += penalty.weight(D) * (row["violation"] or 0.0) ** 2
    return {**{name: row[name] for name in FIELDS if name in row}, "cost": cost}


def collect(trials: list[Trial], out: Path, jobs: int) -> dict[str, list[float]]:
    """Run what `out` does not hold yet, and return the costs by instance."""
    done: dict[tuple[str, str, int], float] = {}
    if out.exists():
        with out.open(newline="", encoding="utf-8") as file:
            done = {(x["instance"], x["solver"], int(x["seed"])): float(x["cost"]) for x in csv.DictReader(file)}
    missing = [trial for trial in trials if (trial.instance, trial.solver, trial.seed) not in done]
    with out.open("a", newline="", encoding="utf-8") as file, ProcessPoolExecutor(jobs) as pool:
        writer = csv.DictWriter(file, FIELDS)
        if not file.tell():
            writer.writeheader()
        for count, future in enumerate(as_completed([pool.submit(run, trial) for trial in missing]), start=1):
            line = future.result()
            done[line["instance"], line["solver"], line["seed"]] = line["cost"]  # type: ignore[index,assignment]
            writer.writerow(line)
            file.flush()
            print(f"\r{count} of {len(missing)} runs", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    costs: dict[str, list[float]] = {}
    for trial in trials:
        costs.setdefault(trial.instance, []).append(done[trial.instance, trial.solver, trial.seed])
    return costs


def main() -> None:
    """Run, and print the table and the counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("reference", type=Path)
    parser.add_argument("--solver", required=True, help="solver id to run")
    parser.add_argument("--column", help="the strategy's name in the reference (default: the solver id)")
    parser.add_argument("--seeds", type=int, default=10, help="runs an instance (default 10)")
    parser.add_argument("--budget", help="evaluations=N; the solver's default if not given")
    parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--instances", nargs="*", help="only these ids")
    parser.add_argument("--jobs", type=int, default=2, help="runs at once (default 2)")
    parser.add_argument("--out", type=Path, help="CSV of the single runs (default results/calibration/<solver>.csv)")
    args = parser.parse_args()

    references = list(read_reference(args.reference, args.column or args.solver))
    if args.instances:
        references = [line for line in references if line.instance in args.instances]
    out = args.out or Path("results/calibration") / f"{args.solver}.csv"
    out.parent.mkdir(parents=True, exist_ok=True)
    solver = find(args.solver).solver
    options = parse_options(args.option)
    trials = []
    # Seed by seed, so that an interrupted run holds some seeds of all instances.
    for seed in range(1, args.seeds + 1):
        for line in references:
            D = InstanceSpec.parse(line.instance).D
            budget = Budget.parse(args.budget) if args.budget else solver.default_budget(D)
            trials.append(Trial(line.instance, args.solver, args.solver, seed, budget, options))
    costs = collect(trials, out, args.jobs)

    print("| instance | best | reference | median | reference | worst | reference | median / reference |")
    print("|---|---|---|---|---|---|---|---|")
    median_ok = best_ok = comparable = diverged = diverged_too = 0
    for line in references:
        values = costs[line.instance]
        best, median, worst = min(values), statistics.median(values), max(values)
        print(
            f"| {line.instance} | {best:.6g} | {line.best:.6g} | {median:.6g} | {line.median:.6g} "
            f"| {worst:.6g} | {line.worst:.6g} | {median / line.median:.4f} |"
        )
        if line.diverged:
            diverged += 1
            diverged_too += median > DIVERGED * line.cplex
        else:
            comparable += 1
            median_ok += median <= 1.01 * line.median
            best_ok += best <= 1.005 * line.best
    print(f"\nReference median not diverged: {comparable} instances;", end=" ")
    print(f"our median within 1 % of it or below on {median_ok}, our best within 0.5 % or below on {best_ok}.")
    print(
        f"Reference median diverged (above {DIVERGED:g} times cplex): {diverged} instances; ours too on {diverged_too}."
    )


if __name__ == "__main__":
    main()
