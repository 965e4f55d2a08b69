"""Generate, or check, what is made from the code: config/schema.json and README.md, docs/rows.md and tables.md."""

from __future__ import annotations

import argparse
import sys


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what it takes."""
    parser.add_argument("what", choices=("docs", "check"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run it."""
    from unbounded.report.docs import files

    drifted = 0
    for path, text in files().items():
        if args.what == "docs":
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path} differs from what the code says; run `make format`", file=sys.stderr)
            drifted = 1
    return drifted
