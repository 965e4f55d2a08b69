"""Statements that rest on global optima, measured against the proven ones on the suite of 216 instances at D = 64.

The paper has no proofs and takes CPLEX's solutions for the optima where they are better than the strategies'. Here the
optimum is that of the table `best_known`; a statement needs it proven on every instance that it speaks of.
"""

from __future__ import annotations

import pandas as pd

from unbounded.tables.claim_answers import (
    POINTS,
    Measure,
    Measured,
    agree,
    answer,
    join,
    runs_a_cell,
    share_interval,
    tell_intervals,
)
from unbounded.tables.evidence import PAPER_D, SUITE_SIZE, Evidence, NotMeasured, demand_all, missing
from unbounded.tables.measures import CLOSE, OPTIMAL, SIMILAR, within
from unbounded.tables.verdict_counts import Counts, Drawn, to_optimum

#: How near counts as near, the strictest first, as it is told.
NEARNESS = {OPTIMAL: "10⁻⁴", CLOSE: "10⁻³", SIMILAR: "1 %"}


def _suite(evidence: Evidence) -> pd.DataFrame:
    """Return the cells of the untranslated suite whose optimum is proven."""
    cells = evidence.suite("benchmark", 0.0)
    if not cells["proven"].any():
        raise NotMeasured(f"no optimum is proven in the benchmark at D = {PAPER_D}")
    return cells[cells["proven"]]


def _demand(suite: pd.DataFrame, mine: pd.DataFrame, missing: int, measured: str) -> None:
    """Raise NotMeasured, with what was counted, unless all optima are proven and all instances were measured."""
    proven = suite["instance"].nunique()
    if proven < SUITE_SIZE:
        raise NotMeasured(f"the optimum is proven on {proven} of the {SUITE_SIZE} instances", measured, len(mine))
    demand_all(len(mine), missing, measured)


def _tell(cells: pd.DataFrame) -> str:
    """Write how many of a solver's bests come how near the optimum."""
    near = [int(within(cells["normalised_optimum_best"], tolerance).sum()) for tolerance in NEARNESS]
    told = ", ".join(f"{count} within {word}" for count, word in zip(near, NEARNESS.values(), strict=True))
    return f"{told} of {len(cells)} proven optima"


def _intervals(cells: pd.DataFrame, evidence: Evidence) -> tuple[dict[str, tuple[int, int]], str]:
    """Return the intervals of these counts, and what they rest on."""
    drawn, comparison = Drawn.of(cells, evidence.runs), to_optimum(cells)
    found = {word: Counts(cells, comparison, drawn, "best", tolerance) for tolerance, word in NEARNESS.items()}
    intervals = {f"within {word}": counts.of(("better", "similar"))[1:] for word, counts in found.items()}
    return intervals, next(iter(found.values())).rests_on


def cplex_attains(evidence: Evidence) -> Measured:
    """Measure on how many instances CPLEX's value is the optimum, to within the gap at which it stops."""
    cells = _suite(evidence)
    mine = cells[cells["is_reference"] & cells["verdict_optimum_best"].notna()]
    text = _tell(mine)
    _demand(cells, mine, 0, text)
    attained = float(within(mine["normalised_optimum_best"], CLOSE).mean())
    why = evidence.settings("cplex", str(mine["solver"].iloc[0]), mine["instance"])
    told = tell_intervals(*_intervals(mine, evidence))
    return Measured(text, len(mine), answer(attained >= 1 - POINTS / 100), why, told)


def cplex_has_the_optimiser(evidence: Evidence) -> Measured:
    """Measure whether CPLEX has the integers of an optimum wherever no strategy's best is below its own.

    Exact solvers are no strategies: they are never above.
    """
    cells = _suite(evidence)
    mine = cells[cells["is_reference"] & cells["verdict_optimum_best"].notna()].set_index("instance")
    others = cells[~cells["is_reference"] & ~cells["solver"].map(evidence.is_white_box).astype(bool)]
    rival = others.groupby("instance")["best_f"].min().reindex(mine.index)
    ahead = mine[mine["best_f"].notna() & ~(rival < mine["best_f"])]
    found = int((ahead["delta_z_proven"] == 0).sum())
    text = f"the integers of an optimum on {found} of the {len(ahead)} instances where no strategy is better"
    _demand(cells, mine, 0, text)
    share = found / len(ahead) if len(ahead) else 0.0
    why = evidence.settings("cplex", str(mine["solver"].iloc[0]), mine.index)
    told = share_interval(found, len(ahead)) if len(ahead) else ""
    return Measured(text, len(mine), answer(share >= 1 - POINTS / 100), why, told)


def near_the_optimum(solver: str, printed: float) -> Measure:
    """Measure on which share of the instances a strategy's best is within 1 % of the optimum; `printed` in per cent."""

    def measure(evidence: Evidence) -> Measured:
        cells = _suite(evidence)
        id, stands_in = evidence.identify(solver, cells["solver"].unique(), f"its benchmark at D = {PAPER_D}")
        mine = cells[(cells["solver"] == id) & cells["verdict_optimum_best"].notna()]
        text = _tell(mine)
        _demand(cells, mine, missing(mine), text)
        intervals, rests_on = _intervals(mine, evidence)
        why = join(stands_in, runs_a_cell(id, mine["planned"], 10), evidence.settings(solver, id, mine["instance"]))
        agrees = answer(agree(intervals, SUITE_SIZE, {f"within {NEARNESS[SIMILAR]}": printed}))
        return Measured(text, len(mine), agrees, why, tell_intervals(intervals, rests_on))

    return measure
