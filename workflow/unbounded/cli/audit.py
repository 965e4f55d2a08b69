"""Evaluate the published results again, from a clone of their repository."""

from __future__ import annotations

import argparse
from pathlib import Path

from unbounded.campaign.layout import AUDIT, RESULTS, Layout
from unbounded.cli import check_files

FOLDER = RESULTS / AUDIT


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what it takes."""
    parser.add_argument("checkout", type=Path, help="clone of github.com/GuyZep/All-Quadratic-Mixed-Integer-Problems")
    parser.add_argument("-o", "--out", type=Path, default=FOLDER, help=f"folder (default {FOLDER})")
    parser.add_argument("--truth", type=Path, metavar="CAMPAIGN", help="campaign that was run and proved the optima")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Run it."""
    check_files(args.out / "audit.md")
    from unbounded.tables.audit_page import audit
    from unbounded.tables.files import read
    from unbounded.tables.registry import of_audit

    best_known = None
    if args.truth is not None:
        from unbounded.campaign.reading import load_campaign

        path = Layout.of(load_campaign(args.truth).name).table("best_known")
        if not path.exists():
            command = f"snakemake --cores all --configfile {args.truth}"
            raise ValueError(f"{path} is not there; run the campaign first: {command}")
        best_known = read(path)
    print(audit(args.checkout, args.out, best_known), end="")
    print(f"\n{args.out}: audit.md, and as CSV and parquet the tables {', '.join(of_audit())}")
