"""Finds the forms: every module of this package that holds a `FORM`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from unbounded.instances import forms
from unbounded.instances.forms.contract import Form
from unbounded.running.plugins import declarations

NAME = r"[a-z][a-z0-9]*"


@dataclass(frozen=True)
class Entry:
    """A form, and the module that it is in."""

    module: str
    form: Form


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Entry]:
    """Return every form by its name, sorted."""
    found: dict[str, Entry] = {}
    for module, form in declarations(forms, "FORM"):
        if not re.fullmatch(NAME, form.name):
            raise ValueError(
                f"the form of {module} is called '{form.name}'; allowed: small letters and digits, a letter first"
            )
        if form.name in found:
            raise ValueError(f"the form '{form.name}' is given by both {found[form.name].module} and {module}")
        found[form.name] = Entry(module, form)
    return dict(sorted(found.items()))


def find(name: str) -> Form:
    """Return the form of a name, or raise ValueError that lists the names there are."""
    if name not in entries():
        raise ValueError(f"unknown form '{name}'; allowed: {', '.join(entries())}")
    return entries()[name].form
