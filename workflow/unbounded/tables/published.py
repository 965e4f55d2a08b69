"""Reads the results that the study's authors published, from a clone of their repository.

Names start or go on with `miConstrained` (`mixed`) or `iConstrained` (`integer`); F and G are Cigar, Rote (also RE and
RotEllipse) and Adam, in the paper's words cigar, rotellipse and hadellipse. Numbers are parted by blanks or commas,
without a header, D values of x at the end, reals first:

- `{CMA,ES}_<D>_<kind>_<F>_<G> _T<t>_K<E>_C<c>_p0_COMMA.dat`, a file an instance: run, cost, x; CMA is `cma-IH`, ES is
  `mies`. Other settings of the strategies (`p0.37`, `PLUS`) are not read.
- `<kind>_CPLEX_<D>_COMMA_all.dat`, one file for all: D, –, –, t, index of F, index of G, E, c, –, f, x, where indices
  follow the paper's table of test cases. All values from f on are `inf` where CPLEX found no point.
- `CPLEX_<D>_<kind>_<F>_<G>_T<t>_K<E>_C<c>.dat`, also with `__p0_COMMA`: a log of CPLEX's (`cplex_logs`). A number
  behind G is the D that was solved, whatever the first says (`CPLEX_64_iConstrained_RotEllipse_Cigar32_…`).

CPLEX's points are those of its tables, and of its logs for kinds and dimensions that have no table. They come from logs
either way, with five significant digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unbounded.instances import InstanceSpec
from unbounded.instances.hessians import TABLE_ORDER, FloatArray
from unbounded.tables.cplex_logs import CplexLog, read_log

REPOSITORY = "GuyZep/All-Quadratic-Mixed-Integer-Problems"
KINDS = {"mi": "mixed", "i": "integer"}
SOLVERS = {"CMA": "cma-IH", "ES": "mies"}
FORMS = {"cigar": 0, "rote": 1, "re": 1, "rotellipse": 1, "adam": 2}
REFERENCE = "cplex"
#: Significant digits of CPLEX's numbers.
CPLEX_DIGITS = 5
#: What is stored of a run: its point; what is claimed of a point, which nobody can check; that there is none.
VECTOR, NO_VECTOR, NO_POINT = "vector", "no vector", "no point"

_KIND = r"(?P<kind>m?i)Constrained"
_INSTANCE = (
    rf"(?P<D>\d+)_{_KIND}_(?P<F>[A-Za-z]+)_(?P<G>[A-Za-z]+)(?P<solved_D>\d*) ?"
    r"_T(?P<t>[^_]+)_K(?P<E>[^_]+)_C(?P<c>[^_]+)"
)
_STRATEGY = re.compile(rf"(?P<who>CMA|ES)_{_INSTANCE}_p0_COMMA\.dat")
_LOG = re.compile(rf"CPLEX_{_INSTANCE}(?:__p0_COMMA)?\.dat")
_TABLE = re.compile(rf"{_KIND}_CPLEX_(?P<D>\d+)_COMMA_all\.dat")
_BEFORE_X = {"strategy": 2, "cplex": 10}


@dataclass(frozen=True)
class StoredRun:
    """A run of the published data: who solved what, what was claimed, and the vector that can be checked."""

    file: str
    line: int
    solver: str
    #: With the hadellipse as the paper defines it; which one was solved is for the audit to find.
    spec: InstanceSpec
    run: int
    #: NaN where there is no point.
    claimed: float
    #: None where the run found no point, or stored none.
    x: FloatArray | None
    #: Significant digits of the reals; None where they are exact.
    digits: int | None

    @property
    def stored(self) -> str:
        """`vector`, `no vector` or `no point`."""
        return VECTOR if self.x is not None else NO_POINT if math.isnan(self.claimed) else NO_VECTOR


@dataclass(frozen=True)
class StoredLog:
    """A log of CPLEX's, and the instance that it is of."""

    file: str
    spec: InstanceSpec
    log: CplexLog

    @property
    def run(self) -> StoredRun:
        """What the log says of the run's point."""
        claimed, x = self.log.claimed, self.log.x
        return StoredRun(self.file, self.log.line, REFERENCE, self.spec, 0, claimed, x, CPLEX_DIGITS)


@dataclass(frozen=True)
class Published:
    """What a clone holds."""

    runs: list[StoredRun]
    logs: list[StoredLog]


def read_checkout(checkout: Path) -> Published:
    """Return what a clone holds, or raise ValueError that says what is missing or malformed, and where."""
    if not checkout.is_dir():
        raise ValueError(f"{checkout} is no folder; clone github.com/{REPOSITORY} and name the clone")
    paths = sorted(checkout.rglob("*.dat"))
    strategies = [(path, match) for path in paths if (match := _STRATEGY.fullmatch(path.name))]
    tables = [(path, match) for path in paths if (match := _TABLE.fullmatch(path.name))]
    logs = _logs(checkout, paths)
    for found, name in (
        (strategies, "{CMA,ES}_<D>_{mi,i}Constrained_<F>_<G>_T<t>_K<E>_C<c>_p0_COMMA.dat"),
        (tables or logs, "{mi,i}Constrained_CPLEX_<D>_COMMA_all.dat nor CPLEX_<D>_{mi,i}Constrained_….dat"),
    ):
        if not found:
            raise ValueError(f"{checkout} holds no file {name}, at any depth; allowed: a clone of {REPOSITORY}")
    runs = [run for path, match in strategies for run in _strategy_runs(path, match, checkout)]
    runs += [run for path, match in tables for run in _table_runs(path, match, checkout)]
    tabled = {(KINDS[match["kind"]], int(match["D"])) for _, match in tables}
    runs += [stored.run for stored in logs if (stored.spec.kind, stored.spec.D) not in tabled]
    return Published(runs, logs)


def _spec(path: Path, name: re.Match[str]) -> InstanceSpec:
    """Return the instance that a file's name stands for."""
    forms = []
    for letter in "FG":
        if name[letter].lower() not in FORMS:
            raise ValueError(
                f"{path}: '{name[letter]}' in its name is no Hessian; allowed: Cigar, Rote, RE, RotEllipse, Adam"
            )
        forms.append(FORMS[name[letter].lower()])
    try:
        D = int(name["solved_D"] or name["D"])
        return _instance(name["kind"], D, float(name["t"]), forms[0], forms[1], float(name["c"]), float(name["E"]))
    except ValueError as error:
        raise ValueError(f"{path}: its name stands for no instance ({error})") from None


def _instance(kind: str, D: int, t: float, f_form: int, g_form: int, c: float, E: float) -> InstanceSpec:
    return InstanceSpec(KINDS[kind], D, t, 3 * f_form + g_form, c, E)  # type: ignore[arg-type]


def _strategy_runs(path: Path, name: re.Match[str], checkout: Path) -> Iterator[StoredRun]:
    spec = _spec(path, name)
    for number, values in _lines(path):
        _check_length(path, number, values, "strategy", spec.D)
        file = path.relative_to(checkout).as_posix()
        yield StoredRun(file, number, SOLVERS[name["who"]], spec, int(values[0]), values[1], np.array(values[2:]), None)


def _table_runs(path: Path, name: re.Match[str], checkout: Path) -> Iterator[StoredRun]:
    for number, values in _lines(path):
        _check_length(path, number, values, "cplex", int(values[0]))
        D, t, f_form, g_form, E, c = (values[column] for column in (0, 3, 4, 5, 6, 7))
        if {f_form, g_form} - set(range(len(TABLE_ORDER))):
            raise ValueError(
                f"{path}, line {number}: columns 5 and 6, the Hessians, are {f_form:g} and {g_form:g}; allowed: 0, 1, 2"
            )
        try:
            spec = _instance(name["kind"], int(D), t, int(f_form), int(g_form), c, E)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        file, found = path.relative_to(checkout).as_posix(), np.isfinite(values[9:]).all()
        claimed, x = (values[9], np.array(values[10:])) if found else (math.nan, None)
        yield StoredRun(file, number, REFERENCE, spec, 0, claimed, x, CPLEX_DIGITS)


def _logs(checkout: Path, paths: list[Path]) -> list[StoredLog]:
    """Read CPLEX's logs; one of each instance is allowed."""
    logs: dict[InstanceSpec, StoredLog] = {}
    for path in paths:
        name = _LOG.fullmatch(path.name)
        if name is None:
            continue
        stored = StoredLog(path.relative_to(checkout).as_posix(), _spec(path, name), read_log(path))
        if stored.spec in logs:
            raise ValueError(f"{path}: a second log of {stored.spec.id}; the first is {logs[stored.spec].file}")
        if stored.log.x is not None and len(stored.log.x) != stored.spec.D:
            raise ValueError(f"{path}: its vector has {len(stored.log.x)} numbers; allowed: D = {stored.spec.D}")
        logs[stored.spec] = stored
    return list(logs.values())


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
