"""Columns that several tables have, and what they mean there."""

from __future__ import annotations

from collections.abc import Iterable

from unbounded.tables.contract import Column, Columns

#: What identifies a trial.
TRIAL = ["instance", "solver", "seed"]

STUDY: Columns = {
    "study": Column("str", "the study, by its name in the campaign"),
    "type": Column("str", "the type of the study"),
}
INSTANCE: Columns = {
    "instance": Column("str", "the id of the instance"),
    "slice": Column("str", "the slice of the suite that the instance is in: its kind, D and t"),
    "kind": Column("str", "`mixed`, or `integer` if all coordinates are"),
    "D": Column("int64", "the dimension"),
    "t": Column("float64", "the translation"),
    "case": Column(
        "str", "the test case: `TC0`…, `sphere`, another pair of forms (`rotellipse.sphere`), or a file's name"
    ),
    "tc": Column("Int64", "the number of the test case, if it is one of the paper's nine"),
    "c": Column("float64", "the conditioning of the Hessians"),
    "E": Column("float64", "the level of the constraint g ≤ E"),
    "hessian": Column("str", "the reading of the hadellipse: `full` or `block`"),
}
SOLVER: Columns = {"solver": Column("str", "the id of the solver")}
SEED: Columns = {"seed": Column("int64", "the seed of the run")}
SLICE: Columns = {**STUDY, **{name: INSTANCE[name] for name in ("slice", "kind", "D", "t")}, **SOLVER}
#: What the value of a run or a cell is compared with.
COMPARED: Columns = {
    "reference_f": Column("float64", "the reference's value: the best of its runs in the study"),
    "best_known_f": Column(
        "float64", "the best known value: the optimum where it is proven, else the least verified one"
    ),
    "certified": Column("bool", "whether a bound lies at most 0.1 % below the best known value, or that is proven"),
    "optimum": Column("float64", "the optimum, where it is proven"),
    "proven": Column("bool", "whether the optimum is proven"),
    "zero_optimum": Column("bool", "whether the optimum is zero: ξ0 is feasible, and integer where it must be"),
}
#: Cells by their verdict.
COUNTS: Columns = {
    "better": Column("int64", "cells where the solver is better"),
    "similar": Column("int64", "cells where it is within the tolerance"),
    "worse": Column("int64", "cells where it is worse"),
    "neither": Column("int64", "cells where no side has a solution"),
    "cells": Column("int64", "cells that have a verdict"),
}
OPTIMA: Columns = {"optima": Column("str", "which instances count, by their optimum: `all`, `above 0`, `zero`")}
#: Of a test between the runs, or the medians, of two solvers.
TEST: Columns = {
    "p_holm": Column("float64", "p with Holm's correction"),
    "effect": Column("float64", "Vargha-Delaney's A: the chance that a run of `solver` is lower, ties half"),
    "significant": Column("bool", "whether `p_holm` is below 0.05"),
}


def some(columns: Columns, *names: str) -> dict[str, Column]:
    """Return some of the columns, in this order."""
    return {name: columns[name] for name in names}


def intervals(words: Iterable[str]) -> dict[str, Column]:
    """Return the ends of the intervals of counts, and what these rest on."""
    ends = {
        f"{word}_{end}": Column("Int64", f"the {side} end of the interval of `{word}`")
        for word in words
        for end, side in (("low", "lower"), ("high", "upper"))
    }
    return {**ends, "interval": Column("str", "what the intervals rest on: `seeds`, or `binomial`")}
