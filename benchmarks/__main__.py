"""All benchmarks as one table; with the number of trials for those that scale, as in `python benchmarks 5000`."""

import subprocess
import sys
from pathlib import Path

from result import HEADER

#: The benchmarks, and whether they take a number of trials.
SCRIPTS = {"speed": False, "exact": False, "overhead": False, "aggregation": True, "page": False, "planning": True}


def main(*trials: str) -> None:
    """Run each in a process of its own, since memory that one took would count for the next, and print its lines."""
    print(HEADER, flush=True)
    for name, scales in SCRIPTS.items():
        command = [sys.executable, str(Path(__file__).with_name(f"{name}.py")), *(trials if scales else ())]
        lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        print(lines.removeprefix(f"{HEADER}\n"), end="", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:2])
