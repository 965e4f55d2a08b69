"""Show trials done of planned, the rate, and the time to go."""

from __future__ import annotations

import argparse
from pathlib import Path

from unbounded.cli import add_campaign, check_files


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what it takes."""
    add_campaign(parser)
    parser.add_argument("--watch", action="store_true", help="again and again, until all is done or the run ends")
    parser.add_argument("--every", type=float, default=10.0, metavar="S", help="seconds between looks (default 10)")
    parser.add_argument("--log", type=Path, help="append plain lines to this file as well")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run it."""
    from contextlib import ExitStack

    from rich.console import Console
    from rich.live import Live

    from unbounded.campaign.layout import Layout
    from unbounded.campaign.plan import Plan
    from unbounded.campaign.progress import Observer, View, follow, plain_lines, table
    from unbounded.campaign.reading import load_campaign

    if not args.every > 0:
        raise ValueError(f"--every is {args.every:g}; allowed: a number of seconds above 0")
    check_files(args.log)
    plan = Plan(load_campaign(args.campaign))
    observer = Observer(plan, Layout.of(plan.campaign.name))
    console = Console()
    with ExitStack() as stack:
        log = stack.enter_context(args.log.open("a", encoding="utf-8")) if args.log else None
        if console.is_terminal:
            live = stack.enter_context(Live(console=console, auto_refresh=False))

            def show(view: View) -> None:
                live.update(table(view), refresh=True)
        else:

            def show(view: View) -> None:
                print(*plain_lines(view), sep="\n", flush=True)

        try:
            view = follow(observer, args.every, show, log=log, watch=args.watch)
        except KeyboardInterrupt:
            return 130
    return 1 if args.watch and not view.complete else 0
