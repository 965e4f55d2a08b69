"""The types of values in a campaign's file: what is allowed, how it may be written, and what editors are told of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from unbounded.instances import files as problem_files
from unbounded.instances.forms import registry as forms
from unbounded.instances.spec import LIMITS, MAX_DIMENSION, SPHERE, Case, check_level, check_translation, read_case
from unbounded.running.errors import shown

MAX_SEED = 2**31 - 1
MAX_SEEDS = 100_000

T = TypeVar("T")


def _unique(values: list[T]) -> list[T]:
    repeated = sorted({str(value) for value in values if values.count(value) > 1})
    if repeated:
        raise ValueError(f"{', '.join(repeated)} given more than once; allowed: each value once")
    return values


def _case(value: Any) -> Case:
    """Read a test case; true, which is equal to 1, is none."""
    if isinstance(value, str):
        return read_case(value)
    if isinstance(value, bool) or not isinstance(value, int) or value not in range(9):
        raise ValueError(f"allowed: 0 to 8, `{SPHERE}`, or two forms with a dot between them, as in rotellipse.cigar")
    return value


def _files(value: Any) -> Any:
    """Read one pattern as a list of one."""
    return [value] if isinstance(value, str) else value


def _below(pattern: str) -> str:
    """Refuse what is not below the campaign's folder: campaign and files go together, into archives too."""
    if Path(pattern).is_absolute() or ".." in Path(pattern).parts or not pattern.endswith(problem_files.ENDING):
        raise ValueError(
            f"allowed: {problem_files.ENDING} files in the folder of the campaign's file or below it, as seen from "
            "there, such as problems/*.npz"
        )
    return _line(pattern)


def _line(text: str) -> str:
    """Refuse what cannot be written, or not in one line."""
    if not text.isprintable():
        raise ValueError("allowed: one line of text, without control characters")
    return text


def _seeds(value: Any) -> Any:
    """Read a number n as the seeds 1 to n."""
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= MAX_SEEDS:
            raise ValueError(f"a number of seeds must lie between 1 and {MAX_SEEDS}")
        return list(range(1, value + 1))
    return value


def _amounts(value: Any) -> Any:
    """Read one number as the amount at every dimension (key 0)."""
    if value is None:
        return None
    amounts = value if isinstance(value, Mapping) else {0: value}
    for D, amount in amounts.items():
        if isinstance(D, bool) or not isinstance(D, int):
            raise ValueError(f"'{D}' is no dimension; allowed: a number, or a mapping from D to a number")
        if isinstance(amount, bool) or not isinstance(amount, (int, float)) or not amount > 0:
            raise ValueError(f"an amount is {shown(amount)}; allowed: a number above 0")
    return amounts


_NUMBER = {"type": "number", "exclusiveMinimum": 0}
_BY_DIMENSION = {"type": "object", "additionalProperties": _NUMBER}

NonEmpty = Annotated[list[T], Field(min_length=1), AfterValidator(_unique)]
Line = Annotated[str, AfterValidator(_line)]
Label = Annotated[str, Field(min_length=1), AfterValidator(_line)]
TestCase = Annotated[
    Case,
    BeforeValidator(_case),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0, "maximum": 8},
                {"enum": [SPHERE]},
                {"type": "string", "pattern": rf"^{forms.NAME}\.{forms.NAME}$"},
            ]
        }
    ),
]
Files = Annotated[
    list[Annotated[str, AfterValidator(_below)]],
    BeforeValidator(_files),
    AfterValidator(_unique),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}),
]
Dimension = Annotated[int, Field(ge=2, le=MAX_DIMENSION, multiple_of=2)]
Positive = Annotated[float, Field(gt=0)]
Level = Annotated[
    float,
    AfterValidator(check_level),
    WithJsonSchema({"type": "number", "minimum": LIMITS[0], "maximum": LIMITS[1]}),
]
Translation = Annotated[float, AfterValidator(check_translation)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$", max_length=60)]
Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]
Seeds = Annotated[
    list[Seed],
    Field(min_length=1),
    BeforeValidator(_seeds),
    AfterValidator(_unique),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": MAX_SEEDS},
                {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1},
            ]
        }
    ),
]
Amounts = Annotated[
    dict[int, float] | None, BeforeValidator(_amounts), WithJsonSchema({"anyOf": [_NUMBER, _BY_DIMENSION]})
]
