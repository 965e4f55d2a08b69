"""Reads CPLEX's logs as the study's authors published them: how long a run took, how it ended, what it claimed.

A log is what CPLEX printed, between lines of the authors' model: parameters, the table of nodes, the time in all, then
either `<<< no solution`, or CPLEX's objective, the vector (reals behind `X*:`, integers behind `Z*:`, with five
significant digits) and f at that vector as it was before rounding. Nothing says why a run ended; that follows from its
time, its limit and the last line of the table of nodes, which is not always the last that happened.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unbounded.instances.hessians import FloatArray

#: How a run ended: at its limit; with its point and its last printed bound within the relative or the absolute gap
#: that it was given; with its point below its own bound by more than both; by itself, at a gap that it printed no more.
TIME_LIMIT, RELATIVE, ABSOLUTE, CROSSED, ENDED = "time limit", "relative gap", "absolute gap", "crossed", "ended"
#: Without a point, before its limit: it took the problem for unbounded, or says nothing; `error` and a number else.
UNBOUNDED, NO_POINT = "unbounded", "no point"
#: Half a unit of the last digit of printed bounds and gaps.
BOUND_PRINTED, GAP_PRINTED = 5e-5, 5e-5

_DECIMAL = r"-?\d+\.\d+(?:e[-+]?\d+)?"
#: A line of the table of nodes that has a bound: it comes behind all other decimals, before iterations and gap, while
#: the objective of a node is followed by its number of fractional variables and the iterations.
_NODE = re.compile(
    rf"^\*?[ ]*\d+\+?[ ]+\d+[ ].*?(?P<bound>{_DECIMAL})(?:[ ]+\d+)?(?:[ ]+(?:(?P<gap>-?\d+\.\d+)%|---))?[ ]*$",
    re.MULTILINE,
)
_TABLE = re.compile(r"^[ ]+Node[ ]+Left[ ].*?^Root node processing", re.MULTILINE | re.DOTALL)
_UNBOUNDED = re.compile(r"^[ ]*0[ ]+0[ ]+unbounded[ ]+\d+[ ]*$", re.MULTILINE)
_VECTOR = re.compile(r"X\*:\s*\[(?P<reals>[^\]]*)\]\s*Z\*:\s*\[(?P<integers>[^\]]*)\]")
_ERROR = re.compile(r"CPLEX Error\s+(\d+)")
_LABELS = {
    "seconds": "Total (root+branch&cut) =",
    "limit": "CPXPARAM_TimeLimit",
    "absolute_gap": "CPXPARAM_MIP_Tolerances_AbsMIPGap",
    "relative_gap": "CPXPARAM_MIP_Tolerances_MIPGap",
    "integrality": "CPXPARAM_MIP_Tolerances_Integrality",
    "feasibility": "CPXPARAM_Simplex_Tolerances_Feasibility",
}


@dataclass(frozen=True)
class CplexLog:
    """What a log says; NaN, or None for the vector, where it has nothing to say."""

    #: The line of the claim, or of the words that there is none.
    line: int
    seconds: float
    limit: float
    ending: str
    #: CPLEX's own value of its point.
    objective: float
    #: f at that point, evaluated by the authors' model; the objective, where they did not.
    claimed: float
    #: The last bound that was printed.
    bound: float
    absolute_gap: float
    relative_gap: float
    integrality: float
    feasibility: float
    x: FloatArray | None


def read_log(path: Path) -> CplexLog:
    """Read a log, or raise ValueError that says what it lacks."""
    text = path.read_text(encoding="utf-8", errors="replace")
    numbers = {name: _number(path, text, label) for name, label in _LABELS.items()}
    said = re.search(r"^OBJECTIVE:|^<<< no solution", text, re.MULTILINE)
    if said is None:
        raise ValueError(f"{path}: says neither what was found ('OBJECTIVE: …') nor '<<< no solution'")
    found = said[0] == "OBJECTIVE:"
    evaluated = re.search(r"^f\*:", text, re.MULTILINE) if found else None
    objective = _number(path, text, "OBJECTIVE:") if found else math.nan
    claimed = _number(path, text, "f*:") if evaluated else objective
    bound, gap = _last_node(text)
    if numbers["seconds"] >= numbers["limit"]:
        ending = TIME_LIMIT
    elif not found:
        failed = _ERROR.search(text)
        ending = f"error {failed[1]}" if failed else UNBOUNDED if _UNBOUNDED.search(text) else NO_POINT
    elif abs(gap) <= numbers["relative_gap"] + GAP_PRINTED:
        ending = RELATIVE
    elif abs(objective - bound) <= numbers["absolute_gap"] + BOUND_PRINTED:
        ending = ABSOLUTE
    else:
        ending = CROSSED if bound > objective else ENDED
    line = text.count("\n", 0, (evaluated or said).start()) + 1
    vector = _VECTOR.search(text)
    x = _vector(path, f"{vector['reals']} {vector['integers']}") if vector else None
    return CplexLog(line=line, ending=ending, objective=objective, claimed=claimed, bound=bound, x=x, **numbers)


def _last_node(text: str) -> tuple[float, float]:
    """Return the last bound in the table of nodes, and the relative gap beside it; NaN for what is not there."""
    table = _TABLE.search(text)
    nodes = list(_NODE.finditer(table[0])) if table else []
    if not nodes:
        return math.nan, math.nan
    return float(nodes[-1]["bound"]), float(nodes[-1]["gap"] or math.nan) / 100


def _number(path: Path, text: str, label: str) -> float:
    """Return the number behind a label at the start of a line."""
    found = re.search(rf"^{re.escape(label)}\s*(\S+)", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"{path}: is no log of CPLEX's; it has no line '{label} …'")
    try:
        return float(found[1])
    except ValueError:
        raise ValueError(f"{path}: '{found[0]}' is not of a number") from None


def _vector(path: Path, text: str) -> FloatArray:
    try:
        return np.array([float(word) for word in text.split()])
    except ValueError as error:
        raise ValueError(f"{path}: its vector is not one of numbers ({error})") from None
