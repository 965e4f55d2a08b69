"""Method and limits, as sentences made from the settings and the rows: they say what was done here, not in general."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from unbounded.campaign.campaign import Campaign
from unbounded.campaign.studies import LandscapeStudy, RunStudy
from unbounded.figures import captions, style
from unbounded.instances.instance import FEASIBILITY_TOLERANCE
from unbounded.report.known import Known
from unbounded.solvers import registry
from unbounded.tables.bounds import ILL_CONDITIONED, ONE_BOUND
from unbounded.tables.columns import TRIAL
from unbounded.tables.measures import ATOL, NOT_MADE, SIMILAR, is_solved
from unbounded.tables.statuses import MISSING, REFUTED, RUN_STATUSES
from unbounded.trials.row import INCUMBENT, PROOFS
from unbounded.trials.run import PROOF_TOLERANCE

#: What a status means; one that is not here is shown without words.
MEANINGS: Mapping[str, str] = {
    "optimal": "proved optimal by the solver; its point verified",
    "tolerance": "proved within the gap by the solver; its point verified",
    "unproven": "claimed optimal, but the verified value is not the claimed one "
    f"(by more than {100 * PROOF_TOLERANCE:g} %)",
    REFUTED: "claimed a proof that a verified point or a proven optimum contradicts; its point, verified, counts, its "
    "proof does not",
    "time-out": "time or ticks spent; the best point verified",
    "converged": "a strategy's own stopping rule; its point verified",
    "budget": "a strategy's budget spent; its point verified",
    INCUMBENT: "ended without a word that stands for a point (its row says how), but a point that it had come across "
    "is verified: the best of these counts",
    "no-solution": "ended without a feasible point",
    "unverified": "handed in a point that is not feasible",
    "error": "the solver failed; its row says how",
    "skipped": "the solver cannot run here; its row says why",
    "overrun": "stopped from outside, since it went far beyond its budget",
    "crashed": "its process ended without a row",
    "out-of-memory": "stopped for lack of memory",
    MISSING: "planned, but there is no row",
}


#: Fewer seeds than this make rough medians.
FEW = 5


@dataclass(frozen=True)
class Status:
    """A status that occurs, or may."""

    name: str
    meaning: str
    counts: str
    trials: int


def statuses(runs: pd.DataFrame) -> list[Status]:
    """Return every status with the number of its trials; those that no table knows come last, as they are."""
    found = runs.drop_duplicates(TRIAL)["status"].value_counts().to_dict()
    names = [*RUN_STATUSES, *(name for name in found if name not in RUN_STATUSES)]
    return [Status(name, MEANINGS.get(name, ""), _counts(name), int(found.get(name, 0))) for name in names]


def _counts(status: str) -> str:
    if is_solved([status])[0]:
        return "with its value"
    return "as not made" if status in NOT_MADE else "as a run without a solution"


def studies(campaign: Campaign, runs: pd.DataFrame) -> list[dict[str, str]]:
    """Return a line for each study: its instances, seeds, solvers and reference."""
    return [_study(name, study, runs) for name, study in campaign.studies.items()]


def _study(name: str, study: Any, runs: pd.DataFrame) -> dict[str, str]:
    if isinstance(study, LandscapeStudy):
        return {"name": name, "type": study.type, "grid": f"pictures at c = {style.number(study.c)}", "solvers": "none"}
    if not isinstance(study, RunStudy):
        return {"name": name, "type": study.type, "grid": f"reads {captions.listing(study.of)}", "solvers": "none"}
    planned = runs[runs["study"] == name]
    cases = captions.listing([f"TC-{case}" if isinstance(case, int) else case for case in study.test_cases])
    grid = (
        f"problems of {captions.listing(study.files)}"
        if study.files
        else (
            f"{captions.listing(list(study.kinds))}; D = {captions.listing([str(D) for D in study.dimensions])}; "
            f"{cases}; c = {captions.listing([style.number(c) for c in study.c])}; "
            f"E = {captions.listing([style.number(E) for E in study.E])}; "
            f"t = {captions.listing([style.number(t) for t in study.translations])}"
            + ("; block reading of the HadEllipse" if study.hessian == "block" else "")
        )
    )
    seeds = planned.groupby("solver", sort=False)["seed"].nunique()
    solvers = captions.listing([f"{solver} × {n}" for solver, n in seeds.items()])
    return {"name": name, "type": study.type, "grid": grid, "solvers": f"{solvers}; reference {study.reference}"}


def method(campaign: Campaign) -> list[tuple[str, str]]:
    """Return what was done to every row, as (title, text)."""
    penalties = {
        f"{study.penalty.factor:g} · {study.penalty.dimension or 'D'}² · max(0, g−E)²"
        for study in campaign.run_studies.values()
    }
    return [
        (
            "Instances",
            "Minimise f(x) = (1/c)(x−ξ0)ᵀHf(x−ξ0) subject to g(x) = (1/c)(x−ξ1)ᵀHg(x−ξ1) ≤ E. The last n_z coordinates "
            "are integer, none is bounded. Every row carries a digest of the arrays that were solved, and tables "
            "refuse rows of one instance whose digests differ.",
        ),
        (
            "Verification",
            "No solver is believed. The integers of a point are rounded, then f, g and violation are recomputed. "
            f"Feasible means g ≤ E + {style.number(FEASIBILITY_TOLERANCE)} · max(1, E). The best verified point of a "
            "run counts, be it a strategy's or a white-box solver's incumbent, however the run ended. What a solver "
            "claimed is recorded and shown, and used for nothing. Where a white-box solver's point fails, the repaired "
            "value is that of its integers with the best reals: for the record, never in place of a verified value.",
        ),
        (
            "Penalty",
            f"Evolution strategies minimise f + {captions.listing(sorted(penalties)) or 'a penalty'}, unless their "
            "options in the table of solvers say otherwise.",
        ),
        (
            "Normalised values",
            f"f divided by the reference's f, both raised to at least {style.number(ATOL)}: where both are zero the "
            f"value is 1. Similar means within {100 * SIMILAR:g} %, exactly {100 * SIMILAR:g} % included. Where one "
            "side alone has a solution it is the better one.",
        ),
        (
            "Counts",
            "Where the optimum is zero a quotient says only which values count as zero, so these instances are counted "
            "apart as well: by the proven optimum, else by the best known value. Intervals are what 95 % of pairs of "
            "campaigns drawn from the runs at hand differ by, at least three cells either way; where a cell has one "
            "run, the exact binomial ones.",
        ),
        (
            "Failures",
            "A run without a verified solution stands above every value in medians and quartiles, and is no best. Runs "
            "that were not made say nothing of a solver.",
        ),
        (
            "Traces",
            "Improvements of the best point, thinned when recorded: of those whose evaluation counts lie within 3 % of "
            "one another the last is kept. "
            + (
                f"Collected, they were thinned to {campaign.trace_points} entries a run: times to targets may be late "
                "by as much as lies between two entries, never early. "
                if campaign.trace_points
                else ""
            )
            + "This page draws their feasible part, thinned further and rounded to five "
            "digits. Its tables hold every digit.",
        ),
    ]


def limits(rows: pd.DataFrame, runs: pd.DataFrame, claims: pd.DataFrame, known: Known) -> Iterator[str]:
    """Yield what a reader should hold against this campaign, each sentence only where it applies."""
    once = runs.drop_duplicates(TRIAL)
    missing = int((once["status"] == MISSING).sum())
    if missing:
        yield f"{captions.count(missing, 'planned trial')} of {len(once):,} have no row yet: every number may change."
    skipped = once.loc[once["status"] == "skipped", "solver"].unique().tolist()
    if skipped:
        yield f"{captions.listing(skipped)} could not run on this machine for some trials; the rows say why."
    unmeasured = int((claims["agrees"] == "not measured").sum()) if len(claims) else 0
    if unmeasured:
        yield (
            f"Of the paper's {len(claims)} statements {unmeasured} could not be measured: the campaign lacks the "
            "instances or runs that they speak of."
        )
    yield from _unproved(runs)
    yield from _certified(known)
    zeros = once.loc[once["zero_optimum"], "instance"].nunique()
    if zeros:
        yield (
            f"On {captions.count(zeros, 'instance')} the optimum is zero, so quotients say only whether a value is "
            f"below {style.number(ATOL)}; they are marked with ○."
        )
    seconds = rows.loc[rows["budget_kind"] == "seconds", "solver"].unique().tolist()
    if seconds:
        yield (
            f"{captions.listing(seconds)} had budgets of wall-clock seconds: another machine, or the same one under "
            "another load, may give other values."
        )
    else:
        yield (
            "No budget is in seconds: the same seed, options, threads and versions give the same values on the same "
            "kind of processor. On another one the last digits may differ, and in long runs that can grow."
        )
    yield from _mixtures(rows)
    yield from _few(rows, once)


def _few(rows: pd.DataFrame, once: pd.DataFrame) -> Iterator[str]:
    """Say which strategies have few seeds; one run of a white-box solver is the study's design."""
    white_box = [variant for variant in rows["variant"].unique() if _is_white_box(variant)]
    exact = rows.loc[rows["variant"].isin(white_box), "solver"].unique()
    strategies = once[~once["is_reference"] & ~once["solver"].isin(exact)]
    seeds = strategies.groupby(["solver", "instance"]).size().groupby("solver", sort=False).min()
    few = [f"{solver} {n}" for solver, n in seeds.items() if n < FEW]
    if few:
        yield f"Few seeds on some instances ({captions.listing(few)}): medians and boxes of so few runs are rough."


def _is_white_box(variant: str) -> bool:
    try:
        return registry.find(variant).solver.white_box
    except ValueError:  # a solver that is gone since
        return False


def _unproved(runs: pd.DataFrame) -> Iterator[str]:
    """Say where the reference's value is no proved optimum."""
    references = runs[runs["is_reference"]]
    names = captions.listing(references["solver"].unique().tolist())
    claims = references["status"].isin(PROOFS).groupby(references["instance"]).any()
    if not claims.all():
        yield (
            f"The reference ({names}) claims a proof on {int(claims.sum()):,} of "
            f"{captions.count(len(claims), 'instance')}; elsewhere its value is only the best that it found, and a "
            "quotient near 1 does not mean near the optimum."
        )
    if len(references) and references.groupby(["study", "instance", "solver"]).size().min() == 1:
        yield (
            f"The reference ({names}) has one run on some instances: intervals of counts over seeds hold the spread of "
            "the others' seeds alone."
        )


def _certified(known: Known) -> Iterator[str]:
    """Say how sure the best known values are, where a table says so."""
    if known.statuses:
        # `gap 3 %` and `gap 5 %` are one kind.
        kinds = Counter(_kind(word) for word in known.statuses.values())
        counts = captions.listing([f"{number:,} {kind}" for kind, number in kinds.items()])
        yield (
            f"Of {captions.count(sum(kinds.values()), 'best known value')}, {counts}. A bound below is the word of "
            "the solver that it names, held against every verified value; proven is what an exact solver proved and no "
            "verified point contradicts, and a zero at ξ0."
        )


def _kind(status: str) -> str:
    """Return the kind of a reference's status, as it reads after a number."""
    if status == ONE_BOUND:
        return f"with one solver's bound alone, which certifies nothing from c = {style.number(ILL_CONDITIONED)} on"
    return "with a gap" if status.startswith("gap") else status


def _mixtures(rows: pd.DataFrame) -> Iterator[str]:
    """Say where rows were not made under the same conditions."""
    hosts = rows["host"].nunique()
    if hosts > 1:
        yield f"Rows come from {hosts} hosts: their seconds cannot be compared without care."
    for column, word in (("code_digest", "versions of this project's code"), ("versions", "sets of package versions")):
        several = rows.groupby("solver")[column].nunique()
        mixed = several[several > 1].index.tolist()
        if mixed:
            yield f"The rows of {captions.listing(mixed)} were made by several {word}."
