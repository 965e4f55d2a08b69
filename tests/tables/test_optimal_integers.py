"""Integers of proven optima: the nearest of all that attain it, in any order of interchangeable coordinates."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_rows import ZERO, A, plan, runs_table, study, trial, trials

from unbounded.instances import build
from unbounded.instances.symmetry import find_symmetry
from unbounded.tables.cells import TABLE as cells_table
from unbounded.tables.measures import delta_z
from unbounded.tables.optimal_integers import least_delta_z

#: Integers only: the first two coordinates of each half are like no other; the remaining four are interchangeable.
SIX = "integer-D6-t0-TC0-c1e1-E30"
MOVED = "mixed-D4-t1e4-TC0-c1e1-E30"


def proof(instance: str, f: float, x: list[float], seed: int = 1) -> dict[str, Any]:
    proven = {"bound": f - 1e-9 * max(1.0, f), "status": "optimal", "x": x}
    return trial(instance, "lattice", seed, f, instance_digest=build(instance).digest, **proven)


def listed(row: int, f: list[float], z: list[list[float]]) -> dict[str, Any]:
    count = {"vector_count": float(len(f)), "vector_orbit": np.ones(len(f))}
    return {"row": row, **count, "vector_f": np.array(f), "vector_z": np.array(z)}


def all_rearrangements(instance: str, z: np.ndarray) -> np.ndarray:
    """Return a vector in every order of interchangeable coordinates, found by trying."""
    built = build(instance)
    symmetry, origin = find_symmetry(built), built.xi1[built.integers]
    u = symmetry.sign * (z - origin)
    orders = [
        p for p in itertools.permutations(range(len(u))) if np.array_equal(symmetry.block[list(p)], symmetry.block)
    ]
    return origin + symmetry.sign * u[np.array(orders)]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(st.integers(-6, 6), min_size=6, max_size=6), min_size=1, max_size=3), st.data())
def test_the_least_delta_z_is_that_of_the_best_rearrangement(vectors: list[list[int]], data: st.DataObject) -> None:
    x = np.array(data.draw(st.lists(st.integers(-6, 6), min_size=6, max_size=6)), dtype=float)
    Z = np.array(vectors, dtype=float)
    everything = np.vstack([all_rearrangements(SIX, z) for z in Z])
    expected = delta_z(np.tile(x, (len(everything), 1)), everything, 6).min()
    assert least_delta_z(SIX, x[None, :], Z).tolist() == [expected]


def test_coordinates_of_the_instance_are_interchangeable_up_to_sign() -> None:
    assert len(np.unique(find_symmetry(build(SIX)).block)) < 6  # else the test above tests nothing
    z = np.array([7.0, -7, 3, -7, 5, -1])
    found = all_rearrangements(SIX, z)
    f, g = build(SIX).evaluate(found)
    assert len(np.unique(found, axis=0)) > 1
    np.testing.assert_allclose(f, f[0], rtol=1e-12)
    np.testing.assert_allclose(g, g[0], rtol=1e-12)
    assert least_delta_z(SIX, found, z[None, :]).tolist() == [0.0] * len(found)


def runs_of(rows: pd.DataFrame, vectors: list[dict[str, Any]] | None, *instances: str) -> pd.DataFrame:
    planned = plan(study("b", list(instances), {"lattice": [1], "mies": [1]}, reference="lattice"))
    return runs_table(rows, planned, None, None if vectors is None else pd.DataFrame(vectors))


def test_delta_z_is_to_the_nearest_vector_that_attains_the_optimum_and_to_no_other() -> None:
    arrays = {"instance_digest": build(A).digest}
    rows = trials(proof(A, 120.0, [0, 0, 1, 2]), trial(A, "mies", 1, 121.0, x=[0, 0, 5, 9], **arrays))
    near = listed(0, [120.0, 120.0 + 1e-8, 120.1], [[1, 2], [5, 8], [5, 9]])
    runs = runs_of(rows, [near], A)
    assert runs["delta_z_proven"].tolist() == [0.0, 0.5]
    assert runs["delta_z_best_known"].tolist() == [0.0, 1.0]
    assert runs[["optimum", "best_known_f"]].to_numpy().tolist() == [[120.0, 120.0]] * 2
    assert runs["normalised_optimum"].tolist() == pytest.approx([1.0, 121 / 120])
    # Without a list, the proof's own integers are all that is known.
    assert runs_of(rows, None, A)["delta_z_proven"].tolist() == [0.0, 1.0]
    cells = cells_table(runs)
    assert cells["delta_z_proven"].tolist() == [0.0, 0.5]
    assert cells["proven"].tolist() == [True, True]


def test_without_a_proof_nothing_is_said_of_an_optimum() -> None:
    runs = runs_of(trials(trial(A, "mies", 1, 120.0)), None, A)
    assert not runs["proven"].any()
    assert runs[["optimum", "normalised_optimum", "delta_z_proven"]].isna().all(axis=None)


def test_the_integers_of_a_twin_are_moved_along() -> None:
    built = build(MOVED)
    best = built.xi1.copy()
    f, _ = built.evaluate(best[None, :])
    arrays = {"instance_digest": built.digest}
    rows = trials(
        proof(A, float(f[0]), (best - 1e4).tolist()),
        trial(MOVED, "mies", 1, float(f[0]), x=best.tolist(), **arrays),
    )
    runs = runs_of(rows, [listed(0, [float(f[0])], [(best - 1e4)[2:].tolist()])], MOVED)
    assert runs[runs["solver"] == "mies"]["delta_z_proven"].tolist() == [0.0]


def test_a_zero_optimum_has_the_integers_of_the_centre() -> None:
    arrays = {"instance_digest": build(ZERO).digest}
    rows = trials(
        trial(ZERO, "mies", 1, 1e-7, x=build(ZERO).xi0.tolist(), **arrays),
        trial(ZERO, "lattice", 1, 2.0, x=[7, -7, 7, 0], **arrays),
    )
    runs = runs_of(rows, None, ZERO)
    assert runs[["optimum", "delta_z_proven"]].to_numpy().tolist() == [[0.0, 0.5], [0.0, 0.0]]
    assert runs["normalised_optimum"].tolist() == [2e6, 1.0]
