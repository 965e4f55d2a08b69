"""Files of the layout that the study's authors publish, from vectors whose reading, cost and feasibility are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from unbounded.instances import Instance, build
from unbounded.instances.instance import Penalty
from unbounded.tables.audit import TABLE as AUDIT
from unbounded.tables.published import read_checkout

#: TC0 has no hadellipse, TC6 has one in f, TC8 in f and g; at c = 10⁴ the optimum of TC8 is 0 at D = 8 too.
CASES = {0: ("Cigar", "Cigar"), 6: ("Adam", "Cigar"), 8: ("Adam", "Adam")}
#: A bound that the table of nodes shows last.
NODE = "    11     9     6622.0415    29     6725.1610     6607.5313      760    1.75%"


def id_of(tc: int, c: str = "1e1", t: str = "0", kind: str = "mixed") -> str:
    return f"{kind}-D8-t{t}-TC{tc}-c{c}-E30"


def posed(id: str, reading: str) -> Instance:
    """The instance with its hadellipse, if it has one, in the given reading."""
    return build(f"{id}-block" if reading == "block" and "TC0" not in id else id)


def towards(id: str, share: float) -> np.ndarray:
    """A point between ξ1, which is feasible, and ξ0, with rounded integers."""
    instance = build(id)
    return instance.round(instance.xi1 + share * (instance.xi0 - instance.xi1))


def folder_of(root: Path, kind: str) -> Path:
    folder = root / "data" / f"{'m' if kind == 'mixed' else ''}iConstrained" / "8"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def strategy_file(
    root: Path,
    who: str,
    tc: int,
    shares: list[float],
    reading: str,
    c: str = "1e1",
    t: str = "0",
    kind: str = "mixed",
) -> Path:
    """Write the runs of a strategy that saw the given reading, with the published penalty."""
    id = id_of(tc, c, t, kind)
    instance = posed(id, reading)
    lines = []
    for run, share in enumerate(shares):
        x = towards(id, share)
        f, g = instance.evaluate(x[None, :])
        cost = Penalty(dimension=32).cost(instance, f, g)[0]
        lines.append(" ".join(f"{value:.18e}" for value in (run, cost, *x)))
    folder = folder_of(root, kind)
    path = folder / f"{who}_8_{folder.parent.name}_{CASES[tc][0]}_{CASES[tc][1]} _T{t}_K30_C{c}_p0_COMMA.dat"
    path.write_text("\n".join(lines) + "\n")
    return path


def cplex_line(
    tc: int, share: float, reading: str = "full", c: str = "1e1", t: str = "0", fractional: float = 0.0
) -> str:
    """A line of CPLEX's, x with five digits, f as it was before, at integers that are whole up to `fractional`."""
    x = towards(id_of(tc, c, t), share)
    x[4:] = np.where(x[4:] == 0, 0.0, x[4:] - fractional * np.sign(x[4:]))
    f = posed(id_of(tc, c, t), reading).f(x[None, :])[0]
    x[4:] = np.rint(x[4:])
    rounded = [float(f"{value:.4e}") for value in x]
    values = (8, 0, 0, float(t), tc // 3, tc % 3, 30, float(c), 0, f, *rounded)
    return " ".join(f"{value:.18e}" for value in values)


def cplex_line_without_a_point(tc: int) -> str:
    return " ".join(map(str, [8, 0, 0, 0, tc // 3, tc % 3, 30, 10, 0, *["inf"] * 9]))


def table_of_cplex(root: Path, lines: list[str]) -> Path:
    path = folder_of(root, "mixed") / "miConstrained_CPLEX_8_COMMA_all.dat"
    path.write_text("\n".join(lines) + "\n")
    return path


def log_text(ending: str, node: str = NODE, seconds: float = 0.25, limit: float = 3600) -> str:
    """A log with one line in its table of nodes, and what comes behind it."""
    return f"""
<<< generate

CPXPARAM_Simplex_Tolerances_Optimality           0.001
CPXPARAM_Simplex_Tolerances_Feasibility          0.001
CPXPARAM_TimeLimit                               {limit:g}
CPXPARAM_Threads                                 8
CPXPARAM_MIP_Tolerances_AbsMIPGap                0.001
CPXPARAM_MIP_Tolerances_MIPGap                   0.001
CPXPARAM_MIP_Tolerances_Integrality              0.001
Presolve time = 0.00 sec. (0.14 ticks)

        Nodes                                         Cuts/
   Node  Left     Objective  IInf  Best Integer    Best Bound    ItCnt     Gap

      0     0     4736.9000     0                                   18
      0     0     4736.9000     1                     Cone: 6       64
{node}
                                                     Cuts: 36
Elapsed time = 198.63 sec. (220427.66 ticks, tree = 0.01 MB, solutions = 1356)

Root node processing (before b&c):
  Real time             =    0.23 sec. (70.99 ticks)
Total (root+branch&cut) = {seconds:.2f} sec. (3149611.44 ticks)

<<< solve


{ending}
"""


def found(x: np.ndarray, objective: float, claimed: float) -> str:
    """The end of a log with a point, its vector with five digits and wrapped."""
    words = [f"{value:.5g}" for value in x]
    reals, integers = (" ".join(part[:3]) + "\n     " + " ".join(part[3:]) for part in (words[:4], words[4:]))
    return f"OBJECTIVE: {objective:.7g}\nX*: [{reals}] Z*: [{integers}]\nf*:{claimed:.9f}\n\n<<< done"


def log_file(root: Path, tc: int, text: str, c: str = "1e1", t: str = "0", kind: str = "mixed", end: str = "") -> Path:
    folder = folder_of(root, kind)
    path = folder / f"CPLEX_8_{folder.parent.name}_{CASES[tc][0]}_{CASES[tc][1]}_T{t}_K30_C{c}{end}.dat"
    path.write_text(text)
    return path


def audited(root: Path) -> pd.DataFrame:
    """The table `audit` of a clone."""
    return AUDIT(read_checkout(root))
