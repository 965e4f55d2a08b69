"""The trial row: one parquet file, one row, one schema with a version.

Rows are written to a temporary name and renamed, so a file is whole or absent; their pages carry checksums, so what a
disk or a copy changed is noticed. A reader that meets files that are no rows of this version names them all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from unbounded.running.supervision import Fault
from unbounded.running.writing import replacing
from unbounded.solvers.contract import How

#: Raised with every change of the columns or of their meaning.
VERSION = 5

#: How a trial may have ended: the claims of the contract, and what this project found out about them.
#: `unverified`: the solver handed in a point that is not feasible. `unproven`: its point is feasible, but has another
#: objective value than the solver's proof of optimality was about.
ENDINGS: tuple[str, ...] = (*get_args(How), "unverified", "unproven", *get_args(Fault))
#: Endings that claim a proof.
PROOFS: tuple[str, ...] = ("optimal", "tolerance")
#: Endings at which the solver failed, whatever it had found until then.
FAILED: tuple[str, ...] = ("error", *get_args(Fault))

#: The status of a run whose ending stands for no point, but which came across one that was verified.
INCUMBENT = "incumbent"
STATUSES: tuple[str, ...] = (*ENDINGS, INCUMBENT)

#: The statuses whose f may enter a table; their x is verified.
SOLVED: tuple[str, ...] = ("optimal", "tolerance", "unproven", "time-out", "converged", "budget", INCUMBENT)

#: Columns in which two runs of the same trial differ; so do the seconds in its trace.
MEASURED: tuple[str, ...] = ("wall_seconds", "cpu_seconds", "max_rss_mb", "host", "started_at")

TRACE = pa.list_(
    pa.struct(
        [
            ("evaluations", pa.int64()),
            ("cpu_seconds", pa.float64()),
            ("f", pa.float64()),
            ("violation", pa.float64()),
            ("bound", pa.float64()),
        ]
    )
)

#: One integer vector stands for `orbit` many, where coordinates are interchangeable (`unbounded.instances.symmetry`).
VECTORS = pa.list_(pa.struct([("f", pa.float64()), ("orbit", pa.float64()), ("z", pa.list_(pa.int64()))]))


class Column(NamedTuple):
    """A column of the row; docs/rows.md is made from these."""

    name: str
    type: pa.DataType
    description: str


COLUMNS: tuple[Column, ...] = (
    Column("instance", pa.string(), description="id of the instance, from which its arrays are made"),
    Column("solver", pa.string(), description="id of the solver in the campaign"),
    Column("variant", pa.string(), description="id of the solver behind it, as `unbounded solvers` lists it"),
    Column("seed", pa.int64(), description="of its random numbers"),
    Column("instance_digest", pa.string(), description="of the arrays that were solved"),
    Column("status", pa.string(), description="what the row is worth, one of the statuses below"),
    Column(
        "ending",
        pa.string(),
        description="what the solver's last word is worth: the status, unless that is `incumbent`",
    ),
    Column("termination", pa.string(), description="how it ended, as the solver put it"),
    Column("feasible", pa.bool_(), description="x was verified: g ≤ E + 10⁻⁶ max(1, E)"),
    Column(
        "x",
        pa.list_(pa.float64()),
        description="the best verified point of the run, integers rounded; else an infeasible one",
    ),
    Column("f", pa.float64(), description="recomputed at x, as are the next three"),
    Column("g", pa.float64(), description="recomputed at x"),
    Column("violation", pa.float64(), description="max(0, g − E)"),
    Column(
        "integrality_error", pa.float64(), description="largest distance of an integer coordinate from its rounding"
    ),
    Column("handed_violation", pa.float64(), description="of the point that the solver handed in, which x need not be"),
    Column(
        "repaired_f",
        pa.float64(),
        description="f of a white-box solver's infeasible point with its integers and the best reals",
    ),
    Column("claimed_f", pa.float64(), description="f as the solver said"),
    Column("bound", pa.float64(), description="lower bound on f, as the solver said"),
    Column("evaluations", pa.int64(), description="of f and g that it made; 0 where a solver counts none"),
    Column("ticks", pa.float64(), description="deterministic time, where the solver has one"),
    Column("wall_seconds", pa.float64(), description="of the solver alone: loading and compiling are not counted"),
    Column("cpu_seconds", pa.float64(), description="of the solver alone, all its threads together"),
    Column("max_rss_mb", pa.float64(), description="most memory that its process had, Python's own included"),
    Column("trace", TRACE, description="improvements of the best point, thinned, and of the bound"),
    Column(
        "vector_count",
        pa.float64(),
        description="integer vectors near the optimum, where the solver proved how many there are",
    ),
    Column("vectors", VECTORS, description="the best of them, by f"),
    Column("options", pa.string(), description="effective ones, as JSON"),
    Column(
        "budget_kind",
        pa.string(),
        description="what it might spend: `evaluations`, `seconds`, `ticks`, `work` or `nodes`",
    ),
    Column("budget_amount", pa.float64(), description="how much of it"),
    Column("threads", pa.int64(), description="that it might use"),
    Column(
        "code_digest",
        pa.string(),
        description="of the code that ran: the solver's module and all that it and a trial import",
    ),
    Column("versions", pa.string(), description="of Python, this package and the solver's, as JSON"),
    Column("host", pa.string(), description="name of the machine"),
    Column("started_at", pa.string(), description="when, in UTC, ISO 8601"),
)
SCHEMA = pa.schema([(column.name, column.type) for column in COLUMNS], metadata={"unbounded.row.version": str(VERSION)})

#: Columns that the plan fixes: which trial it is, and what the solver was given.
PLANNED: tuple[str, ...] = (
    "instance",
    "solver",
    "variant",
    "seed",
    "instance_digest",
    "options",
    "budget_kind",
    "budget_amount",
    "threads",
)
#: Columns whose values a look at the file's end tells too, as their own least and greatest ones.
AT_END = ("status", "code_digest")
#: Among the file's metadata, so that a look at its end tells whether it is the row that is planned.
KEY = "unbounded.row.trial"


def trial_key(row: Mapping[str, Any]) -> str:
    """Return sixteen hex digits for the columns that the plan fixes."""
    return hashlib.sha256("\0".join(str(row[name]) for name in PLANNED).encode()).hexdigest()[:16]


def write_row(row: Mapping[str, Any], path: Path) -> None:
    """Write one row, atomically."""
    table = pa.Table.from_pylist([dict(row)], schema=SCHEMA)
    table = table.replace_schema_metadata({**SCHEMA.metadata, KEY: trial_key(row)})
    with replacing(path) as temporary:
        # In one row nothing repeats: without dictionaries, and statistics that nobody reads, the file is smaller by a
        # third, and written and read faster.
        pq.write_table(table, temporary, write_page_checksum=True, use_dictionary=False, write_statistics=list(AT_END))
