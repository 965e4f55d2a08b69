"""Statements about all-integer TC-4 at D = 64 (paper's section RRmultimodality)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import scipy

from unbounded.instances import InstanceSpec
from unbounded.instances.hessians import FloatArray
from unbounded.tables.claim_answers import HALF, NEARLY_ALL, Measured, answer, join, runs_a_cell, share_interval
from unbounded.tables.evidence import PAPER_D, Evidence, NotMeasured, demand_all
from unbounded.tables.measures import is_made
from unbounded.tables.multimodal_runs import multimodality_runs, points
from unbounded.tables.near_vectors import COUNTED
from unbounded.tables.statuses import MISSING

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


def _points(evidence: Evidence) -> tuple[dict[str, FloatArray], dict[str, str], str]:
    """Return the solutions of each of the paper's strategies on the shown instance, their ids, and remarks."""
    _, ids, why = _shown(evidence)
    runs = multimodality_runs(evidence.runs, evidence.trials)
    runs = runs[(runs["instance"] == SHOWN) & runs["solved"]].drop_duplicates(["solver", "seed"])
    found = {name: runs.loc[runs["solver"] == id, "x"] for name, id in ids.items()}
    without = [ids[name] for name, x in found.items() if len(x) < 2]
    if without:
        raise NotMeasured(f"fewer than two solutions of {', '.join(without)}", cells=1)
    return {name: points(SHOWN, x) for name, x in found.items()}, ids, why


def no_neighbours(evidence: Evidence) -> Measured:
    """Measure how many pairs of different solutions are neighbours on the lattice: one integer differs, by one."""
    found, _, why = _points(evidence)
    unique = np.unique(np.concatenate(list(found.values())), axis=0)
    distances = scipy.spatial.distance.pdist(unique, "cityblock")
    neighbours, near = int((distances == 1).sum()), int((distances == 2).sum())
    text = f"{neighbours} of {len(distances):,} pairs of the {len(unique)} different vectors are one step apart"
    text += f", {near} two; the nearest {distances.min():g}" if len(distances) else ""
    return Measured(text, 1, answer(neighbours == 0), why)


def wm_least_diverse(evidence: Evidence) -> Measured:
    """Measure whether cma-wM's solutions lie nearest to each other and lowest, by medians, and are all unique."""
    found, ids, why = _points(evidence)
    apart = {name: float(np.median(scipy.spatial.distance.pdist(x, "cityblock"))) for name, x in found.items()}
    table = evidence.multimodality
    table = table[table["instance"] == SHOWN].drop_duplicates("solver").set_index("solver")
    medians = {name: float(table.loc[id, "median_f"]) for name, id in ids.items()}
    unique = len(np.unique(found["cma-wM"], axis=0))
    text = "median L1 distance " + ", ".join(f"{distance:g} of {name}" for name, distance in apart.items())
    text += f"; {unique} of {len(found['cma-wM'])} solutions of cma-wM are unique"
    others = [name for name in ids if name != "cma-wM"]
    lowest = all(apart["cma-wM"] < apart[name] and medians["cma-wM"] < medians[name] for name in others)
    return Measured(text, 1, answer(lowest and unique == len(found["cma-wM"])), why)


def wm_best(evidence: Evidence) -> Measured:
    """Measure whether cma-wM's runs are better than those of both others on all four instances, each significantly.

    Holm's correction is over all tests of the study.
    """
    _, ids, why = _shown(evidence)
    wm = ids["cma-wM"]
    tests = evidence.multimodality_tests
    texts, better, cells = [], [], 0
    for name in ("mies", "cma-IH"):
        other = ids[name]
        pairs = tests[
            tests["instance"].isin(FOUR) & tests["solver"].isin((wm, other)) & tests["other"].isin((wm, other))
        ]
        pairs = pairs.drop_duplicates("instance")
        effect = pairs["effect"].where(pairs["solver"] == wm, 1 - pairs["effect"])
        wins, losses = (pairs["significant"] & side for side in (effect > HALF, effect < HALF))
        counts = f"better on {int(wins.sum())}, worse on {int(losses.sum())} of {len(pairs)}"
        texts.append(f"against {name} significantly {counts}")
        better.append(bool(wins.all()))
        cells = max(cells, len(pairs))
        demand_all(len(pairs), 0, "; ".join(texts), expected=len(FOUR))
    return Measured("; ".join(texts), cells, answer(all(better)), why)


def smaller_gap(evidence: Evidence) -> Measured:
    """Measure on which of the four instances CPLEX reaches the best known value with the gaps 1e-3 and 1e-5.

    The print agrees where it does on all with 1e-5 and not on all with 1e-3. Values that differ by less than a
    billionth are equal.
    """
    runs = evidence.runs[(evidence.runs["type"] == "multimodality") & evidence.runs["instance"].isin(FOUR)]
    if runs.empty:
        raise NotMeasured(f"the campaign has no multimodality study of all-integer TC-4 at D = {PAPER_D}")
    gaps = evidence.mipgaps(FOUR)
    reached: dict[float, pd.Series] = {}
    for gap in (ORIGINAL_GAP, TIGHT_GAP):
        rows = runs[(runs["solver"].map(gaps) == gap) & is_made(runs["status"])]
        if rows.empty:
            raise NotMeasured(f"the campaign has no cplex with mipgap {gap:g} in its multimodality study")
        reached[gap] = (rows["f"] <= rows["best_known_f"] * (1 + 1e-9)).groupby(rows["instance"]).any()
    tight, original = reached[TIGHT_GAP], reached[ORIGINAL_GAP]
    proven = int(runs.loc[runs["proven"], "instance"].nunique())
    text = (
        f"the best known value, {proven} of {len(FOUR)} proven optimal, on {int(original.sum())} of {len(original)} "
        f"with 1e-3, on {int(tight.sum())} of {len(tight)} with 1e-5"
    )
    demand_all(min(len(tight), len(original)), 0, text, expected=len(FOUR))
    ids = [id for id, gap in gaps.items() if gap == TIGHT_GAP and id in set(runs["solver"])]
    agrees = bool(tight.all()) and not original.all()
    return Measured(text, len(tight), answer(agrees), evidence.settings("cplex", ids[0], FOUR))
