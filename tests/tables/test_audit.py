"""The audit of published results, on files of the same layout whose problems are known by construction."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from unbounded.instances import Instance, build
from unbounded.instances.instance import Penalty
from unbounded.tables.audit import audit, audit_cells, audit_counts, audit_runs
from unbounded.tables.files import read
from unbounded.tables.published import read_checkout
from unbounded.tables.schema import AUDIT_TABLES

#: TC0 has no hadellipse, TC6 has one in f, TC8 in f and g; at c = 10⁴ the optimum of TC8 is 0 at D = 8 too.
CASES = {0: ("Cigar", "Cigar"), 6: ("Adam", "Cigar"), 8: ("Adam", "Adam")}


MEANT = [(0, "same"), (6, "full"), (6, "block"), (8, "full"), (8, "block")]


def id_of(tc: int, c: str = "1e1", t: str = "0") -> str:
    return f"mixed-D8-t{t}-TC{tc}-c{c}-E30"


def posed(id: str, form: str) -> Instance:
    """The instance with its hadellipse, if it has one, in the given form."""
    return build(f"{id}-block" if form == "block" and "TC0" not in id else id)


def towards(id: str, share: float) -> np.ndarray:
    """A point between ξ1, which is feasible, and ξ0, with rounded integers."""
    instance = build(id)
    return instance.round(instance.xi1 + share * (instance.xi0 - instance.xi1))


def strategy_file(root: Path, who: str, tc: int, shares: list[float], form: str, c: str = "1e1", t: str = "0") -> Path:
    """Write the runs of a strategy that saw the given form, with the published penalty."""
    instance = posed(id_of(tc, c, t), form)
    lines = []
    for run, share in enumerate(shares):
        x = towards(id_of(tc, c, t), share)
        f, g = instance.evaluate(x[None, :])
        cost = Penalty(dimension=32).cost(instance, f, g)[0]
        lines.append(" ".join(f"{value:.18e}" for value in (run, cost, *x)))
    folder = root / "data" / "miConstrained" / "8"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{who}_8_miConstrained_{CASES[tc][0]}_{CASES[tc][1]} _T{t}_K30_C{c}_p0_COMMA.dat"
    path.write_text("\n".join(lines) + "\n")
    return path


def cplex_line(tc: int, share: float, form: str = "full", c: str = "1e1", t: str = "0", fractional: float = 0.0) -> str:
    """A line of CPLEX's, x with five digits, f as it was before, at integers that are whole up to `fractional`."""
    x = towards(id_of(tc, c, t), share)
    x[4:] = np.where(x[4:] == 0, 0.0, x[4:] - fractional * np.sign(x[4:]))
    f = posed(id_of(tc, c, t), form).f(x[None, :])[0]
    x[4:] = np.rint(x[4:])
    rounded = [float(f"{value:.4e}") for value in x]
    values = (8, 0, 0, float(t), tc // 3, tc % 3, 30, float(c), 0, f, *rounded)
    return " ".join(f"{value:.18e}" for value in values)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """CPLEX on the full form, the strategies on the block one."""
    root = tmp_path / "clone"
    for tc in CASES:
        strategy_file(root, "CMA", tc, [0.15, 0.052, 0.9], "block")
        strategy_file(root, "ES", tc, [0.103, 0.054], "block")
    strategy_file(root, "CMA", 8, [1.0], "block", "1e4")
    strategy_file(root, "ES", 8, [0.5], "block", "1e4")
    lines = [cplex_line(0, 0.1261), cplex_line(6, 0.1261), cplex_line(8, 0.1261), cplex_line(8, 1.0, c="1e4")]
    (root / "data/miConstrained/8/miConstrained_CPLEX_8_COMMA_all.dat").write_text("\n".join(lines) + "\n")
    return root


def forms(runs: pd.DataFrame, solver: str, tc: int, c: float = 10.0) -> list[str]:
    return runs[(runs["solver"] == solver) & (runs["tc"] == tc) & (runs["c"] == c)]["form"].tolist()


def test_each_run_is_found_to_have_solved_the_form_that_it_claims(checkout: Path) -> None:
    runs = audit_runs(read_checkout(checkout))
    for tc, by_strategy, by_cplex in ((0, "same", "same"), (6, "block", "full"), (8, "block", "full")):
        assert forms(runs, "cma-IH", tc) == [by_strategy] * 3
        assert forms(runs, "mies", tc) == [by_strategy] * 2
        assert forms(runs, "cplex", tc) == [by_cplex]


def test_integers_that_are_whole_only_to_a_tolerance_leave_the_form_known_and_the_claim_unmet(checkout: Path) -> None:
    path = checkout / "data/miConstrained/8/miConstrained_CPLEX_8_COMMA_all.dat"
    path.write_text("\n".join(cplex_line(tc, 0.1261, form, fractional=1e-3) for tc, form in MEANT) + "\n")
    runs = audit_runs(read_checkout(checkout))
    runs = runs[runs["solver"] == "cplex"]
    assert runs[["tc", "form"]].to_numpy().tolist() == [list(pair) for pair in MEANT]
    assert set(runs["claim"]) == {""}


def test_at_the_common_optimum_a_run_is_taken_for_what_its_solver_solved_elsewhere(checkout: Path) -> None:
    runs = audit_runs(read_checkout(checkout))
    assert forms(runs, "cma-IH", 8, 1e4) == forms(runs, "cplex", 8, 1e4) == ["either"]
    there = runs[(runs["c"] == 1e4) & (runs["form"] == "either")].set_index("solver")
    assert there["solved"].to_dict() == {"cma-IH": "block", "cplex": "full"}
    assert there["zero_optimum"].all()
    assert not runs[runs["c"] == 10]["zero_optimum"].any()


def test_values_are_recomputed_and_infeasible_claims_hold_the_published_penalty(checkout: Path) -> None:
    runs = audit_runs(read_checkout(checkout))
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
    path = checkout / "data/miConstrained/8/miConstrained_CPLEX_8_COMMA_all.dat"
    path.write_text(path.read_text() + cplex_line(0, low + 1e-9, t="1e4") + "\n" + cplex_line(0, 0.99, t="1e4") + "\n")
    runs = audit_runs(read_checkout(checkout))
    near, far = runs[(runs["solver"] == "cplex") & (runs["t"] == 1e4)].to_dict("records")
    assert near["form"] == "same"
    assert near["g_rounding"] > 0.1
    assert near["feasible"] in ("yes", "undecided")
    assert far["feasible"] == "no"
    exact = runs[(runs["solver"] == "cma-IH") & (runs["t"] == 1e4)].iloc[0]
    assert (exact["feasible"], exact["g_rounding"]) == ("yes", 0.0)


def test_counts_are_made_with_and_without_the_cells_of_different_problems(checkout: Path) -> None:
    cells = audit_cells(audit_runs(read_checkout(checkout)))
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


def test_where_cplex_has_no_line_it_has_no_solution(checkout: Path) -> None:
    path = checkout / "data/miConstrained/8/miConstrained_CPLEX_8_COMMA_all.dat"
    path.write_text("\n".join(path.read_text().splitlines()[:2]) + "\n")
    cells = audit_cells(audit_runs(read_checkout(checkout)))
    absent = cells[cells["tc"] == 8]
    assert set(absent["verdict_claimed_best"]) == set(absent["verdict_best_f"]) == {"better"}
    assert set(absent["reference_solved"]) == {"full"}
    assert absent["reference_claimed_best"].isna().all()


def test_a_dimension_without_a_file_of_cplex_is_left_out(checkout: Path) -> None:
    before = audit_runs(read_checkout(checkout))
    one = next(checkout.rglob("CMA_8_*"))
    one.with_name(one.name.replace("_8_", "_16_")).write_text("not read\n")
    pd.testing.assert_frame_equal(audit_runs(read_checkout(checkout)), before)


def test_commas_part_numbers_as_blanks_do(checkout: Path) -> None:
    before = audit_runs(read_checkout(checkout))
    for path in checkout.rglob("*.dat"):
        path.write_text(path.read_text().replace(" ", ", "))
    pd.testing.assert_frame_equal(audit_runs(read_checkout(checkout)), before)


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
    for name, columns in AUDIT_TABLES.items():
        table = read(out / f"{name}.parquet")
        assert {column: str(dtype) for column, dtype in table.dtypes.items()} == dict(columns)
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
    elif how == "no strategies":
        for path in checkout.rglob("[CE]*_8_*"):
            path.unlink()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("word", ["Cigar_Cigar _T0_K30_C1e1_p0_COMMA.dat, line 2", "'x y' is not a line of numbers"]),
        ("short", ["COMMA.dat, line 3", "9 numbers", "allowed: 10"]),
        ("name", ["'Bent'", "Cigar, Rote, RE, Adam"]),
        ("index", ["COMMA_all.dat, line 1", "columns 5 and 6", "allowed: 0, 1, 2"]),
        ("no cplex", ["holds no file miConstrained_CPLEX_<D>_COMMA_all.dat", "GuyZep"]),
        ("no strategies", ["holds no file {CMA,ES}_<D>_miConstrained", "GuyZep"]),
    ],
)
def test_what_is_missing_or_malformed_is_said_with_its_place(checkout: Path, how: str, words: list[str]) -> None:
    spoil(checkout, how)
    with pytest.raises(ValueError, match=r"COMMA|Bent") as refusal:
        read_checkout(checkout)
    for word in words:
        assert word in str(refusal.value)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"absent is no folder; clone github.com/GuyZep"):
        read_checkout(tmp_path / "absent")
