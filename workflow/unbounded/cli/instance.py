"""Show or export an instance."""

from __future__ import annotations

import argparse
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what it takes."""
    parts = parser.add_subparsers(dest="part", required=True, metavar="WHAT")
    shown = parts.add_parser("show", help="print what an id stands for")
    shown.add_argument("instance")
    shown.set_defaults(run=show)
    exported = parts.add_parser("export", help="write an instance for other tools")
    exported.add_argument("instance")
    exported.add_argument("--format", choices=("lp", "mps", "npz"), required=True)
    exported.add_argument("--out", type=Path, help="file to write (default <id>.<format> in this folder)")
    exported.set_defaults(run=export)


def show(args: argparse.Namespace) -> None:
    """Print what an id stands for."""
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


def export(args: argparse.Namespace) -> None:
    """Write an instance for other tools."""
    from unbounded.instances import build
    from unbounded.solvers import export as formats

    instance = build(args.instance)
    path = args.out or Path(f"{instance.id}.{args.format}")
    formats.export(instance, path, args.format)
    print(path)
