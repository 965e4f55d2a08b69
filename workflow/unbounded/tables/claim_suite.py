"""Statements about the suite of 216 instances at D = 64: strategies against CPLEX, translation, CPLEX itself, TC-0."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from unbounded.tables.claim_answers import (
    HALF,
    POINTS,
    Measure,
    Measured,
    agree,
    answer,
    join,
    runs_a_cell,
    share_interval,
    tell,
    tell_intervals,
)
from unbounded.tables.claim_patterns import HADELLIPSE, UNSOLVED, name
from unbounded.tables.evidence import PAPER_D, SUITE_SIZE, TRANSLATION, Evidence, NotMeasured, demand_all, missing
from unbounded.tables.intervals import BINOMIAL, SEEDS
from unbounded.tables.measures import SIMILAR, VERDICTS, within
from unbounded.tables.statuses import MISSING
from unbounded.tables.translated_pairs import WORDS, drawn_verdicts, pair_interval
from unbounded.tables.verdict_counts import MEASURED, Counts, Drawn, is_zero, to_reference

MINUTE, HOUR = 60.0, 3600.0
#: "Instantly" means within so many seconds.
INSTANT = 10.0
#: Runs of a strategy on an instance.
RUNS = 10
#: The origin is where no coordinate is further from zero than this.
ORIGIN = 1e-6


def against_cplex(solver: str, type: str, t: float, printed: Mapping[str, float]) -> Measure:
    """Measure how often a strategy's best was better, similar and worse than CPLEX's on the suite."""

    def measure(evidence: Evidence) -> Measured:
        cells = evidence.suite(type, t)
        id, stands_in = evidence.identify(solver, cells["solver"].unique(), f"its {type} at D = {PAPER_D}")
        mine, reference = cells[cells["solver"] == id], cells[cells["is_reference"]]
        words = mine["verdict_best"].dropna()
        counts = {word: int((words == word).sum()) for word in VERDICTS}
        text = tell(counts, len(words), VERDICTS) + _with_zero_optimum(mine)
        demand_all(len(words), missing(mine) + missing(reference), text)
        found = Counts(mine, to_reference(mine), Drawn.of(mine, evidence.runs), "best", SIMILAR)
        intervals = {word: found.of([word])[1:] for word in MEASURED}
        why = join(
            stands_in,
            runs_a_cell(id, mine["planned"], 10),
            evidence.settings(solver, id, mine["instance"]),
            runs_a_cell(str(reference["solver"].iloc[0]), reference["planned"], 1),
            evidence.settings("cplex", str(reference["solver"].iloc[0]), reference["instance"]),
        )
        agrees = answer(agree(intervals, len(words), printed))
        return Measured(text, len(words), agrees, why, tell_intervals(intervals, found.rests_on))

    return measure


def _with_zero_optimum(mine: pd.DataFrame) -> str:
    """Write the counts of instances whose optimum is zero, where a constant decides them; if there are any."""
    words = mine.loc[is_zero(mine), "verdict_best"].dropna()
    counts = {word: int((words == word).sum()) for word in VERDICTS}
    return f"; where the optimum is zero, {tell(counts, len(words), VERDICTS)}" if len(words) else ""


def against_untranslated(solver: str, printed: Mapping[str, float]) -> Measure:
    """Measure how often a strategy's best under translation is the same as, better and worse than without."""

    def measure(evidence: Evidence) -> Measured:
        pairs = evidence.pairs()
        id, stands_in = evidence.identify(solver, pairs["solver"].unique(), f"pairs at D = {PAPER_D}")
        words = pairs.loc[pairs["solver"] == id, "verdict"].dropna()
        counts = {word: int((words == word).sum()) for word in WORDS}
        text = tell(counts, len(words), WORDS)
        runs = evidence.runs
        slice = runs[(runs["solver"] == id) & (runs["D"] == PAPER_D) & (runs["kind"] == "mixed")]
        slice = slice[slice["t"].isin((0.0, TRANSLATION)) & slice["type"].isin(("benchmark", "translation"))]
        demand_all(len(words), int((slice["status"] == MISSING).sum()), text)
        why = join(stands_in, evidence.settings(solver, id, slice["instance"].unique()))
        drawn = drawn_verdicts(pairs[(pairs["solver"] == id) & pairs["verdict"].notna()], evidence.runs)
        intervals = {word: pair_interval(word, counts[word], len(words), drawn) for word in WORDS[:3]}
        agrees = answer(agree(intervals, len(words), printed))
        told = tell_intervals(intervals, BINOMIAL if drawn is None else SEEDS)
        return Measured(text, len(words), agrees, why, told)

    return measure


def _reference_runs(evidence: Evidence, type: str = "benchmark", t: float = 0.0) -> tuple[pd.DataFrame, str]:
    """Return CPLEX's runs that were made on the suite, with their termination, and its settings."""
    cells = evidence.suite(type, t)
    reference = cells[cells["is_reference"]]
    runs = evidence.runs_of(reference).merge(
        evidence.trials[["instance", "solver", "seed", "termination"]], on=["instance", "solver", "seed"]
    )
    why = evidence.settings("cplex", str(reference["solver"].iloc[0]), reference["instance"])
    return runs, why


def time_outs(evidence: Evidence) -> Measured:
    """Measure where CPLEX ran out of time: everywhere but on TC-4 with c > 10, where it ended at its gap, instantly."""
    runs, why = _reference_runs(evidence)
    easy = (runs["tc"] == 4) & (runs["c"] > 10)
    # A run that found nothing, or nothing feasible, has another status; its termination says whether time was up.
    timed_out = (runs["status"] == "time-out") | runs["termination"].fillna("").str.contains("time limit")
    instant = (runs["status"] == "tolerance") & (runs["wall_seconds"] <= INSTANT)
    as_printed = instant.where(easy, timed_out).groupby(runs["instance"]).all()
    on_easy = easy.groupby(runs["instance"]).any()
    stopped = int((easy & (runs["status"] == "tolerance")).groupby(runs["instance"]).any().sum())
    text = (
        f"{int(as_printed[~on_easy].sum())} of {int((~on_easy).sum())} time out elsewhere, "
        f"{stopped} of {int(on_easy.sum())} end with tolerance on TC-4 with c > 10, "
        f"{int(as_printed[on_easy].sum())} of them within {INSTANT:g} s: as printed on {int(as_printed.sum())} in all"
    )
    demand_all(len(as_printed), 0, text)
    agrees = answer(as_printed.mean() >= 1 - POINTS / 100)
    return Measured(text, len(as_printed), agrees, why, share_interval(int(as_printed.sum()), len(as_printed)))


def without_solution(evidence: Evidence) -> Measured:
    """Measure on which instances CPLEX ended without a verified solution: the three printed ones and no other."""
    runs, why = _reference_runs(evidence)
    solved = runs.groupby(["tc", "c", "E"])["solved"].any()
    failed = {(int(tc), float(c), float(E)) for tc, c, E in solved[~solved].index}
    names = [name(place) for place in sorted(failed)]
    more = f", and {len(names) - 6} more" if len(names) > 6 else ""
    text = f"{len(names)} of {len(solved)}" + (f": {', '.join(names[:6])}{more}" if names else "")
    demand_all(len(solved), 0, text)
    return Measured(text, len(solved), answer(failed == UNSOLVED), why)


def unsolved_when_translated(evidence: Evidence) -> Measured:
    """Measure whether CPLEX ends without a verified solution on more instances translated than not."""
    counts, remarks = [], []
    for type, t in (("benchmark", 0.0), ("translation", TRANSLATION)):
        runs, why = _reference_runs(evidence, type, t)
        solved = runs.groupby("instance")["solved"].any()
        counts.append(int((~solved).sum()))
        demand_all(len(solved), 0, f"{counts[0]} of {len(solved)} without translation" if type == "translation" else "")
        remarks.append(why)
    text = f"{counts[1]} of {SUITE_SIZE} translated, {counts[0]} not"
    return Measured(text, SUITE_SIZE, answer(counts[1] > counts[0]), join(*remarks))


def at_the_origin(evidence: Evidence) -> Measured:
    """Measure on how many instances of the untranslated suite CPLEX's solution is the origin; "multiple" is two."""
    runs, why = _reference_runs(evidence)
    points = evidence.trials[["instance", "solver", "seed", "x"]]
    runs = runs[runs["solved"]].merge(points, on=["instance", "solver", "seed"])
    # As an array: an empty list would select no column in place of no run.
    zero = runs[np.array([np.abs(np.asarray(x, dtype=np.float64)).max() < ORIGIN for x in runs["x"]], dtype=bool)]
    with_it = int(zero.loc[zero["tc"].isin(HADELLIPSE), "instance"].nunique())
    text = f"{zero['instance'].nunique()} of {SUITE_SIZE} instances, {with_it} of them with the HadEllipse"
    made = evidence.suite("benchmark", 0.0)
    demand_all(int(made.loc[made["is_reference"] & (made["made"] > 0), "instance"].nunique()), 0, text)
    return Measured(text, SUITE_SIZE, answer(zero["instance"].nunique() > 1), why)


# --- TC-0 ----------------------------------------------------------------------------------------------------------


def on_tc0(solver: str, holds: Callable[[pd.DataFrame], tuple[pd.Series, str]]) -> Measure:
    """Measure on what share of a strategy's runs on TC-0 something holds; the print says "usually" or "often"."""

    def measure(evidence: Evidence) -> Measured:
        cells = evidence.suite("benchmark", 0.0)
        cells = cells[cells["tc"] == 0]
        id, stands_in = evidence.identify(solver, cells["solver"].unique(), f"its benchmark on TC-0 at D = {PAPER_D}")
        mine = cells[cells["solver"] == id]
        runs = evidence.runs_of(mine)
        held, what = holds(runs)
        count, found = int(held.sum()), int(runs["instance"].nunique())
        share = count / len(runs) if len(runs) else 0.0
        text = f"{count} of {len(runs)} runs {what} ({100 * share:.0f} %)"
        demand_all(found, missing(mine), text, expected=SUITE_SIZE // 9)
        why = join(stands_in, runs_a_cell(id, mine["planned"], 10), evidence.settings(solver, id, mine["instance"]))
        return Measured(text, found, answer(share > HALF), why, share_interval(count, len(runs)))

    return measure


def _close(runs: pd.DataFrame) -> tuple[pd.Series, str]:
    """Say which runs are within 1 % of the proven optimum."""
    if not runs["proven"].all():
        open = int(runs.loc[~runs["proven"], "instance"].nunique())
        raise NotMeasured(f"the optimum of {open} instances of TC-0 at D = {PAPER_D} is not proven")
    return pd.Series(within(runs["normalised_optimum"], SIMILAR)), "within 1 % of the proven optimum"


mies_close_on_tc0 = on_tc0("mies", _close)
cma_fast_on_tc0 = on_tc0("cma-IH", lambda runs: (runs["wall_seconds"] <= MINUTE, "ended within 60 s"))


def ten_within_the_hour(evidence: Evidence) -> Measured:
    """Measure on which instances of TC-0 ten runs of cma-IH one after the other took less than an hour, all precise.

    Precise is within 1 % of the proven optimum.
    """
    cells = evidence.suite("benchmark", 0.0)
    cells = cells[cells["tc"] == 0]
    id, stands_in = evidence.identify("cma-IH", cells["solver"].unique(), f"its benchmark on TC-0 at D = {PAPER_D}")
    mine = cells[cells["solver"] == id]
    fewest = int(mine["planned"].min())
    if fewest < RUNS:
        raise NotMeasured(f"{id} has {fewest} runs on an instance of TC-0, the statement is about {RUNS}")
    runs = evidence.runs_of(mine).sort_values("seed")
    runs = runs.groupby("instance").head(RUNS)
    close, _ = _close(runs)
    seconds = runs.groupby("instance")["wall_seconds"].sum()
    held = (seconds <= HOUR) & close.groupby(runs["instance"]).all()
    text = (
        f"{int((seconds <= HOUR).sum())} of {len(seconds)} instances within the hour, "
        f"the longest {seconds.max():,.0f} s; "
        f"{int(close.sum())} of {len(runs)} runs within 1 % of the proven optimum, all ten on "
        f"{int(close.groupby(runs['instance']).all().sum())}"
    )
    demand_all(len(seconds), missing(mine), text, expected=SUITE_SIZE // 9)
    why = join(stands_in, evidence.settings("cma-IH", id, mine["instance"]))
    return Measured(text, len(seconds), answer(held.mean() >= 1 - POINTS / 100), why)
