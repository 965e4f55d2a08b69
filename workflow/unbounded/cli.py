"""The command line: the steps of the workflow by hand.

Commands import what they need when they run: a trial must not wait for libraries that it does not use.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unbounded.environment import hold_threads

DEFAULT_CAMPAIGN = Path("config/paper.yaml")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; what is wrong with its arguments is one sentence and exit code 2."""
    args = _parser().parse_args(argv)
    try:
        return int(args.run(args) or 0)
    except BrokenPipeError:
        return 0
    except (ValueError, OSError) as error:
        print(f"unbounded {args.command}: {_sentence(error)}", file=sys.stderr)
        return 2


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
    trial.add_argument("--budget", help="evaluations=N, seconds=N or ticks=N; the solver's default if not given")
    trial.add_argument("--threads", type=int, default=1, help="threads of the trial (default 1)")
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


def _trial(args: argparse.Namespace) -> int:
    if args.threads < 1:
        raise ValueError(f"--threads is {args.threads}; allowed: a number from 1")
    if not 0 <= args.seed < 2**31:
        raise ValueError(f"--seed is {args.seed}; allowed: a number from 0 to {2**31 - 1}")
    hold_threads(args.threads)
    from unbounded.imports import without
    from unbounded.instances import InstanceSpec
    from unbounded.solvers.contract import Budget
    from unbounded.solvers.registry import find
    from unbounded.trials.run import Trial, run_trial, summary

    spec = InstanceSpec.parse(args.instance)
    solver = find(args.solver).solver
    budget = Budget.parse(args.budget) if args.budget else solver.default_budget(spec.D)
    options = parse_options(args.option)
    trial = Trial(spec.id, args.solver, args.solver, args.seed, budget, options, args.threads)
    row = run_trial(trial, args.log)
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
    page = results / "tables" / "claims.md"
    if page.exists():
        print(f"{page}: the paper's statements, printed and measured")


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
