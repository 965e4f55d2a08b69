"""Evidence for the paper's statements: the tables they are measured on, and which lines of them count.

A statement about D = 64 is measured at D = 64 or not at all, and one about the suite on all of its 216 instances.
Whatever is not there raises NotMeasured, which says what is lacking.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from unbounded.solvers import registry
from unbounded.tables.measures import is_made

#: The paper's suite at one dimension.
PAPER_D = 64
PAPER_C = (1e1, 1e2, 1e3, 1e4, 1e5, 1e6)
PAPER_E = (10.0, 30.0, 50.0, 80.0)
SUITE_SIZE = 216
TRANSLATION = 1e4

#: Registry ids of CPLEX.
CPLEX = ("cplex", "cplex-published")
#: What may stand for a solver of the paper where a campaign does not plan it itself.
STAND_INS: Mapping[str, tuple[str, ...]] = {"cma-IH": ("cma-IH-fast",), "cma-wM": ("cma-wM-fast",)}
#: What the paper granted a run.
PAPER_BUDGETS: Mapping[str, tuple[float, str]] = {"cplex": (3600, "seconds")}
PAPER_STRATEGY_BUDGET = (1e6, "evaluations")
PAPER_CPLEX = "12.8"


class NotMeasured(Exception):  # noqa: N818 - no error: an answer
    """The campaign lacks what a statement needs; what was counted nevertheless may be told."""

    def __init__(self, why: str, measured: str = "", cells: int = 0) -> None:
        super().__init__(why)
        self.why, self.measured, self.cells = why, measured, cells


@dataclass(frozen=True)
class Evidence:
    """The tables of a campaign that statements are measured on."""

    trials: pd.DataFrame
    runs: pd.DataFrame
    cells: pd.DataFrame
    translation: pd.DataFrame
    preliminary: pd.DataFrame
    multimodality: pd.DataFrame
    multimodality_tests: pd.DataFrame
    multimodality_near: pd.DataFrame

    @cached_property
    def variants(self) -> Mapping[str, str]:
        """The registry's id behind every solver id that has rows."""
        pairs = self.trials[["solver", "variant"]].drop_duplicates("solver")
        return dict(zip(pairs["solver"], pairs["variant"], strict=True))

    def mipgaps(self, instances: Iterable[str]) -> Mapping[str, float]:
        """Return the relative gap of every CPLEX that has rows on these instances."""
        rows = self.trials[self.trials["variant"].isin(CPLEX) & self.trials["instance"].isin(list(instances))]
        rows = rows.drop_duplicates("solver")
        return {row.solver: float(json.loads(row.options)["mipgap"]) for row in rows.itertuples()}

    def is_cplex(self, solver: str) -> bool:
        """Say whether a solver id stands for CPLEX."""
        return self.variants.get(solver, solver) in CPLEX

    def is_white_box(self, solver: str) -> bool:
        """Say whether a solver id stands for one that reads the model; one that is gone since is taken for none."""
        try:
            return registry.find(self.variants.get(solver, solver)).solver.white_box
        except ValueError:
            return False

    def identify(self, solver: str, planned: Iterable[str], where: str) -> tuple[str, str]:
        """Return the id under which a solver of the paper runs, and a remark if that is not its own."""
        ids, names = list(planned), (solver, *STAND_INS.get(solver, ()))
        by_id = [name for name in names if name in ids]
        by_variant = [id for name in names for id in ids if self.variants.get(id) == name]
        for id in (*by_id, *by_variant):
            return id, "" if id == solver else f"{solver} ran as {id}"
        raise NotMeasured(f"the campaign has no {solver} in {where}")

    def suite(self, type: str, t: float, D: int = PAPER_D, kind: str = "mixed") -> pd.DataFrame:
        """Return the cells of the paper's suite in studies of a type, where CPLEX is the reference."""
        where = f"{type} at D = {D}"
        cells = _paper_suite(self.cells, D, kind)
        cells = cells[(cells["type"] == type) & (cells["t"] == t)]
        if cells.empty:
            raise NotMeasured(f"the campaign has no {where}")
        references = cells.loc[cells["is_reference"], "solver"].unique()
        others = [id for id in references if not self.is_cplex(id)]
        if others:
            raise NotMeasured(f"the reference of the {where} is {', '.join(others)}, not cplex")
        if cells.loc[cells["is_reference"], "verdict_best"].isna().all():
            raise NotMeasured(f"no run of cplex was made in the {where}")
        return cells

    def pairs(self) -> pd.DataFrame:
        """Return the pairs of the paper's suite at D = 64, translated by 10⁴ and not."""
        pairs = _paper_suite(self.translation)
        pairs = pairs[pairs["t"] == TRANSLATION]
        if pairs.empty:
            raise NotMeasured(f"the campaign has no instances with and without translation at D = {PAPER_D}")
        return pairs

    def runs_of(self, cells: pd.DataFrame) -> pd.DataFrame:
        """Return the runs of these cells that were made."""
        key = ["study", "instance", "solver"]
        return self.runs[is_made(self.runs["status"])].merge(cells[key], on=key)

    def settings(self, solver: str, id: str, instances: Iterable[str]) -> str:
        """Return how a solver's runs were granted more or less than the paper's, and CPLEX's version."""
        rows = self.trials[(self.trials["solver"] == id) & self.trials["instance"].isin(list(instances))]
        remarks = []
        paper = PAPER_BUDGETS.get(solver, PAPER_STRATEGY_BUDGET)
        budgets = rows[["budget_amount", "budget_kind"]].drop_duplicates()
        granted = [(float(row.budget_amount), str(row.budget_kind)) for row in budgets.itertuples()]
        if granted and granted != [paper]:
            given = " or ".join(f"{amount:,.0f} {kind}" for amount, kind in granted)
            remarks.append(f"{id} was granted {given} a run, in the paper {paper[0]:,.0f} {paper[1]}")
        if solver == "cplex":
            found = sorted({json.loads(text).get("cplex", "unknown") for text in rows["versions"].unique()})
            if found:
                remarks.append(f"CPLEX {', '.join(found)}, in the paper {PAPER_CPLEX}")
        return "; ".join(remarks)


def _paper_suite(table: pd.DataFrame, D: int = PAPER_D, kind: str = "mixed") -> pd.DataFrame:
    """Return the lines of the paper's suite, each instance and solver once; the full hadellipse comes first."""
    inside = (
        (table["kind"] == kind)
        & (table["D"] == D)
        & table["tc"].notna()
        & table["c"].isin(PAPER_C)
        & table["E"].isin(PAPER_E)
    )
    rows = table[inside].sort_values("hessian", ascending=False, kind="stable")
    return rows.drop_duplicates([*(["type"] if "type" in rows else []), "t", "tc", "c", "E", "solver"]).sort_index()


def missing(cells: pd.DataFrame) -> int:
    """Return how many planned runs of these cells have no row."""
    return int((cells["planned"] - cells["present"]).sum())


def demand_all(found: int, missing_runs: int, measured: str, expected: int = SUITE_SIZE) -> None:
    """Raise NotMeasured, with what was counted, unless all instances were measured and no planned run is missing."""
    if found != expected:
        raise NotMeasured(f"{found} of the {expected} instances were measured", measured, found)
    if missing_runs:
        raise NotMeasured(f"{missing_runs} planned runs are missing", measured, found)
