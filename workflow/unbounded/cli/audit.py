"""Evaluate the published results again, from a clone of their repository."""

from __future__ import annotations

import argparse
from pathlib import Path

from unbounded.cli import check_files


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what it takes."""
    parser.add_argument("checkout", type=Path, help="clone of github.com/GuyZep/All-Quadratic-Mixed-Integer-Problems")
    parser.add_argument("-o", "--out", type=Path, default=Path("results/audit"), help="folder (default results/audit)")
    parser.add_argument("--truth", type=Path, metavar="CAMPAIGN", help="campaign that was run and proved the optima")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Run it."""
    check_files(args.out / "audit.md")
    from unbounded.tables.audit_page import audit
    from unbounded.tables.files import read
    from unbounded.tables.registry import of_audit

    references = None
    if args.truth is not None:
        from unbounded.campaign.reading import load_campaign

        path = Path("results") / load_campaign(args.truth).name / "tables" / "references.parquet"
        if not path.exists():
            raise ValueError(f"{path} is not there; run the campaign first: snakemake --configfile {args.truth}")
        references = read(path)
    print(audit(args.checkout, args.out, references), end="")
    print(f"\n{args.out}: audit.md, and as CSV and parquet the tables {', '.join(of_audit())}")
