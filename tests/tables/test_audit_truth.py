"""Published results against proven optima, on files and optima made by hand."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from published_files import (
    NODE,
    audited,
    cplex_line,
    cplex_line_without_a_point,
    found,
    id_of,
    log_file,
    log_text,
    posed,
    strategy_file,
    table_of_cplex,
    towards,
)

from unbounded.cli import main
from unbounded.instances import build
from unbounded.instances.relaxation import solve_relaxation
from unbounded.tables.audit_classes import classes
from unbounded.tables.audit_logs import TABLE as audit_logs
from unbounded.tables.audit_page import audit
from unbounded.tables.audit_truth import TABLE as audit_truth
from unbounded.tables.audit_truth_counts import TABLE as audit_truth_counts
from unbounded.tables.files import read
from unbounded.tables.published import read_checkout

DEMO = Path(__file__).parents[2] / "config" / "demo.yaml"
ZERO = id_of(8, "1e4")


def value(id: str, share: float, reading: str = "full") -> float:
    """f of the point that the files store for a share."""
    return posed(id, reading).verify(towards(id, share)).f


def proven(optima: dict[str, float], status: str = "proven") -> pd.DataFrame:
    """The table `best_known` of a campaign that proved these."""
    lines = [{"instance": id, "best_f": f, "bound": f, "status": status} for id, f in optima.items()]
    return pd.DataFrame(lines, columns=["instance", "best_f", "bound", "status"])


def truth_of(root: Path, best_known: pd.DataFrame | None) -> pd.DataFrame:
    return audit_truth(audited(root), audit_logs(read_checkout(root)), best_known)


def line_of(table: pd.DataFrame, solver: str, id: str) -> pd.Series:
    (line,) = (row for _, row in table[(table["solver"] == solver) & (table["instance"] == id)].iterrows())
    return line


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """CPLEX on the full reading and cma-IH on the block one, untranslated and translated."""
    root = tmp_path / "clone"
    lines = []
    for tc, t in ((0, "0"), (6, "0"), (6, "1e4")):
        strategy_file(root, "CMA", tc, [0.15, 0.05], "block", t=t)
        lines.append(cplex_line(tc, 0.1261, t=t))
    strategy_file(root, "CMA", 8, [1.0], "block", "1e4")
    table_of_cplex(root, [*lines, cplex_line(8, 1.0, c="1e4"), cplex_line_without_a_point(8)])
    return root


@pytest.mark.parametrize(
    ("lowest", "highest", "optimum", "zero", "word"),
    [
        (100.0, 100.0, 100.0, False, "optimal"),
        (100.009, 100.009, 100.0, False, "optimal"),
        (100.011, 100.011, 100.0, False, "close"),
        (100.11, 100.11, 100.0, False, "similar"),
        (101.1, 101.1, 100.0, False, "worse"),
        (99.995, 99.995, 100.0, False, "optimal"),
        (99.98, 99.98, 100.0, False, "below"),
        (100.0, 100.02, 100.0, False, "undecided"),
        (0.00009, 0.00009, 0.0, True, "optimal"),
        (0.0009, 0.0009, 0.0, True, "close"),
        (0.02, 0.02, 0.0, True, "worse"),
        (np.nan, np.nan, 100.0, False, "no point"),
        (100.0, 100.0, np.nan, False, ""),
    ],
)
def test_values_are_classed_by_their_distance_from_the_optimum(
    lowest: float, highest: float, optimum: float, zero: bool, word: str
) -> None:
    assert classes([lowest], [highest], [optimum], [zero]).tolist() == [word]


def test_each_solver_is_held_against_the_optimum_of_the_form_that_it_solved(checkout: Path) -> None:
    id = id_of(6)
    full, block = value(id, 0.1261), value(id, 0.15, "block")
    assert abs(full / block - 1) > 0.01
    table = truth_of(checkout, proven({id: full, f"{id}-block": block / 1.005}))
    cplex, strategy = line_of(table, "cplex", id), line_of(table, "cma-IH", id)
    assert (cplex["problem"], cplex["optimum"], cplex["claimed_class"]) == (id, full, "optimal")
    assert (strategy["problem"], strategy["claimed_class"]) == (f"{id}-block", "similar")
    assert strategy["distance"] == pytest.approx(0.005)
    assert strategy["recomputed_class"] == "similar"


def test_a_translated_instance_has_the_optimum_of_the_untranslated_one(checkout: Path) -> None:
    table = truth_of(checkout, proven({f"{id_of(6)}-block": value(id_of(6), 0.15, "block")}))
    moved = line_of(table, "cma-IH", id_of(6, t="1e4"))
    assert (moved["problem"], moved["recomputed_class"]) == (f"{id_of(6)}-block", "optimal")


def test_rounding_that_leaves_the_class_open_is_said_to(checkout: Path) -> None:
    # Near 10⁴, five digits are half a unit.
    id = id_of(6, t="1e4")
    table = truth_of(checkout, proven({id_of(6): value(id_of(6), 0.1261)}))
    line = line_of(table, "cplex", id)
    assert line["best_f_rounding"] > 0.01 * line["optimum"]
    assert (line["claimed_class"], line["recomputed_class"]) == ("optimal", "undecided")


def test_counts_part_zero_optima_and_leave_out_what_is_not_proven(checkout: Path) -> None:
    optima = {id_of(6): value(id_of(6), 0.1261), id_of(8): 10.0, f"{ZERO}-block": 0.0}
    best_known = pd.concat([proven(optima), proven({ZERO: 0.0}, "certified")])
    counts = audit_truth_counts(truth_of(checkout, best_known))
    every = counts[(counts["case"] == "all") & (counts["values"] == "claimed") & (counts["t"] == 0)]
    every = every.set_index(["solver", "optima"])
    cplex = every.loc[("cplex", "above 0")]
    assert cplex[["optimal", "no_point", "proven", "instances"]].tolist() == [1, 1, 2, 3]
    assert every.loc[("cplex", "zero"), ["optimal", "proven", "instances"]].tolist() == [0, 0, 1]
    assert every.loc[("cma-IH", "zero"), ["optimal", "proven", "instances"]].tolist() == [1, 1, 1]
    cases = counts[(counts["solver"] == "cplex") & (counts["values"] == "claimed") & (counts["t"] == 0)]
    cases = cases[cases["optima"] == "above 0"].set_index("case")
    assert cases["optimal"].to_dict() == {"all": 1, "TC0": 0, "TC6": 1, "TC8": 0}
    assert cases["no_point"].to_dict() == {"all": 1, "TC0": 0, "TC6": 0, "TC8": 1}
    words = ["optimal", "close", "similar", "worse", "below", "undecided", "no_point"]
    assert (counts[words].sum(axis=1) == counts["proven"]).all()


def node(bound: float) -> str:
    """A last line of the table of nodes that shows this bound."""
    return NODE.replace("6607.5313", f"{bound:.4f}")


def test_values_below_the_optimum_and_bounds_above_it_are_held_against_cplex(checkout: Path) -> None:
    id = id_of(0)
    x, f = towards(id, 0.1261), value(id, 0.1261)

    def held(claimed: float, objective: float, bound: float, optimum: float) -> list[bool]:
        log_file(checkout, 0, log_text(found(x, objective, claimed), node(bound)))
        head = cplex_line(0, 0.1261).split()[:9]
        table_of_cplex(checkout, [" ".join([*head, str(claimed), *map(str, x)])])
        line = line_of(truth_of(checkout, proven({id: optimum})), "cplex", id)
        return line[["claim_below", "objective_below", "bound_above"]].tolist()

    instance = build(id)
    u = 1e-3 * np.sqrt(instance.n_z)
    g = 1e-3 + 2 * np.sqrt(30) * u + u**2
    worth = 2 * np.sqrt(f) * u + u**2 + solve_relaxation(instance).multiplier * g
    slack = 1e-5 * f
    assert held(f, f, f - 1, f) == [False, False, False]
    assert held(f - 0.99 * worth, f - 0.99 * worth, f, f) == [False, False, False]
    assert held(f - 1.01 * worth - slack, f, f, f) == [True, False, False]
    assert held(f, f - 1.01 * worth - slack - 1e-3, f, f) == [False, True, False]
    assert held(f, f, f + slack + 0.9e-3, f) == [False, False, False]
    assert held(f, f, f + slack + 1.2e-3, f) == [False, False, True]


def test_a_feasible_vector_below_a_proven_optimum_contradicts_it(checkout: Path, tmp_path: Path) -> None:
    id = f"{id_of(6)}-block"
    lowest = value(id_of(6), 0.15, "block")
    right = audit(checkout, tmp_path / "right", proven({id: lowest}))
    assert "No stored vector that is feasible lies below the proven optimum" in right
    wrong = audit(checkout, tmp_path / "wrong", proven({id: lowest * 1.001}))
    named = f"cma-IH on {id_of(6)}, cma-IH on {id_of(6, t='1e4')}"
    assert f"lie below optima that are said to be proven: {named}" in wrong


def test_the_page_counts_and_lists_what_cplex_missed(checkout: Path, tmp_path: Path) -> None:
    id = id_of(6)
    f = value(id, 0.1261)
    log_file(checkout, 6, log_text(found(towards(id, 0.1261), 107, f), node(106.5), seconds=0.3))
    log_file(checkout, 8, log_text("<<< no solution", node(1.0), seconds=3600.5))
    page = audit(checkout, tmp_path / "out", proven({id: f / 1.02, id_of(8): 10.0, id_of(0): value(id_of(0), 0.1261)}))
    assert "| mixed | 8 | 0 | 3 | 1 | 2 | 1 | 1 | 0.3 | 1 | 1 | TC6, TC8 | 10 |" in page
    assert f"| {id} | {f:g} | {f / 1.02:g} | 0.02 | 0.3 | " in page
    assert re.search(rf"\| {id} \| {f / 1.02:g} \| {f:g} \| 107 \| 106.5 \| .* \| bound above the optimum \|", page)


def test_without_optima_the_columns_are_empty_and_the_page_says_how_to_get_them(checkout: Path, tmp_path: Path) -> None:
    page = audit(checkout, tmp_path / "out")
    assert "snakemake --cores all --configfile config/truth.yaml" in page
    table = read(tmp_path / "out" / "audit_truth.parquet")
    assert table[["optimum", "status", "claimed_distance", "distance", "allowance"]].isna().all(axis=None)
    assert not table[["claim_below", "objective_below", "bound_above", "contradiction"]].any(axis=None)
    assert set(table["claimed_class"]) == set(table["recomputed_class"]) == {""}
    assert read(tmp_path / "out" / "audit_truth_counts.parquet")["proven"].eq(0).all()


def test_the_command_takes_the_optima_of_a_campaign_that_was_run(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["audit", str(checkout), "-o", str(tmp_path / "out"), "--truth", str(DEMO)]
    assert main(command) == 2
    refused = capsys.readouterr().err
    assert "results/demo/tables/best_known.parquet is not there" in refused
    assert f"snakemake --cores all --configfile {DEMO}" in refused
    folder = tmp_path / "results" / "demo" / "tables"
    folder.mkdir(parents=True)
    proven({id_of(0): value(id_of(0), 0.1261)}).to_parquet(folder / "best_known.parquet")
    assert main(command) == 0
    assert "1 problems with a proven optimum" in capsys.readouterr().out
