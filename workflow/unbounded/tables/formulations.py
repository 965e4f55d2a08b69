"""Formulations: how white-box solvers fare with each formulation of the same instances, translated and not.

`verified`, `solved` and `proven` are ever stricter; a run may be among the `wrong` ones whatever else it is.
"""

from __future__ import annotations

import json

import pandas as pd

from unbounded.tables.bounds import ABOVE, ABOVE_OPTIMUM
from unbounded.tables.columns import INSTANCE, SOLVER, STUDY, TRIAL, some
from unbounded.tables.contract import Column, Table
from unbounded.tables.measures import ATOL, CLOSE, NOT_MADE, is_solved, normalise, within
from unbounded.tables.optimal_integers import TIE
from unbounded.tables.statuses import REFUTED
from unbounded.trials.row import FAILED, PROOFS

#: What a solver says that found no point because there is none, it thinks. Every instance of the suite has one: ξ1.
IMPOSSIBLE = "infeasible|unbounded"
#: Endings and statuses by which a run was wrong about its own point or value.
_WRONG = ("unverified", "unproven", REFUTED)
_TWINS = ["kind", "D", "case", "c", "E", "hessian"]
_LINE = ["study", "kind", "D", "t", "c", "solver", "base", "algebra", "centre", "box"]
_COUNTS = ("planned", "made", "verified", "solved", "proven", "wrong", "no_solution", "errors")


def make(runs: pd.DataFrame, trials: pd.DataFrame, refused_bounds: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each solver id, dimension, kind, translation and c of the studies of formulations.

    The best known value is that of the instance and of its twins with other whole-numbered translations: the
    lattice is mapped to itself, so they have one optimum. A bound is contradicted if `refused_bounds` has it above a
    verified value; that it may refuse the bounds of a formulation as such is left aside, since what a formulation is
    worth is the question here.
    """
    rows = runs[runs["type"] == "formulation"].merge(
        trials[[*TRIAL, "bound", "termination", "options"]], on=TRIAL, how="left"
    )
    if rows.empty:
        return pd.DataFrame()
    rows = _with_formulation(rows)
    f, bound, known = rows["f"], rows["bound"].astype("float64"), _best_known(rows)
    made, verified = ~rows["status"].isin(NOT_MADE), is_solved(rows["status"])
    solved = verified & within(normalise(f, known), CLOSE)
    proof = rows["status"].isin(PROOFS)
    # f ≥ 0 on every instance: a bound below that proves as much as 0.
    closed = f - bound.clip(lower=0.0) <= 1.01 * rows["mipgap"].clip(lower=TIE) * f.abs() + ATOL
    broken = refused_bounds.loc[refused_bounds["reason"].isin([ABOVE, ABOVE_OPTIMUM]), TRIAL]
    contradicted = pd.MultiIndex.from_frame(rows[TRIAL]).isin(pd.MultiIndex.from_frame(broken))
    impossible = (rows["ending"] == "no-solution") & rows["termination"].fillna("").str.contains(IMPOSSIBLE, case=False)
    counted = rows.assign(
        planned=True,
        made=made,
        verified=verified,
        solved=solved,
        proven=proof & solved & closed & ~contradicted,
        wrong=made & (rows["ending"].isin(_WRONG) | rows["status"].isin(_WRONG) | contradicted | impossible),
        no_solution=rows["status"] == "no-solution",
        errors=rows["ending"].isin(FAILED),
        cpu_seconds=rows["cpu_seconds"].where(made),
    )
    lines = counted.groupby(_LINE, sort=False, dropna=False)
    return lines[list(_COUNTS)].sum().assign(cpu_median=lines["cpu_seconds"].median()).reset_index()


def _with_formulation(rows: pd.DataFrame) -> pd.DataFrame:
    """Add what the options of the rows say; an id that has no row at all has no formulation either."""
    options = rows["options"].map(lambda text: json.loads(text) if isinstance(text, str) else {})
    added = {key: options.map(lambda found, key=key: found.get(key)) for key in ("algebra", "centre", "box")}
    rows = rows.assign(
        base=rows["solver"].str.partition("+")[0],
        mipgap=options.map(lambda found: found.get("mipgap", 0.0)).astype("float64"),
        **added,
    )
    # A planned trial without a row is counted with the others of its id.
    for key in added:
        rows[key] = rows.groupby("solver")[key].transform("first")
    return rows


def _best_known(rows: pd.DataFrame) -> pd.Series:
    twins = rows.groupby(_TWINS)["best_known_f"].transform("min")
    whole = rows["t"] == rows["t"].round()
    return twins.where(whole, rows["best_known_f"])


TABLE = Table(
    name="formulations",
    summary="How white-box solvers fare with each formulation of the same instances, translated and not",
    line="a solver id in a study of formulations, by kind, dimension, translation and c",
    inputs=("runs", "trials", "refused_bounds"),
    columns={
        **some(STUDY, "study"),
        **some(INSTANCE, "kind", "D", "t", "c"),
        **SOLVER,
        "base": Column("str", "the id up to its first `+`"),
        "algebra": Column("str", "how f and g are written: `direct`, `epigraph`, `eigen`"),
        "centre": Column("str", "about which point it is expanded"),
        "box": Column("str", "the bounds of the variables"),
        "planned": Column("int64", "runs that are planned"),
        "made": Column("int64", "runs that were made"),
        "verified": Column("int64", "runs whose point is feasible by our own evaluation"),
        "solved": Column("int64", "of them, those within 0.1 % of the best known value"),
        "proven": Column("int64", "of them, those that closed the gap by a bound that no verified point contradicts"),
        "wrong": Column("int64", "claims that verification refutes, see below"),
        "no_solution": Column("int64", "runs that ended without a solution"),
        "errors": Column("int64", "runs whose solver failed, with or without a verified point"),
        "cpu_median": Column("float64", "the median of the CPU seconds of the runs made"),
    },
    make=make,
    notes="""\
The best known value of an instance is here that of all rows of the campaign on it and on its twins with other
whole-numbered translations, which have the same optimum. A run is `wrong` if the point it handed in is not feasible, if
it claims optimality for another value than its point has, if its proof is `refuted`, if its bound lies above a verified
value, as `refused_bounds` has it (by more than 10⁻⁵ of it, than 10⁻⁶ and than four times what the feasibility tolerance
is worth), or if it says that the problem is infeasible or unbounded. Such a run may be `verified` nevertheless: a good
point with a bad proof is both. It is never `proven`. Bounds below 0 count as 0, since f ≥ 0. Bounds that
`refused_bounds` lists for their formulation alone do count here, where formulations are what is compared: `proven` says
that a run closed its gap and that nothing contradicts it, not that its bound would certify a value.""",
)
