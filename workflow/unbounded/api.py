"""The package from Python: build an instance, solve it, load what a campaign has made; docs/api.md.

Nothing is imported before it is needed: `import unbounded` is as cheap as its version.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from unbounded.instances import Instance


def build(instance: str) -> Instance:
    """Return the instance of an id, such as `mixed-D64-t0-TC3-c1e4-E30`: its arrays, and what is computed from them."""
    from unbounded.instances import build

    return build(instance)


def solve(
    instance: Instance | str,
    solver: str,
    *,
    seed: int = 1,
    budget: str | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
    log: Path | None = None,
    watchdog: float | None = None,
    mem_mb: float = math.inf,
) -> dict[str, Any]:
    """Run one trial in a process of its own; return its row, in which f and g are recomputed at x (docs/rows.md).

    `budget` is such as "evaluations=10000" or "seconds=10", the solver's default if not given; `options` are those that
    differ from its defaults; `watchdog` is in minutes, far above the budget if not given. What goes wrong inside a
    solver is a row with that status; what is wrong with the arguments is a ValueError.
    """
    for name, number, least in (("seed", seed, 0), ("threads", threads, 1)):
        if not least <= number < 2**31:
            raise ValueError(f"{name} is {number}; allowed: a number from {least} to {2**31 - 1}")
    for name, amount in (("watchdog", watchdog), ("mem_mb", mem_mb)):
        if amount is not None and not amount > 0:
            raise ValueError(f"{name} is {amount:g}; allowed: a number above 0")
    from unbounded.instances import InstanceSpec
    from unbounded.running.supervision import Limits, default_watchdog
    from unbounded.solvers.contract import Budget
    from unbounded.solvers.registry import find
    from unbounded.trials.run import Trial, run_trial

    spec = InstanceSpec.parse(instance) if isinstance(instance, str) else instance.spec
    description = find(solver).solver
    allowed = Budget.parse(budget) if budget else description.default_budget(spec.D)
    trial = Trial(spec.id, solver, solver, seed, allowed, options or {}, threads)
    expected = default_watchdog(description.estimate(spec.D, allowed), allowed.kind)
    return run_trial(trial, log, Limits(expected if watchdog is None else 60 * watchdog, mem_mb))


def load(campaign: str, table: str = "trials", results: Path | str = "results") -> pd.DataFrame:
    """Return a table of a campaign that was run, by its name (docs/tables.md), from the folder of results.

    `rows` are the trial files as they are, whether the campaign is finished or not (docs/rows.md).
    """
    from unbounded.campaign.layout import Layout, present

    layout = Layout.of(campaign, Path(results))
    if not layout.folder.is_dir():
        there = sorted(path.name for path in Path(results).glob("*") if path.is_dir())
        raise ValueError(f"{layout.folder} is not there; campaigns with results: {', '.join(there) or 'none'}")
    if table == "rows":
        from unbounded.trials.reading import read_rows

        return read_rows([layout.trial(trial) for trial in sorted(present(layout.trials))]).to_pandas()
    path = layout.table(table)
    if not path.exists():
        there = ["rows", *sorted(file.stem for file in layout.tables.glob("*.parquet"))]
        raise ValueError(
            f"{path} is not there, snakemake makes it when all trials are done; there are: {', '.join(there)}"
        )
    from unbounded.tables.files import read

    return read(path)
