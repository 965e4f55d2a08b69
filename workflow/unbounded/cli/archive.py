"""Pack a campaign into one file, verify such a file, restore its results, make its tables anew."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from unbounded.cli import add_campaign, check_files


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what it takes."""
    deeds = parser.add_subparsers(dest="part", required=True, metavar="WHAT")
    packed = deeds.add_parser("pack", help="pack a campaign; `archive CAMPAIGN` is short for it")
    add_campaign(packed)
    packed.add_argument("-o", "--out", type=Path, help="file to write (default <campaign>.crate.zip in this folder)")
    packed.add_argument("--partial", action="store_true", help="even if something of it is missing or stale")
    packed.set_defaults(run=pack)
    verified = deeds.add_parser("verify", help="check every hash, missing and extra files, and the metadata")
    verified.add_argument("file", type=Path)
    verified.set_defaults(run=verify)
    restored = deeds.add_parser("restore", help="write the results back: trials, tables, figures, report; runs nothing")
    restored.add_argument("file", type=Path)
    restored.add_argument("--into", type=Path, default=Path(), help="folder whose results/ gets them (default: this)")
    restored.set_defaults(run=restore)
    remade = deeds.add_parser("tables", help="unpack, make the tables anew from the trials, compare them")
    remade.add_argument("file", type=Path)
    remade.add_argument("--into", type=Path, required=True, help="folder to unpack into; must be empty or not there")
    remade.add_argument("--cores", type=int, default=1)
    remade.add_argument("--own-code", action="store_true", help="run the workflow that the archive holds, after asking")
    remade.add_argument("--yes", action="store_true", help="do not ask")
    remade.set_defaults(run=tables)


def pack(args: argparse.Namespace) -> int:
    """Pack a campaign."""
    import hashlib

    from unbounded.archive.pack import pack as write
    from unbounded.campaign.plan import Plan
    from unbounded.campaign.reading import load_campaign
    from unbounded.campaign.stale import as_text, survey

    plan = Plan(load_campaign(args.campaign))
    target = args.out or Path(f"{plan.campaign.name}.crate.zip")
    check_files(target)
    _, groups = survey(args.campaign, plan)
    if groups and not args.partial:
        print(as_text(groups, args.campaign, plan), file=sys.stderr)
        command = f"snakemake --cores all --configfile {args.campaign}"
        print(f"\nNot packed. Run {command}, or pack it so: --partial", file=sys.stderr)
        return 1
    stale = "; ".join(f"{group.jobs} {group.rule} ({group.reason})" for group in groups)
    files, contents = write(args.campaign, target, stale=stale)
    with target.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    missing = f", {contents.missing} are missing" if contents.missing else ""
    if contents.unplanned:
        print(f"{contents.unplanned} files of {plan.campaign.name}'s results are no planned product and were left out")
    print(f"{target}: {files} files, {target.stat().st_size / 1e6:.1f} MB, {contents.trials} trials{missing}")
    print(f"sha256 {digest}")
    return 0


def verify(args: argparse.Namespace) -> int:
    """Verify an archive."""
    from unbounded.archive.check import verify as check

    files, problems = check(args.file)
    for problem in problems:
        print(problem)
    print(f"{args.file}: {files} files, {len(problems) or 'no'} problem{'' if len(problems) == 1 else 's'}")
    return 1 if problems else 0


def restore(args: argparse.Namespace) -> int:
    """Write the results of an archive back."""
    from unbounded.archive.contents import CAMPAIGN
    from unbounded.archive.restore import restore as write

    restored = write(args.file, args.into)
    layout = restored.layout
    print(f"{layout.folder}: {restored.trials} trials, and what was made from them")
    if layout.page.exists():
        print(f"{layout.page}: open it in a browser")
    if restored.stale:
        print(f"Not up to date when it was packed: {restored.stale}. snakemake makes that anew.")
    if restored.other_products:
        print("Nothing says that the code that is here made tables, figures and page; snakemake makes them anew.")
    if restored.other_code:
        folder = "" if args.into == Path() else f" --directory {shlex.quote(str(args.into))}"
        campaign = shlex.quote(str(layout.folder / CAMPAIGN))
        print(
            f"{restored.other_code} of the trials were made by other code than there is here, and snakemake would make "
            "them again. To keep them, and what was made from them, have every run compare times alone: "
            f"snakemake --cores 1{folder} --configfile {campaign} --rerun-triggers mtime"
        )
    return 0


def tables(args: argparse.Namespace) -> int:
    """Make the tables of an archive anew."""
    from unbounded.archive.rebuild import compare, rebuild

    if args.cores < 1:
        raise ValueError(f"--cores is {args.cores}; allowed: a number from 1")
    if args.own_code and not args.yes:
        print(f"{args.file} holds code of its own, which would run with your rights. Do you trust who packed it?")
        if not sys.stdin.isatty() or input("Run it? [y/N] ").strip().lower() not in ("y", "yes"):
            print("Not run. Without --own-code this installation's code makes the tables.", file=sys.stderr)
            return 1
    rebuild(args.file, args.into, args.cores, args.own_code)
    compared = compare(args.file, args.into)
    for name, verdict in compared.items():
        print(f"{verdict:<12}{name}")
    different = sum(verdict == "different" for verdict in compared.values())
    print(f"{args.into}: {len(compared)} files of tables, {different or 'none'} different from the packed ones")
    return 1 if different or not compared else 0
