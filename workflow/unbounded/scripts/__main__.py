"""`python -m unbounded.scripts <name> …`: the script of that name with its arguments, as Python runs it.

A command of its own, so that a process that has loaded what tables and figures are made with can be forked to run one
(`unbounded.running.forking.server`).
"""

from __future__ import annotations

import os
import pkgutil
import runpy
import select
import sys
import threading
from collections.abc import Sequence
from importlib import import_module

from unbounded.running.provenance import SCRIPTS


def load() -> None:
    """Load the code of tables and figures."""
    from unbounded.figures import parts
    from unbounded.figures import registry as figures
    from unbounded.tables import registry as tables

    figures.entries()
    tables.entries()
    drawing = {info.name for info in pkgutil.iter_modules(parts.__path__, f"{parts.__name__}.")}
    # Tables load of scipy what they use when they use it, so that planning, which reads their declarations, need not.
    for module in ("scipy.stats", "unbounded.tables.files", *sorted(drawing)):
        import_module(module)


def main(words: Sequence[str] | None = None, client: int | None = None) -> None:
    """Run the script that is named first with the arguments after it; this process ends if `client` hangs up."""
    name, *arguments = sys.argv[1:] if words is None else words
    sys.argv = [str(SCRIPTS / f"{name}.py"), *arguments]
    if client is not None:
        threading.Thread(target=_end_after, args=(client,), daemon=True).start()
    runpy.run_path(sys.argv[0], run_name="__main__")


def _end_after(client: int) -> None:
    poller = select.poll()
    # That it has nothing more to say is no hang-up.
    poller.register(client, 0)
    poller.poll()
    os._exit(1)


if __name__ == "__main__":
    main()
