"""Finds what is declared in modules, one each: solvers, forms, tables, figures."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any


def declarations(package: ModuleType, name: str) -> Iterator[tuple[str, Any]]:
    """Yield every module of a package that declares something of this name, with what it declares."""
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        found = declaration(info.name, name)
        if found is not None:
            yield info.name, found


def declaration(module: str, name: str) -> Any:
    """Return what a module declares, None if nothing of this name; raises ValueError if it cannot be imported."""
    try:
        return getattr(importlib.import_module(module), name, None)
    except Exception as error:
        raise ValueError(
            f"the {name.lower()} module {module} cannot be imported ({type(error).__name__}: {error}); mend or remove "
            f"{module.replace('.', '/')}.py, in the folder workflow"
        ) from error
