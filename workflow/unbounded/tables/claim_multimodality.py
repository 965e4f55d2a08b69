"""Statements about all-integer TC-4 at D = 64 (paper's section RRmultimodality)."""

from __future__ import annotations

import pandas as pd

from unbounded.instances import InstanceSpec
from unbounded.tables.claim_answers import HALF, NEARLY_ALL, Measured, answer, join, runs_a_cell, share_interval
from unbounded.tables.evidence import PAPER_D, Evidence, NotMeasured, demand_all
from unbounded.tables.near_vectors import COUNTED
from unbounded.tables.schema import MISSING

#: Gaps of the multimodality study's two CPLEX runs.
ORIGINAL_GAP, TIGHT_GAP = 1e-3, 1e-5
STRATEGIES = ("mies", "cma-IH", "cma-wM")


def tc4(c: float, E: float) -> str:
    """Return the id of the paper's all-integer TC-4 instance."""
    return InstanceSpec("integer", PAPER_D, 0.0, 4, c, E).id


#: The instance that the paper's section on multimodality shows, and all four of it.
SHOWN = tc4(10.0, 10.0)
FOUR = [tc4(c, E) for c in (10.0, 1000.0) for E in (10.0, 30.0)]


def _shown(evidence: Evidence) -> tuple[pd.DataFrame, dict[str, str], str]:
    """Return the lines of the shown instance by solver id, the ids of the paper's strategies, and remarks."""
    table = evidence.multimodality
    table = table[table["instance"] == SHOWN].drop_duplicates("solver").set_index("solver")
    if table.empty:
        raise NotMeasured(f"the campaign has no multimodality study of {SHOWN}")
    found = {name: evidence.identify(name, table.index, f"its multimodality study of {SHOWN}") for name in STRATEGIES}
    ids = {name: id for name, (id, _) in found.items()}
    planned = evidence.runs[(evidence.runs["type"] == "multimodality") & (evidence.runs["instance"] == SHOWN)]
    planned = planned[planned["solver"].isin(list(ids.values()))]
    missing = int((planned["status"] == MISSING).sum())
    if missing:
        raise NotMeasured(f"{missing} planned runs are missing")
    remarks = [
        join(remark, runs_a_cell(id, table.loc[[id], "runs"], 100), evidence.settings(name, id, [SHOWN]))
        for name, (id, remark) in found.items()
    ]
    return table.loc[list(ids.values())], ids, join(*remarks)


def _near(evidence: Evidence) -> pd.Series | None:
    """Return the line of the shown instance whose near-optimal vectors were counted, if there is one."""
    table = evidence.multimodality_near
    table = table[(table["instance"] == SHOWN) & (table["status"] == COUNTED)]
    return None if table.empty else table.iloc[0]


def many_within(evidence: Evidence) -> Measured:
    """Measure how many of the strategies' runs came within 0.1 % of the best known value; "many" is above half.

    Beside this sample stands how many vectors there are, where an exact solver has counted them.
    """
    table, _, why = _shown(evidence)
    close, runs = round(float((table["within_share"] * table["runs"]).sum())), int(table["runs"].sum())
    text = f"{close} of {runs} runs ({100 * close / runs:.0f} %)"
    near = _near(evidence)
    if near is not None:
        of = f"the best {near['listed']:,.0f}" if near["capped"] else "them"
        single, local = (
            f"{near[name]:,.0f} ({100 * near[name] / near['listed']:.3g} %)"
            for name in ("local_optima_single", "local_optima")
        )
        text += (
            f"; exactly {near['vectors']:,.0f} integer vectors are that near the optimum; local optima among {of} by "
            f"steps of ±1 in one coordinate: {single}, in one or two: {local}"
        )
    return Measured(text, 1, answer(close / runs > HALF), why, share_interval(close, runs))


def nearly_all_unique(evidence: Evidence) -> Measured:
    """Measure how many of a strategy's solutions are distinct vectors, summed over the strategies."""
    table, _, why = _shown(evidence)
    unique, solved = int(table["unique"].sum()), int(table["solved"].sum())
    if not solved:
        raise NotMeasured("no strategy has a solution", cells=1)
    text = f"{unique} of {solved} solutions ({100 * unique / solved:.0f} %)"
    near = _near(evidence)
    if near is not None:
        share = f"{100 * near['found'] / near['vectors']:.3g} %"
        text += f"; all strategies together found {near['found']:,} ({share}) of the {near['vectors']:,.0f} vectors "
        text += "within 0.1 % of the optimum"
    return Measured(text, 1, answer(unique / solved >= NEARLY_ALL), why)


def wm_best(evidence: Evidence) -> Measured:
    """Measure whether cma-wM's runs are better than those of both others, each test significant after Holm."""
    _, ids, why = _shown(evidence)
    wm = ids["cma-wM"]
    tests = evidence.multimodality_tests
    tests = tests[tests["instance"] == SHOWN]
    texts, better = [], []
    for other in (ids["mies"], ids["cma-IH"]):
        pair = tests[tests["solver"].isin((wm, other)) & tests["other"].isin((wm, other))]
        if pair.empty:
            raise NotMeasured(f"there is no test of {wm} against {other}")
        test = pair.iloc[0]
        effect = float(test["effect"] if test["solver"] == wm else 1 - test["effect"])
        better.append(bool(test["significant"]) and effect > 0.5)
        texts.append(f"A = {effect:.2f}, p = {test['p_holm']:.2g} against {other}")
    return Measured("; ".join(texts), 1, answer(all(better)), why)


def smaller_gap(evidence: Evidence) -> Measured:
    """Measure whether CPLEX with the gap 1e-5 beats its run with 1e-3 on some of the four instances and loses on none.

    Values that differ by less than a billionth are equal.
    """
    table = evidence.multimodality
    table = table[table["instance"].isin(FOUR)]
    if table.empty:
        raise NotMeasured(f"the campaign has no multimodality study of all-integer TC-4 at D = {PAPER_D}")
    gaps = evidence.mipgaps(FOUR)
    bests: dict[float, pd.Series] = {}
    for gap in (ORIGINAL_GAP, TIGHT_GAP):
        rows = table[table["solver"].map(gaps) == gap]
        if rows.empty:
            raise NotMeasured(f"the campaign has no cplex with mipgap {gap:g} in its multimodality study")
        bests[gap] = rows.groupby("instance")["best_f"].min()
    # Lines are runs that were made: an empty best there is a failure, which any value beats.
    both = pd.concat([best.fillna(float("inf")) for best in bests.values()], axis=1, join="inner", keys=list(bests))
    tight, original = both[TIGHT_GAP], both[ORIGINAL_GAP]
    better, worse = int((tight < original * (1 - 1e-9)).sum()), int((original < tight * (1 - 1e-9)).sum())
    text = f"better on {better}, equal on {len(both) - better - worse}, worse on {worse} of {len(both)}"
    demand_all(len(both), 0, text, expected=len(FOUR))
    ids = [id for id, gap in gaps.items() if gap == TIGHT_GAP and id in set(table["solver"])]
    return Measured(text, len(both), answer(better > 0 and worse == 0), evidence.settings("cplex", ids[0], FOUR))
