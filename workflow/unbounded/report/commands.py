"""The command that repeats a trial by hand, from its row alone."""

from __future__ import annotations

import json
import shlex
from functools import cache

from unbounded.solvers import registry


def command(instance: str, variant: str, seed: int, budget_kind: str, amount: float, options: str, threads: int) -> str:
    """Return the command line; `options` is the row's JSON of effective ones, of which those by default are left out.

    With a budget of evaluations or ticks it gives the same f; a budget of seconds cannot promise that.
    """
    words = ["unbounded", "trial", instance, "--solver", variant, "--seed", str(seed)]
    return " ".join([shlex.join(words), *_settings(variant, budget_kind, amount, options, threads)])


@cache
def _settings(variant: str, budget_kind: str, amount: float, options: str, threads: int) -> tuple[str, ...]:
    """Return what a cell's trials have in common."""
    number = int(amount) if amount == int(amount) else amount
    words = ["--budget", f"{budget_kind}={number!r}"]
    for key, value in differing_options(variant, options).items():
        words += ["--option", f"{key}={json.dumps(value)}"]
    return (shlex.join([*words, *(["--threads", str(threads)] if threads != 1 else [])]),)


def differing_options(variant: str, options: str) -> dict[str, object]:
    """Return the options of a row that a solver id does not have by itself; all of them if the id is gone."""
    try:
        # Through JSON, as the row's were: tuples become lists.
        defaults = json.loads(json.dumps(registry.find(variant).options({}).model_dump()))
    except ValueError:
        defaults = {}
    return {key: value for key, value in json.loads(options).items() if key not in defaults or defaults[key] != value}
