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
    from pydantic import TypeAdapter, ValidationError

    from unbounded.campaign.reading import ConfigError, load_campaign
    from unbounded.campaign.types import Name

    try:
        name = TypeAdapter(Name).validate_python(args.name)
    except ValidationError:
        raise ValueError(
            f"'{args.name}' is no name of a campaign; allowed: a letter or digit, then up to 59 of these and _ . + -"
        ) from None
    if not STARTER.exists():
        raise ValueError(f"{STARTER} is not there; go to the folder of the repository first")
    path = STARTER.with_name(f"{name}.yaml")
    # In quotes: YAML would read some names as numbers.
    text = re.sub(r"^name: .*$", f'name: "{name}"', STARTER.read_text(encoding="utf-8"), flags=re.MULTILINE)
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise ValueError(f"{path} is there already; choose another name, or remove it") from None
    try:
        load_campaign(path)
    except ConfigError:
        path.unlink()
        raise
    print(f"{path}: a small campaign to change. Then:")
    print(f"    unbounded plan {path}")
    print(f"    snakemake --cores 2 --configfile {path}")
