"""List what the next run would do, why, and what it would cost."""

from __future__ import annotations

import argparse

from unbounded.cli import add_campaign


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what it takes."""
    add_campaign(parser)
    parser.add_argument("--json", action="store_true", help="every job, as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Run it."""
    import json

    from unbounded.campaign.plan import Plan
    from unbounded.campaign.reading import load_campaign
    from unbounded.campaign.stale import as_data, as_text, survey

    plan = Plan(load_campaign(args.campaign))
    jobs, groups = survey(args.campaign, plan)
    print(json.dumps(as_data(jobs, groups), indent=1) if args.json else as_text(groups, args.campaign, plan))
