"""Rows checked anew: against the plan, against their closed vocabulary, and point by point.

A row holds its x, so nothing in it has to be believed: f, g, the violation and the instance's digest are computed again
for all rows of an instance at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from unbounded.instances import build
from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.trials.reading import sort_out
from unbounded.trials.row import ENDINGS, INCUMBENT, PLANNED, SOLVED, STATUSES

#: By so much, relatively, may another machine's rounding differ.
ROUNDING = 1e-9
#: What is nothing but rounding: where the optimum is zero, f is as small as this.
NOTHING = 1e-20

#: What a row is planned to say of itself.
Columns = Mapping[str, Any]


def is_foreign(row: Columns, planned: Columns) -> bool:
    """Whether it is another trial's row."""
    return any(row[name] != planned[name] for name in ("instance", "solver", "seed"))


def differences(row: Columns, planned: Columns, names: Sequence[str] = PLANNED) -> str | None:
    """Say in what a row differs from what is planned in its place; None if in nothing."""
    if is_foreign(row, planned):
        return f"the row of another trial: {row['instance']} by {row['solver']} with seed {row['seed']}"
    differing = [_difference(name, row[name], planned[name]) for name in names if row[name] != planned[name]]
    return f"not as planned: {'; '.join(differing)}" if differing else None


def _difference(name: str, found: Any, planned: Any) -> str:
    """Say in what a value differs from the planned one; of the options, in which of them."""
    if name != "options":
        return f"{name} is {found}, planned {planned}"
    try:
        before, now = dict(json.loads(found)), json.loads(planned)
    except (TypeError, ValueError):
        return f"{name} are no options: {found}"
    keys = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
    return ", ".join(f"option {key} is {before.get(key)}, planned {now.get(key)}" for key in keys)


def checked_rows(planned: Mapping[Path, Columns | None], threads: int = 1) -> tuple[pa.Table, dict[Path, str]]:
    """Return the rows of these trial files as one table, and what is wrong with the files that are not in order.

    The table is whole only if nothing is wrong.
    """
    table, wrong = sort_out(list(planned), threads)
    read = [path for path in planned if path not in wrong]
    found = recheck(table, [planned[path] for path in read])
    return table, wrong | {read[i]: text for i, text in found.items()}


def recheck(table: pa.Table, planned: Sequence[Columns | None]) -> dict[int, str]:
    """Return what is wrong with every row of a table that is; `planned` has what each of them should be."""
    wrong: dict[int, list[str]] = {}
    for i, text in _findings(table, planned):
        wrong.setdefault(i, []).append(text)
    return {i: "; ".join(texts) for i, texts in sorted(wrong.items())}


def _findings(table: pa.Table, planned: Sequence[Columns | None]) -> Iterator[tuple[int, str]]:
    rows = table.select(PLANNED).to_pylist()
    foreign = set()
    for i, (row, columns) in enumerate(zip(rows, planned, strict=True)):
        text = None if columns is None else differences(row, columns)
        if columns is not None and text is not None:
            yield i, text
            if is_foreign(row, columns):
                foreign.add(i)
    yield from _vocabulary(table)
    groups: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        if i not in foreign:
            groups.setdefault(row["instance"], []).append(i)
    for id, members in groups.items():
        try:
            instance = build(id)
        except ValueError as error:
            yield from ((i, str(error)) for i in members)
            continue
        yield from ((members[k], text) for k, text in _points(table.take(members), instance))


def _vocabulary(table: pa.Table) -> Iterator[tuple[int, str]]:
    """Check how the runs ended: words, and that they fit together."""
    words = zip(table["status"].to_pylist(), table["ending"].to_pylist(), table["feasible"].to_pylist(), strict=True)
    for i, (status, ending, feasible) in enumerate(words):
        if status not in STATUSES:
            yield i, f"status {status!r} is none of {', '.join(STATUSES)}"
        elif ending not in ENDINGS:
            yield i, f"ending {ending!r} is none of {', '.join(ENDINGS)}"
        elif (ending in SOLVED) if status == INCUMBENT else (ending != status):
            yield i, f"status {status} does not go with ending {ending}"
        elif feasible is not (status in SOLVED):
            yield i, f"status {status} does not go with a point that is {'' if feasible else 'not '}feasible"
    for name in ("wall_seconds", "cpu_seconds", "evaluations", "max_rss_mb"):
        values = _floats(table[name])
        for k in np.flatnonzero(~(values >= 0) | ~np.isfinite(values)):
            yield int(k), f"{name} is {values[k]:g}"


def _points(table: pa.Table, instance: Instance) -> Iterator[tuple[int, str]]:
    """Check the points of one instance's rows; None is NaN in all numbers below."""
    for i, digest in enumerate(table["instance_digest"].to_pylist()):
        if digest != instance.digest:
            yield i, f"instance_digest is {digest}, the arrays have {instance.digest}"
    lengths = pc.fill_null(pc.list_value_length(table["x"]), 0).to_numpy()
    for k in np.flatnonzero((lengths != 0) & (lengths != instance.D)):
        yield int(k), f"x has {lengths[k]} coordinates, the instance has {instance.D}"
    said = {name: _floats(table[name]) for name in ("f", "g", "violation")}
    feasible = np.array(table["feasible"].to_pylist(), dtype=bool)
    without = np.flatnonzero(lengths == 0)
    for name, values in said.items():
        for i in without[~np.isnan(values[without])]:
            yield int(i), f"{name} is {values[i]:.17g} without an x"
    for i in without[feasible[without]]:
        yield int(i), "feasible without an x"
    at = np.flatnonzero(lengths == instance.D)
    if not len(at):
        return
    X = _floats(pc.list_flatten(table["x"].take(at))).reshape(-1, instance.D)
    with np.errstate(all="ignore"):
        f, g = instance.evaluate(X)
        violation = np.maximum(0.0, g - instance.E)
        fractional = ~(instance.round(X) == X).all(axis=1) & np.isfinite(X).all(axis=1)
        size = {"f": np.abs(f), "g": np.abs(g), "violation": np.abs(g) + instance.E}
        for name, values in (("f", f), ("g", g), ("violation", violation)):
            told = said[name][at]
            agree = (np.abs(told - values) <= ROUNDING * size[name] + NOTHING) | (told == values)
            for k in np.flatnonzero(~agree & ~(np.isnan(told) & np.isnan(values))):
                yield int(at[k]), f"{name} is {told[k]:.17g}, at its x it is {values[k]:.17g}"
        holds = violation <= instance.tolerance
        clear = np.abs(violation - instance.tolerance) > ROUNDING * size["violation"]
    for k in np.flatnonzero((holds != feasible[at]) & (clear | np.isnan(violation))):
        yield int(at[k]), f"called {'' if feasible[at[k]] else 'not '}feasible, with a violation of {violation[k]:.17g}"
    for k in np.flatnonzero(fractional):
        yield int(at[k]), "x has integer coordinates that are not whole"
    yield from ((int(at[k]), text) for k, text in _traces(table.take(at), instance, f))


def _traces(table: pa.Table, instance: Instance, f: FloatArray) -> Iterator[tuple[int, str]]:
    """Check that no point of a run, by its trace, is better than the one that its row holds."""
    lengths = pc.fill_null(pc.list_value_length(table["trace"]), 0).to_numpy()
    entries = pc.list_flatten(table["trace"]).combine_chunks()
    values, violations = (_floats(entries.field(name)) for name in ("f", "violation"))
    rows = np.repeat(np.arange(len(lengths)), lengths)
    better = (violations <= instance.tolerance) & (values < f[rows] - ROUNDING * np.abs(f[rows]) - NOTHING)
    for i in np.unique(rows[better]):
        least = values[better & (rows == i)].min()
        yield int(i), f"its trace has a feasible point with f = {least:.17g}, its x has {f[i]:.17g}"


def _floats(column: pa.ChunkedArray | pa.Array) -> FloatArray:
    values: npt.NDArray[Any] = (
        column.to_numpy(zero_copy_only=False) if isinstance(column, pa.Array) else column.to_numpy()
    )
    return values.astype(np.float64)
