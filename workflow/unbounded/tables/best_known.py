"""Best known: on every instance the best verified value, the best bound held against it, and the optimum if proven."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from unbounded.instances import InstanceSpec, build
from unbounded.instances.completion import strict_f
from unbounded.running.errors import PlainError, listed
from unbounded.solvers import registry
from unbounded.tables.bounds import (
    CERTIFIED,
    ILL_CONDITIONED,
    ONE_BOUND,
    RELAXATION,
    TRIVIAL,
    bounds_of,
    relative_gap,
    slack,
)
from unbounded.tables.columns import TRIAL
from unbounded.tables.contract import Column, Table
from unbounded.tables.measures import ATOL, is_solved
from unbounded.tables.proofs import CENTRE, PROOF, PROVEN, is_exact
from unbounded.tables.twins import check_digests, family, instances_of, move


def make(trials: pd.DataFrame) -> pd.DataFrame:
    """Return a line for every instance that has rows; raises ValueError where its rows solved different arrays."""
    check_digests(trials)
    instances = instances_of(trials)
    _check_relaxation(trials, instances)
    table = _with_best(trials, instances)
    table = _with_optimum(trials, table)
    bounds = bounds_of(trials, table)
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
    return table


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
            point = instance.verify(move(row.x, row.instance, target))
            # Moved numbers are rounded anew, so a point at the edge of the tolerance may fall off it.
            if point.feasible:
                found = [point.f, row.instance, row.solver, row.seed]
                table.loc[i, ["best_f", "best_instance", "best_solver", "best_seed"]] = found
                break
    return table


# --- Proofs ---------------------------------------------------------------------------------------------------------


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
    solved = solved[solved["instance"].map(family) == family_id]
    values = np.array([strict_f(build(id), np.asarray(x, np.float64)) for id, x in solved.itertuples(index=False)])
    return bool((values + slack(values, 0.0) < bound).any())


# --- Bounds ---------------------------------------------------------------------------------------------------------


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


TABLE = Table(
    name="best_known",
    summary="What is known of every instance: the best verified value, the best bound, and the optimum if it is proven",
    line="an instance with rows",
    inputs=("trials",),
    columns={
        "instance": Column("str", "the id of the instance"),
        "instance_digest": Column("str", "the digest of its arrays"),
        "zero_optimum": Column("bool", "whether the optimum is zero: ξ0 is feasible, and integer where it must be"),
        "best_f": Column("float64", "the least verified value"),
        "best_instance": Column("str", "the instance, or the translated twin whose point was moved here"),
        "best_solver": Column(
            "str", "who found it (`xi0`: the centre of f, where that is the solution and no run found it)"
        ),
        "best_seed": Column("Int64", "the seed of that run"),
        "bound": Column("float64", "the highest lower bound that was not refused"),
        "bound_instance": Column("str", "the instance, or the twin that the bound is about"),
        "bound_solver": Column("str", "whose word it is (`relaxation`: ours; `trivial`: f ≥ 0)"),
        "bound_seed": Column("Int64", "the seed of that run"),
        "second_bound": Column(
            "float64", "the highest of another solver; formulations and settings of one are no other"
        ),
        "second_bound_solver": Column("str", "whose word that is"),
        "relaxation_bound": Column("float64", "the bound of the continuous relaxation, computed by us"),
        "gap": Column("float64", "how far `bound` is below `best_f`, relatively"),
        "optimum": Column("float64", "the proven one; empty where none is"),
        "proof_instance": Column("str", "the instance, or the translated twin that the proof is about"),
        "proof_solver": Column("str", "who proved it (`xi0`: f ≥ 0 and f is 0 there)"),
        "proof_seed": Column("Int64", "the seed of that run"),
        "status": Column(
            "str",
            "`proven`, `certified`, `one bound`: as near, but one solver's word alone at c ≥ 10⁵, `gap x %`, "
            "`best known`, `unsolved`",
        ),
    },
    make=make,
)
