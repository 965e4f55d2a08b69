"""Figures of runtimes and profiles: steps by hand, every solver told by more than colour, captions with the numbers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from figure_tables import files, run, table, texts

from unbounded.figures import anytime as figures
from unbounded.tables.anytime import TABLE as ANYTIME
from unbounded.tables.expected_runtimes import TABLE as expected_runtimes_table
from unbounded.tables.profiles import TABLE as profiles_table
from unbounded.tables.targets import TARGETS


def line(solver: str, seed: int, target: float, seconds: float | None, spent: float = 10.0) -> dict:
    evaluations = None if solver == "cplex" or seconds is None else round(100 * seconds)
    return {
        "study": "benchmark",
        "type": "benchmark",
        "group": "mixed-D8-t0",
        "instance": "mixed-D8-t0-TC0-c1e1-E30",
        "solver": solver,
        "seed": seed,
        "target": target,
        "reached": seconds is not None,
        "evaluations": evaluations,
        "cpu_seconds": np.nan if seconds is None else seconds,
        "spent_evaluations": None if solver == "cplex" else round(100 * spent),
        "spent_cpu_seconds": spent,
    }


RUNS = table(
    run(100.0, solver="cplex"),
    run(100.0, seed=1),
    run(104.0, seed=2),
    run(None, seed=3),
    run(None, seed=4, status="missing"),
)


def anytime() -> pd.DataFrame:
    lines = [line("cplex", 1, target, 2.0) for target in TARGETS]
    lines += [line("mies", 1, target, 4.0 + k) for k, target in enumerate(TARGETS)]
    lines += [line("mies", 2, target, 5.0 if target > 0.01 else None) for target in TARGETS]
    lines += [line("mies", 3, target, None) for target in TARGETS]
    return ANYTIME.shape(pd.DataFrame(lines))


def profiles() -> pd.DataFrame:
    return profiles_table(expected_runtimes_table(anytime()))


def test_a_share_rises_with_each_time_and_counts_those_that_never_got_there() -> None:
    x, y = figures.steps(np.array([1.0, 2.0, 2.0, 5.0]), 8)
    assert x.tolist() == [1.0, 2.0, 5.0]
    assert y.tolist() == [1 / 8, 3 / 8, 4 / 8]
    x, y = figures.steps(np.array([]), 8)
    assert len(x) == len(y) == 0


def test_runtimes_are_drawn_in_seconds_for_all_and_in_evaluations_for_those_that_count(tmp_path: Path) -> None:
    figures.draw_runtimes(anytime(), RUNS, files(tmp_path), labels={"mies": "MIES"})
    said = texts(tmp_path / "figure.svg")
    for expected in (
        "MIES",
        "cplex",
        "[A] all targets",
        "[B] all targets",
        "CPU seconds of all threads",
        "evaluations",
    ):
        assert expected in said
    assert (tmp_path / "figure.png").stat().st_size > 0
    alone = anytime().query("solver == 'cplex'")
    figures.draw_runtimes(alone, RUNS[RUNS["solver"] == "cplex"], files(tmp_path, "alone"))
    assert "evaluations" not in texts(tmp_path / "alone.svg")


@pytest.mark.parametrize("view", ["targets", "profiles"])
def test_every_target_has_a_panel(tmp_path: Path, view: str) -> None:
    shown = profiles() if view == "profiles" else anytime()
    getattr(figures, f"draw_{view}")(shown, RUNS, files(tmp_path)[:1])
    said = texts(tmp_path / "figure.svg")
    for expected in ("[A] target 10⁻¹", "[F] target 10⁻⁶", "mies", "cplex"):
        assert expected in said


def test_nothing_reached_is_drawn_too(tmp_path: Path) -> None:
    nothing = anytime().assign(reached=False, cpu_seconds=np.nan, evaluations=pd.NA).astype(ANYTIME.types)
    figures.draw_runtimes(nothing, RUNS, files(tmp_path, "runtimes")[:1])
    figures.draw_profiles(profiles().iloc[:0], RUNS, files(tmp_path, "profiles")[:1])
    assert "cplex" in texts(tmp_path / "runtimes.svg")
    assert "cplex" in texts(tmp_path / "profiles.svg")
    assert "cplex 0 %" in figures.caption_runtimes(nothing, RUNS)


def test_no_two_solvers_look_alike_without_colour() -> None:
    solvers = [f"solver-{number}" for number in range(12)]
    looks = [figures._look(number, solvers) for number in range(12)]
    assert len({(str(look["linestyle"]), look["marker"]) for look in looks}) == 12


def test_captions_say_the_shares_and_what_they_stand_on() -> None:
    said = figures.caption_runtimes(anytime(), RUNS, budgets={"mies": ("evaluations", 1000)})
    for expected in (
        "by CPU seconds of all threads and evaluations",
        "In the end: mies 39 %; cplex 100 %.",  # 7 of 18 pairs
        "Targets are 10⁻¹, 10⁻², 10⁻³, 10⁻⁴, 10⁻⁵ and 10⁻⁶ above the best value known",
        "certified, by a bound at most 0.1 % below it, on 1 of 1 instance.",
        "at most 3 % late",
        "mies 1,000 evaluations",
        "Stands on 4 of 5 planned runs, 3 of them with a verified solution.",
    ):
        assert expected in said
    assert "optimum is zero" not in said
    assert "absolute on 1 instance whose optimum is zero" in figures.caption_runtimes(
        anytime(), RUNS.assign(zero_optimum=True)
    )
    assert "mies 67 / 33 / 33 / 33 / 33 / 33; cplex 100 / 100" in figures.caption_targets(anytime(), RUNS)
    assert "mies 100 / 100 / 100 / 100 / 100 / 100; cplex" in figures.caption_profiles(profiles(), RUNS)


def test_slices_are_not_mixed(tmp_path: Path) -> None:
    mixed = pd.concat([RUNS, table(run(100.0, t=1e4))])
    with pytest.raises(ValueError, match="one group"):
        figures.draw_runtimes(anytime(), mixed, files(tmp_path))
