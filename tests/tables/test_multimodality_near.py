"""Near-optimal vectors: what the real exact solver lists, against brute force over all integer vectors of a box."""

import json
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from table_rows import line, plan, runs_table, study, trial, trials

from unbounded.instances import build
from unbounded.solvers import lattice
from unbounded.solvers.contract import Budget, Report
from unbounded.tables import near_vectors
from unbounded.tables.multimodality_found import TABLE as multimodality_found
from unbounded.tables.multimodality_near import TABLE as multimodality_near
from unbounded.tables.multimodality_near_distances import TABLE as multimodality_near_distances
from unbounded.tables.multimodality_near_vectors import TABLE as multimodality_near_vectors
from unbounded.tables.near_vectors import SAME, near_limit, near_lists

M = "integer-D4-t0-TC4-c1e1-E30"
#: Its coordinates 2 and 4 are interchangeable, and so are 1 and 3.
CIGAR = "integer-D4-t0-TC0-c1e1-E30"
CLOSE = 0.2


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few vectors are within 0.1 % at small D: let "close" mean more."""
    monkeypatch.setattr(near_vectors, "CLOSE", CLOSE)


@cache
def exact(instance: str, **options: object) -> tuple[dict, dict]:
    """Return the row of the real solver, and its vectors as they are read."""
    chosen = lattice.LatticeOptions(**{"within": CLOSE, **options})
    built, budget = build(instance), Budget(kind="nodes", amount=1e7)
    ending = lattice.SOLVER.solve(built, budget, 1, chosen, Report(built, budget))
    found = ending.vectors
    told = json.dumps(chosen.model_dump())
    row = trial(instance, "lattice", 1, ending.claimed_f, x=ending.x, status=ending.how, options=told)
    names = ("vector_count", "vector_f", "vector_orbit", "vector_z")
    return row, dict(zip(names, (found.count, found.f, found.orbit, found.z), strict=True))


def tables(row: dict, listed: dict, *others: dict) -> tuple[pd.DataFrame, ...]:
    """Return the four tables of a study with the exact row and runs of mies and cma-IH."""
    rows = trials(*others, row)
    vectors = pd.DataFrame([{"row": len(others), **listed}])
    seeds = {name: [r["seed"] for r in others if r["solver"] == name] for name in ("mies", "cma-IH")}
    solvers = {"lattice": [1], **seeds}
    runs = runs_table(rows, plan(study("modes", [row["instance"]], solvers, type="multimodality", reference="lattice")))
    listed_near = multimodality_near_vectors(runs, rows, vectors)
    distances = multimodality_near_distances(runs, rows, vectors)
    near = multimodality_near(runs, rows, vectors, listed_near, distances)
    return near, multimodality_found(runs, rows, vectors), listed_near, distances


def run(instance: str, solver: str, seed: int, z) -> dict:
    x = np.asarray(z, dtype=float)
    return trial(instance, solver, seed, float(build(instance).f(x[None, :])[0]), x=x)


@cache
def truth(instance: str) -> tuple[np.ndarray, np.ndarray]:
    """Return f and the vectors of all feasible integer points within CLOSE of the optimum, the best first."""
    built = build(instance)
    box = built.box()
    axes = [np.arange(a, b + 1) for a, b in zip(box.lower, box.upper, strict=True)]
    Z = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
    f, g = built.evaluate(Z)
    best = f[g <= built.E].min()
    near = (g <= built.E) & (f <= near_limit(best, CLOSE))
    order = np.argsort(f[near], kind="stable")
    return f[near][order], Z[near][order]


def local(instance: str, f: np.ndarray, Z: np.ndarray, pairs: bool) -> int:
    """Count vectors without a better feasible neighbour, by evaluating all neighbours."""
    built, D = build(instance), Z.shape[1]
    steps = [s * row for row in np.eye(D) for s in (1, -1)]
    if pairs:
        steps += [a + b for a, b in product(steps, steps) if np.abs(a).argmax() < np.abs(b).argmax()]
    count = 0
    for value, z in zip(f, Z, strict=True):
        values, g = built.evaluate(z + np.array(steps))
        count += not ((g <= built.E) & (values < value - SAME * max(1, f[0]))).any()
    return count


def pieces(Z: np.ndarray, step: int) -> int:
    """Count the pieces of vectors between which steps of up to an L1 length lead, by walking through each."""
    left, count = set(range(len(Z))), 0
    while left:
        count += 1
        reached = [left.pop()]
        while reached:
            distances = np.abs(Z - Z[reached.pop()]).sum(axis=1)
            new = left & set(np.flatnonzero(distances <= step))
            left -= new
            reached += new
    return count


def quantiles(values: np.ndarray) -> list[float]:
    return [np.quantile(values, q, method="inverted_cdf") for q in (0, 0.25, 0.5, 0.75, 1)]


def test_counts_distances_and_local_optima_are_those_of_brute_force() -> None:
    f, Z = truth(M)
    assert len(f) > 5
    near, _, listed, distances = tables(*exact(M))
    found = line(near, instance=M)
    assert (found["status"], found["solver"], found["study"]) == ("counted", "lattice", "modes")
    assert (found["vectors"], found["listed"], found["capped"]) == (len(f), len(f), False)
    assert found["optimum"] == pytest.approx(f[0], rel=1e-12)
    optimal = f <= f[0] + SAME * f[0]
    assert found["optimal"] == optimal.sum()
    assert found["local_optima"] == local(M, f, Z, pairs=True)
    assert found["local_optima_single"] == local(M, f, Z, pairs=False)
    assert found["local_optima"] < found["local_optima_single"] < len(f)
    assert (found["pieces_single"], found["pieces"]) == (pieces(Z, 1), pieces(Z, 2))
    assert found["pieces"] < found["pieces_single"] < len(f)
    assert pieces(Z, found["joined_by"]) == 1 < pieces(Z, found["joined_by"] - 1)
    L1 = np.abs(Z[:, None] - Z).sum(axis=2)
    pairs = L1[np.triu_indices(len(Z), 1)]
    to_optimum = L1[:, optimal].min(axis=1)
    names = ("l1_least", "l1_quartile", "l1_median", "l1_third_quartile", "l1_largest")
    assert [found[name] for name in names] == quantiles(pairs)
    assert [found[f"optimum_{name}"] for name in names] == quantiles(to_optimum[to_optimum > 0])
    assert listed["f"].to_numpy() == pytest.approx(f, rel=1e-12)
    assert listed["rank"].tolist() == list(range(1, len(f) + 1))
    assert sorted(listed["l1"]) == sorted(to_optimum)
    assert np.repeat(distances["l1"], distances["pairs"]).tolist() == sorted(pairs)
    assert np.repeat(distances["l1"], distances["to_optimum"]).tolist() == sorted(to_optimum)


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    row, listed = exact(M)
    whole = tables(row, listed)
    monkeypatch.setattr(near_vectors, "CHUNK", 2)
    for table, other in zip(whole, tables(row, listed), strict=True):
        pd.testing.assert_frame_equal(table, other)


def test_what_strategies_found_of_them() -> None:
    f, Z = truth(M)
    far = Z[0] * 0 + np.rint(build(M).xi1)
    runs = [run(M, "mies", 1, Z[0]), run(M, "mies", 2, Z[3]), run(M, "mies", 3, Z[3]), run(M, "mies", 4, far)]
    runs += [run(M, "cma-IH", 1, Z[3]), run(M, "cma-IH", 2, Z[4]), trial(M, "cma-IH", 3)]
    near, found, listed, distances = tables(*exact(M), *runs)
    assert found["solver"].tolist() == ["mies", "cma-IH"]
    mies, cma = line(found, solver="mies"), line(found, solver="cma-IH")
    assert mies[["strategy", "runs", "runs_within", "found", "unlisted"]].tolist() == [True, 4, 3, 2, 0]
    assert mies["share"] == 2 / len(f)
    assert (mies["optimum_found"], mies["best_f"], mies["best_rank"]) == (True, pytest.approx(f[0]), 1)
    assert cma[["runs", "runs_within", "found", "optimum_found"]].tolist() == [3, 2, 2, False]
    assert cma["best_rank"] == 1 + (f < f[3] - SAME * f[0]).sum()
    assert line(near, instance=M)["found"] == 3
    assert listed["found"].sum() == 3
    apart = [np.abs(Z[a] - Z[b]).sum() for a, b in ((0, 3), (0, 4), (3, 4))]
    assert np.repeat(distances["l1"], distances["found_pairs"]).tolist() == sorted(apart)


def test_a_capped_list_has_the_whole_count_and_the_best_vectors() -> None:
    f, Z = truth(M)
    near, found, listed, _ = tables(*exact(M, keep=4), run(M, "mies", 1, Z[-1]))
    capped = line(near, instance=M)
    assert (capped["status"], capped["vectors"], capped["listed"], capped["capped"]) == ("counted", len(f), 4, True)
    assert listed["f"].to_numpy() == pytest.approx(f[:4])
    assert capped["local_optima"] == local(M, f[:4], Z[:4], pairs=True)
    assert capped["pieces_single"] == pieces(Z[:4], 1)
    mies = line(found, solver="mies")
    assert (mies["runs_within"], mies["found"], mies["unlisted"]) == (1, 0, 1)
    assert np.isnan(mies["best_rank"])


def test_more_than_asked_for_is_left_out_and_less_is_not_measured() -> None:
    f, _ = truth(M)
    wider, _, listed, _ = tables(*exact(M, within=2 * CLOSE))
    assert line(wider, instance=M)["vectors"] == len(f) == len(listed)
    # The list of a wider count ends before what is asked for: how much is left there is not known.
    ended, *rest = tables(*exact(M, within=2 * CLOSE, keep=3))
    assert line(ended, instance=M)["status"] == "the list ends before 0.1 %"
    assert all(table.empty for table in rest)
    less, *rest = tables(*exact(M, within=CLOSE / 2))
    assert line(less, instance=M)["status"] == f"within {CLOSE / 2:g} alone"
    assert np.isnan(line(less, instance=M)["vectors"])
    assert all(table.empty for table in rest)


@pytest.mark.parametrize("symmetry", [True, False])
def test_interchangeable_coordinates_count_with_their_rearrangements(symmetry: bool) -> None:
    f, Z = truth(CIGAR)
    row, found = exact(CIGAR, symmetry=symmetry)
    assert (len(found["vector_f"]) < len(f)) == symmetry
    near, strategies, listed, distances = tables(row, found, *(run(CIGAR, "mies", k, z) for k, z in enumerate(Z[:3])))
    counted = line(near, instance=CIGAR)
    assert (counted["status"], counted["vectors"]) == ("counted", len(f))
    assert counted["local_optima"] == local(CIGAR, f, Z, pairs=True)
    assert counted["local_optima_single"] == local(CIGAR, f, Z, pairs=False)
    assert line(strategies, solver="mies")["found"] == 3
    # Between representatives there are no distances of vectors.
    assert distances.empty == symmetry
    assert listed["l1"].isna().all() == symmetry
    assert pd.isna(counted["l1_median"]) == pd.isna(counted["pieces"]) == symmetry


def test_mixed_instances_are_checked_with_their_best_reals() -> None:
    mixed = "mixed-D8-t0-TC4-c1e1-E30"
    row, listed = exact(mixed)
    near, found, _, _ = tables(row, listed, {**row, "solver": "mies", "variant": "mies", "seed": 1})
    assert line(near, instance=mixed)["status"] == "counted"
    assert line(near, instance=mixed)["vectors"] == len(listed["vector_f"]) > 1
    assert line(found, solver="mies")["optimum_found"]


def test_lists_that_are_not_what_they_say_are_refused() -> None:
    row, listed = exact(M)
    f, z = listed["vector_f"], listed["vector_z"]

    def status(*runs: dict, **changed: object) -> str:
        near, *rest = tables(row, {**listed, **changed}, *runs)
        assert all(table.empty for table in rest)
        return line(near, instance=M)["status"]

    assert status(vector_f=f * (1 + 2e-9)) == "refused: f of a listed vector is another"
    outside = z + 0.0
    outside[-1] = build(M).xi0
    values = build(M).f(outside)
    assert status(vector_z=outside, vector_f=values) == "refused: a listed vector is not feasible"
    twice = {"vector_f": f[[0, *range(len(f))]], "vector_z": z[[0, *range(len(f))]]}
    assert status(**twice, vector_orbit=np.ones(len(f) + 1)) == "refused: a vector is listed twice"
    assert status(vector_count=len(f) + 1.0) == "refused: it was counted otherwise than listed"
    assert status(vector_count=len(f) - 1.0) == "refused: it was counted otherwise than listed"
    lacking = {"vector_f": f[1:], "vector_z": z[1:], "vector_orbit": np.ones(len(f) - 1), "vector_count": len(f) - 1.0}
    assert status(run(M, "mies", 7, z[0]), **lacking) == "refused: it lacks what mies (seed 7) found"


def test_of_several_proofs_the_one_with_a_list_that_reaches_far_enough_is_taken() -> None:
    f, _ = truth(M)
    proofs = [exact(M, within=within) for within in (CLOSE / 2, 2 * CLOSE, CLOSE)]
    rows = trials(*({**row, "seed": seed} for seed, (row, _) in enumerate(proofs, 1)), {**proofs[2][0], "seed": 4})
    vectors = pd.DataFrame([{"row": k, **listed} for k, (_, listed) in enumerate(proofs)])
    near = near_lists([M], rows, vectors)[M]
    assert (near.seed, near.within, near.count) == (3, CLOSE, len(f))
    assert near_lists([M], rows, vectors.iloc[:2])[M].seed == 2
    assert near_lists([M], rows, vectors.iloc[:1])[M].status == f"within {CLOSE / 2:g} alone"
    assert near_lists([M], rows, vectors.iloc[:0])[M].status == "nothing was counted"


def test_only_proven_rows_of_exact_solvers_count() -> None:
    row, listed = exact(M)
    for changed in ({"status": "time-out"}, {"variant": "scip"}):
        assert all(table.empty for table in tables({**row, **changed}, listed))


def test_values_are_the_same_as_in_the_proofs() -> None:
    assert SAME == lattice.SLACK
