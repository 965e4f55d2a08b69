"""References: on every instance the best verified value, the best bound held against it, and the optimum if proven.

Values are verified; bounds are not: a white-box solver's bound is its word. What polices it is that no bound may lie
above a verified value, that two kinds of runs are not heard: those whose own point did not stand up to
verification, and those of formulations whose numbers are known to break, and that at large c one solver's word alone
certifies nothing. The bound of the continuous relaxation is our own. What an exact solver proves is the optimum, until
a verified point contradicts it. Any solver's proof that a value contradicts is `refuted`.

A translation by whole numbers moves an instance and its integers as they are, so instances that differ in such a
translation alone have one optimum: bounds hold for all of them, and points, moved along and verified anew, count too.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from unbounded.errors import PlainError, listed
from unbounded.instances import InstanceSpec, build
from unbounded.instances.completion import strict_f
from unbounded.instances.hessians import FloatArray
from unbounded.instances.relaxation import solve_relaxation
from unbounded.solvers import registry
from unbounded.tables.measures import ATOL, is_solved, zero_optimum
from unbounded.tables.schema import REFERENCES, REFUSED_BOUNDS, REFUTED, TRIAL, shape
from unbounded.trials.row import PROOFS

#: A value is certified if the bound is no further below it than this share: the gap at which the white-box solvers of
#: the study stop (mipgap 1e-3). A smaller one would call what they prove "unproven".
CERTIFIED = 1e-3
#: Feasible points may violate g ≤ E by 1e-6 E. To first order this is worth the relaxation's multiplier times itself:
#: on the suite at most 5.4e-6 of f, but for three instances at D = 64 whose optimum is nearly zero (5.8e-5). A verified
#: value may lie below a true bound by this share of it, or by so many times that worth.
SLACK, TIMES_WORTH = 1e-5, 4.0
#: In the place of a solver: our relaxation; f ≥ 0; the centre of f, which is the solution where it is feasible.
RELAXATION, TRIVIAL, CENTRE = "relaxation", "trivial", "xi0"
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
#: The status of an instance whose optimum is known, and how an exact solver says so of its own run.
PROVEN, PROOF = "proven", "optimal"
#: The status of a value that is as near a bound as a certified one, where that bound is one solver's word alone.
ONE_BOUND = "one bound"
#: Whole numbers up to here are added to coordinates without rounding.
_EXACT = 2.0**50


def references_table(trials: pd.DataFrame) -> pd.DataFrame:
    """Return a line for every instance that has rows; raises ValueError where its rows solved different arrays."""
    check_digests(trials)
    instances = _instances(trials)
    _check_relaxation(trials, instances)
    table = _with_best(trials, instances)
    table = _with_optimum(trials, table)
    bounds = _bounds(trials, table)
    table = table.merge(_highest(bounds[bounds["reason"].isna()], table), on="instance", how="left")
    trivial = table["bound"].isna()
    table["bound"] = table["bound"].mask(trivial, 0.0)
    table["bound_solver"] = table["bound_solver"].mask(trivial, TRIVIAL)
    table["bound_instance"] = table["bound_instance"].mask(trivial, table["instance"])
    table["bound_seed"] = table["bound_seed"].mask(trivial, pd.NA)
    table["gap"] = relative_gap(table["best_f"], table["bound"])
    closed, second = (
        relative_gap(table["best_f"], table[bound]) <= CERTIFIED * (1 + 1e-9) for bound in ("bound", "second_bound")
    )
    c = np.array([InstanceSpec.parse(id).c for id in table["instance"]])
    alone = closed & (c >= ILL_CONDITIONED) & ~table["bound_trusted"].eq(True) & ~trivial & ~second
    words = pd.Series([f"gap {100 * gap:.3g} %" for gap in table["gap"]], index=table.index, dtype=object)
    words = words.mask(trivial, "best known").mask(closed, "certified").mask(alone, ONE_BOUND)
    words = words.mask(table["optimum"].notna(), PROVEN)
    table["status"] = words.mask(table["best_f"].isna(), "unsolved")
    return shape(table, REFERENCES)


def refused_bounds_table(trials: pd.DataFrame, references: pd.DataFrame) -> pd.DataFrame:
    """Return the bounds that were not used, each with the run that said it, the value it is held against and why."""
    table = references.merge(_instances(trials)[["instance", "family", "worth"]], on="instance")
    bounds = _bounds(judged(trials, references), table)
    return shape(bounds[bounds["reason"].notna()], REFUSED_BOUNDS)


def judged(trials: pd.DataFrame, references: pd.DataFrame) -> pd.DataFrame:
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
    families = references["instance"].map(family)
    doubted = proofs["instance"][proved > _most(references, families, 0.0, proofs["instance"])]
    concerned = trials[trials["instance"].map(family).isin(set(doubted.map(family)))]
    if concerned.empty:
        return trials
    known = references.merge(_instances(concerned)[["instance", "family", "worth"]], on="instance")
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


def known_points(references: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the best known value of every instance, its point in the instance's own coordinates, and if certified.

    Where the optimum is proven, that and its point are the best known: a verified value that is lower owes it to the
    feasibility tolerance.
    """
    points = trials[[*TRIAL, "x"]].set_axis(["known_instance", "known_solver", "known_seed", "x"], axis=1)
    # A seed may be missing, where the point is no run's; a common type lets both sides meet.
    points["known_seed"] = points["known_seed"].astype("Int64")
    proven = references["optimum"].notna()
    whose = {f"known_{key}": references[f"best_{key}"].mask(proven, references[f"proof_{key}"]) for key in TRIAL}
    known = references.assign(**whose).merge(points, on=list(whose), how="left")
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


def check_digests(trials: pd.DataFrame) -> None:
    """Raise ValueError that names instances, solvers and digests where rows of one instance solved different arrays."""
    pairs = trials[["instance", "solver", "instance_digest"]].drop_duplicates()
    mixed = pairs.groupby("instance")["instance_digest"].transform("nunique") > 1
    if mixed.any():
        lines = [
            f"{instance}: " + ", ".join(f"{row.solver} solved {row.instance_digest}" for row in rows.itertuples())
            for instance, rows in pairs[mixed].groupby("instance")
        ]
        shown = "\n".join(listed(lines))
        raise ValueError(f"rows of one instance solved different arrays and cannot be compared:\n{shown}")


class ContradictionError(PlainError):
    """A row that says what cannot be."""


def _check_relaxation(trials: pd.DataFrame, instances: pd.DataFrame) -> None:
    """Raise ContradictionError if a row's f is below the bound of the relaxation, which is our own: no point's is."""
    rows = trials.loc[is_solved(trials["status"]), [*TRIAL, "f"]].merge(instances, on="instance")
    f, bound = rows["f"].astype("float64"), rows["relaxation_bound"]
    rows = rows[bound > f + slack(f, rows["worth"])]
    if not rows.empty:
        lines = [
            f"{instance} by {solver} with seed {seed}: f = {f:.17g}, bound {bound:.17g}"
            for instance, solver, seed, f, bound in rows[[*TRIAL, "f", "relaxation_bound"]].itertuples(index=False)
        ]
        raise ContradictionError(
            "\n".join(
                [
                    "There are rows with a smaller f than any feasible point can have, by the relaxation's own bound:",
                    *listed(lines),
                    "They are not what a trial wrote, or unbounded is wrong; `unbounded verify` tells which.",
                ]
            )
        )


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


# --- Instances and their twins --------------------------------------------------------------------------------------


@cache
def _digest(instance: str) -> str:
    return build(instance).digest


@cache
def _relaxation(instance: str) -> tuple[float, float]:
    """Return the relaxation's bound, and what the feasibility tolerance is worth by its multiplier."""
    built = build(instance)
    relaxation = solve_relaxation(built)
    return relaxation.bound, relaxation.multiplier * built.tolerance


def family(instance: str) -> str:
    """Return the id of the untranslated instance that this one is a translation of, by whole numbers."""
    spec = InstanceSpec.parse(instance)
    return replace(spec, t=0.0).id if spec.t.is_integer() and abs(spec.t) < _EXACT else instance


def move(x: FloatArray, origin: str, instance: str) -> FloatArray:
    """Return a point of one translation of an instance in the coordinates of another."""
    return np.asarray(x, dtype=np.float64) + (InstanceSpec.parse(instance).t - InstanceSpec.parse(origin).t)


def _instances(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the instances with rows; what we compute ourselves is about arrays of the rows' digest or left out."""
    table = trials[["instance", "instance_digest"]].drop_duplicates("instance").reset_index(drop=True)
    made = [(id, _digest(id) == digest) for id, digest in table.itertuples(index=False)]
    return table.assign(
        family=[family(id) if ours else f"{id} (other arrays)" for id, ours in made],
        zero_optimum=np.array([ours and zero_optimum(id) for id, ours in made], dtype=bool),
        relaxation_bound=np.array([_relaxation(id)[0] if ours else np.nan for id, ours in made], dtype=np.float64),
        worth=np.array([_relaxation(id)[1] if ours else 0.0 for id, ours in made], dtype=np.float64),
    )


# --- Values ---------------------------------------------------------------------------------------------------------


def _with_best(trials: pd.DataFrame, instances: pd.DataFrame) -> pd.DataFrame:
    """Add the best verified value and the run that found it; of equal ones the first by solver and seed.

    The centre of f stands in where it is the solution and no run found it, a twin's point, moved along, where it is
    better by more than the feasibility tolerance is worth.
    """
    solved = trials.loc[is_solved(trials["status"]), [*TRIAL, "f", "x"]].sort_values(["f", "solver", "seed"])
    best = solved.drop_duplicates("instance").set_axis(["instance", "best_solver", "best_seed", "best_f", "x"], axis=1)
    table = instances.merge(best.drop(columns="x"), on="instance", how="left")
    table = table.astype({"best_f": "float64", "best_seed": "Int64", "best_solver": "object"})
    table["best_instance"] = table["instance"].astype(object).where(table["best_f"].notna(), None)

    missed = table["zero_optimum"] & ~(table["best_f"] <= ATOL)
    table.loc[missed, ["best_f", "best_solver", "best_seed"]] = [0.0, CENTRE, pd.NA]
    table.loc[missed, "best_instance"] = table["instance"]

    low = table.groupby("family")["best_f"].transform("min")
    behind = low.notna() & ~(table["best_f"] <= low + slack(low, table["worth"]))
    families = dict(zip(table["instance"], table["family"], strict=True))
    pool = solved[solved["instance"].map(families).isin(set(table.loc[behind, "family"]))]
    pool = pool.assign(family=pool["instance"].map(families))
    for i in table.index[behind]:
        target, own = table.at[i, "instance"], table.at[i, "best_f"]
        instance = build(target)
        for row in pool[(pool["family"] == table.at[i, "family"]) & (pool["instance"] != target)].itertuples():
            if row.f + slack(row.f, table.at[i, "worth"]) >= own:
                break
            verdict = instance.verify(move(row.x, row.instance, target))
            # Moved numbers are rounded anew, so a point at the edge of the tolerance may fall off it.
            if verdict.feasible:
                found = [verdict.f, row.instance, row.solver, row.seed]
                table.loc[i, ["best_f", "best_instance", "best_solver", "best_seed"]] = found
                break
    return table


# --- Proofs ---------------------------------------------------------------------------------------------------------


@cache
def is_exact(variant: str) -> bool:
    """Say whether what a solver proves counts as proven; one that is gone since proves nothing."""
    try:
        return registry.find(variant).solver.exact
    except ValueError:
        return False


def _with_optimum(trials: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Add the proven optimum and the run that proved it, its own before a twin's; ξ0 proves a zero optimum.

    A proof must agree with the best verified value: that may lie below the bound, or above the proven value, by no
    more than the feasibility tolerance is worth. To first order, that is: with whole numbers the tolerance may be worth
    a step. So what contradicts a proof is a point with g ≤ E itself.
    """
    exact = trials["variant"].map(is_exact).astype(bool) & (trials["status"] == PROOF)
    proofs = trials.loc[exact & trials["bound"].notna(), [*TRIAL, "f", "bound"]].astype({"f": float, "bound": float})
    proofs = proofs[proofs["bound"] >= proofs["f"] - slack(proofs["f"], 0.0)]
    proofs = proofs.merge(table[["instance", "family"]], on="instance")
    proofs = proofs.rename(columns={**{key: f"proof_{key}" for key in TRIAL}, "f": "optimum"})
    lowest = table.groupby("family")["best_f"].transform("min")
    pairs = table[["instance", "family", "best_f", "worth"]].assign(lowest=lowest).merge(proofs, on="family")
    contradicted = pairs["bound"] > pairs["lowest"] + slack(pairs["lowest"], pairs["worth"])
    for i in pairs.index[contradicted]:
        contradicted[i] = _contradicts(trials, str(pairs.at[i, "family"]), float(pairs.at[i, "bound"]))
    reached = pairs["best_f"] <= pairs["optimum"] + slack(pairs["optimum"], pairs["worth"])
    pairs = pairs[~contradicted & reached]
    pairs = pairs.assign(other=pairs["proof_instance"] != pairs["instance"])
    pairs = pairs.sort_values(["other", "proof_instance", "proof_solver", "proof_seed"]).drop_duplicates("instance")
    types = {"optimum": "float64", "proof_instance": "object", "proof_solver": "object", "proof_seed": "Int64"}
    table = table.merge(pairs[["instance", *types]], on="instance", how="left").astype(types)
    zero = table["zero_optimum"]
    table.loc[zero, ["optimum", "proof_solver", "proof_seed"]] = [0.0, CENTRE, pd.NA]
    table.loc[zero, "proof_instance"] = table["instance"]
    return table


def _contradicts(trials: pd.DataFrame, family_id: str, bound: float) -> bool:
    """Say whether a verified point's integers, with the best reals that g ≤ E itself allows, undercut a bound."""
    solved = trials.loc[is_solved(trials["status"]) & (trials["f"] < bound), ["instance", "x"]]
    solved = solved[[family(id) == family_id for id in solved["instance"]]]
    values = np.array([strict_f(build(id), np.asarray(x, np.float64)) for id, x in solved.itertuples(index=False)])
    return bool((values + slack(values, 0.0) < bound).any())


# --- Bounds ---------------------------------------------------------------------------------------------------------


def _bounds(trials: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
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
    return InstanceSpec.parse(instance).t != 0 and found.get("form") in EXPANDED and found.get("centre") == "none"


def _highest(bounds: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Return the highest bound that holds on each instance, its own before a twin's, and the highest of another solver.

    `bound_trusted` says that the first is no white-box solver's word.
    """
    said = bounds[["family", *TRIAL, "bound", "variant"]]
    said = said.rename(columns={name: f"bound_{name}" for name in TRIAL})
    pairs = table[["instance", "family"]].merge(said, on="family")
    pairs = pairs.assign(other=pairs["bound_instance"] != pairs["instance"], maker=pairs["variant"].map(_maker))
    order = ["bound", "other", "bound_solver", "bound_seed"]
    pairs = pairs.sort_values(order, ascending=[False, True, True, True])
    pairs["bound_trusted"] = (pairs["variant"] == RELAXATION) | pairs["variant"].map(is_exact).astype(bool)
    first = pairs.drop_duplicates("instance")
    others = pairs[pairs["maker"] != pairs["instance"].map(dict(zip(first["instance"], first["maker"], strict=True)))]
    second = others.drop_duplicates("instance")[["instance", "bound", "bound_solver"]]
    second = second.rename(columns={"bound": "second_bound", "bound_solver": "second_bound_solver"})
    kept = first[["instance", "bound", "bound_instance", "bound_solver", "bound_seed", "bound_trusted"]]
    types = {"bound_instance": "object", "bound_solver": "object", "second_bound_solver": "object"}
    return kept.merge(second, on="instance", how="left").astype(types)


@cache
def _maker(variant: str) -> str:
    """Return what stands for the solver behind an id; its formulations and settings are no independent words."""
    try:
        return registry.find(variant).module
    except ValueError:  # one that is gone since, or none
        return variant.partition(registry.SEPARATOR)[0]
