"""Finds the tables: every module of this package that holds a `TABLE`, whose name is the module's."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter

from unbounded import tables
from unbounded.tables.contract import CAMPAIGN, CLONE, SOURCES, Table


def module_of(name: str) -> str:
    """Return the module of a table."""
    return f"{tables.__name__}.{name}"


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Table]:
    """Return every table by its name, after those that it is made from, else by the alphabet."""
    found = {}
    for info in pkgutil.iter_modules(tables.__path__):
        table = _declared(info.name)
        if table is not None:
            found[info.name] = table
    for table in found.values():
        unknown = [name for name in table.inputs if name not in (*found, *SOURCES)]
        if unknown:
            raise ValueError(
                f"the table '{table.name}' is made from '{unknown[0]}', which is none; allowed: "
                f"{', '.join([*SOURCES, *found])}"
            )
    return {name: found[name] for name in _ordered(found)}


def find(name: str) -> Table:
    """Return a table by its name; nothing but its own module is imported."""
    table = _declared(name)
    if table is None:
        raise ValueError(f"there is no table '{name}'")
    return table


def of_campaigns() -> dict[str, Table]:
    """Return the tables that every campaign has."""
    return {name: table for name, table in entries().items() if name not in of_audit()}


def made_from_tables() -> dict[str, Table]:
    """Return the tables that a campaign's trials and plan are made into."""
    return {name: table for name, table in of_campaigns().items() if CAMPAIGN not in table.inputs}


@lru_cache(maxsize=1)
def of_audit() -> Mapping[str, Table]:
    """Return the tables that are made, directly or not, from a clone of the authors' repository: no campaign's."""
    found: dict[str, Table] = {}
    for name, table in entries().items():
        if CLONE in table.inputs or any(other in found for other in table.inputs):
            found[name] = table
    return found


def _declared(module: str) -> Table | None:
    try:
        table: Table | None = getattr(importlib.import_module(module_of(module)), "TABLE", None)
    except Exception as error:
        raise ValueError(
            f"the table module {module_of(module)} cannot be imported ({type(error).__name__}: {error}); mend or "
            f"remove {module_of(module).replace('.', '/')}.py, in the folder workflow"
        ) from error
    if table is not None and table.name != module:
        raise ValueError(f"the table in the module {module_of(module)} is named '{table.name}'; allowed: '{module}'")
    return table


def _ordered(found: Mapping[str, Table]) -> list[str]:
    sorter = TopologicalSorter(
        {name: [other for other in table.inputs if other in found] for name, table in found.items()}
    )
    try:
        sorter.prepare()
    except CycleError as error:
        raise ValueError(f"tables are made from one another in a circle: {' ← '.join(error.args[1])}") from None
    ordered: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        ordered += ready
        sorter.done(*ready)
    return ordered
