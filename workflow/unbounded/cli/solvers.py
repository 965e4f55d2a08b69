"""List the solvers: version, availability, options."""

from __future__ import annotations

import argparse

from unbounded.cli import solver_ids


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what it takes."""
    solver = parser.add_argument("solver", nargs="?", help="describe this one")
    solver.completer = solver_ids  # type: ignore[attr-defined]
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Run it."""
    import importlib
    import json

    from unbounded.running.provenance import versions
    from unbounded.solvers import registry

    if args.solver is not None:
        entry = registry.find(args.solver)
        print(importlib.import_module(entry.module).__doc__)
        print("Options (the values are this solver's):")
        for name, value in entry.options({}).model_dump().items():
            description = entry.solver.options.model_fields[name].description
            print(f"  {name:<22} {json.dumps(value):<12} {description}")
        print(f"Budgets: {', '.join(entry.solver.budgets)}; at D = 64 by default {entry.solver.default_budget(64)}")
        return
    reasons: dict[str, str | None] = {}
    for entry in registry.entries().values():
        if entry.module not in reasons:
            reasons[entry.module] = entry.solver.unavailable()
        found = versions(entry.solver.packages)
        packages = ", ".join(f"{name} {found[name]}" for name in entry.solver.packages)
        reason = reasons[entry.module]
        state = "available" if reason is None else f"unavailable: {reason}"
        print(f"{entry.id:<16} {packages:<28} {state}\n{'':<16} {entry.solver.summary}")
        if entry.appended:
            print(f"{'':<16} also as {entry.id}{entry.appended}")
