"""The audit of published results, on files of the same layout whose problems are known by construction."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from published_files import (
    CASES,
    audited,
    cplex_line,
    cplex_line_without_a_point,
    found,
    id_of,
    log_file,
    log_text,
    strategy_file,
    table_of_cplex,
    towards,
)

from unbounded.instances import build
from unbounded.tables.audit_cells import TABLE as audit_cells
from unbounded.tables.audit_counts import TABLE as audit_counts
from unbounded.tables.audit_logs import TABLE as audit_logs
from unbounded.tables.audit_page import audit
from unbounded.tables.files import read
from unbounded.tables.published import read_checkout
from unbounded.tables.registry import of_audit

MEANT = [(0, "same"), (6, "full"), (6, "block"), (8, "full"), (8, "block")]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """CPLEX on the full reading, the strategies on the block one."""
    root = tmp_path / "clone"
    for tc in CASES:
        strategy_file(root, "CMA", tc, [0.15, 0.052, 0.9], "block")
        strategy_file(root, "ES", tc, [0.103, 0.054], "block")
    strategy_file(root, "CMA", 8, [1.0], "block", "1e4")
    strategy_file(root, "ES", 8, [0.5], "block", "1e4")
    lines = [cplex_line(0, 0.1261), cplex_line(6, 0.1261), cplex_line(8, 0.1261), cplex_line(8, 1.0, c="1e4")]
    table_of_cplex(root, lines)
    return root


def forms(runs: pd.DataFrame, solver: str, tc: int, c: float = 10.0) -> list[str]:
    return runs[(runs["solver"] == solver) & (runs["tc"] == tc) & (runs["c"] == c)]["reading"].tolist()


def test_each_run_is_found_to_have_solved_the_form_that_it_claims(checkout: Path) -> None:
    runs = audited(checkout)
    for tc, by_strategy, by_cplex in ((0, "same", "same"), (6, "block", "full"), (8, "block", "full")):
        assert forms(runs, "cma-IH", tc) == [by_strategy] * 3
        assert forms(runs, "mies", tc) == [by_strategy] * 2
        assert forms(runs, "cplex", tc) == [by_cplex]


def test_integers_that_are_whole_only_to_a_tolerance_leave_the_form_known_and_the_claim_unmet(checkout: Path) -> None:
    table_of_cplex(checkout, [cplex_line(tc, 0.1261, reading, fractional=1e-3) for tc, reading in MEANT])
    runs = audited(checkout)
    runs = runs[runs["solver"] == "cplex"]
    assert runs[["tc", "reading"]].to_numpy().tolist() == [list(pair) for pair in MEANT]
    assert set(runs["claim"]) == {""}


def test_at_the_common_optimum_a_run_is_taken_for_what_its_solver_solved_elsewhere(checkout: Path) -> None:
    runs = audited(checkout)
    assert forms(runs, "cma-IH", 8, 1e4) == forms(runs, "cplex", 8, 1e4) == ["either"]
    there = runs[(runs["c"] == 1e4) & (runs["reading"] == "either")].set_index("solver")
    assert there["solved"].to_dict() == {"cma-IH": "block", "cplex": "full"}
    assert there["zero_optimum"].all()
    assert not runs[runs["c"] == 10]["zero_optimum"].any()


def test_values_are_recomputed_and_infeasible_claims_hold_the_published_penalty(checkout: Path) -> None:
    runs = audited(checkout)
    run = runs[(runs["solver"] == "cma-IH") & (runs["tc"] == 6) & (runs["run"] == 2)].iloc[0]
    point = towards(id_of(6), 0.9)
    full, block = (build(id_of(6) + suffix).verify(point) for suffix in ("", "-block"))
    assert (run["f_full"], run["f_block"], run["f"]) == pytest.approx((full.f, block.f, block.f))
    assert run["claimed"] == pytest.approx(block.f + 1e4 * 32**2 * block.violation**2)
    assert (run["claim"], run["feasible"]) == ("f + penalty (32)", "no")
    assert run["violation"] == pytest.approx(block.violation)
    feasible = runs[(runs["solver"] == "cma-IH") & (runs["run"] == 0)]
    assert set(feasible["claim"]) == {"f"}


def test_rounded_vectors_are_judged_within_their_rounding(tmp_path: Path, checkout: Path) -> None:
    # Where g = E, five digits decide over feasibility.
    id = id_of(0, t="1e4")
    instance = build(id)
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if instance.verify(towards(id, middle)).g <= 30 else (low, middle)
    strategy_file(checkout, "CMA", 0, [low], "full", t="1e4")
    strategy_file(checkout, "ES", 0, [low / 2], "full", t="1e4")
    table_of_cplex(checkout, [cplex_line(0, share, t="1e4") for share in (low + 1e-9, 0.99)])
    runs = audited(checkout)
    near, far = runs[(runs["solver"] == "cplex") & (runs["t"] == 1e4)].to_dict("records")
    assert near["reading"] == "same"
    assert near["g_rounding"] > 0.1
    assert near["feasible"] in ("yes", "undecided")
    assert far["feasible"] == "no"
    exact = runs[(runs["solver"] == "cma-IH") & (runs["t"] == 1e4)].iloc[0]
    assert (exact["feasible"], exact["g_rounding"]) == ("yes", 0.0)


def test_counts_are_made_with_and_without_the_cells_of_different_problems(checkout: Path) -> None:
    cells = audit_cells(audited(checkout))
    counts = audit_counts(cells)
    assert set(cells[cells["same_problem"]]["tc"]) == {0}
    assert set(cells[~cells["same_problem"]]["tc"]) == {6, 8}
    row = cells[(cells["solver"] == "cma-IH") & (cells["tc"] == 0)].iloc[0]
    assert (row["runs"], row["feasible"]) == (3, 2)
    assert row["best_f"] == pytest.approx(build(id_of(0)).verify(towards(id_of(0), 0.15)).f)
    assert row["verdict_best_f"] == "better"
    for solver in ("cma-IH", "mies"):
        part = counts[counts["solver"] == solver].set_index(["values", "which"])
        assert part["cells"].tolist() == [4, 1, 4, 1]
        assert (part[["better", "similar", "worse", "neither"]].sum(axis=1) == part["cells"]).all()
        expected = cells[cells["solver"] == solver]["verdict_claimed_best"].value_counts()
        assert part.loc[("claimed", "all"), "worse"] == expected.get("worse", 0)
    zero = cells[(cells["solver"] == "cma-IH") & (cells["c"] == 1e4)].iloc[0]
    assert (zero["verdict_claimed_best"], zero["zero_optimum"]) == ("similar", True)


def test_infinities_in_a_line_of_cplex_are_a_run_without_a_point(checkout: Path) -> None:
    table_of_cplex(checkout, [cplex_line(6, 0.1261), cplex_line_without_a_point(8)])
    runs = audited(checkout)
    run = runs[(runs["solver"] == "cplex") & (runs["tc"] == 8)].iloc[0]
    assert (run["reading"], run["claim"], run["feasible"], run["solved"]) == ("no point",) * 3 + ("full",)
    cells = audit_cells(runs)
    absent = cells[cells["tc"] == 8]
    assert set(absent["verdict_claimed_best"]) == set(absent["verdict_best_f"]) == {"better"}
    assert set(absent["reference_solved"]) == {"full"}
    assert absent["reference_claimed_best"].isna().all()


def test_an_instance_that_cplex_was_not_run_on_is_evaluated_and_not_compared(checkout: Path) -> None:
    table_of_cplex(checkout, [cplex_line(0, 0.1261)])
    runs = audited(checkout)
    assert set(runs[runs["solver"] == "cma-IH"]["tc"]) == {0, 6, 8}
    assert set(audit_cells(runs)["tc"]) == {0}


def logged_point(id: str, share: float = 0.1261) -> str:
    """The end of a log with a point that was found under the full reading."""
    x = towards(id, share)
    f = build(id).verify(x).f
    return found(x, f, f)


def test_all_integer_files_are_read_and_cplex_from_its_logs_where_it_has_no_table(checkout: Path) -> None:
    id = id_of(6, kind="integer")
    strategy_file(checkout, "CMA", 6, [0.15], "block", kind="integer")
    path = log_file(checkout, 6, log_text(logged_point(id)), kind="integer")
    # The mixed instances have a table, whose points count.
    log_file(checkout, 8, log_text("<<< no solution"), end="__p0_COMMA")
    runs = audited(checkout)
    run = runs[(runs["solver"] == "cplex") & (runs["kind"] == "integer")].iloc[0]
    assert run["file"].endswith(path.name)
    assert (run["instance"], run["reading"], run["feasible"], run["f_rounding"]) == (id, "full", "yes", 0.0)
    assert path.read_text().splitlines()[run["line"] - 1].startswith("f*:")
    assert runs[(runs["solver"] == "cplex") & (runs["tc"] == 8)]["feasible"].tolist() == ["yes", "yes"]
    cells = audit_cells(runs)
    assert cells[cells["kind"] == "integer"]["same_problem"].tolist() == [False]
    assert set(audit_counts(cells)["kind"]) == {"mixed", "integer"}


def test_what_a_solver_solved_elsewhere_is_asked_of_its_runs_on_the_same_kind(checkout: Path) -> None:
    for c, share in (("1e1", 0.15), ("1e4", 1.0)):
        strategy_file(checkout, "CMA", 8, [share], "full", c, kind="integer")
    runs = audited(checkout)
    at_the_optimum = runs[(runs["solver"] == "cma-IH") & (runs["c"] == 1e4)].set_index("kind")
    assert at_the_optimum["reading"].tolist() == ["either", "either"]
    assert at_the_optimum["solved"].to_dict() == {"mixed": "block", "integer": "full"}


def test_a_claim_without_a_vector_is_said_to_be_that_alone(checkout: Path) -> None:
    log_file(checkout, 6, log_text("OBJECTIVE: 12.5"), kind="integer")
    strategy_file(checkout, "CMA", 6, [0.15], "full", kind="integer")
    runs = audited(checkout)
    run = runs[(runs["solver"] == "cplex") & (runs["kind"] == "integer")].iloc[0]
    assert (run["claimed"], run["claim"], run["feasible"]) == (12.5, "no vector", "no vector")
    cell = audit_cells(runs).query("kind == 'integer'").iloc[0]
    assert (cell["reference_claimed_best"], cell["verdict_best_f"]) == (12.5, "better")
    assert pd.isna(cell["reference_best_f"])


def test_a_penalty_is_looked_for_in_costs_of_strategies_alone(checkout: Path) -> None:
    id = id_of(0, kind="integer")
    path = strategy_file(checkout, "CMA", 0, [0.9], "full", kind="integer")
    cost, x = float(path.read_text().split()[1]), towards(id, 0.9)
    log_file(checkout, 0, log_text(found(x, cost, cost)), kind="integer")
    runs = audited(checkout).query("kind == 'integer'").set_index("solver")
    assert runs["f_rounding"].tolist() == [0.0, 0.0]
    assert runs["claim"].to_dict() == {"cma-IH": "f + penalty (32)", "cplex": ""}


def test_logs_tell_times_and_if_the_table_says_the_same(checkout: Path) -> None:
    same, other_claim, other_point, moved = id_of(6), id_of(0), id_of(8), id_of(6, t="1e4")
    log_file(checkout, 6, log_text(logged_point(same), seconds=3600.02), end="__p0_COMMA")
    log_file(checkout, 0, log_text(found(towards(other_claim, 0.1261), 1.0, 1.0)))
    log_file(checkout, 8, log_text(logged_point(other_point).replace("Z*: [-", "Z*: [", 1)))
    log_file(checkout, 8, log_text("<<< no solution"), c="1e4")
    log_file(checkout, 6, log_text("<<< no solution", seconds=36000.5, limit=36000), t="1e4")
    logs = audit_logs(read_checkout(checkout)).set_index("instance")
    said = {same: "same", other_claim: "other", other_point: "other", id_of(8, "1e4"): "other", moved: ""}
    assert logs["in_table"].to_dict() == said
    assert logs.loc[same, ["seconds", "limit", "ending", "stored"]].tolist() == [3600.02, 3600, "time limit", "vector"]
    assert logs.loc[moved, ["seconds", "limit", "stored"]].tolist() == [36000.5, 36000, "no point"]


def test_the_page_says_how_long_cplex_ran_and_how_it_ended(checkout: Path, tmp_path: Path) -> None:
    log_file(checkout, 6, log_text(logged_point(id_of(6)), seconds=3600))
    log_file(checkout, 0, log_text("<<< no solution", node="      0     0     unbounded    14", seconds=0.03))
    log_file(checkout, 8, log_text("<<< no solution", seconds=59))
    log_file(checkout, 6, log_text(found(towards(id_of(6), 0.1), -5.0, 1.0), seconds=2), kind="integer")
    page = audit(checkout, tmp_path / "out")
    assert "| integer | 8 | 0 | 1 | 0 (0%) | 1 (100%) | 1 (100%) | 0 (0%) | 1 | 2 | 3600 |" in page
    assert "From 4 logs. Of 3 that are in CPLEX's tables as well, 1 have the same claim and vector there." in page
    assert "| mixed | 8 | 0 | 3 | 1 (33%) | 2 (67%) | 2 (67%) | 1 (33%) | 0 | 59 | 3600 |" in page
    assert "| kind | D | t | crossed | no point | time limit | unbounded |" in page
    assert "| mixed | 8 | 0 | 0 | 1 | 1 | 1 |" in page


def test_the_page_says_how_many_claimed_wins_compare_different_problems(checkout: Path, tmp_path: Path) -> None:
    table_of_cplex(checkout, [cplex_line(0, 0.01), *(cplex_line_without_a_point(tc) for tc in (6, 8))])
    page = audit(checkout, tmp_path / "out")
    counts = read(tmp_path / "out" / "audit_counts.parquet").query("values == 'claimed' and solver == 'cma-IH'")
    assert counts["better"].tolist() == [3, 1]
    assert "| mixed | 8 | 0 | cma-IH | 3 | 2 | 1 | 1 | 0 | 0 |" in page


def test_commas_part_numbers_as_blanks_do(checkout: Path) -> None:
    before = audited(checkout)
    for path in checkout.rglob("*.dat"):
        path.write_text(path.read_text().replace(" ", ", "))
    pd.testing.assert_frame_equal(audited(checkout), before)


def test_a_claim_that_no_form_meets_is_listed_with_its_place(checkout: Path, tmp_path: Path) -> None:
    path = strategy_file(checkout, "CMA", 6, [0.3, 0.1], "block")
    first, second = path.read_text().splitlines()
    run, _, *x = second.split()
    path.write_text("\n".join([first, " ".join([run, "123.0", *x])]) + "\n")
    page = audit(checkout, tmp_path / "out")
    assert re.search(r"Adam_Cigar _T0_K30_C1e1_p0_COMMA\.dat \| 2 \| neither \| 123 \|", page)


def test_the_command_writes_tables_and_page(checkout: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "audit"
    command = [sys.executable, "-m", "unbounded", "audit", str(checkout), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith((out / "audit.md").read_text())
    assert "6 of 8 comparisons are between different problems" in done.stdout
    for name, declared in of_audit().items():
        table = read(out / f"{name}.parquet")
        assert {column: str(dtype) for column, dtype in table.dtypes.items()} == declared.types
        assert len((out / f"{name}.csv").read_text().splitlines()) == len(table) + 1


def spoil(checkout: Path, how: str) -> None:
    one = next(checkout.rglob("CMA_8_miConstrained_Cigar*"))
    cplex = next(checkout.rglob("*CPLEX*"))
    if how == "word":
        one.write_text(one.read_text().replace("\n", "\nx y\n", 1))
    elif how == "short":
        one.write_text(one.read_text().rstrip().rpartition(" ")[0] + "\n")
    elif how == "name":
        one.rename(one.with_name(one.name.replace("Cigar_", "Bent_")))
    elif how == "index":
        cplex.write_text(cplex_line(0, 0.1).replace("0.000000000000000000e+00", "7.0", 4))
    elif how == "no cplex":
        cplex.unlink()
    elif how == "second log":
        log_file(checkout, 0, log_text("<<< no solution"))
        log_file(checkout, 0, log_text("<<< no solution"), end="__p0_COMMA")
    elif how == "length":
        log_file(checkout, 0, log_text("OBJECTIVE: 1\nX*: [1 2] Z*: [3]\nf*:1.0"))
    elif how == "no strategies":
        for path in checkout.rglob("[CE]*_8_*"):
            path.unlink()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("word", ["Cigar_Cigar _T0_K30_C1e1_p0_COMMA.dat, line 2", "'x y' is not a line of numbers"]),
        ("short", ["COMMA.dat, line 3", "9 numbers", "allowed: 10"]),
        ("name", ["'Bent'", "Cigar, Rote, RE, RotEllipse, Adam"]),
        ("index", ["COMMA_all.dat, line 1", "columns 5 and 6", "allowed: 0, 1, 2"]),
        ("no cplex", ["holds no file {mi,i}Constrained_CPLEX_<D>_COMMA_all.dat", "GuyZep"]),
        ("no strategies", ["holds no file {CMA,ES}_<D>_{mi,i}Constrained", "GuyZep"]),
        ("second log", ["a second log of mixed-D8-t0-TC0-c1e1-E30", "CPLEX_8_miConstrained_Cigar_Cigar_T0_K30_C1e1"]),
        ("length", ["CPLEX_8_miConstrained_Cigar_Cigar_T0_K30_C1e1.dat", "3 numbers", "allowed: D = 8"]),
    ],
)
def test_what_is_missing_or_malformed_is_said_with_its_place(checkout: Path, how: str, words: list[str]) -> None:
    spoil(checkout, how)
    with pytest.raises(ValueError, match=r"COMMA|Bent|C1e1") as refusal:
        read_checkout(checkout)
    for word in words:
        assert word in str(refusal.value)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"absent is no folder; clone github.com/GuyZep"):
        read_checkout(tmp_path / "absent")
