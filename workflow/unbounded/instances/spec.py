"""What an instance is, in a few words, and the id that says it: `mixed-D64-t0-TC3-c1e4-E30`.

Ids parse back to the spec they came from; other spellings of a number (`c10000`) parse too and are brought
to the one spelling that names files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, get_args

from unbounded.instances.hessians import TABLE_ORDER

Kind = Literal["mixed", "integer"]
HessianForm = Literal["full", "block"]
Case = Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, "sphere"]

MAX_DIMENSION = 4096
#: Least and largest c and E. Beyond them the relaxation is lost in rounding; below its least E everything within the
#: tolerance of feasibility, 10⁻⁶, would be feasible.
LIMITS = (1e-6, 1e12)
#: First coordinates of ξ0 and ξ1 before the translation; signs alternate from there.
XI0, XI1 = 7.0, -4.0
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?"
#: Matches every id; also the wildcard constraint of the workflow.
ID_REGEX = rf"(?:mixed|integer)-D[0-9]+-t{_NUMBER}-(?:TC[0-8]|sphere)-c{_NUMBER}-E{_NUMBER}(?:-block)?"
_PARSE = re.compile(
    rf"(?P<kind>mixed|integer)-D(?P<D>[0-9]+)-t(?P<t>{_NUMBER})-(?:TC(?P<tc>[0-8])|sphere)"
    rf"-c(?P<c>{_NUMBER})-E(?P<E>{_NUMBER})(?P<block>-block)?"
)


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


@dataclass(frozen=True)
class InstanceSpec:
    """One instance of the suite, by its parameters; see `unbounded.instances.instance` for its arrays."""

    kind: Kind
    D: int
    t: float
    case: Case
    c: float
    E: float
    hessian: HessianForm = "full"

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"kind is '{self.kind}'; allowed: {', '.join(get_args(Kind))}")
        if self.case not in get_args(Case):
            raise ValueError(f"the test case is {self.case!r}; allowed: 0 to 8, or 'sphere'")
        if self.D < 2 or self.D % 2 or self.D > MAX_DIMENSION:
            raise ValueError(f"D is {self.D}; allowed: an even number from 2 to {MAX_DIMENSION}")
        if "hadellipse" in (self.objective, self.constraint) and self.D & (self.D - 1):
            raise ValueError(
                f"D is {self.D}; {self.case_name} has a hadellipse, which exists only where D is a power of two"
            )
        for name, value in (("c", self.c), ("E", self.E)):
            try:
                check_level(value)
            except ValueError as error:
                raise ValueError(f"{name} is {value:g}; {error}") from None
        if self.case == "sphere" and self.c != 1:
            raise ValueError(f"c is {self.c:g}; the sphere has condition 1, so c must be 1")
        check_translation(self.t)
        if self.hessian == "block" and (self.D < 4 or "hadellipse" not in (self.objective, self.constraint)):
            raise ValueError(
                f"the hessian form is 'block', but {self.case_name} at D = {self.D} has no hadellipse of two blocks"
            )

    @property
    def objective(self) -> str:
        """Name of the form of Hf: the row of the test-case table."""
        return "sphere" if self.case == "sphere" else TABLE_ORDER[self.case // 3]

    @property
    def constraint(self) -> str:
        """Name of the form of Hg: the column of the test-case table."""
        return "sphere" if self.case == "sphere" else TABLE_ORDER[self.case % 3]

    @property
    def case_name(self) -> str:
        """`TC3`, or `sphere`."""
        return "sphere" if self.case == "sphere" else f"TC{self.case}"

    @property
    def n_z(self) -> int:
        """Number of integer variables; they come last."""
        return self.D if self.kind == "integer" else self.D // 2

    @property
    def group(self) -> str:
        """The slice of the suite that this instance is aggregated with: kind, dimension and translation."""
        return f"{self.kind}-D{self.D}-t{_scientific(self.t)}"

    @property
    def id(self) -> str:
        """The id; `parse` is its inverse."""
        suffix = "-block" if self.hessian == "block" else ""
        return f"{self.group}-{self.case_name}-c{_scientific(self.c)}-E{_plain(self.E)}{suffix}"

    def __str__(self) -> str:
        return self.id

    @staticmethod
    def parse(text: str) -> InstanceSpec:
        """Return the spec that an id names, or raise ValueError that says how ids are written."""
        match = _PARSE.fullmatch(text)
        if match is None:
            raise ValueError(
                f"'{text}' is no instance id; ids are written mixed-D64-t0-TC3-c1e4-E30 "
                "(mixed or integer; sphere in place of TC0…TC8; -block at the end for the block hadellipse)"
            )
        tc = match["tc"]
        try:
            return InstanceSpec(
                kind=match["kind"],  # type: ignore[arg-type]
                D=int(match["D"]),
                t=float(match["t"]) + 0.0,
                case="sphere" if tc is None else int(tc),  # type: ignore[arg-type]
                c=float(match["c"]),
                E=float(match["E"]),
                hessian="block" if match["block"] else "full",
            )
        except ValueError as error:
            raise ValueError(f"instance '{text}': {error}") from None
