"""The number of threads is a part of a trial: a run that cannot give it is refused."""

import pytest

from unbounded.campaign.campaign import Campaign
from unbounded.campaign.plan import Plan
from unbounded.campaign.start import check_threads

GRID = {"dimensions": [4], "test_cases": [0], "c": [10], "E": [30]}
SOLVERS = {"mies": {"threads": 2}, "cma-IH": {}}
CAMPAIGN = {"name": "tiny", "studies": {"small": {"type": "benchmark", **GRID, "solvers": SOLVERS}}}


def test_a_run_with_too_few_threads_is_refused_by_the_solver_s_name() -> None:
    plan = Plan(Campaign.model_validate(CAMPAIGN))
    check_threads(plan, {})
    check_threads(plan, {"mies": 2, "cma-IH": 1})
    check_threads(plan, {"mies": 4})
    with pytest.raises(ValueError, match="Trials of mies are planned with 2 threads, and this run gives them 1"):
        check_threads(plan, {"cma-IH": 1, "mies": 1})
