"""Rows are checked anew from their points; what was changed in one is said, whoever changed it."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from unbounded.instances import build
from unbounded.solvers.contract import Budget
from unbounded.trials.reading import read_row
from unbounded.trials.recheck import checked_rows, recheck
from unbounded.trials.row import SCHEMA, write_row
from unbounded.trials.run import Trial, run_trial

INSTANCE = "mixed-D4-t0-TC0-c1e1-E30"
OTHER = "integer-D4-t0-TC4-c1e2-E10"


@pytest.fixture(scope="module")
def row() -> dict[str, Any]:
    return run_trial(Trial(INSTANCE, "mies", "mies", 1, Budget.parse("evaluations=20000")))


@pytest.fixture(scope="module")
def rows(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of every kind: solved, infeasible, without a point, of another instance, translated."""
    infeasible = run_trial(Trial(INSTANCE, "cma-IH", "cma-IH", 1, Budget.parse("evaluations=40"), {"population": 20}))
    skipped = {**row, **dict.fromkeys(("x", "f", "g", "violation", "integrality_error"))}
    skipped |= {"feasible": False, "status": "skipped", "ending": "skipped", "trace": []}
    translated = INSTANCE.replace("t0", "t1e6")
    trials = [
        Trial(OTHER, "lattice", "lattice", 1, Budget.parse("nodes=100000")),
        Trial(translated, "cplex", "cplex", 1, Budget.parse("ticks=200")),
    ]
    return [row, infeasible, skipped, *map(run_trial, trials)]


def check(*rows: dict[str, Any]) -> dict[int, str]:
    return recheck(pa.Table.from_pylist(list(rows), schema=SCHEMA), [None] * len(rows))


def test_rows_of_trials_are_in_order(rows: list[dict[str, Any]]) -> None:
    assert check(*rows) == {}
    assert {row["feasible"] for row in rows} == {True, False}


def test_what_is_wrong_in_a_row_is_said(row: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    assert row["feasible"]
    near = np.array(row["x"]) + np.array([1e-3, 0, 0, 0])
    half = np.array(row["x"]) + np.array([0, 0, 0, 0.5])
    at_half = build(INSTANCE).evaluate(half[None, :])
    inside = {"f": float(at_half[0][0]), "g": float(at_half[1][0]), "violation": max(0.0, float(at_half[1][0]) - 30)}
    best = {**row["trace"][-1], "f": 0.5 * row["f"], "violation": 0.0}
    for changes, text in (
        ({"f": 0.1 * row["f"]}, "f is"),
        ({"g": row["g"] + 1e-6}, "g is"),
        ({"violation": 1e-7 + row["violation"]}, "violation is"),
        ({"x": near.tolist()}, "at its x it is"),
        ({"x": row["x"][:3]}, "x has 3 coordinates, the instance has 4"),
        ({"x": half.tolist(), **inside}, "integer coordinates that are not whole"),
        ({"f": float("nan")}, "f is nan, at its x"),
        ({"x": None}, "without an x"),
        ({"feasible": False}, "called not feasible, with a violation of"),
        ({"status": "gorgeous"}, "status 'gorgeous' is none of optimal, "),
        ({"ending": "gorgeous"}, "ending 'gorgeous' is none of optimal, "),
        ({"status": "optimal", "ending": "budget"}, "status optimal does not go with ending budget"),
        ({"status": "incumbent", "ending": "budget"}, "status incumbent does not go with ending"),
        ({"status": "skipped", "ending": "skipped"}, "status skipped does not go with a point that is feasible"),
        ({"instance_digest": "0123456789abcdef"}, "instance_digest is 0123456789abcdef, the arrays have"),
        ({"cpu_seconds": -1.0}, "cpu_seconds is -1"),
        ({"evaluations": None}, "evaluations is nan"),
        ({"trace": [*row["trace"], best]}, "its trace has a feasible point with f ="),
        ({"instance": "mixed-D4"}, "mixed-D4"),
    ):
        found = check(*rows, {**row, **changes})
        assert list(found) == [len(rows)], text
        assert text in found[len(rows)]


def test_what_was_planned_is_compared(row: dict[str, Any], tmp_path: Path) -> None:
    good, short, foreign, broken = (tmp_path / f"{number}.parquet" for number in range(4))
    for path, changes in ((good, {}), (short, {"budget_amount": 2000.0}), (foreign, {"seed": 7})):
        write_row({**row, **changes}, path)
    broken.write_bytes(good.read_bytes()[:-1])
    _, wrong = checked_rows(dict.fromkeys((good, short, foreign, broken), row))
    assert wrong == {
        short: "not as planned: budget_amount is 2000.0, planned 20000.0",
        foreign: f"the row of another trial: {INSTANCE} by mies with seed 7",
        broken: wrong[broken],
    }
    options = json.dumps({**json.loads(row["options"]), "sigma": 9}, sort_keys=True)
    assert "option sigma is None, planned 9" in checked_rows({good: {**row, "options": options}})[1][good]


def test_a_flipped_bit_changes_no_value_silently(row: dict[str, Any], tmp_path: Path) -> None:
    """Pages carry checksums; what the footer says of them may be wrong without harm, but then the values are right."""
    path = tmp_path / "1.parquet"
    write_row(row, path)
    whole = path.read_bytes()
    told = read_row(whole)
    assert isinstance(told, pa.Table)
    generator = random.Random(1)
    silent = []
    for _ in range(600):
        flipped = bytearray(whole)
        place = generator.randrange(len(whole))
        flipped[place] ^= 1 << generator.randrange(8)
        found = read_row(bytes(flipped))
        if isinstance(found, pa.Table) and not found.equals(told) and not recheck(found, [row]):
            silent.append(place - len(whole))
    assert silent == []
