"""Ports: samples of a compiled strategy against those of the one it stands for, on numbers made by hand."""

import pandas as pd
import pytest
from table_rows import B, line, plan, runs_table, study, trial, trials

from unbounded.report.summary import port_lines
from unbounded.tables.ports import TABLE as ports_table

SAME, OTHER = "mixed-D4-t0-TC0-c1e1-E50", "mixed-D4-t0-TC0-c1e1-E80"
SEEDS = list(range(1, 9))


def made() -> pd.DataFrame:
    rows = [
        trial(instance, solver, seed, f=f(solver, seed), evaluations=100 + seed, cpu_seconds=seconds)
        for instance, f in (
            (SAME, lambda solver, seed: 1000.0 + 10 * seed + (5 if solver == "fast" else 0)),
            (OTHER, lambda solver, seed: 1000.0 + seed if solver == "fast" else 2000.0 + seed),
        )
        for solver, seconds in (("slow", 6.0), ("fast", 0.5))
        for seed in SEEDS
    ]
    rows += [trial(B, "fast", seed, 1000.0) for seed in SEEDS]
    table = trials(*rows)
    solvers = {"slow": SEEDS, "fast": SEEDS}
    planned = plan(study("p", [SAME, OTHER, B], solvers, type="port", reference="slow"), study("b", [SAME], solvers))
    return ports_table(runs_table(table, planned))


def test_samples_that_differ_are_told_apart_and_others_are_not() -> None:
    table = made()
    assert set(table["study"]) == {"p"}
    # The reference was not run on B: nothing is compared there.
    assert set(table["instance"]) == {SAME, OTHER}
    same, other = (line(table, instance=id, measure="f") for id in (SAME, OTHER))
    assert (same["solver"], same["reference"], same["n"], same["reference_n"]) == ("fast", "slow", 8, 8)
    assert (same["median"], same["reference_median"]) == (1050.0, 1045.0)
    assert not same["significant"]
    # All 8 lie below all 8: two of the C(16, 8) = 12870 orders are as extreme; four lines are corrected together.
    assert other["p"] == pytest.approx(2 / 12870)
    assert other["p_holm"] == pytest.approx(4 * 2 / 12870)
    assert other["significant"]
    assert other["effect"] == 1.0
    evaluations = line(table, instance=OTHER, measure="evaluations")
    assert (evaluations["median"], evaluations["reference_median"], evaluations["p_holm"]) == (104.5, 104.5, 1.0)
    assert other["times_faster"] == pytest.approx(12.0)


def test_the_page_sums_a_study_of_ports_up_in_a_line() -> None:
    (told,) = port_lines(made(), {"fast": "compiled"})
    assert told["pair"] == "compiled – slow"
    assert (told["instances"], told["different"], told["faster"]) == (2, {"f": 1, "evaluations": 0}, "12")
    # |1050/1045 − 1| and |1004.5/2004.5 − 1|: their median is the mean of both.
    assert told["apart"] == "25 %"
