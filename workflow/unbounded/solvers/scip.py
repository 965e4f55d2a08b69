"""`scip`: SCIP by PySCIPOpt, branch and cut on the epigraph.

SCIP takes linear objectives only, so f is moved into a constraint: minimise z subject to f(x) ≤ z, g(x) ≤ E. Both
quadratics are convex, which SCIP finds out by itself and outer-approximates by gradient cuts. Reformulations
(`scip+centre`, `scip+box`, `scip+eigen`, …) are those of `unbounded.solvers.formulation`.

SCIP's tolerances are its own but the gap. It runs on one thread and has no deterministic clock: a budget of nodes
gives the same answer on every run, however long each node takes; seconds do not.

Checked against: the proven optima at D = 16, and CPLEX on the same instances.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, Literal

from pydantic import Field

from unbounded.instances.instance import Instance
from unbounded.solvers.contract import Budget, Ending, How, Report, WhiteBox, cannot_import
from unbounded.solvers.formulation import Model, Quadratic, WhiteBoxOptions, formulate, modifiers

#: SCIP's statuses that end with a point, and what they claim for it.
HOW: dict[str, How] = {
    "optimal": "optimal",
    "gaplimit": "tolerance",
    "timelimit": "time-out",
    "totalnodelimit": "time-out",
}
#: In words, since the statuses themselves are abbreviated.
WORDS = {
    "optimal": "optimal solution",
    "gaplimit": "gap limit reached",
    "timelimit": "time limit reached",
    "totalnodelimit": "node limit reached",
    "infeasible": "claims that the problem is infeasible",
    "unbounded": "claims that the problem is unbounded",
    "inforunbd": "claims that the problem is infeasible or unbounded",
}


class ScipOptions(WhiteBoxOptions):
    """Options of `scip`."""

    algebra: Literal["epigraph", "eigen"] = Field(
        "epigraph", description="How f and g are written; SCIP takes no quadratic objective, so there is no `direct`"
    )


def _build(model: Model) -> tuple[Any, list[Any]]:
    """Return a formulation as a SCIP model, silent, and its variables."""
    import pyscipopt

    problem = pyscipopt.Model(model.id)
    problem.hideOutput()
    infinity = problem.infinity()
    variables = [
        problem.addVar(name=name, vtype=type, lb=max(lower, -infinity), ub=min(upper, infinity))
        for name, type, lower, upper in zip(
            model.names, model.types, model.lower.tolist(), model.upper.tolist(), strict=True
        )
    ]
    for row, rhs in zip(model.A, model.b.tolist(), strict=True):
        linear = pyscipopt.quicksum(float(row[i]) * variables[i] for i in row.nonzero()[0])
        problem.addCons(linear == rhs)
    for name, quadratic, rhs in model.constraints:
        problem.addCons(_expression(quadratic, variables) <= rhs - quadratic.k, name=name)
    problem.setObjective(_expression(model.objective, variables))
    return problem, variables


def _expression(quadratic: Quadratic, variables: list[Any]) -> Any:
    """Return vᵀQv + qᵀv, term by term: sums and products of PySCIPOpt's expressions would copy them each time."""
    from pyscipopt.scip import Expr, Term

    terms = {Term(variables[i]): float(quadratic.q[i]) for i in quadratic.q.nonzero()[0]}
    for i, j, coefficient in zip(*quadratic.terms(), strict=True):
        terms[Term(variables[i], variables[j])] = coefficient
    return Expr(terms)


def _listener(model: Model, variables: list[Any], report: Report) -> Any:
    """Return an event handler that hands every new incumbent and every better bound to the report."""
    from pyscipopt import Eventhdlr
    from pyscipopt.scip import PY_SCIP_EVENTTYPE as SCIP_EVENTTYPE

    EVENTS = (SCIP_EVENTTYPE.BESTSOLFOUND, SCIP_EVENTTYPE.DUALBOUNDIMPROVED)

    class Listener(Eventhdlr):
        def eventinit(self) -> None:
            for event in EVENTS:
                self.model.catchEvent(event, self)

        def eventexit(self) -> None:
            for event in EVENTS:
                self.model.dropEvent(event, self)

        def eventexec(self, event: Any) -> None:
            bound = _finite(self.model, self.model.getDualbound())
            if event.getType() == SCIP_EVENTTYPE.BESTSOLFOUND:
                report.incumbent(_point(self.model, model, variables), bound)
            else:
                report.bound(bound)

    return Listener()


def _point(problem: Any, model: Model, variables: list[Any]) -> Any:
    best = problem.getBestSol()
    return model.recover([problem.getSolVal(best, variable) for variable in variables[: model.D]])


def _finite(problem: Any, value: float) -> float | None:
    return None if problem.isInfinity(abs(value)) else float(value)


@contextmanager
def _logged(problem: Any, log: IO[str] | None) -> Iterator[None]:
    """Within the block, SCIP writes to the log, and so does its LP solver, which warns on standard error."""
    name = log.name if isinstance(log, io.TextIOWrapper) else os.devnull
    if log is not None:
        log.flush()
    problem.setLogfile(name)
    target, saved = os.open(name, os.O_WRONLY | os.O_APPEND), os.dup(2)
    os.dup2(target, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(target)
        problem.setLogfile(None)
        if log is not None:
            log.seek(0, io.SEEK_END)


class Scip(WhiteBox[ScipOptions]):
    """SCIP."""

    summary = "SCIP, open source, branch and cut on the epigraph"
    variants = {"scip": {}}
    options = ScipOptions
    budgets = ("seconds", "nodes")
    packages = ("pyscipopt",)
    modifiers = modifiers("eigen")

    def seconds_of_a_unit(self, D: int) -> float:
        """Return what a unit of its budget takes."""
        # Nodes of these instances take some milliseconds at D = 16 and grow with the square of D.
        return 1e-5 * D * D

    def unavailable(self) -> str | None:
        """Say why SCIP cannot run here, if so."""
        try:
            import pyscipopt  # noqa: F401
        except ImportError as error:
            return cannot_import("pyscipopt", error, "envs/requirements.txt")
        return None

    def solve(self, instance: Instance, budget: Budget, seed: int, options: ScipOptions, report: Report) -> Ending:
        """Run SCIP once and return what it says."""
        model = formulate(instance, options, linear_objective=True)
        problem, variables = _build(model)
        problem.setParam("randomization/randomseedshift", seed)
        problem.setParam("limits/gap", options.mipgap)
        problem.setParam("parallel/maxnthreads", report.threads)
        if budget.kind == "nodes":
            problem.setParam("limits/totalnodes", int(budget.amount))
        else:
            problem.setParam("timing/clocktype", 2)  # wall clock
            problem.setParam("limits/time", budget.amount)
        problem.includeEventhdlr(_listener(model, variables, report), "report", "incumbents and bounds for the trace")
        try:
            with _logged(problem, report.log):
                problem.optimize()
            status = str(problem.getStatus())
            termination = f"{status}: {WORDS.get(status, 'ended')}"
            nodes = float(problem.getNTotalNodes())
            bound = _finite(problem, problem.getDualbound())
            if problem.getNSols() == 0:
                return Ending("no-solution", termination, None, bound=bound, ticks=nodes)
            x, claimed_f = _point(problem, model, variables), float(problem.getObjVal())
            report.incumbent(x, bound)
        finally:
            problem.freeProb()
        return Ending(HOW.get(status, "error"), termination, x, claimed_f=claimed_f, bound=bound, ticks=nodes)


SOLVER = Scip()
