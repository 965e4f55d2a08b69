"""Traces with fewer entries: of tens of thousands of trials they are nine tenths of all bytes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unbounded.instances import build


def thinned(table: pa.Table, points: int | None) -> pa.Table:
    """Return trial rows whose traces have at most so many entries; thinned ones stay as they are.

    The first feasible entry stays, the last, and those that divide the ones between them evenly: a trace has as many
    entries for each factor of time, so these are even in its logarithm. What is dropped makes a run reach a target
    later than it did, never earlier. Of a trace without a feasible entry the first stays.
    """
    if points is None:
        return table
    traces = table["trace"].combine_chunks()
    lengths = pc.fill_null(pc.list_value_length(traces), 0).to_numpy(zero_copy_only=False)
    violations = pc.list_flatten(traces).field("violation").to_numpy(zero_copy_only=False)
    instances = table["instance"].to_pylist()
    tolerance = {id: build(id).tolerance for id in set(instances)}
    starts = np.cumsum(lengths) - lengths
    kept = []
    for start, length, id in zip(starts, lengths, instances, strict=True):
        entries = np.arange(length)
        if length > points:
            first = int(np.argmax(violations[start : start + length] <= tolerance[id]))
            entries = np.unique(np.linspace(first, length - 1, points).round().astype(np.int64))
        kept.append(start + entries)
    offsets = np.concatenate([[0], np.cumsum([len(entries) for entries in kept])])
    entries = pc.list_flatten(traces).take(pa.array(np.concatenate(kept) if kept else [], pa.int64()))
    lists = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), entries, type=traces.type, mask=pc.is_null(traces))
    return table.set_column(table.column_names.index("trace"), table.schema.field("trace"), lists)
