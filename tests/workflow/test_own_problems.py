"""Problems from files go through solvers, tables, figures, page and archive; docs/own-problems.md does as it says."""

import re
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from harness import running
from harness.examples import Example

DOCS = Example("own-problems.md")
STRATEGIES = ("mies", "cma-IH-fast")


def problem(seed: int, D: int, n_r: int, E: float) -> dict[str, Any]:
    """Arrays without any structure, around centres that are not whole."""
    rng = np.random.default_rng(seed)

    def matrix() -> Any:
        Q = np.linalg.qr(rng.normal(size=(D, D)))[0]
        H = Q @ np.diag(10.0 ** rng.uniform(-0.5, 0.5, D)) @ Q.T
        return (H + H.T) / 2

    centres = {"xi0": rng.normal(size=D) * 4, "xi1": rng.normal(size=D) * 2}
    return {"Hf": matrix(), "Hg": matrix(), **centres, "E": E, "integer": np.arange(D) >= n_r}


PROBLEMS = {"one-real": problem(1, 4, 1, 12.0), "whole": problem(2, 4, 0, 20.0)}


def optimum(Hf: Any, Hg: Any, xi0: Any, xi1: Any, E: float, integer: Any) -> float:
    """The least f, by looking at every integer vector in the box; with one real, at its best for each of them."""
    n_r = int((~integer).sum())
    assert n_r <= 1
    half = np.sqrt(E * np.diagonal(np.linalg.inv(Hg)))
    ranges = [range(int(np.ceil(a)), int(np.floor(b)) + 1) for a, b in zip(xi1 - half, xi1 + half, strict=True)]
    best = np.inf
    for z in product(*ranges[n_r:]):
        x = np.concatenate([xi1[:n_r], z])
        if n_r:
            # g is a parabola of the real, f is another: the best is the vertex of f, or the nearer end of g ≤ E.
            a, b, k = Hg[0, 0], Hg[0, 1:] @ (x - xi1)[1:], (x - xi1)[1:] @ Hg[1:, 1:] @ (x - xi1)[1:] - E
            if b * b < a * k:
                continue
            low, high = ((-b + sign * np.sqrt(b * b - a * k)) / a + xi1[0] for sign in (-1, 1))
            x[0] = np.clip(xi0[0] - Hf[0, 1:] @ (x - xi0)[1:] / Hf[0, 0], low, high)
        if (x - xi1) @ Hg @ (x - xi1) <= E * (1 + 1e-12):
            best = min(best, (x - xi0) @ Hf @ (x - xi0))
    return float(best)


@pytest.fixture
def own(workflow) -> Any:
    """A folder with the campaign of the docs, called tiny, and problems."""
    workflow.write({**yaml.safe_load(DOCS.block("yaml")), "name": "tiny"})
    (workflow.folder / "problems").mkdir()
    for name, arrays in PROBLEMS.items():
        np.savez(workflow.folder / "problems" / f"{name}.npz", **arrays)
    return workflow


@pytest.fixture
def unbounded(own) -> Callable[..., str]:
    return partial(running.unbounded, folder=own.folder)


def test_problems_from_files_go_all_the_way_to_the_page(own, unbounded) -> None:
    own.run()
    tables = own.results / "tables"
    known = pd.read_parquet(tables / "best_known.parquet").set_index("instance")
    runs = pd.read_parquet(tables / "runs.parquet")
    assert set(runs["instance"]) == set(known.index) == set(PROBLEMS)
    for name, arrays in PROBLEMS.items():
        best = optimum(**arrays)
        assert best > 0.1
        assert known.loc[name, "status"] == "proven"
        assert known.loc[name, "optimum"] == pytest.approx(best, rel=1e-6)
        rows = runs[runs["instance"] == name].set_index("solver")
        assert rows.loc["lattice", "f"] == pytest.approx(best, rel=1e-6)
        assert rows.loc["cplex", "f"] == pytest.approx(best, rel=1e-4)
        for strategy in STRATEGIES:
            assert len(rows.loc[strategy]) == 2
            # A point may be infeasible by the tolerance.
            assert (rows.loc[strategy, "f"] >= best * (1 - 1e-4)).all()
        assert set(rows["case"]) == {name}
        assert rows["tc"].isna().all()
    figures = {path.relative_to(own.results / "figures").as_posix() for path in own.results.rglob("figures/*/*.svg")}
    assert {"problems/mixed-D4-t0-file-one-real.svg", "problems/integer-D4-t0-optimum-best.svg"} <= figures
    page = (own.results / "report" / "index.html").read_text(encoding="utf-8")
    assert "problems of problems/*.npz" in page
    caption = (own.results / "figures/problems/mixed-D4-t0-best.txt").read_text(encoding="utf-8")
    assert "A block of one cell is a problem from a file" in caption
    assert "half of the variables" not in caption

    # Packed with its problems, an archive is checked where there are none.
    unbounded("archive", "tiny.yaml", "--out", "tiny.zip")
    checked = own.folder / "elsewhere"
    checked.mkdir()
    (own.folder / "tiny.zip").rename(checked / "tiny.zip")
    (own.folder / "problems").rename(own.folder / "put-away")
    assert "no problems" in unbounded("archive", "verify", str(checked / "tiny.zip"))
    restored = unbounded("archive", "restore", str(checked / "tiny.zip"), "--into", "elsewhere")
    assert f"{len(own.trials())} trials" in restored
    assert len(list((checked / "results").rglob("trials/*/*/*.parquet"))) == len(own.trials()) > 5
    (own.folder / "put-away").rename(own.folder / "problems")

    # Other arrays make the trials of their file stale, and no others.
    assert own.rerun("trials") == set()
    path = own.folder / "problems" / "whole.npz"
    np.savez(path, **{**PROBLEMS["whole"], "E": 15.0})
    changed = own.rerun("trials")
    assert changed == {name for name in own.trials() if name.startswith("whole/")}


def test_a_wrong_file_is_named_before_any_job_starts(own) -> None:
    np.savez(own.folder / "problems" / "indefinite.npz", **{**PROBLEMS["whole"], "Hf": np.diag([1.0, 1.0, 1.0, -1.0])})
    output = own.run(code=1)
    assert "problems/indefinite.npz: Hf is not positive definite: its eigenvalues run from -1 to 1" in output
    assert "Traceback" not in output
    assert own.trials() == {}


def test_the_example_of_the_docs_makes_a_problem_that_is_solved(own, unbounded) -> None:
    running.python("-c", DOCS.block(), folder=own.folder)
    shown, solved = (unbounded(*command) for command in DOCS.commands("unbounded"))
    assert "2 real, then 3 integer" in shown
    assert re.search(r"status +optimal", solved)
