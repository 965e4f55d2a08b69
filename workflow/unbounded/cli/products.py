"""Say where a campaign's products are."""

from __future__ import annotations

import argparse

from unbounded.cli import add_campaign


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what it takes."""
    add_campaign(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Run it."""
    from unbounded.campaign.layout import Layout
    from unbounded.campaign.reading import load_campaign

    layout = Layout.of(load_campaign(args.campaign).name)
    for folder, what, pattern in (
        (layout.trials, "trials, one verified row each", "*.parquet"),
        (layout.tables, "tables, as CSV and parquet", "*.csv"),
        (layout.figures, "figures, as SVG and PNG with captions", "*.svg"),
    ):
        files = sorted(folder.rglob(pattern))
        print(f"{folder!s:<24}{len(files):>6} {what}")
        for part in sorted(path for path in folder.glob("*") if path.is_dir()) if folder == layout.figures else ():
            print(f"    {part!s:<36}{len(list(part.glob(pattern))):>4}")
    for page, what in (
        (layout.claims, "the paper's statements, printed and measured"),
        (layout.page, "all of it on one page; open it in a browser"),
    ):
        if page.exists():
            print(f"{page}: {what}")
