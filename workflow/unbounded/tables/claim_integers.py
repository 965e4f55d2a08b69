"""Statements about Δz, the share of wrong integers, of runs on the suite at D = 64 (paper's section on discrepancy).

The paper compares with CPLEX's integers, here it is the proven optimum's: a statement needs it on all its instances.
"""

from __future__ import annotations

import pandas as pd

from unbounded.tables.claim_answers import HALF, Measured, answer, join, runs_a_cell
from unbounded.tables.evidence import PAPER_D, PAPER_E, Evidence, NotMeasured, demand_all, missing
from unbounded.tables.measures import SIMILAR, median_with_failures, within
from unbounded.tables.rank_tests import ALPHA, holm, rank_sum

#: Solutions are far from the optimum if at least this share of their integers is wrong.
FAR = 0.5


def _runs(evidence: Evidence, solver: str, tc: int, least_c: float) -> tuple[pd.DataFrame, str]:
    """Return a strategy's runs on a test case from some c on, with remarks; every optimum must be proven."""
    cells = evidence.suite("benchmark", 0.0)
    cells = cells[(cells["tc"] == tc) & (cells["c"] >= least_c)]
    where = f"its benchmark of TC-{tc} at D = {PAPER_D}"
    id, stands_in = evidence.identify(solver, cells["solver"].unique(), where)
    mine = cells[cells["solver"] == id]
    runs = evidence.runs_of(mine)
    open = int((~mine["proven"]).sum())
    if open:
        raise NotMeasured(f"the optimum of {open} instances of TC-{tc} at D = {PAPER_D} is not proven")
    why = join(stands_in, runs_a_cell(id, mine["planned"], 10), evidence.settings(solver, id, mine["instance"]))
    expected = len(PAPER_E) * (2 if least_c > 10 else 6)
    demand_all(int(runs["instance"].nunique()), missing(mine), "", expected)
    return runs, why


def mies_lower_on_tc3(evidence: Evidence) -> Measured:
    """Measure whether mies has fewer wrong integers than cma-IH on TC-3 with c ≥ 10⁵, instance by instance.

    Rank tests with Holm's correction over the eight instances; runs without a solution rank above all others. It agrees
    where more than half of them are significant and none is the other way.
    """
    mies, why = _runs(evidence, "mies", 3, 1e5)
    cma, more = _runs(evidence, "cma-IH", 3, 1e5)
    mine, theirs = (dict(list(runs.groupby("instance")["delta_z_proven"])) for runs in (mies, cma))
    tests = [rank_sum(mine[instance], theirs[instance]) for instance in mine]
    significant = holm([p for p, _ in tests]) < ALPHA
    lower = sum(bool(s) and effect > 0.5 for s, (_, effect) in zip(significant, tests, strict=True))
    higher = sum(bool(s) and effect < 0.5 for s, (_, effect) in zip(significant, tests, strict=True))
    medians = [median_with_failures(runs["delta_z_proven"], len(runs)) for runs in (mies, cma)]
    text = (
        f"significantly lower on {lower}, higher on {higher} of {len(tests)} instances; "
        f"medians {medians[0]:.2f} of mies and {medians[1]:.2f} of cma-IH"
    )
    return Measured(text, len(tests), answer(lower > HALF * len(tests) and higher == 0), join(why, more))


def far_on_tc4(evidence: Evidence) -> Measured:
    """Measure whether cma-IH's good runs on TC-4, within 1 % of the optimum, have most of their integers wrong."""
    runs, why = _runs(evidence, "cma-IH", 4, 10.0)
    good = runs[within(runs["normalised_optimum"], SIMILAR)]
    far = int((good["delta_z_proven"] >= FAR).sum())
    text = f"{len(good)} of {len(runs)} runs within 1 % of the optimum"
    text += f", {far} of them with at least half of the integers wrong" if len(good) else ""
    cells = int(runs["instance"].nunique())
    return Measured(text, cells, answer(len(good) > HALF * len(runs) and far > HALF * len(good)), why)
