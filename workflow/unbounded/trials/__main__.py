"""`python -m unbounded.trials`: one trial of the rules run_<solver>, one row.

A command and no `script`: that would have Snakemake loaded in every trial. All that it needs is among its arguments, so
it reads no campaign, and a process that has loaded everything can be forked to run it
(`unbounded.running.forking.server`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from unbounded.running.environment import hold_threads, launcher
from unbounded.running.imports import without

#: Bytes that a row may take.
ROOM = 1 << 16


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m unbounded.trials", description="Run one planned trial.")
    parser.add_argument("instance")
    parser.add_argument("seed", type=int)
    parser.add_argument("planned", type=json.loads, help="what the plan says of it, as JSON")
    parser.add_argument("output", type=Path)
    parser.add_argument("log", type=Path)
    parser.add_argument("--threads", type=int, required=True, help="granted; it takes what is planned")
    parser.add_argument("--mem-mb", type=float, required=True)
    parser.add_argument("--watchdog", type=float, required=True, help="seconds")
    return parser


def load() -> None:
    """Load what every trial needs, but no solver's library: a trial has that in a process of its own."""
    with without("pandas"):
        import numpy.linalg
        import numpy.random  # noqa: F401

        from unbounded.running import supervision  # noqa: F401
        from unbounded.solvers import registry
        from unbounded.trials import row, run  # noqa: F401

    registry.entries()


def main(words: Sequence[str] | None = None, client: int | None = None) -> None:
    """Run the trial of these arguments, or the command line's, and write its row; it ends if `client` hangs up."""
    arguments = _parser().parse_args(words)
    planned = arguments.planned
    if arguments.threads < planned["threads"]:
        raise SystemExit(
            f"{arguments.output} is planned with {planned['threads']} threads and was granted {arguments.threads}: it "
            "would not be the planned trial. Nothing was run."
        )
    hold_threads(planned["threads"])
    with without("pandas"):
        from unbounded.running.supervision import Limits
        from unbounded.running.writing import check_room
        from unbounded.solvers.contract import Budget
        from unbounded.trials.row import write_row
        from unbounded.trials.run import Trial, run_trial

        trial = Trial(
            instance=arguments.instance,
            solver=planned["solver"],
            variant=planned["variant"],
            seed=arguments.seed,
            budget=Budget(**planned["budget"]),
            options=planned["options"],
            threads=planned["threads"],
            code=planned["code"],
        )
        try:
            check_room(arguments.output, ROOM)
        except OSError as error:
            raise SystemExit(f"{arguments.output} was not run, since its row cannot be written: {error}.") from None
        try:
            row = run_trial(trial, arguments.log, Limits(arguments.watchdog, arguments.mem_mb, launcher(), client))
            write_row(row, arguments.output)
        except KeyboardInterrupt:
            raise SystemExit(130) from None
        except OSError as error:
            raise SystemExit(
                f"{arguments.output} was not written: {error}. Nothing else is lost: snakemake runs it again."
            ) from None


if __name__ == "__main__":
    main()
