"""All benchmarks as one table; with the number of trials for those that scale, as in `python benchmarks 5000`."""

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import aggregation
import overhead
import page
import planning
import speed
from result import Result, show


def measure(module: str, *trials: int) -> list[Result]:
    """Return the results of a benchmark."""
    return list(sys.modules[module].measure(*trials))


def results(*trials: int) -> Iterator[Result]:
    """Yield all results. Each benchmark has a process of its own: memory that one took would count for the next."""
    scaling = {aggregation, planning}
    for module in (speed, overhead, aggregation, page, planning):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            yield from pool.submit(measure, module.__name__, *(trials if module in scaling else ())).result()


if __name__ == "__main__":
    show(results(*map(int, sys.argv[1:2])))
