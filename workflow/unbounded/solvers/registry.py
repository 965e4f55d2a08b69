"""Finds the solvers: every module of this package that holds a `SOLVER`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from unbounded import solvers
from unbounded.solvers.contract import Budget, Options, Solver


@dataclass(frozen=True)
class Entry:
    """A solver id: the module behind it and the options that make this variant."""

    id: str
    module: str
    solver: Solver
    preset: Mapping[str, Any]

    def options(self, overrides: Mapping[str, Any]) -> Options:
        """Return the effective options: defaults, this variant's, then the overrides."""
        return self.solver.options(**{**self.preset, **overrides})

    def check_budget(self, budget: Budget) -> None:
        """Raise ValueError if this solver cannot keep such a budget."""
        if budget.kind not in self.solver.budgets:
            raise ValueError(f"{self.id} keeps no budget of {budget.kind}; allowed: {', '.join(self.solver.budgets)}")


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Entry]:
    """Return every solver id with its entry, sorted by id."""
    found: dict[str, Entry] = {}
    for info in pkgutil.iter_modules(solvers.__path__, f"{solvers.__name__}."):
        solver = getattr(importlib.import_module(info.name), "SOLVER", None)
        if solver is None:
            continue
        for id, preset in solver.variants.items():
            if id in found:
                raise RuntimeError(f"solver id '{id}' is given by both {found[id].module} and {info.name}")
            found[id] = Entry(id, info.name, solver, preset)
    return dict(sorted(found.items()))


def find(id: str) -> Entry:
    """Return the entry of a solver id, or raise ValueError that lists the ids there are."""
    try:
        return entries()[id]
    except KeyError:
        raise ValueError(f"unknown solver '{id}'; allowed: {', '.join(entries())}") from None
