"""All benchmarks as one table; with the number of trials for those that scale, as in `python benchmarks 5000`."""

import sys

import aggregation
import overhead
import page
import planning
import speed
from result import show

trials = [int(argument) for argument in sys.argv[1:2]]
show(
    result
    for results in (
        speed.measure(),
        overhead.measure(),
        aggregation.measure(*trials),
        page.measure(),
        planning.measure(*trials),
    )
    for result in results
)
