"""Check a campaign, count its trials, estimate its CPU hours, and say which solvers are not there."""

from __future__ import annotations

import argparse

from unbounded.cli import add_campaign


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what it takes."""
    add_campaign(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Run it."""
    from unbounded.campaign.plan import Plan
    from unbounded.campaign.reading import load_campaign

    print(Plan(load_campaign(args.campaign)).table())
