"""Write config/NAME.yaml, a small campaign with every key explained, to start from."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

STARTER = Path("config/mine.yaml")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what it takes."""
    parser.add_argument("name", help="name of the campaign; its results go to results/NAME")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Write it."""
    from unbounded.config import load_campaign

    path = STARTER.with_name(f"{args.name}.yaml")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}", args.name):
        raise ValueError(f"'{args.name}' is no name of a campaign; allowed: up to 60 letters, digits, dots, - and _")
    if not STARTER.exists():
        raise ValueError(f"{STARTER} is not there; go to the folder of the repository first")
    text = re.sub(r"^name: .*$", f"name: {args.name}", STARTER.read_text(encoding="utf-8"), flags=re.MULTILINE)
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise ValueError(f"{path} is there already; choose another name, or remove it") from None
    load_campaign(path)
    print(f"{path}: a small campaign to change. Then:")
    print(f"    unbounded plan {path}")
    print(f"    snakemake --cores 2 --configfile {path}")
