"""The settings of cma-IH that the study fixes."""

import numpy as np

from unbounded.solvers.cma_ih import numpy_seeded
from unbounded.solvers.registry import find


def test_the_population_is_two_and_a_half_times_the_default_rule() -> None:
    wide, default = find("cma-IH").options({}), find("cma-IH-default").options({})
    assert wide.population_at(64) == 40
    assert default.population_at(64) == 16
    assert [default.population_at(D) for D in (4, 32, 128)] == [8, 14, 18]
    assert find("cma-IH").options({"population": 50}).population_at(64) == 50


def test_numpy_is_seeded_inside_and_as_before_afterwards() -> None:
    before = np.random.get_state()[1].tobytes()  # noqa: NPY002
    drawn = []
    for _ in range(2):
        with numpy_seeded(5):
            drawn.append(np.random.random())  # noqa: NPY002
    assert drawn[0] == drawn[1]
    assert np.random.get_state()[1].tobytes() == before  # noqa: NPY002
