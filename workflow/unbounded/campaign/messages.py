"""What models refuse, as sentences for people: the key, the value, and what is allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from unbounded.campaign.studies import STUDY_TYPES
from unbounded.running.errors import shown

#: What pydantic calls it where a number is expected and something else is given.
NUMBER_ERRORS = ("int_type", "int_parsing", "float_type", "float_parsing")


def explain(error: ValidationError) -> list[str]:
    """Write what a model refused as sentences."""
    return [f"{dotted(e['loc'])[1:]} {message(e)}".strip() for e in error.errors()]


def dotted(loc: Sequence[str | int], data: Any = None) -> str:
    """Write an error's place as keys of the file; a study's type, which pydantic puts into the path, is left out."""
    parts = list(loc)
    if data is not None and len(parts) > 2 and parts[0] == "studies":
        del parts[2]
    return "".join(f".{part}" for part in parts)


def message(error: Any) -> str:
    """Write one of pydantic's errors for people: the value, and what is allowed."""
    text: str = error["msg"].removeprefix("Value error, ")
    if error["type"] == "missing":
        return "is missing; it must be given"
    if error["type"] == "union_tag_not_found":
        return "the key `type` is missing; allowed: " + ", ".join(STUDY_TYPES)
    if error["type"] == "union_tag_invalid":
        return f"type is '{error['ctx']['tag']}'; allowed: " + ", ".join(STUDY_TYPES)
    if error["type"] == "value_error" and isinstance(error["input"], Mapping):
        return text
    if error["type"] in NUMBER_ERRORS and isinstance(error["input"], str):
        kind = "an integer" if error["type"].startswith("int") else "a number"
        text = f"that is text; allowed: {kind} in decimal digits, without quotes, colons and leading zeros"
    if error["type"] == "string_type":
        text = "allowed: text; put it in quotes if it looks like a number or a truth value"
    return f"is {shown(error['input'])}; {text[0].lower()}{text[1:]}"
