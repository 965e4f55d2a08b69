"""Run one trial and print a summary of its row."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

from unbounded.cli import check_files, solver_ids


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what it takes."""
    parser.add_argument("instance", help="id, such as mixed-D64-t0-TC3-c1e4-E30")
    solver = parser.add_argument("--solver", required=True, help="solver id, such as cma-IH")
    solver.completer = solver_ids  # type: ignore[attr-defined]
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument(
        "--option", action="append", default=[], metavar="KEY=VALUE", help="option of the solver; may be repeated"
    )
    parser.add_argument("--budget", help="such as evaluations=N or seconds=N; the solver's default if not given")
    parser.add_argument("--threads", type=int, default=1, help="threads of the trial (default 1)")
    parser.add_argument(
        "--watchdog", type=float, metavar="MINUTES", help="stop it then (default: far above its budget)"
    )
    parser.add_argument(
        "--mem-mb", type=float, default=math.inf, metavar="MB", help="memory it may take (default: any)"
    )
    parser.add_argument("--out", type=Path, help="write the row to this parquet file")
    parser.add_argument("--log", type=Path, help="write the solver's log to this file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Run it."""
    from unbounded.api import solve
    from unbounded.running.environment import hold_threads
    from unbounded.running.imports import without

    check_files(args.out, args.log)
    # Before numpy is loaded, which `solve` does.
    hold_threads(args.threads)
    row = solve(
        args.instance,
        args.solver,
        seed=args.seed,
        budget=args.budget,
        options=parse_options(args.option),
        threads=args.threads,
        log=args.log,
        watchdog=args.watchdog,
        mem_mb=args.mem_mb,
    )
    from unbounded.trials.run import summary

    print(summary(row))
    if args.out is not None:
        with without("pandas"):
            from unbounded.trials.row import write_row

            write_row(row, args.out)
        print(f"{'row':<9}{args.out}")


def parse_options(pairs: Sequence[str]) -> dict[str, object]:
    """Read KEY=VALUE pairs; values are JSON where they can be, text elsewhere."""
    import json

    options: dict[str, object] = {}
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator or not key:
            raise ValueError(f"--option is '{pair}'; allowed: KEY=VALUE")
        try:
            options[key] = json.loads(value)
        except json.JSONDecodeError:
            options[key] = value
    return options
