"""Finds the solvers: every module of this package that holds a `SOLVER`.

An id may carry modifiers of its solver, `cplex+centre+box`: the same module with the options that they stand for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from unbounded import solvers
from unbounded.running.plugins import declarations
from unbounded.solvers.contract import Budget, Options, Solver

SEPARATOR = "+"


@dataclass(frozen=True)
class Entry:
    """A solver id: the module behind it and the options that make this variant."""

    id: str
    module: str
    solver: Solver[Any]
    preset: Mapping[str, Any]

    @property
    def base(self) -> str:
        """The id without modifiers."""
        return self.id.partition(SEPARATOR)[0]

    @property
    def appended(self) -> str:
        """What may be appended to the id, in the notation of usage lines."""
        return "".join(f"[{SEPARATOR}{'|'.join(group)}]" for group in self.solver.modifiers)

    def options(self, overrides: Mapping[str, Any]) -> Options:
        """Return the effective options: defaults, this variant's, then the overrides."""
        options: Options = self.solver.options(**{**self.preset, **overrides})
        return options

    def check_budget(self, budget: Budget) -> None:
        """Raise ValueError if this solver cannot keep such a budget."""
        if budget.kind not in self.solver.budgets:
            raise ValueError(f"{self.id} keeps no budget of {budget.kind}; allowed: {', '.join(self.solver.budgets)}")


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Entry]:
    """Return every solver id without modifiers, with its entry, sorted by id."""
    found: dict[str, Entry] = {}
    for module, solver in declarations(solvers, "SOLVER"):
        for id, preset in solver.variants.items():
            if id in found:
                raise RuntimeError(f"solver id '{id}' is given by both {found[id].module} and {module}")
            found[id] = Entry(id, module, solver, preset)
    return dict(sorted(found.items()))


def modified(entry: Entry) -> list[Entry]:
    """Return the entry with every combination of its solver's modifiers, itself first."""
    choices = [[("", {}), *group.items()] for group in entry.solver.modifiers]
    return [
        Entry(
            SEPARATOR.join([entry.id, *(name for name, _ in chosen if name)]),
            entry.module,
            entry.solver,
            {**entry.preset, **{key: value for _, options in chosen for key, value in options.items()}},
        )
        for chosen in product(*choices)
    ]


def find(id: str) -> Entry:
    """Return the entry of a solver id, or raise ValueError that lists the ids there are."""
    if id in entries():
        return entries()[id]
    base = entries().get(id.partition(SEPARATOR)[0])
    if base is not None:
        for entry in modified(base):
            if entry.id == id:
                return entry
    raise ValueError(f"unknown solver '{id}'; allowed: {allowed()}")


def is_known(id: str) -> bool:
    """Say whether `find` finds an id."""
    try:
        find(id)
    except ValueError:
        return False
    return True


def allowed() -> str:
    """Write the ids that there are, and what may be appended to them."""
    return ", ".join(f"{entry.id}{entry.appended}" for entry in entries().values())
