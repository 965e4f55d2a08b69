"""What the compiled strategies share: ordering, and the record of each generation's best."""

from __future__ import annotations

from typing import Any

from unbounded.solvers.compiled.compiling import compiled
from unbounded.solvers.compiled.evaluation import best_of


@compiled()
def copy(source: Any, target: Any) -> None:
    """Copy a vector; numba's assignment of arrays would bring in memory management, for the text of its errors."""
    for k in range(source.size):
        target[k] = source[k]


@compiled()
def note_best(problem: Any, X: Any, f: Any, g: Any, generation: int, found: Any) -> None:
    """Write the generation's best point, in the report's order, with f and violation, to its row of `found`."""
    best = best_of(problem, f, g)
    copy(X[best], found.x[generation])
    found.f[generation] = f[best]
    found.violation[generation] = max(g[best] - problem.E, 0.0)


@compiled()
def sort(values: Any, order: Any) -> None:
    """Write the stable order of the values, by insertion: populations are small."""
    for i in range(values.size):
        value, at = values[i], i
        while at > 0 and value < values[order[at - 1]]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = i


@compiled()
def median(values: Any, scratch: Any) -> Any:
    """Return the median, by selection (Hoare); `scratch` is as long as the values or longer."""
    n = values.size
    copy(values, scratch)
    upper = _select(scratch, n, n // 2)
    if n % 2:
        return upper
    # After the selection the lower half is on the left.
    lower = scratch[0]
    for k in range(1, n // 2):
        lower = max(lower, scratch[k])
    return (lower + upper) / 2


@compiled()
def _select(values: Any, n: int, rank: int) -> Any:
    """Return the value of a rank, with none greater on its left and none smaller on its right."""
    left, right = 0, n - 1
    while left < right:
        pivot, i, j = values[(left + right) // 2], left, right
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if rank <= j:
            right = j
        elif rank >= i:
            left = i
        else:
            break
    return values[rank]
