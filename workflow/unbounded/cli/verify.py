"""Check every row of a campaign anew, from its point, and every table."""

from __future__ import annotations

import argparse

from unbounded.cli import add_campaign


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what it takes."""
    add_campaign(parser)
    parser.add_argument("--set-aside", action="store_true", help="move what is wrong away, to be made anew")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run it."""
    from unbounded.archive.verification import as_text, put_aside, verify
    from unbounded.campaign.layout import Layout
    from unbounded.campaign.plan import Plan
    from unbounded.campaign.reading import load_campaign

    plan = Plan(load_campaign(args.campaign))
    layout = Layout.of(plan.campaign.name)
    found = verify(plan, layout)
    print(as_text(found, layout))
    if found.wrong and args.set_aside:
        aside = put_aside(found, layout)
        print(f"moved to {aside}; to have them made anew: snakemake --cores all --configfile {args.campaign}")
    return 1 if found.wrong else 0
