"""Finds the tables: every module of this package that holds a `TABLE`, whose name is the module's."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter

from unbounded import tables
from unbounded.running.plugins import declaration, declarations
from unbounded.tables.contract import CAMPAIGN, CLONE, SOURCES, Table


def module_of(name: str) -> str:
    """Return the module of a table."""
    return f"{tables.__name__}.{name}"


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Table]:
    """Return every table by its name, after those that it is made from, else by the alphabet."""
    found = {table.name: _checked(module, table) for module, table in declarations(tables, "TABLE")}
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
    table = declaration(module_of(name), "TABLE")
    if table is None:
        raise ValueError(f"there is no table '{name}'")
    return _checked(module_of(name), table)


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


def _checked(module: str, table: Table) -> Table:
    name = module.rpartition(".")[2]
    if table.name != name:
        raise ValueError(f"the table in the module {module} is named '{table.name}'; allowed: '{name}'")
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
