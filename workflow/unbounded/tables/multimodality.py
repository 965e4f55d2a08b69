"""Multimodality: how many different solutions of nearly the same quality there are (paper's section on TC-4).

Strategies are the study's solvers other than its reference and other than white-box solvers.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist

from unbounded.instances import InstanceSpec
from unbounded.instances.hessians import FloatArray
from unbounded.solvers import registry
from unbounded.tables.measures import CLOSE, is_made, median_with_failures, normalise, within
from unbounded.tables.references import check_digests
from unbounded.tables.schema import MULTIMODALITY, MULTIMODALITY_DISTANCES, TRIAL, shape

#: Real coordinates are compared to so many decimals; integer ones are integers.
DECIMALS = 6


def multimodality_runs(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of the multimodality studies that were made, with their points and whether a strategy's."""
    check_digests(trials)
    rows = runs[(runs["type"] == "multimodality") & is_made(runs["status"])]
    rows = rows.merge(trials[[*TRIAL, "variant", "x"]], on=TRIAL, how="left", validate="many_to_one")
    white_box = {variant: registry.find(variant).solver.white_box for variant in rows["variant"].unique()}
    return rows.assign(strategy=~rows["is_reference"] & ~rows["variant"].map(white_box).astype(bool))


def multimodality_table(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return a line for every solver, the reference too, on every instance of the multimodality studies.

    `unique_share` is of its runs with a solution, `within_share` of all of its runs.
    """
    found = []
    rows = multimodality_runs(runs, trials)
    for (study, instance, solver), part in rows.groupby(["study", "instance", "solver"], sort=False):
        solved = part[part["solved"]]
        first = part.iloc[0]
        median = median_with_failures(part["f"], len(part))
        unique = len(np.unique(points(instance, solved["x"]), axis=0)) if len(solved) else 0
        close = within(normalise(solved["f"], solved["best_known_f"]), CLOSE).sum()
        found.append(
            {
                "study": study,
                "instance": instance,
                "D": first["D"],
                "c": first["c"],
                "E": first["E"],
                "solver": solver,
                "runs": len(part),
                "solved": len(solved),
                "unique": unique,
                "unique_share": unique / len(solved) if len(solved) else np.nan,
                "best_f": solved["f"].min(),
                "median_f": median,
                "normalised_median": float(normalise(median, first["reference_f"])),
                "within_share": close / len(part),
            }
        )
    return shape(pd.DataFrame(found), MULTIMODALITY)


def multimodality_distances(runs: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the L1 distance of every two strategies' solutions of an instance, each pair once (i < j).

    i and j number the runs from 0: by solver in the study's order, then from the best f on.
    """
    rows = multimodality_runs(runs, trials)
    parts = list(_distances(rows[rows["strategy"] & rows["solved"]]))
    return shape(pd.concat(parts) if parts else pd.DataFrame(), MULTIMODALITY_DISTANCES)


def _distances(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    for (study, instance), part in rows.groupby(["study", "instance"], sort=False):
        order = {solver: position for position, solver in enumerate(part["solver"].drop_duplicates())}
        part = part.assign(order=part["solver"].map(order)).sort_values(["order", "f", "seed"])
        solver, seed = part["solver"].to_numpy(dtype=object), part["seed"].to_numpy()
        i, j = np.triu_indices(len(part), k=1)
        yield pd.DataFrame(
            {
                "study": study,
                "instance": instance,
                "i": i,
                "j": j,
                "solver_i": solver[i],
                "seed_i": seed[i],
                "solver_j": solver[j],
                "seed_j": seed[j],
                "l1": pdist(points(instance, part["x"]), "cityblock") if len(part) > 1 else np.empty(0),
            }
        )


def points(instance: str, x: pd.Series) -> FloatArray:
    """Return points as the rows of a matrix, rounded so that equal solutions are equal."""
    n_z = InstanceSpec.parse(instance).n_z
    matrix: FloatArray = np.stack(x.tolist()).astype(np.float64)
    matrix[:, :-n_z] = np.round(matrix[:, :-n_z], DECIMALS)
    matrix[:, -n_z:] = np.rint(matrix[:, -n_z:])
    return matrix
