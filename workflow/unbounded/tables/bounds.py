"""Bounds, and what is held against them.

Values are verified; bounds are not: a white-box solver's bound is its word. What polices it is that no bound may lie
above a verified value, that two kinds of runs are not heard: those whose own point did not stand up to
verification, and those of formulations whose numbers are known to break, and that at large c one solver's word alone
certifies nothing. The bound of the continuous relaxation is our own.
"""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from unbounded.instances import InstanceSpec
from unbounded.instances.hessians import FloatArray
from unbounded.tables.columns import TRIAL
from unbounded.tables.measures import ATOL

#: A value is certified if the bound is no further below it than this share: the gap at which the white-box solvers of
#: the study stop (mipgap 1e-3). A smaller one would call what they prove "unproven".
CERTIFIED = 1e-3
#: Feasible points may violate g ≤ E by 1e-6 E. To first order this is worth the relaxation's multiplier times itself:
#: on the suite at most 5.4e-6 of f, but for three instances at D = 64 whose optimum is nearly zero (5.8e-5). A verified
#: value may lie below a true bound by this share of it, or by so many times that worth.
SLACK, TIMES_WORTH = 1e-5, 4.0
#: In the place of a solver: our relaxation; f ≥ 0.
RELAXATION, TRIVIAL = "relaxation", "trivial"
#: Endings of runs that are not believed a bound: what they said of their own point was found wrong.
DISPROVED = ("unverified", "unproven", "error")
#: Formulations that expand polynomials. At an offset t terms of size t² must cancel, and what is left of them may be
#: another problem: CPLEX's bound was seen above an optimum by 0.8 % at t = 10⁴ without any other sign.
EXPANDED = ("direct", "epigraph")
BROKEN = "polynomials expanded at an offset"
#: From this c on a solver's bound certifies a value only if another solver's does too: the terms of the polynomials
#: differ by as much as at an offset. CPLEX was seen to prove 16 where the optimum is 0 (mixed-D8-t0-TC2-c1e6-E30).
ILL_CONDITIONED = 1e5
#: The reasons that are held against a bound by values.
ABOVE, ABOVE_OPTIMUM = "above a verified value", "above a proven optimum"
#: The status of a value that is as near a bound as a certified one, where that bound is one solver's word alone.
ONE_BOUND = "one bound"


def relative_gap(f: npt.ArrayLike, bound: npt.ArrayLike) -> FloatArray:
    """Return (f − bound) / f, both raised to at least ATOL and never below 0; NaN where f has no value."""
    value, below = np.maximum(np.asarray(f, dtype=np.float64), ATOL), np.maximum(np.asarray(bound, np.float64), ATOL)
    gap: FloatArray = np.maximum(0.0, 1.0 - below / value)
    return gap


def slack(f: npt.ArrayLike, worth: npt.ArrayLike) -> FloatArray:
    """Return by how much a true bound may lie above a verified value; `worth` is that of the feasibility tolerance."""
    share, first_order = SLACK * np.asarray(f, np.float64), TIMES_WORTH * np.asarray(worth, np.float64)
    allowed: FloatArray = np.maximum(ATOL, np.maximum(share, first_order))
    return allowed


def bounds_of(trials: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Return every bound that is not zero beside the best value of its family, with the reason if it is refused."""
    columns = [*TRIAL, "variant", "status", "ending", "bound", "options"]
    said = trials.loc[trials["bound"].astype("float64") > ATOL, columns]
    own = table.loc[table["relaxation_bound"] > ATOL, ["instance", "relaxation_bound"]]
    ours = own.rename(columns={"relaxation_bound": "bound"})
    ours = ours.assign(solver=RELAXATION, variant=RELAXATION, seed=pd.NA, status="", ending="")
    bounds = pd.concat([said.astype({"seed": "Int64"}), ours.astype({"seed": "Int64"})], ignore_index=True)
    bounds["bound"] = bounds["bound"].astype("float64")
    best = table.sort_values("best_f", kind="stable").drop_duplicates("family")
    best = best[["family", "worth", "best_f", "best_instance", "best_solver", "best_seed"]]
    best = best.assign(optimum=best["family"].map(table.groupby("family")["optimum"].min()))
    bounds = bounds.merge(table[["instance", "family"]], on="instance").merge(best, on="family", how="left")
    least = bounds["optimum"].fillna(bounds["best_f"])
    above = bounds["bound"] > least + slack(least, bounds["worth"])
    above_optimum = above & bounds["optimum"].notna()
    reason = pd.Series(None, index=bounds.index, dtype=object)
    pairs = zip(bounds["instance"], bounds["options"], strict=True)
    reason = reason.mask(np.array([_expanded_at_an_offset(*pair) for pair in pairs], dtype=bool), BROKEN)
    reason = reason.mask(bounds["ending"].isin(DISPROVED), "the run is " + bounds["ending"].astype(object))
    return bounds.assign(reason=reason.mask(above, ABOVE).mask(above_optimum, ABOVE_OPTIMUM))


@cache
def _expanded_at_an_offset(instance: str, options: object) -> bool:
    """Say if a run was given polynomials that were expanded far from where their values are small."""
    found = json.loads(options) if isinstance(options, str) else {}
    return InstanceSpec.parse(instance).t != 0 and found.get("algebra") in EXPANDED and found.get("centre") == "none"
