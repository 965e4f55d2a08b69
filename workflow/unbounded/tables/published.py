"""Reads the results that the study's authors published, from a clone of their repository.

Layout (numbers parted by blanks or commas, no header, D values of x at the end, reals first):

- `{CMA,ES}_<D>_miConstrained_<F>_<G> _T<t>_K<E>_C<c>_p0_COMMA.dat`, a file an instance: run, cost, x. F and G are
  Cigar, Rote (or RE) and Adam, in the paper's words cigar, rotellipse and hadellipse; CMA is `cma-IH`, ES is `mies`.
- `miConstrained_CPLEX_<D>_COMMA_all.dat`, one file for all: D, –, –, t, index of F, index of G, E, c, –, f, x, where
  indices follow the paper's table of test cases. An instance without a line is one without a solution.

CPLEX's vectors were taken from logs, with five significant digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unbounded.instances import InstanceSpec
from unbounded.instances.hessians import TABLE_ORDER, FloatArray

REPOSITORY = "GuyZep/All-Quadratic-Mixed-Integer-Problems"
SOLVERS = {"CMA": "cma-IH", "ES": "mies"}
FORMS = {"cigar": 0, "rote": 1, "re": 1, "adam": 2}
#: Significant digits of the reals in CPLEX's lines.
CPLEX_DIGITS = 5

_STRATEGY = re.compile(
    r"(?P<who>CMA|ES)_(?P<D>\d+)_miConstrained_(?P<F>[A-Za-z]+)_(?P<G>[A-Za-z]+) ?"
    r"_T(?P<t>[^_]+)_K(?P<E>[^_]+)_C(?P<c>[^_]+)_p0_COMMA\.dat"
)
_CPLEX = re.compile(r"miConstrained_CPLEX_(?P<D>\d+)_COMMA_all\.dat")
_BEFORE_X = {"strategy": 2, "cplex": 10}


@dataclass(frozen=True)
class StoredRun:
    """A line of the published data: who solved what, what was claimed, and the vector that can be checked."""

    file: str
    line: int
    solver: str
    #: With the hadellipse as the paper defines it; which one was solved is for the audit to find.
    spec: InstanceSpec
    run: int
    claimed: float
    x: FloatArray
    #: Significant digits of the reals; None where they are exact.
    digits: int | None


def read_checkout(checkout: Path) -> list[StoredRun]:
    """Return every stored run of a clone, or raise ValueError that says what is missing or malformed, and where."""
    if not checkout.is_dir():
        raise ValueError(f"{checkout} is no folder; clone github.com/{REPOSITORY} and name the clone")
    paths = sorted(checkout.rglob("*.dat"))
    cplex = {match["D"]: path for path in paths if (match := _CPLEX.fullmatch(path.name))}
    strategies = [(path, match) for path in paths if (match := _STRATEGY.fullmatch(path.name))]
    for found, name in (
        (strategies, "{CMA,ES}_<D>_miConstrained_<F>_<G>_T<t>_K<E>_C<c>_p0_COMMA.dat"),
        (cplex, "miConstrained_CPLEX_<D>_COMMA_all.dat"),
    ):
        if not found:
            raise ValueError(f"{checkout} holds no file {name}, at any depth; allowed: a clone of {REPOSITORY}")
    # A dimension without CPLEX's file has nothing to be compared with.
    runs = [run for path, match in strategies if match["D"] in cplex for run in _strategy_runs(path, match, checkout)]
    return runs + [run for path in cplex.values() for run in _cplex_runs(path, checkout)]


def _strategy_runs(path: Path, name: re.Match[str], checkout: Path) -> Iterator[StoredRun]:
    forms = []
    for letter in "FG":
        if name[letter].lower() not in FORMS:
            raise ValueError(f"{path}: '{name[letter]}' in its name is no Hessian; allowed: Cigar, Rote, RE, Adam")
        forms.append(FORMS[name[letter].lower()])
    try:
        spec = _spec(int(name["D"]), float(name["t"]), forms[0], forms[1], float(name["c"]), float(name["E"]))
    except ValueError as error:
        raise ValueError(f"{path}: its name stands for no instance ({error})") from None
    for number, values in _lines(path):
        _check_length(path, number, values, "strategy", spec.D)
        file = path.relative_to(checkout).as_posix()
        yield StoredRun(file, number, SOLVERS[name["who"]], spec, int(values[0]), values[1], np.array(values[2:]), None)


def _cplex_runs(path: Path, checkout: Path) -> Iterator[StoredRun]:
    for number, values in _lines(path):
        _check_length(path, number, values, "cplex", int(values[0]))
        D, t, f_form, g_form, E, c = (values[column] for column in (0, 3, 4, 5, 6, 7))
        if {f_form, g_form} - set(range(len(TABLE_ORDER))):
            raise ValueError(
                f"{path}, line {number}: columns 5 and 6, the Hessians, are {f_form:g} and {g_form:g}; allowed: 0, 1, 2"
            )
        try:
            spec = _spec(int(D), t, int(f_form), int(g_form), c, E)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        file = path.relative_to(checkout).as_posix()
        yield StoredRun(file, number, "cplex", spec, 0, values[9], np.array(values[10:]), CPLEX_DIGITS)


def _spec(D: int, t: float, f_form: int, g_form: int, c: float, E: float) -> InstanceSpec:
    return InstanceSpec("mixed", D, t, 3 * f_form + g_form, c, E)  # type: ignore[arg-type]


def _lines(path: Path) -> Iterator[tuple[int, list[float]]]:
    """Yield the numbers of every line that is not empty, with the line's number."""
    for number, text in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        words = re.split(r"[,\s]+", text.strip(" \t\r,"))
        if words == [""]:
            continue
        try:
            yield number, [float(word) for word in words]
        except ValueError:
            raise ValueError(f"{path}, line {number}: '{text[:40]}' is not a line of numbers") from None


def _check_length(path: Path, number: int, values: list[float], kind: str, D: int) -> None:
    wanted = _BEFORE_X[kind] + D
    if len(values) != wanted:
        raise ValueError(
            f"{path}, line {number}: {len(values)} numbers; allowed: {wanted}, that is {_BEFORE_X[kind]} and D = {D}"
        )
