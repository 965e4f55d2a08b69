"""Hand-made tables for the tests of figures: columns as in docs/tables.md, numbers that a test can say by heart."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unbounded.instances.spec import InstanceSpec
from unbounded.tables.cells import TABLE as cells_table
from unbounded.tables.measures import normalise
from unbounded.tables.runs import TABLE as RUNS
from unbounded.tables.verdicts import TABLE as verdicts_table

SOLVED_STATUS = {"cplex": "time-out", "cplex-tight": "optimal"}


def run(
    f: float | None,
    *,
    solver: str = "mies",
    seed: int = 1,
    tc: int = 0,
    c: float = 10.0,
    E: float = 30.0,
    reference: float | None = 100.0,
    status: str | None = None,
    delta_z: float = 0.25,
    zero: bool = False,
    kind: Any = "mixed",
    t: float = 0.0,
    study: str = "benchmark",
    known: float | None = None,
    certified: bool = True,
    optimum: float | None = None,
) -> dict[str, Any]:
    """Return a line of `runs`; without f it is one of a run without a solution."""
    spec = InstanceSpec(kind, 8, t, tc, c, E)  # type: ignore[arg-type]
    solved = f is not None
    compared = solved and reference is not None
    value = np.nan if f is None else f
    base = np.nan if reference is None else reference
    best = base if known is None else known
    return {
        "study": study,
        "type": study,
        "instance": spec.id,
        "slice": spec.slice,
        "kind": kind,
        "D": 8,
        "t": t,
        "case": f"TC{tc}",
        "tc": tc,
        "c": c,
        "E": E,
        "hessian": "full",
        "solver": solver,
        "is_reference": solver == "cplex",
        "seed": seed,
        "status": status or (SOLVED_STATUS.get(solver, "budget") if solved else "unverified"),
        "solved": solved,
        "f": value,
        "reference_f": base,
        "best_known_f": best,
        "certified": certified,
        "optimum": np.nan if optimum is None else optimum,
        "proven": optimum is not None,
        "zero_optimum": zero,
        "normalised": float(normalise(value, base)),
        "normalised_known": float(normalise(value, best)),
        "normalised_optimum": np.nan if optimum is None else float(normalise(value, optimum)),
        "delta_z": delta_z if compared else np.nan,
        "delta_z_best_known": delta_z if compared else np.nan,
        "delta_z_certified": delta_z if compared and certified else np.nan,
        "delta_z_proven": delta_z if solved and optimum is not None else np.nan,
    }


def runs_of(values: Sequence[float | None], **options: Any) -> list[dict[str, Any]]:
    """Return the lines of one strategy on one instance, and the reference's one run."""
    reference = options.get("reference", 100.0)
    lines = [run(f, seed=seed, **options) for seed, f in enumerate(values, start=1)]
    return [*lines, run(reference, **{**options, "solver": "cplex", "status": None})]


def table(*lines: dict[str, Any]) -> pd.DataFrame:
    """Return the table `runs` of these lines, each trial once."""
    return RUNS.shape(
        pd.DataFrame(lines, columns=list(RUNS.columns)).drop_duplicates(["study", "instance", "solver", "seed"])
    )


def cells(*lines: dict[str, Any]) -> pd.DataFrame:
    """Return the table `cells` of these runs."""
    return cells_table(table(*lines))


def verdicts(*lines: dict[str, Any]) -> pd.DataFrame:
    """Return the table `verdicts` of these runs."""
    return verdicts_table(cells(*lines), table(*lines))


def texts(path: Path) -> str:
    """Return what an SVG says."""
    return " | ".join(re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text(encoding="utf-8")))


def files(folder: Path, name: str = "figure") -> list[Path]:
    """Return where a figure goes."""
    return [folder / f"{name}.svg", folder / f"{name}.png"]
