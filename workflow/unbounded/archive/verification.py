"""The results of a campaign, checked from the points up: every row anew; tables for being whole, and made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from unbounded.archive.rows import of_other_code
from unbounded.campaign.layout import Layout, trial_of
from unbounded.campaign.plan import Plan
from unbounded.report.products import Products
from unbounded.tables.parquet import DamagedTableError, read_table
from unbounded.trials.broken import Broken, set_aside
from unbounded.trials.recheck import checked_rows
from unbounded.trials.row import SCHEMA
from unbounded.trials.thinning import thinned


@dataclass
class Verification:
    """What was checked, and what is wrong."""

    rows: int = 0
    missing: int = 0
    tables: int = 0
    #: Rows that are in order, but were made by other code than there is now.
    other_code: int = 0
    wrong: list[Broken] = field(default_factory=list)


def verify(plan: Plan, layout: Layout) -> Verification:
    """Check the results of a campaign."""
    found = Verification()
    for name, trials in plan.slices.items():
        paths = [layout.trial(trial) for trial in trials]
        there = [path for path in paths if path.exists()]
        rows, wrong = checked_rows({path: plan.columns(trial_of(path)) for path in there})
        found.rows += len(there)
        found.missing += len(paths) - len(there)
        found.other_code += of_other_code(rows, plan)
        found.wrong += [Broken(path, why) for path, why in wrong.items()]
        table = layout.slice(name)
        if table.exists() and not wrong and len(there) == len(paths):
            found.wrong += _other_rows(table, thinned(rows, plan.campaign.trace_points))
    for path in Products(plan, layout).parquet_tables:
        if path.exists():
            found.tables += 1
            try:
                read_table(path)
            except DamagedTableError:
                found.wrong.append(Broken(path, "damaged"))
    return found


def _other_rows(path: Path, rows: pa.Table) -> Iterator[Broken]:
    try:
        collected = read_table(path).select(SCHEMA.names)
    except DamagedTableError:
        return  # named with the other tables
    if not collected.equals(rows):
        yield Broken(path, "made from other rows than those of its trials")


def as_text(found: Verification, layout: Layout) -> str:
    """Return what was found for people."""
    lines = [f"{file.path}: {file.why}" for file in found.wrong]
    missing = f", {found.missing} planned ones are missing" if found.missing else ""
    lines.append(
        f"{layout.folder}: {found.rows} rows checked anew{missing}; {found.tables} tables read; "
        f"{len(found.wrong) or 'nothing'} wrong"
    )
    if found.other_code:
        lines.append(f"{found.other_code} rows were made by other code than that of this installation, as they say")
    return "\n".join(lines)


def put_aside(found: Verification, layout: Layout) -> Path:
    """Move what is wrong out of the way, so that the next run makes it anew; return where to."""
    set_aside(found.wrong, layout.folder, layout.broken)
    return layout.broken
