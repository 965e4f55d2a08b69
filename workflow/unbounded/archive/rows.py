"""The rows of an archive: one table for each slice of the suite, which holds all that its trial files do.

Tens of thousands of files of one row each would be nine tenths of an archive, most of that their footers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from unbounded.archive.contents import ArchiveError
from unbounded.campaign.layout import Layout, Trial, trial_of
from unbounded.campaign.plan import Plan
from unbounded.instances import InstanceSpec
from unbounded.tables.parquet import DamagedTableError, read_table, write_table
from unbounded.tables.trials import SPEC_COLUMNS, collected, with_spec
from unbounded.trials.reading import BrokenRowError
from unbounded.trials.recheck import recheck
from unbounded.trials.row import SCHEMA, VERSION, write_row

OF_IDS = [name for name, _ in SPEC_COLUMNS]


def tables_of(plan: Plan, layout: Layout) -> Iterator[tuple[Path, pa.Table]]:
    """Yield the tables of the slices with the rows that are there, checked anew.

    Where a slice has none it is left out, unless it was collected so.
    """
    wrong: dict[Path, str] = {}
    for name, trials in plan.slices.items():
        paths = [path for trial in trials if (path := layout.trial(trial)).is_file()]
        try:
            table = collected({path: plan.columns(trial_of(path)) for path in paths}, plan.campaign.trace_points)
        except BrokenRowError as error:
            wrong |= error.wrong
            continue
        if table.num_rows or layout.slice(name).exists():
            yield layout.slice(name), table
    if wrong:
        lines = [f"{path}: {why}" for path, why in wrong.items()]
        raise ArchiveError("\n".join(["rows that are not in order are not packed:", *lines]))


def as_bytes(table: pa.Table) -> bytes:
    """Return what the file of a table holds."""
    stream = pa.BufferOutputStream()
    write_table(table, stream)
    content: bytes = stream.getvalue().to_pybytes()
    return content


def read_rows(name: str, content: bytes) -> pa.Table | str:
    """Return the rows that a slice's table in an archive holds, or what keeps them from being that."""
    try:
        table = read_table(pa.BufferReader(content))
    except DamagedTableError as error:
        return f"{name}: {error}"
    version = (table.schema.metadata or {}).get(b"unbounded.row.version", b"none").decode(errors="replace")
    if version != str(VERSION):
        return f"{name}: no rows of trials of version {VERSION}, which this code reads (it says {version})"
    if missing := {*SCHEMA.names, *OF_IDS} - set(table.column_names):
        return f"{name}: without the columns {', '.join(sorted(missing))}"
    rows = table.select(SCHEMA.names)
    if not rows.schema.equals(SCHEMA):
        return f"{name}: columns of other types than those of a trial's row"
    try:
        slices = {InstanceSpec.parse(id).slice for id in pc.unique(rows["instance"]).to_pylist()}
    except ValueError as error:
        return f"{name}: {error}"
    if slices - {Path(name).stem}:
        return f"{name}: rows of {', '.join(sorted(slices - {Path(name).stem}))}"
    # Tables are made from what stands beside the rows, too.
    if not with_spec(rows).select(OF_IDS).equals(table.select(OF_IDS)):
        return f"{name}: {', '.join(OF_IDS)} are not what the ids of the instances say"
    return rows


def wrong_rows(plan: Plan, name: str, rows: pa.Table) -> Iterator[str]:
    """Check the rows of a slice anew, as collecting does."""
    trials = _trials(rows)
    for trial, times in Counter(trials).items():
        if times > 1:
            yield f"{name}: {_named(trial)}: there {times} times"
    planned = [plan.columns(trial) for trial in trials]
    for trial, columns in zip(trials, planned, strict=True):
        if columns is None:
            yield f"{name}: {_named(trial)}: not planned by the campaign"
    yield from (f"{name}: {_named(trials[i])}: {why}" for i, why in recheck(rows, planned).items())


def of_other_code(rows: pa.Table, plan: Plan) -> int:
    """Return how many rows were made by other code than there is now; rows that are not planned do not count."""
    made = zip(*(rows[name].to_pylist() for name in ("instance", "solver", "code_digest")), strict=True)
    cells = ((plan.cells.get((instance, solver)), code) for instance, solver, code in made)
    return sum(cell is not None and cell.params["code"] != code for cell, code in cells)


def write_trials(rows: pa.Table, layout: Layout) -> None:
    """Write the trial files that these rows were collected from, but for what thinning dropped of their traces."""
    for i, trial in enumerate(_trials(rows)):
        (row,) = rows.slice(i, 1).to_pylist()
        write_row(row, layout.trial(trial))


def _trials(rows: pa.Table) -> list[Trial]:
    return list(zip(*(rows[name].to_pylist() for name in ("instance", "solver", "seed")), strict=True))


def _named(trial: Trial) -> str:
    instance, solver, seed = trial
    return f"{instance} by {solver}, seed {seed}"
