"""The command line: the steps of the workflow by hand.

Commands import what they need when they run: a trial must not wait for libraries that it does not use.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unbounded.environment import hold_threads

DEFAULT_CAMPAIGN = Path("config/paper.yaml")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; what is wrong with its arguments is one sentence and exit code 2."""
    args = _parser().parse_args(_in_full(sys.argv[1:] if argv is None else argv))
    try:
        return int(args.run(args) or 0)
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        print(f"unbounded {args.command}: interrupted; nothing was written", file=sys.stderr)
        return 130
    except (ValueError, OSError) as error:
        print(f"unbounded {args.command}: {_sentence(error)}", file=sys.stderr)
        return 2


def _in_full(argv: Sequence[str]) -> list[str]:
    """Read `archive CAMPAIGN` as `archive pack CAMPAIGN`."""
    known = ("pack", "verify", "tables", "-h", "--help")
    short = argv[:1] == ["archive"] and (len(argv) == 1 or argv[1] not in known)
    return ["archive", "pack", *argv[1:]] if short else list(argv)


def _sentence(error: Exception) -> str:
    """Unfold pydantic's errors, whose text is made for programmers."""
    from pydantic import ValidationError

    from unbounded.config import explain

    if isinstance(error, ValidationError):
        return "; ".join(explain(error))
    return str(error)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="unbounded", description="The steps of the workflow by hand.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    trial = commands.add_parser("trial", help="run one trial and print a summary of its row")
    trial.add_argument("instance", help="id, such as mixed-D64-t0-TC3-c1e4-E30")
    trial.add_argument("--solver", required=True, help="solver id, such as cma-IH")
    trial.add_argument("--seed", type=int, required=True)
    trial.add_argument(
        "--option", action="append", default=[], metavar="KEY=VALUE", help="option of the solver; may be repeated"
    )
    trial.add_argument("--budget", help="such as evaluations=N or seconds=N; the solver's default if not given")
    trial.add_argument("--threads", type=int, default=1, help="threads of the trial (default 1)")
    trial.add_argument("--watchdog", type=float, metavar="MINUTES", help="stop it then (default: far above its budget)")
    trial.add_argument("--mem-mb", type=float, default=math.inf, metavar="MB", help="memory it may take (default: any)")
    trial.add_argument("--out", type=Path, help="write the row to this parquet file")
    trial.add_argument("--log", type=Path, help="write the solver's log to this file")
    trial.set_defaults(run=_trial)

    instance = commands.add_parser("instance", help="show or export an instance")
    parts = instance.add_subparsers(dest="part", required=True, metavar="what")
    show = parts.add_parser("show", help="print what an id stands for")
    show.add_argument("instance")
    show.set_defaults(run=_show)
    export = parts.add_parser("export", help="write an instance for other tools")
    export.add_argument("instance")
    export.add_argument("--format", choices=("lp", "mps", "npz"), required=True)
    export.add_argument("--out", type=Path, help="file to write (default <id>.<format> in this folder)")
    export.set_defaults(run=_export)

    plan = commands.add_parser("plan", help="check a campaign, count its trials, estimate its CPU hours")
    plan.add_argument("campaign", type=Path, nargs="?", default=DEFAULT_CAMPAIGN)
    plan.set_defaults(run=_plan)

    solvers = commands.add_parser("solvers", help="list the solvers: version, availability, options")
    solvers.add_argument("solver", nargs="?", help="describe this one")
    solvers.set_defaults(run=_solvers)

    products = commands.add_parser("products", help="say where a campaign's products are")
    products.add_argument("campaign", type=Path, nargs="?", default=DEFAULT_CAMPAIGN)
    products.set_defaults(run=_products)

    stale = commands.add_parser("stale", help="list what the next run would do, why, and what it would cost")
    stale.add_argument("campaign", type=Path, nargs="?", default=DEFAULT_CAMPAIGN)
    stale.add_argument("--json", action="store_true", help="every job, as JSON")
    stale.set_defaults(run=_stale)

    progress = commands.add_parser("progress", help="show trials done of planned, the rate, and the time to go")
    progress.add_argument("campaign", type=Path, nargs="?", default=DEFAULT_CAMPAIGN)
    progress.add_argument("--watch", action="store_true", help="again and again, until all is done or the run ends")
    progress.add_argument("--every", type=float, default=10.0, metavar="S", help="seconds between looks (default 10)")
    progress.add_argument("--log", type=Path, help="append plain lines to this file as well")
    progress.set_defaults(run=_progress)

    archive = commands.add_parser(
        "archive", help="pack a campaign into one file, verify such a file, make its tables anew"
    )
    deeds = archive.add_subparsers(dest="part", required=True, metavar="what")
    pack = deeds.add_parser("pack", help="pack a campaign; `archive CAMPAIGN` is short for it")
    pack.add_argument("campaign", type=Path, nargs="?", default=DEFAULT_CAMPAIGN)
    pack.add_argument("-o", "--out", type=Path, help="file to write (default <campaign>.crate.zip in this folder)")
    pack.add_argument("--partial", action="store_true", help="even if something of it is missing or stale")
    pack.set_defaults(run=_archive_pack)
    verify = deeds.add_parser("verify", help="check every hash, missing and extra files, and the metadata")
    verify.add_argument("file", type=Path)
    verify.set_defaults(run=_archive_verify)
    tables = deeds.add_parser("tables", help="unpack, make the tables anew from the trials, compare them")
    tables.add_argument("file", type=Path)
    tables.add_argument("--into", type=Path, required=True, help="folder to unpack into; must be empty or not there")
    tables.add_argument("--cores", type=int, default=1)
    tables.set_defaults(run=_archive_tables)

    audit = commands.add_parser("audit", help="evaluate the published results again, from a clone of their repository")
    audit.add_argument("checkout", type=Path, help="clone of github.com/GuyZep/All-Quadratic-Mixed-Integer-Problems")
    audit.add_argument("-o", "--out", type=Path, default=Path("results/audit"), help="folder (default results/audit)")
    audit.add_argument("--truth", type=Path, metavar="CAMPAIGN", help="campaign that was run and proved the optima")
    audit.set_defaults(run=_audit)

    config = commands.add_parser("config", help="generate or check config/schema.json and config/README.md")
    config.add_argument("what", choices=("docs", "check"))
    config.set_defaults(run=_config)
    return parser


def parse_options(pairs: Sequence[str]) -> dict[str, Any]:
    """Read KEY=VALUE pairs; values are JSON where they can be, text elsewhere."""
    options: dict[str, Any] = {}
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator or not key:
            raise ValueError(f"--option is '{pair}'; allowed: KEY=VALUE")
        try:
            options[key] = json.loads(value)
        except json.JSONDecodeError:
            options[key] = value
    return options


def _check_files(*paths: Path | None) -> None:
    """Raise OSError if one of these files could not be written: before work is done for it."""
    from unbounded.writing import check_destination

    for path in filter(None, paths):
        check_destination(path)


def _trial(args: argparse.Namespace) -> int:
    if args.threads < 1:
        raise ValueError(f"--threads is {args.threads}; allowed: a number from 1")
    if not 0 <= args.seed < 2**31:
        raise ValueError(f"--seed is {args.seed}; allowed: a number from 0 to {2**31 - 1}")
    for name, value in (("--watchdog", args.watchdog), ("--mem-mb", args.mem_mb)):
        if value is not None and not value > 0:
            raise ValueError(f"{name} is {value:g}; allowed: a number above 0")
    _check_files(args.out, args.log)
    hold_threads(args.threads)
    from unbounded.imports import without
    from unbounded.instances import InstanceSpec
    from unbounded.solvers.contract import Budget
    from unbounded.solvers.registry import find
    from unbounded.trials.run import Trial, run_trial, summary
    from unbounded.trials.supervision import Limits, default_watchdog

    spec = InstanceSpec.parse(args.instance)
    solver = find(args.solver).solver
    budget = Budget.parse(args.budget) if args.budget else solver.default_budget(spec.D)
    options = parse_options(args.option)
    trial = Trial(spec.id, args.solver, args.solver, args.seed, budget, options, args.threads)
    limits = Limits(
        default_watchdog(solver.estimate(spec.D, budget), budget.kind) if args.watchdog is None else 60 * args.watchdog,
        args.mem_mb,
    )
    row = run_trial(trial, args.log, limits)
    print(summary(row))
    if args.out is not None:
        from unbounded.trials.row import write_row

        with without("pandas"):
            write_row(row, args.out)
        print(f"{'row':<9}{args.out}")
    return 0


def _show(args: argparse.Namespace) -> None:
    from unbounded.instances import build
    from unbounded.instances.relaxation import solve_relaxation

    instance = build(args.instance)
    spec = instance.spec
    relaxation = solve_relaxation(instance)
    box = instance.box()
    width = (box.upper - box.lower) / 2
    centre = instance.verify(instance.xi0)
    lines = {
        "instance": spec.id,
        "digest": instance.digest,
        "minimise": f"(1/{spec.c:g}) (x-ξ0)ᵀ Hf (x-ξ0), Hf {spec.objective}",
        "such that": f"(1/{spec.c:g}) (x-ξ1)ᵀ Hg (x-ξ1) ≤ {spec.E:g}, Hg {spec.constraint}",
        "hessian": spec.hessian,
        "variables": f"{instance.n_r} real, then {instance.n_z} integer, all unbounded",
        "centres": f"ξ0 = ({instance.xi0[0]:g}, {instance.xi0[1]:g}, …), ξ1 = ({instance.xi1[0]:g}, "
        f"{instance.xi1[1]:g}, …)",
        "box": f"half-widths of the feasible ellipsoid {width.min():.6g} to {width.max():.6g}",
        "relaxed": f"optimum {relaxation.f:.10g} without integrality, multiplier {relaxation.multiplier:.6g}",
        "optimum": "0, since ξ0 is feasible and integer" if centre.feasible and centre.f == 0 else "above 0",
    }
    print("\n".join(f"{name:<11}{text}" for name, text in lines.items()))


def _export(args: argparse.Namespace) -> None:
    from unbounded.instances import build
    from unbounded.instances.export import export

    instance = build(args.instance)
    path = args.out or Path(f"{instance.id}.{args.format}")
    export(instance, path, args.format)
    print(path)


def _plan(args: argparse.Namespace) -> None:
    from unbounded.config import load_campaign
    from unbounded.plan import Plan

    print(Plan(load_campaign(args.campaign)).table())


def _solvers(args: argparse.Namespace) -> None:
    import importlib

    from unbounded.provenance import versions
    from unbounded.solvers import registry

    if args.solver is not None:
        entry = registry.find(args.solver)
        print(importlib.import_module(entry.module).__doc__)
        print("Options (the values are this solver's):")
        for name, value in entry.options({}).model_dump().items():
            description = entry.solver.options.model_fields[name].description
            print(f"  {name:<22} {json.dumps(value):<12} {description}")
        print(f"Budgets: {', '.join(entry.solver.budgets)}; at D = 64 by default {entry.solver.default_budget(64)}")
        return
    reasons: dict[str, str | None] = {}
    for entry in registry.entries().values():
        if entry.module not in reasons:
            reasons[entry.module] = entry.solver.unavailable()
        found = versions(entry.solver.packages)
        packages = ", ".join(f"{name} {found[name]}" for name in entry.solver.packages)
        reason = reasons[entry.module]
        state = "available" if reason is None else f"unavailable: {reason}"
        print(f"{entry.id:<16} {packages:<28} {state}\n{'':<16} {entry.solver.summary}")
        if entry.appended:
            print(f"{'':<16} also as {entry.id}{entry.appended}")


def _products(args: argparse.Namespace) -> None:
    from unbounded.config import load_campaign

    results = Path("results") / load_campaign(args.campaign).name
    for name, what, pattern in (
        ("trials", "trials, one verified row each", "*.parquet"),
        ("tables", "tables, as CSV and parquet", "*.csv"),
        ("figures", "figures, as SVG and PNG with captions", "*.svg"),
    ):
        folder = results / name
        files = sorted(folder.rglob(pattern))
        print(f"{folder!s:<24}{len(files):>6} {what}")
        for part in sorted(path for path in folder.glob("*") if path.is_dir()) if name == "figures" else ():
            print(f"    {part!s:<36}{len(list(part.glob(pattern))):>4}")
    for page, what in (
        (results / "tables" / "claims.md", "the paper's statements, printed and measured"),
        (results / "report" / "index.html", "all of it on one page; open it in a browser"),
    ):
        if page.exists():
            print(f"{page}: {what}")


def _stale(args: argparse.Namespace) -> None:
    from unbounded.config import load_campaign
    from unbounded.plan import Plan
    from unbounded.stale import as_data, as_text, survey

    plan = Plan(load_campaign(args.campaign))
    jobs, groups = survey(args.campaign, plan)
    print(json.dumps(as_data(jobs, groups), indent=1) if args.json else as_text(groups, args.campaign, plan))


def _progress(args: argparse.Namespace) -> int:
    from contextlib import ExitStack

    from rich.console import Console
    from rich.live import Live

    from unbounded.config import load_campaign
    from unbounded.plan import Plan
    from unbounded.progress import Observer, View, follow, plain_lines, table

    if not args.every > 0:
        raise ValueError(f"--every is {args.every:g}; allowed: a number of seconds above 0")
    _check_files(args.log)
    plan = Plan(load_campaign(args.campaign))
    observer = Observer(plan, Path("results") / plan.campaign.name)
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


def _archive_pack(args: argparse.Namespace) -> int:
    import hashlib

    from unbounded.archive import pack
    from unbounded.config import load_campaign
    from unbounded.plan import Plan
    from unbounded.stale import as_text, survey

    plan = Plan(load_campaign(args.campaign))
    target = args.out or Path(f"{plan.campaign.name}.crate.zip")
    _check_files(target)
    _, groups = survey(args.campaign, plan)
    if groups and not args.partial:
        print(as_text(groups, args.campaign, plan), file=sys.stderr)
        print(f"\nNot packed. Run snakemake --configfile {args.campaign}, or pack it so: --partial", file=sys.stderr)
        return 1
    stale = "; ".join(f"{group.jobs} {group.rule} ({group.reason})" for group in groups)
    files, contents = pack(args.campaign, target, stale=stale)
    with target.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    missing = f", {contents.missing} are missing" if contents.missing else ""
    if contents.unplanned:
        print(f"{contents.unplanned} files of {plan.campaign.name}'s results are no planned product and were left out")
    print(f"{target}: {files} files, {target.stat().st_size / 1e6:.1f} MB, {contents.trials} trials{missing}")
    print(f"sha256 {digest}")
    return 0


def _archive_verify(args: argparse.Namespace) -> int:
    from unbounded.archive import verify

    files, problems = verify(args.file)
    for problem in problems:
        print(problem)
    print(f"{args.file}: {files} files, {len(problems) or 'no'} problem{'' if len(problems) == 1 else 's'}")
    return 1 if problems else 0


def _archive_tables(args: argparse.Namespace) -> int:
    from unbounded.archive import compare, rebuild

    if args.cores < 1:
        raise ValueError(f"--cores is {args.cores}; allowed: a number from 1")
    rebuild(args.file, args.into, args.cores)
    compared = compare(args.file, args.into)
    for name, verdict in compared.items():
        print(f"{verdict:<12}{name}")
    different = sum(verdict == "different" for verdict in compared.values())
    print(f"{args.into}: {len(compared)} files of tables, {different or 'none'} different from the packed ones")
    return 1 if different or not compared else 0


def _audit(args: argparse.Namespace) -> None:
    from unbounded.tables.audit_page import audit
    from unbounded.tables.files import read
    from unbounded.tables.schema import AUDIT_TABLES

    _check_files(args.out / "audit.md")
    references = None
    if args.truth is not None:
        from unbounded.config import load_campaign

        path = Path("results") / load_campaign(args.truth).name / "tables" / "references.parquet"
        if not path.exists():
            raise ValueError(f"{path} is not there; run the campaign first: snakemake --configfile {args.truth}")
        references = read(path)
    print(audit(args.checkout, args.out, references), end="")
    print(f"\n{args.out}: audit.md, and as CSV and parquet the tables {', '.join(AUDIT_TABLES)}")


def _config(args: argparse.Namespace) -> int:
    from unbounded.config_docs import files

    drifted = 0
    for path, text in files().items():
        if args.what == "docs":
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path} differs from what the models say; run `make format`", file=sys.stderr)
            drifted = 1
    return drifted
