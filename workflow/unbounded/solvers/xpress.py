"""`xpress`: FICO Xpress by its Python API, branch and cut on the mixed-integer quadratically constrained program.

The instance is passed as to CPLEX, and reformulated by the same module (`xpress+centre`, `xpress+box`,
`xpress+eigen`, …). Xpress's tolerances are its own but the gap; with them its points violate g ≤ E by some 1e-4 now
and then, more than this project allows, so that their rows are `unverified`. A smaller feasibility tolerance alone
does not help, as points are checked in the presolved model: `xpress-strict` switches presolve off as well. A budget of
work, Xpress's deterministic time, gives the same answer on every run; seconds do not.

An optional package. The Community licence that comes with it solves models of at most 200 rows and columns together
where one is quadratic: every instance up to D = 128, in the eigenbasis up to D = 32. A full licence is found by Xpress
itself.

Checked against: the proven optima at D = 16, and the other white-box solvers on the same instances.
"""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
from pydantic import Field

from unbounded.instances.instance import Instance
from unbounded.solvers.contract import Budget, Ending, How, Report, WhiteBox, cannot_import
from unbounded.solvers.formulation import Model, WhiteBoxOptions, formulate, gap_ending, modifiers

#: "Problem has too many rows and columns".
SIZE_LIMIT_ERROR = "?120 "
#: `SolStatus` of the API, in words.
OPTIMAL, INFEASIBLE, UNBOUNDED = 1, 3, 4
WORDS = {
    OPTIMAL: "optimal within the gap",
    INFEASIBLE: "claims that the problem is infeasible",
    UNBOUNDED: "claims that the problem is unbounded",
}
#: `StopType` of the API: budgets that were spent, and failures.
LIMITS = {1: "time limit reached", 14: "work limit reached"}
FAILURES = {
    7: "stopped by an error that has no name",
    8: "stopped by lack of memory",
    11: "stopped by the loss of its licence",
    13: "stopped by numerical difficulties",
}


class XpressOptions(WhiteBoxOptions):
    """Options of `xpress`."""

    feasibility: float | None = Field(
        None, ge=1e-9, le=0.1, description="Feasibility tolerance; Xpress's own if not given"
    )
    presolve: bool = Field(True, description="Presolve the model")


def _build(model: Model) -> Any:
    """Return a formulation as an Xpress problem, silent."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # says once that the Community licence is in use
        import xpress as xp

        problem = xp.problem()
    problem.setControl("outputlog", 0)
    objective = model.objective
    quadratics = [quadratic for _, quadratic, _ in model.constraints]
    linear = np.vstack([*(quadratic.q for quadratic in quadratics), model.A])
    columns, rows = linear.T.nonzero()
    terms = [quadratic.terms() for quadratic in quadratics]
    i, j, coefficients = objective.terms()
    first = len(quadratics)
    problem.loadMIQCQP(
        probname=model.id,
        rowtype=["L"] * first + ["E"] * len(model.b),
        rhs=[*(rhs - quadratic.k for _, quadratic, rhs in model.constraints), *model.b.tolist()],
        objcoef=objective.q.tolist(),
        start=np.searchsorted(columns, np.arange(model.columns + 1)).tolist(),
        rowind=rows.tolist(),
        rowcoef=linear[rows, columns].tolist(),
        lb=np.maximum(model.lower, -xp.infinity).tolist(),
        ub=np.minimum(model.upper, xp.infinity).tolist(),
        # The objective is ½ vᵀQv, of which one triangle is given: the diagonal counts half, what is off it whole.
        objqcol1=i,
        objqcol2=j,
        objqcoef=[value * (2.0 if a == b else 1.0) for a, b, value in zip(i, j, coefficients, strict=True)],
        # Constraints are vᵀQv, of which one triangle is given: what is off the diagonal counts twice.
        qrowind=list(range(first)),
        nrowqcoefs=[len(values) for _, _, values in terms],
        rowqcol1=[a for rows, _, _ in terms for a in rows],
        rowqcol2=[b for _, columns, _ in terms for b in columns],
        rowqcoef=[value * (1.0 if a == b else 0.5) for term in terms for a, b, value in zip(*term, strict=True)],
        coltype=["I"] * (model.D - model.n_r),
        entind=list(range(model.n_r, model.D)),
    )
    problem.chgObj([-1], [-objective.k])
    return problem


def _finite(value: float) -> float | None:
    return float(value) if abs(value) < 1e20 else None


def _listen(problem: Any, model: Model, report: Report) -> None:
    """Have new incumbents and better bounds handed to the report."""

    def found(local: Any, data: Any) -> None:
        report.incumbent(model.recover(local.getCallbackSolution()), _finite(local.attributes.bestbound))

    def searched(local: Any, data: Any) -> None:
        report.bound(_finite(local.attributes.bestbound))

    problem.addIntsolCallback(found, None, 0)
    problem.addNodeLPSolvedCallback(searched, None, 0)


def _ending(problem: Any, model: Model, report: Report) -> Ending:
    found = problem.attributes
    status, stopped, work = int(found.solstatus), int(found.stopstatus), float(found.work)
    words = (LIMITS | FAILURES).get(stopped) or WORDS.get(status, f"stopped with code {stopped}")
    termination = f"{found.solvestatus!s}/{found.solstatus!s}: {words}"
    bound = _finite(found.bestbound)
    if not found.mipsols:
        how: How = "error" if stopped in FAILURES else "no-solution"
        return Ending(how, termination, None, bound=bound, ticks=work)
    x, claimed_f = model.recover(problem.getSolution()), float(found.objval)
    report.incumbent(x, bound)
    how = gap_ending(claimed_f, bound) if status == OPTIMAL else "time-out" if stopped in LIMITS else "error"
    return Ending(how, termination, x, claimed_f=claimed_f, bound=bound, ticks=work)


def _refusal(error: Any, model: Model) -> Ending:
    if SIZE_LIMIT_ERROR in str(error):
        reason = (
            "licence: Xpress's Community licence solves quadratic models of at most 200 rows and columns together, "
            f"{model.id} has {model.size} in this formulation; install an Xpress licence ({error})"
        )
        return Ending("skipped", reason, None)
    return Ending("error", str(error).strip(), None)


class Xpress(WhiteBox[XpressOptions]):
    """Xpress."""

    summary = "FICO Xpress, branch and cut on the mixed-integer quadratically constrained program (optional package)"
    variants = {"xpress": {}, "xpress-strict": {"feasibility": 1e-9, "presolve": False}}
    options = XpressOptions
    budgets = ("seconds", "work")
    packages = ("xpress",)
    licence = "xpress"
    modifiers = modifiers("epigraph", "eigen")

    def seconds_of_a_unit(self, D: int) -> float:
        """Return what a unit of its budget takes."""
        # A unit of work takes tens of seconds on these instances.
        return 25.0

    def unavailable(self) -> str | None:
        """Say why Xpress cannot run here, if so."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                import xpress as xp

                xp.problem()
        except ImportError as error:
            return cannot_import("xpress", error, "envs/commercial.txt")
        except Exception as error:
            return f"Xpress does not start: {error}"
        return None

    def solve(self, instance: Instance, budget: Budget, seed: int, options: XpressOptions, report: Report) -> Ending:
        """Run Xpress once and return what it says, its exceptions included."""
        import xpress as xp

        model = formulate(instance, options)
        try:
            problem = _build(model)
            _listen(problem, model, report)
            if isinstance(report.log, io.TextIOWrapper):
                problem.setLogFile(report.log.name)
                problem.setControl("outputlog", 1)
            if options.feasibility is not None:
                problem.setControl("feastol", options.feasibility)
            if not options.presolve:
                problem.setControl("presolve", 0)
            problem.setControl(
                {
                    "threads": report.threads,
                    "randomseed": seed,
                    "miprelstop": options.mipgap,
                    "worklimit" if budget.kind == "work" else "timelimit": budget.amount,
                }
            )
            problem.optimize()
        except (xp.SolverError, xp.InterfaceError, xp.ModelError) as error:
            return _refusal(error, model)
        return _ending(problem, model, report)


SOLVER = Xpress()
