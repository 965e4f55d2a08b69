"""Tables as files: CSV for people, parquet for machines."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

#: What tables need of a trial row; traces, the bulk of the file, stay unread.
TRIAL_COLUMNS = (
    "instance",
    "solver",
    "variant",
    "seed",
    "instance_digest",
    "status",
    "termination",
    "x",
    "f",
    "bound",
    "evaluations",
    "wall_seconds",
    "cpu_seconds",
    "options",
    "budget_kind",
    "budget_amount",
    "threads",
    "versions",
)


def read_trials(path: Path) -> pd.DataFrame:
    """Read the columns of the campaign's `trials.parquet` that tables are made from."""
    return pd.read_parquet(path, columns=list(TRIAL_COLUMNS))


def read(path: Path) -> pd.DataFrame:
    """Read a table that `write` wrote, by its parquet file."""
    return pd.read_parquet(path)


def write(table: pd.DataFrame, stem: Path) -> None:
    """Write `stem`.csv and `stem`.parquet."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(stem.with_name(f"{stem.name}.parquet"), index=False, compression="zstd")
    table.to_csv(stem.with_name(f"{stem.name}.csv"), index=False)
