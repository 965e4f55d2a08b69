"""Figures of runtimes and profiles: steps by hand, every solver told by more than colour, captions with the numbers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from figure_tables import files, run, table, texts

from unbounded.figures import profiles as profile_figure
from unbounded.figures import runtimes, style, targets
from unbounded.figures.parts import step_lines
from unbounded.tables.anytime import TABLE as ANYTIME
from unbounded.tables.expected_runtimes import TABLE as expected_runtimes_table
from unbounded.tables.profiles import TABLE as profiles_table
from unbounded.tables.targets import TARGETS


def line(solver: str, seed: int, target: float, seconds: float | None, spent: float = 10.0) -> dict:
    evaluations = None if solver == "cplex" or seconds is None else round(100 * seconds)
    return {
        "study": "benchmark",
        "type": "benchmark",
        "slice": "mixed-D8-t0",
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


def drawn_line(x: list[float], shares: list[float], ends: tuple[float, float]) -> list[tuple[float, float]]:
    _, axes = style.figure(1, 1, (2, 2))
    step_lines.line(axes[0, 0], x, shares, ends, {})
    (line,) = axes[0, 0].lines
    assert line.get_drawstyle() == "steps-post"
    return [(float(a), float(b)) for a, b in zip(*line.get_data(), strict=True)]


def test_a_share_rises_with_each_time_and_counts_those_that_never_got_there() -> None:
    points = drawn_line([1.0, 2.0, 2.0, 5.0], [1 / 8] * 4, (0.5, 9.0))
    assert points == [(1.0, 0.0), (1.0, 1 / 8), (2.0, 2 / 8), (2.0, 3 / 8), (5.0, 4 / 8), (9.0, 4 / 8)]
    assert drawn_line([], [], (0.5, 9.0)) == [(0.5, 0.0), (0.5, 0.0), (9.0, 0.0)]


def test_a_profile_ends_at_the_share_of_instances_that_were_solved(tmp_path: Path, monkeypatch) -> None:
    shares: list[float] = []
    monkeypatch.setattr(
        style,
        "save",
        lambda fig, paths: shares.extend(
            max(line.get_ydata()) for part in fig.subfigs for ax in part.axes for line in ax.lines
        ),
    )
    profile_figure.draw(profiles(), RUNS, paths=[])
    table_ = profiles()
    ends = table_[table_["measure"] == "cpu_seconds"].groupby(["target", "solver"])["share"].max()
    assert sorted(shares) == pytest.approx(sorted(ends))


def test_runtimes_are_drawn_in_seconds_for_all_and_in_evaluations_for_those_that_count(tmp_path: Path) -> None:
    runtimes.draw(anytime(), RUNS, paths=files(tmp_path), labels={"mies": "MIES"})
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
    runtimes.draw(alone, RUNS[RUNS["solver"] == "cplex"], paths=files(tmp_path, "alone"))
    assert "evaluations" not in texts(tmp_path / "alone.svg")


@pytest.mark.parametrize("view", ["targets", "profiles"])
def test_every_target_has_a_panel(tmp_path: Path, view: str) -> None:
    shown = profiles() if view == "profiles" else anytime()
    {"profiles": profile_figure, "targets": targets}[view].draw(shown, RUNS, paths=files(tmp_path)[:1])
    said = texts(tmp_path / "figure.svg")
    for expected in ("[A] target 10⁻¹", "[F] target 10⁻⁶", "mies", "cplex"):
        assert expected in said


def test_nothing_reached_is_drawn_too(tmp_path: Path) -> None:
    nothing = anytime().assign(reached=False, cpu_seconds=np.nan, evaluations=pd.NA).astype(ANYTIME.types)
    runtimes.draw(nothing, RUNS, paths=files(tmp_path, "runtimes")[:1])
    profile_figure.draw(profiles().iloc[:0], RUNS, paths=files(tmp_path, "profiles")[:1])
    assert "cplex" in texts(tmp_path / "runtimes.svg")
    assert "cplex" in texts(tmp_path / "profiles.svg")
    assert "cplex 0 %" in runtimes.caption(nothing, RUNS)


def test_no_two_solvers_look_alike_without_colour() -> None:
    solvers = [f"solver-{number}" for number in range(12)]
    looks = [step_lines.look_of(number, solvers) for number in range(12)]
    assert len({(str(look["linestyle"]), look["marker"]) for look in looks}) == 12


def test_captions_say_the_shares_and_what_they_stand_on() -> None:
    said = runtimes.caption(anytime(), RUNS, budgets={"mies": ("evaluations", 1000)})
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
    thinned = runtimes.caption(anytime(), RUNS, trace_points=16)
    assert "of 16 entries a run, so a target may be reached earlier than it seems" in thinned
    assert "at most 3 % late" not in thinned
    assert "optimum is zero" not in said
    assert "absolute on 1 instance whose optimum is zero" in runtimes.caption(anytime(), RUNS.assign(zero_optimum=True))
    assert "mies 67 / 33 / 33 / 33 / 33 / 33; cplex 100 / 100" in targets.caption(anytime(), RUNS)
    assert "mies 100 / 100 / 100 / 100 / 100 / 100; cplex" in profile_figure.caption(profiles(), RUNS)


def test_slices_are_not_mixed(tmp_path: Path) -> None:
    mixed = pd.concat([RUNS, table(run(100.0, t=1e4))])
    with pytest.raises(ValueError, match="one slice"):
        runtimes.draw(anytime(), mixed, paths=files(tmp_path))
