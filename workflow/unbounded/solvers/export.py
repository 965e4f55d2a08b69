"""Instances as files for other tools: LP and MPS through CPLEX's own writer, NPZ for the arrays themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import numpy as np

from unbounded.instances.instance import Instance
from unbounded.running.writing import check_destination, replacing

Format = Literal["lp", "mps", "npz"]
FORMATS: tuple[str, ...] = get_args(Format)


def export(instance: Instance, path: Path, format: Format) -> None:
    """Write the instance to `path`.

    LP and MPS hold the expanded polynomials (constant, linear and quadratic terms) in decimal digits, as CPLEX
    writes them; NPZ holds every array to the bit, with the digest that trial rows carry.
    """
    check_destination(path)
    if format == "npz":
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.savez(
                file,
                id=instance.id,
                digest=instance.digest,
                Hf=instance.Hf,
                Hg=instance.Hg,
                xi0=instance.xi0,
                xi1=instance.xi1,
                c=instance.c,
                E=instance.E,
                integer=np.arange(instance.D) >= instance.n_r,
            )
        return
    from unbounded.solvers.cplex import build_model
    from unbounded.solvers.formulation import WhiteBoxOptions, formulate

    with build_model(formulate(instance, WhiteBoxOptions())) as problem, replacing(path) as temporary:
        problem.write(str(temporary), format)
