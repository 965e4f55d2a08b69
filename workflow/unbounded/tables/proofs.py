"""Proofs: which of them count, which a value contradicts, and the best known points with them.

What an exact solver proves is the optimum, until a verified point contradicts it. Any solver's proof that a value
contradicts is `refuted`.
"""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from unbounded.instances import build
from unbounded.solvers import registry
from unbounded.tables.bounds import slack
from unbounded.tables.columns import TRIAL
from unbounded.tables.statuses import REFUTED
from unbounded.tables.twins import family, instances_of, move
from unbounded.trials.row import PROOFS

#: In the place of a solver: the centre of f, which is the solution where it is feasible.
CENTRE = "xi0"

#: The status of an instance whose optimum is known, and how an exact solver says so of its own run.
PROVEN, PROOF = "proven", "optimal"


@cache
def is_exact(variant: str) -> bool:
    """Say whether what a solver proves counts as proven; one that is gone since proves nothing."""
    try:
        return registry.find(variant).solver.exact
    except ValueError:
        return False


def judged(trials: pd.DataFrame, best_known: pd.DataFrame) -> pd.DataFrame:
    """Return the trials with the status `refuted` where a verified value or the optimum contradicts what they proved.

    A proof says that no point is better than the run's own by more than the gap that it was to close, so a value that
    is lower by more, and by more than the feasibility tolerance is worth, contradicts it. Values of whole translations
    count as ever.
    """
    proofs = trials[trials["status"].isin(PROOFS)]
    gaps = np.array([_gap(text) for text in proofs["options"]], dtype=np.float64).reshape(-1, 2)
    f = proofs["f"].to_numpy(dtype=np.float64)
    proved = pd.Series(f - np.maximum(gaps[:, 0] * np.abs(f), gaps[:, 1]), index=proofs.index)
    # Most agree with all values at a glance; what the tolerance is worth takes the relaxation of an instance.
    families = best_known["instance"].map(family)
    doubted = proofs["instance"][proved > _most(best_known, families, 0.0, proofs["instance"])]
    concerned = trials[trials["instance"].map(family).isin(set(doubted.map(family)))]
    if concerned.empty:
        return trials
    known = best_known.merge(instances_of(concerned)[["instance", "family", "worth"]], on="instance")
    above = proved > _most(known, known["family"], known["worth"], proofs["instance"])
    return trials.assign(status=trials["status"].mask(above.reindex(trials.index, fill_value=False), REFUTED))


def _most(known: pd.DataFrame, families: pd.Series, worth: npt.ArrayLike, instances: pd.Series) -> pd.Series:
    """Return what a value proven on these instances is at most: the least value of the family, and the slack."""
    lowest = known.groupby(families.to_numpy())[["best_f", "optimum"]].transform("min")
    # Below a proven optimum lies only what the feasibility tolerance makes of it.
    lowest = lowest["optimum"].fillna(lowest["best_f"])
    most = dict(zip(known["instance"], lowest + slack(lowest, worth), strict=True))
    return instances.map(most).astype("float64")


@cache
def _gap(options: object) -> tuple[float, float]:
    """Return the relative and the absolute gap that a run was to close, by its options; a hair is added."""
    found = json.loads(options) if isinstance(options, str) else {}
    return 1.01 * (found.get("mipgap") or 0.0), 1.01 * (found.get("absmipgap") or 0.0)


def known_points(best_known: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the best known value of every instance, its point in the instance's own coordinates, and if certified.

    Where the optimum is proven, that and its point are the best known: a verified value that is lower owes it to the
    feasibility tolerance.
    """
    points = trials[[*TRIAL, "x"]].set_axis(["known_instance", "known_solver", "known_seed", "x"], axis=1)
    # A seed may be missing, where the point is no run's; a common type lets both sides meet.
    points["known_seed"] = points["known_seed"].astype("Int64")
    proven = best_known["optimum"].notna()
    whose = {f"known_{key}": best_known[f"best_{key}"].mask(proven, best_known[f"proof_{key}"]) for key in TRIAL}
    known = best_known.assign(**whose).merge(points, on=list(whose), how="left")
    moved = known["known_instance"].notna() & (known["known_instance"] != known["instance"])
    centre = known["known_solver"].eq(CENTRE)
    x = known["x"].astype(object)
    for i in known.index[moved]:
        x[i] = move(x[i], known.at[i, "known_instance"], known.at[i, "instance"])
    for i in known.index[centre]:
        x[i] = build(known.at[i, "instance"]).xi0
    return pd.DataFrame(
        {
            "instance": known["instance"],
            "best_known_f": known["best_f"].mask(proven, known["optimum"]),
            "x_best_known": x,
            "certified": known["status"].isin(["certified", PROVEN]),
            "optimum": known["optimum"],
        }
    )
