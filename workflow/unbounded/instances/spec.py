"""What an instance is, in a few words, and the id that says it: `mixed-D64-t0-TC3-c1e4-E30`.

A test case is a pair of forms, of the objective and of the constraint: `rotellipse.mine`. The paper's nine have
numbers, k = 3·row + column of its table, and the pair of spheres is called `sphere`.

Ids parse back to the spec they came from; other spellings of a number (`c10000`) or of a case (`rotellipse.cigar` for
TC3) parse too and are brought to the one spelling that names files. Problems of one's own have the name of their file
for an id (`unbounded.instances.files`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from typing import Literal, get_args

import numpy as np

from unbounded.instances.forms import registry
from unbounded.instances.forms.contract import Form
from unbounded.instances.hessians import TABLE_ORDER, FloatArray, Hessian

Kind = Literal["mixed", "integer"]
Reading = Literal["full", "block"]
#: k of TC-k, or the name of a pair of forms.
Case = int | str
SPHERE = "sphere"

MAX_DIMENSION = 4096
#: Least and largest c and E. Beyond them the relaxation is lost in rounding; below its least E everything within the
#: tolerance of feasibility, 10⁻⁶, would be feasible.
LIMITS = (1e-6, 1e12)
#: First coordinates of ξ0 and ξ1 before the translation; signs alternate from there.
XI0, XI1 = 7.0, -4.0
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?"
_PAIR = rf"{registry.NAME}\.{registry.NAME}"
_SUITE = re.compile(
    rf"(?P<kind>mixed|integer)-D(?P<D>[0-9]+)-t(?P<t>{_NUMBER})-(?P<case>TC[0-8]|{SPHERE}|{_PAIR})"
    rf"-c(?P<c>{_NUMBER})-E(?P<E>{_NUMBER})(?P<block>-block)?"
)
#: Names of files that are ids: no dot, so that none is a pair of forms.
FILE_NAME = r"[A-Za-z][A-Za-z0-9_-]*"
#: Matches every id; also the wildcard constraint of the workflow.
ID_REGEX = rf"(?:{re.sub(r'[?]P<[a-zA-Z]+>', '?:', _SUITE.pattern)}|{FILE_NAME})"


def _plain(value: float) -> str:
    value = float(value)  # 30 and 30.0 are one number and have one spelling
    return str(int(value)) if value == int(value) and abs(value) < 1e16 else repr(value).replace("e+", "e")


def _scientific(value: float) -> str:
    """Write powers of ten as 1e4, other numbers plainly."""
    text = _plain(value)
    return f"1e{len(text) - 1}" if re.fullmatch(r"10+", text) else text


def check_level(value: float) -> float:
    """Return this value of c or E, or raise ValueError if what it makes cannot be computed in double precision."""
    least, most = LIMITS
    if not least <= value <= most:
        raise ValueError(f"allowed: a number from {least:g} to {most:g}")
    return value


@lru_cache(maxsize=1024)
def check_translation(t: float) -> float:
    """Return this translation, or raise ValueError if the centres, moved by it, are not exact in double precision."""
    centres = (sign * centre for centre in (XI0, XI1) for sign in (1.0, -1.0))
    exact = abs(t) < 2.0**53 and all(Fraction(centre + t) == Fraction(centre) + Fraction(t) for centre in centres)
    if not exact:
        raise ValueError(
            f"with t = {t!r} the centres, ±{XI0:g} + t and ±{-XI1:g} + t, are not exact in double precision, and "
            "rounded ones make another problem; allowed: below 2⁵³ in size, and whole or with few binary digits after "
            "the point"
        )
    return t


def case_of(objective: str, constraint: str) -> Case:
    """Return the test case of a pair of forms: its number if it is one of the paper's nine."""
    if objective in TABLE_ORDER and constraint in TABLE_ORDER:
        return 3 * TABLE_ORDER.index(objective) + TABLE_ORDER.index(constraint)
    return SPHERE if objective == constraint == SPHERE else f"{objective}.{constraint}"


def read_case(text: str) -> Case:
    """Return the test case that is written TC3, sphere or rotellipse.mine; raises ValueError if a form is unknown."""
    if text == SPHERE:
        return SPHERE
    if re.fullmatch("TC[0-8]", text):
        return int(text[2:])
    if not re.fullmatch(_PAIR, text):
        raise ValueError(f"allowed: 0 to 8, `{SPHERE}`, or two forms with a dot between them, as in rotellipse.cigar")
    objective, constraint = text.split(".")
    for name in (objective, constraint):
        registry.find(name)
    return case_of(objective, constraint)


@dataclass(frozen=True)
class InstanceSpec:
    """One instance of the suite, by its parameters; see `unbounded.instances.instance` for its arrays."""

    kind: Kind
    D: int
    t: float
    case: Case
    c: float
    E: float
    hessian: Reading = "full"

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"kind is '{self.kind}'; allowed: {', '.join(get_args(Kind))}")
        self._check_case()
        if self.D < 2 or self.D % 2 or self.D > MAX_DIMENSION:
            raise ValueError(f"D is {self.D}; allowed: an even number from 2 to {MAX_DIMENSION}")
        for form in self.forms:
            if not form.allows(self.D):
                raise ValueError(f"D is {self.D}; {self.case_name} has a {form.name}, which exists only {form.asks}")
        for name, value in (("c", self.c), ("E", self.E)):
            try:
                check_level(value)
            except ValueError as error:
                raise ValueError(f"{name} is {value:g}; {error}") from None
        if self.case == SPHERE and self.c != 1:
            raise ValueError(f"c is {self.c:g}; the sphere has condition 1, so c must be 1")
        check_translation(self.t)
        if self.hessian == "block" and (self.D < 4 or not has_block(self.case)):
            raise ValueError(
                f"the reading is 'block', but {self.case_name} at D = {self.D} has no hadellipse of two blocks"
            )

    def _check_case(self) -> None:
        try:
            known = self.case in range(9) if isinstance(self.case, int) else read_case(self.case) == self.case
        except ValueError as error:
            raise ValueError(f"the test case is {self.case!r}; {error}") from None
        if not known:
            raise ValueError(
                f"the test case is {self.case!r}; allowed: 0 to 8, and pairs of forms that are none of them"
            )

    @property
    def objective(self) -> str:
        """Name of the form of Hf: the row of the test-case table."""
        return pair(self.case)[0]

    @property
    def constraint(self) -> str:
        """Name of the form of Hg: the column of the test-case table."""
        return pair(self.case)[1]

    @property
    def forms(self) -> tuple[Form, Form]:
        """The forms of Hf and Hg."""
        return registry.find(self.objective), registry.find(self.constraint)

    @property
    def labels(self) -> tuple[str, str]:
        """What Hf and Hg are called in figures and on the page."""
        return self.forms[0].label, self.forms[1].label

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that are found by their names, which make its arrays."""
        return tuple(sorted({registry.entries()[name].module for name in (self.objective, self.constraint)}))

    @property
    def tc(self) -> int | None:
        """k of TC-k, if it is one of the paper's nine."""
        return self.case if isinstance(self.case, int) else None

    @property
    def case_name(self) -> str:
        """`TC3`, `sphere`, or `rotellipse.mine`."""
        return f"TC{self.case}" if isinstance(self.case, int) else self.case

    def centres(self) -> tuple[FloatArray, FloatArray]:
        """Return ξ0 and ξ1."""
        sign = np.where(np.arange(self.D) % 2 == 0, 1.0, -1.0)
        return XI0 * sign + self.t, XI1 * sign + self.t

    def hessians(self) -> tuple[Hessian, Hessian]:
        """Return Hf and Hg."""
        f, g = (form.block if self.hessian == "block" else form.make for form in self.forms)
        return f(self.D, self.c), g(self.D, self.c)

    @property
    def n_z(self) -> int:
        """Number of integer variables; they come last."""
        return self.D if self.kind == "integer" else self.D // 2

    @property
    def slice(self) -> str:
        """The slice of the suite that this instance is aggregated with: kind, dimension and translation."""
        return f"{self.kind}-D{self.D}-t{_scientific(self.t)}"

    @property
    def id(self) -> str:
        """The id; `parse` is its inverse."""
        suffix = "-block" if self.hessian == "block" else ""
        return f"{self.slice}-{self.case_name}-c{_scientific(self.c)}-E{_plain(self.E)}{suffix}"

    def __str__(self) -> str:
        return self.id

    @staticmethod
    def parse(text: str) -> InstanceSpec:
        """Return the spec that an id names, or raise ValueError that says how ids are written."""
        match = _SUITE.fullmatch(text)
        if match is None:
            # Found by its name: how files are read is no part of the code of a trial of the suite.
            found: InstanceSpec | None = import_module("unbounded.instances.files").find(text)
            if found is not None:
                return found
            raise ValueError(
                f"'{text}' is no instance id; ids are written mixed-D64-t0-TC3-c1e4-E30 "
                "(mixed or integer; sphere or two forms, as in rotellipse.cigar, in place of TC0…TC8; -block at the "
                "end for the block hadellipse), or are the names of a campaign's files, without .npz"
            )
        try:
            return InstanceSpec(
                kind=match["kind"],  # type: ignore[arg-type]
                D=int(match["D"]),
                t=float(match["t"]) + 0.0,
                case=read_case(match["case"]),
                c=float(match["c"]),
                E=float(match["E"]),
                hessian="block" if match["block"] else "full",
            )
        except ValueError as error:
            raise ValueError(f"instance '{text}': {error}") from None


def pair(case: Case) -> tuple[str, str]:
    """Return the names of the forms of a test case."""
    if isinstance(case, int):
        return TABLE_ORDER[case // 3], TABLE_ORDER[case % 3]
    objective, _, constraint = case.partition(".")
    return objective, constraint or objective


def has_block(case: Case) -> bool:
    """Say whether one of the forms of a test case can be read as two blocks."""
    return any(registry.find(name).has_block for name in pair(case))


def is_suite_id(text: str) -> bool:
    """Say whether a text is written like the id of an instance of the suite."""
    return _SUITE.fullmatch(text) is not None
