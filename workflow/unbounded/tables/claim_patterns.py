"""Statements about which instances of the suite a strategy is strong and weak on (paper's sections bestRes and medRes).

What is printed without a number is given one here, before any measurement: poor is more than 1 % above CPLEX, diverged
half above it (the dark end of the paper's maps) or without a solution, alike a rank correlation of at least 0.7.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import scipy

from unbounded.instances.hessians import FloatArray
from unbounded.tables.claim_answers import HALF, NEARLY_ALL, Measured, answer, join, runs_a_cell
from unbounded.tables.evidence import PAPER_C, PAPER_D, PAPER_E, SUITE_SIZE, Evidence, demand_all, missing
from unbounded.tables.measures import SIMILAR, within

#: Test cases with the HadEllipse in the objective or the constraint.
HADELLIPSE = (2, 5, 6, 7, 8)
#: Those whose constraint is not the Cigar.
NOT_CIGAR = (1, 2, 4, 5, 7, 8)
#: The instances on which the paper's CPLEX found nothing.
UNSOLVED = {(7, 1e6, 10.0), (7, 1e6, 30.0), (7, 1e6, 80.0)}
#: From this ratio on the paper's maps are black.
DIVERGED = 1.5
#: "In the order of 10 %": within half a power of ten.
TENTH = (10**-1.5, 10**-0.5)
ALIKE = 0.7
STRATEGIES = ("mies", "cma-IH")

Place = tuple[int, float, float]


def _cells(
    evidence: Evidence, solver: str, type: str = "benchmark", D: int = PAPER_D, kind: str = "mixed"
) -> tuple[pd.DataFrame, str]:
    """Return a strategy's cells of the suite by test case, c and E, with remarks; all 216 must be measured."""
    cells = evidence.suite(type, 0.0, D, kind)
    id, stands_in = evidence.identify(solver, cells["solver"].unique(), f"its {type} at D = {D}")
    mine = cells[(cells["solver"] == id) & cells["verdict_best"].notna()]
    demand_all(len(mine), missing(mine), "")
    why = join(stands_in, runs_a_cell(id, mine["planned"], 10), evidence.settings(solver, id, mine["instance"]))
    return mine.set_index(["tc", "c", "E"]).sort_index(), why


def _wins(cells: pd.DataFrame) -> set[Place]:
    better = cells.index[cells["verdict_best"] == "better"]
    return {(int(tc), float(c), float(E)) for tc, c, E in better}


def name(place: Place) -> str:
    """Write an instance of the suite."""
    tc, c, E = place
    return f"TC-{tc} c = 1e{math.log10(c):.0f} E = {E:g}"


def wins_have_the_hadellipse(evidence: Evidence) -> Measured:
    """Measure whether cma-IH beats CPLEX with the HadEllipse alone, and on the three instances CPLEX failed on."""
    cells, why = _cells(evidence, "cma-IH")
    wins = _wins(cells)
    with_it = sum(tc in HADELLIPSE for tc, _, _ in wins)
    text = f"{with_it} of {len(wins)} wins with the HadEllipse, {len(wins & UNSOLVED)} of the 3 of TC-7 among them"
    return Measured(text, len(cells), answer(bool(wins) and with_it == len(wins) and wins >= UNSOLVED), why)


def mies_wins(evidence: Evidence) -> Measured:
    """Measure whether mies beats CPLEX on two instances, both of TC-5 with c = 10."""
    cells, why = _cells(evidence, "mies")
    wins = sorted(_wins(cells))
    inside = [win for win in wins if win[:2] == (5, 10.0)]
    more = f", and {len(wins) - 6} more" if len(wins) > 6 else ""
    text = f"{len(wins)} wins" + (f": {', '.join(map(name, wins[:6]))}{more}" if wins else "")
    return Measured(text, len(cells), answer(len(wins) == len(inside) == 2), why)


def mies_diverges(evidence: Evidence) -> Measured:
    """Measure whether mies's median is poor on the six test cases without the Cigar as constraint, but at c = 10."""
    cells, why = _cells(evidence, "mies")
    tc, c = (cells.index.get_level_values(level) for level in ("tc", "c"))
    ratio = cells["normalised_median"].where(cells["reference_f"].notna(), 1.0).where(cells["median_f"].notna(), np.inf)
    poor, diverged = ~within(ratio, SIMILAR), ratio.to_numpy() > DIVERGED
    six = np.isin(tc, NOT_CIGAR)
    high, low, cigar = six & (c > 10), six & (c == 10), ~six
    text = (
        f"poor on {poor[high].sum()} of {high.sum()} with c > 10, {diverged[high].sum()} of them diverged; "
        f"on {poor[low].sum()} of {low.sum()} with c = 10; "
        f"with the Cigar as constraint on {poor[cigar].sum()} of {cigar.sum()}"
    )
    agrees = poor[high].mean() >= NEARLY_ALL and poor[low].mean() < HALF
    return Measured(text, int(six.sum()), answer(agrees), why)


def degrades_on_tc6(evidence: Evidence) -> Measured:
    """Measure whether the strategies' bests on TC-6 rise, against CPLEX's, from each c and each E to the next.

    A step between two instances on which nothing is lost, both being within 1 %, does not count against it.
    """
    texts, remarks, agrees = [], [], []
    for solver in STRATEGIES:
        cells, why = _cells(evidence, solver)
        ratio = cells["normalised_best"].where(cells["best_f"].notna(), np.inf).loc[6]
        table = ratio.unstack("E").reindex(index=list(PAPER_C), columns=list(PAPER_E)).to_numpy()
        by_c, by_E = _rises(table[:-1], table[1:]), _rises(table[:, :-1], table[:, 1:])
        rises = np.concatenate([by_c.ravel(), by_E.ravel()])
        texts.append(
            f"{solver}: higher, or nothing lost, on {by_c.sum()} of {by_c.size} steps of c "
            f"and {by_E.sum()} of {by_E.size} of E"
        )
        agrees.append(rises.mean() >= NEARLY_ALL)
        remarks.append(why)
    return Measured("; ".join(texts), SUITE_SIZE // 9, answer(all(agrees)), join(*remarks))


def _rises(before: FloatArray, after: FloatArray) -> np.ndarray:
    return (after >= before) | (within(before, SIMILAR) & within(after, SIMILAR))


def declines_on_tc1(evidence: Evidence) -> Measured:
    """Measure cma-IH's median on TC-1: within 1 % at c = 10 and 100, in the order of 10 % above from c = 10⁵ on."""
    cells, why = _cells(evidence, "cma-IH")
    proven = bool(cells.loc[1, "proven"].all())
    ratio = cells.loc[1, "normalised_optimum_median" if proven else "normalised_median"].fillna(np.inf)
    c = ratio.index.get_level_values("c")
    low, high = (float(ratio[part].median()) - 1 for part in (c <= 100, c >= 1e5))
    text = (
        f"the median cell is {100 * low:.2g} % above {'the proven optimum' if proven else 'cplex'} "
        f"at c ≤ 100, {100 * high:.2g} % at c ≥ 10⁵"
    )
    return Measured(text, len(ratio), answer(low <= SIMILAR and TENTH[0] <= high <= TENTH[1]), why)


def _alike(evidence: Evidence, others: dict[str, tuple[str, int, str]]) -> Measured:
    """Compare the strategies' medians on other suites, instance by instance, with those on the suite at D = 64."""
    texts, remarks, agrees = [], [], []
    for solver in STRATEGIES:
        here, why = _cells(evidence, solver)
        remarks.append(why)
        for label, (type, D, kind) in others.items():
            there, why = _cells(evidence, solver, type, D, kind)
            there = there.reindex(here.index)
            # Without CPLEX's value there is no ratio; a strategy without a solution ranks last.
            known = here["reference_f"].notna() & there["reference_f"].notna()
            medians = [cells.loc[known, "normalised_median"].fillna(np.inf) for cells in (here, there)]
            rho = float(scipy.stats.spearmanr(*medians).statistic)
            same = int((here["verdict_best"] == there["verdict_best"]).sum())
            texts.append(f"{solver}, {label}: rank correlation {rho:.2f}, the same verdict on {same} of {len(here)}")
            remarks.append(why)
            agrees.append(rho >= ALIKE)
    return Measured("; ".join(texts), SUITE_SIZE, answer(all(agrees)), join(*remarks))


def integers_alike(evidence: Evidence) -> Measured:
    """Measure whether the strategies rank the all-integer instances as they do the mixed ones."""
    return _alike(evidence, {"all-integer": ("all-integer", PAPER_D, "integer")})


def dimensions_alike(evidence: Evidence) -> Measured:
    """Measure whether the strategies rank the instances at D = 32 and D = 128 as they do at D = 64."""
    return _alike(evidence, {f"D = {D}": ("benchmark", D, "mixed") for D in (32, 128)})
