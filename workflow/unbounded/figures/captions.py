"""What captions and figures say about a table in the same words: its slice, its solvers, what it stands on.

Captions are plain text, made from tables and settings alone, so they cannot promise what was not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from unbounded.figures import style
from unbounded.instances.spec import SPHERE
from unbounded.tables.bounds import CERTIFIED
from unbounded.tables.intervals import binomial
from unbounded.tables.measures import NOT_MADE

#: Solver id → the kind of its budget and the amount.
Budgets = Mapping[str, tuple[str, float]]
#: Solver id → its name in figures.
Labels = Mapping[str, str]

KINDS = {"mixed": "mixed-integer (half of the variables)", "integer": "all-integer"}
#: The paper puts them in this order, from left to right.
PAPER_ORDER = ("mies", "cma-IH", "cma-wM")


def only(table: Any, column: str) -> Any:
    """Return the one value of a column; a figure must not mix slices, studies or instances."""
    values = table[column].dropna().unique().tolist()
    if len(values) != 1:
        raise ValueError(f"a figure needs a table with one {column}, this one has {values or 'none'}: select one first")
    return values[0]


def all_cases(table: Any) -> Any:
    """Return the lines of all test cases but the sphere, with `tc` the number of the nine and the name of others."""
    lines = table[table["case"] != SPHERE]
    return lines.assign(tc=lines["case"].map(case_of).astype(object))


def in_order(cases: Iterable[int | str]) -> list[int | str]:
    """Return test cases once each: the nine by their numbers, then the others by their names."""
    return sorted(set(cases), key=lambda case: (isinstance(case, str), case))


def case_of(case: str) -> int | str:
    """Return the number of one of the nine test cases (`TC3`), or the name as it is."""
    return int(case[2:]) if re.fullmatch("TC[0-8]", case) else case


def made(runs: Any) -> Any:
    """Say which runs were made: missing and skipped ones say nothing of a solver, and are in no figure."""
    return ~runs["status"].isin(NOT_MADE)


def strategies_of(table: Any, wanted: Sequence[str] | None = None) -> list[str]:
    """Return the strategies to draw: those wanted, or all but the reference, the paper's first."""
    lines = table[~table["is_reference"].astype(bool)] if "is_reference" in table else table
    found = lines["solver"].unique().tolist()
    if wanted is not None:
        missing = [solver for solver in wanted if solver not in found]
        if missing:
            raise ValueError(f"the table has no strategy {', '.join(missing)}; it has {', '.join(found) or 'none'}")
        return list(wanted)
    if not found:
        raise ValueError("the table has no strategy, so there is nothing to draw")
    return [solver for solver in PAPER_ORDER if solver in found] + [s for s in found if s not in PAPER_ORDER]


def reference_of(table: Any, labels: Labels | None = None) -> str:
    """Return the name of the reference solver."""
    found = table.loc[table["is_reference"].astype(bool), "solver"].unique().tolist()
    return name(found[0], labels) if found else "the reference"


def name(solver: str, labels: Labels | None) -> str:
    """Return a solver's name in figures."""
    return (labels or {}).get(solver) or solver


def listing(items: Sequence[str]) -> str:
    """Write `a`, `a and b`, or `a, b and c`."""
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def count(number: float, noun: str) -> str:
    """Write `1 run`, `2,160 runs`."""
    return f"{int(number):,} {noun}{'' if number == 1 else 's'}"


def the_slice(table: Any) -> str:
    """Write kind, D and t of a table's one slice."""
    kind, D, t = only(table, "kind"), int(only(table, "D")), float(only(table, "t"))
    if "case" in table and not table["case"].str.fullmatch(rf"TC[0-8]|{SPHERE}|.*\..*").all():
        return f"{'all' if kind == 'integer' else 'mixed'}-integer, from files, D = {D}"
    return f"{KINDS[kind]}, D = {D}, translation t = {style.number(t)}"


def grid(table: Any) -> str:
    """Write the values of c and E of a table."""
    c, E = (listing([style.number(value) for value in sorted(table[column].unique())]) for column in ("c", "E"))
    return f"c = {c}; E = {E}"


def seeds(numbers: Sequence[int]) -> str:
    """Write how many seeds a solver has on an instance."""
    low, high = min(numbers), max(numbers)
    return count(high, "seed") if low == high else f"{low} to {high} seeds"


def budgets_text(budgets: Budgets | None, solvers: Sequence[str], labels: Labels | None) -> str:
    """Write the budgets of these solvers as a sentence, or nothing where none is given."""
    known = [solver for solver in solvers if budgets and solver in budgets]
    if not budgets or not known:
        return ""
    return f"Budget of a run: {listing([f'{name(s, labels)} {budgets[s][1]:,.15g} {budgets[s][0]}' for s in known])}."


def stands_on(present: float, planned: float, solved: float) -> str:
    """Write which share of the planned runs a figure stands on, and how many of them have no solution."""
    failed = int(present) - int(solved)
    share = f"Stands on {int(present):,} of {count(planned, 'planned run')}"
    return f"{share}, {'all' if not failed else f'{int(solved):,}'} of them with a verified solution."


def interval(low: Any, high: Any) -> str:
    """Write the interval of a count, if it has one."""
    return "" if low is None or low != low else f"{int(low)}–{int(high)}"


def near_optimum(verdicts: Any) -> tuple[int, str]:
    """Return on how many cells a line of `verdicts` against the optimum is not worse, and the interval of this."""
    return int(verdicts["better"] + verdicts["similar"]), interval(verdicts["similar_low"], verdicts["similar_high"])


def counted(number: int, between: str) -> str:
    """Write a count with its interval, if it has one."""
    return f"{number} [{between}]" if between else str(number)


def share(number: int, cells: int) -> str:
    """Write a count with the binomial interval of its share, and what it is a share of."""

    (low,), (high,) = binomial([number], [cells])
    return f"{counted(number, interval(low, high) if cells else '')} of {cells}"


#: What the brackets of these counts are.
BRACKETS = "in brackets where a number should lie with other seeds"


def zero_optima(number: int, divided: bool) -> str:
    """Write what the circles are, if there are any."""
    if not number:
        return ""
    marked = f"Circles mark {count(number, 'instance')} whose optimum is zero"
    return f"{marked}: there values are raised to at least 10⁻⁶ before they are divided." if divided else f"{marked}."


def zero_cells(table: Any, divided: bool) -> str:
    """Write what the circles of a map are, if there are any."""
    return zero_optima(
        len(table.loc[table["zero_optimum"].astype(bool), ["case", "c", "E"]].drop_duplicates()), divided
    )


def bracketed(line: Mapping[str, Any], word: str) -> str:
    """Write a count of a line with its interval, if it has one."""
    return counted(int(line[word]), interval(line.get(f"{word}_low"), line.get(f"{word}_high")))


def certified_values(instances: Any) -> str:
    """Write on how many instances, one to a line, the best known value is certified, and on how many it is proven."""
    certified = (
        f"The best known value is certified, by a bound at most {100 * CERTIFIED:g} % below it, on "
        f"{int(instances['certified'].sum())} of {count(len(instances), 'instance')}."
    )
    return sentences(
        proven_optima(instances) if instances["proven"].any() else "", "" if instances["proven"].all() else certified
    )


def proven_optima(instances: Any) -> str:
    """Write on how many instances, one to a line, the optimum is proven."""
    return f"The optimum is proven on {int(instances['proven'].sum())} of {count(len(instances), 'instance')}."


def sentences(*parts: str) -> str:
    """Join the parts that say something."""
    return " ".join(filter(None, parts))
