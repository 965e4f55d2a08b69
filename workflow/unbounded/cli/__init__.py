"""The command line `unbounded`: the steps of the workflow by hand. A command is a module of this folder.

A module's name is the command's, its docstring the help; `arguments(parser)` declares what it takes and, as the default
`run`, the function that does it. Modules import what they need when they run: a command must not wait for libraries
that it does not use.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from unbounded import __version__

DEFAULT_CAMPAIGN = Path("config/paper.yaml")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; what is wrong with its arguments is one sentence and exit code 2."""
    words = _in_full(sys.argv[1:] if argv is None else argv)
    known = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    # Where the command is clear, its module alone is loaded.
    parser = _parser(words[:1] if words and words[0] in known else known)
    if "_ARGCOMPLETE" in os.environ:  # a shell asks how a line may go on
        import argcomplete

        argcomplete.autocomplete(parser)
    args = parser.parse_args(words)
    if args.command is None:
        parser.print_help()
        return 0
    try:
        return int(args.run(args) or 0)
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        print(f"unbounded {args.command}: interrupted", file=sys.stderr)
        return 130
    except (ValueError, OSError) as error:
        print(f"unbounded {args.command}: {_sentence(error)}", file=sys.stderr)
        return 2


def _parser(names: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="unbounded",
        description="The steps of the workflow by hand.",
        epilog="`unbounded COMMAND --help` says more. A whole campaign: snakemake --cores N --configfile FILE",
    )
    parser.add_argument("--version", action="version", version=f"unbounded {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name in names:
        module = importlib.import_module(f"{__name__}.{name}")
        text = module.__doc__ or ""
        first = text.partition("\n")[0].rstrip(".")
        command = commands.add_parser(name, help=first[:1].lower() + first[1:], description=text)
        module.arguments(command)
    return parser


def _in_full(words: Sequence[str]) -> list[str]:
    """Read `archive CAMPAIGN` as `archive pack CAMPAIGN`."""
    known = ("pack", "verify", "restore", "tables", "-h", "--help")
    short = words[:1] == ["archive"] and (len(words) == 1 or words[1] not in known)
    return ["archive", "pack", *words[1:]] if short else list(words)


def add_campaign(parser: argparse.ArgumentParser) -> None:
    """Declare the campaign that a command is about."""
    parser.add_argument(
        "campaign", type=Path, nargs="?", default=DEFAULT_CAMPAIGN, help=f"its file (default {DEFAULT_CAMPAIGN})"
    )


def check_files(*paths: Path | None) -> None:
    """Raise OSError if one of these files could not be written: before work is done for it."""
    from unbounded.running.writing import check_destination

    for path in filter(None, paths):
        check_destination(path)


def solver_ids(**_: object) -> list[str]:
    """Return the ids that shells complete the name of a solver to."""
    from unbounded.solvers import registry

    return list(registry.entries())


def _sentence(error: Exception) -> str:
    """Unfold pydantic's errors, whose text is made for programmers."""
    from pydantic import ValidationError

    from unbounded.campaign.messages import explain

    if isinstance(error, ValidationError):
        return "; ".join(explain(error))
    return str(error)
