"""Finds the forms: every module of this package that holds a `FORM`."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from unbounded.instances import forms
from unbounded.instances.forms.contract import Form

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
    for info in pkgutil.iter_modules(forms.__path__, f"{forms.__name__}."):
        try:
            form = getattr(importlib.import_module(info.name), "FORM", None)
        except Exception as error:
            raise ValueError(
                f"the form module {info.name} cannot be imported ({type(error).__name__}: {error}); mend or remove "
                f"{info.name.replace('.', '/')}.py, in the folder workflow"
            ) from error
        if form is None:
            continue
        if not re.fullmatch(NAME, form.name):
            raise ValueError(
                f"the form of {info.name} is called '{form.name}'; allowed: small letters and digits, a letter first"
            )
        if form.name in found:
            raise ValueError(f"the form '{form.name}' is given by both {found[form.name].module} and {info.name}")
        found[form.name] = Entry(info.name, form)
    return dict(sorted(found.items()))


def find(name: str) -> Form:
    """Return the form of a name, or raise ValueError that lists the names there are."""
    if name not in entries():
        raise ValueError(f"unknown form '{name}'; allowed: {', '.join(entries())}")
    return entries()[name].form
