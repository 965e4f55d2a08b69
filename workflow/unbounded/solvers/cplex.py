"""`cplex`: IBM ILOG CPLEX by its Python API, one mixed-integer program with one quadratic constraint.

The objective's constant and linear terms are passed along with Q, so CPLEX's objective is f itself; reformulations
(`cplex+centre`, `cplex+box`, `cplex+eigen`, …) are those of `unbounded.solvers.formulation`. `cplex` keeps
CPLEX's tolerances but the relative gap (1e-3) and polishes from its first incumbent on; `cplex-published` adds the
tolerances of the published logs (absolute gap, integrality, feasibility and optimality all 1e-3; those runs had 8
threads). A budget of ticks, CPLEX's deterministic time, gives the same answer on every run; seconds do not.

CPLEX's word is not taken: on translated instances it returns points that violate g by hundreds, "optimal with
unscaled infeasibilities", or error 3018. Each becomes a row that says so.

Checked against: the proven optima at D = 16, and SCIP on exported models.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from pydantic import Field

from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.solvers.contract import Budget, Ending, How, Report, WhiteBox, cannot_import
from unbounded.solvers.formulation import Model, WhiteBoxOptions, formulate, modifiers

#: CPLEX's status codes that end with a point, and what they claim for it.
HOW: dict[int, How] = {
    101: "optimal",
    102: "tolerance",
    107: "time-out",
    131: "time-out",
    115: "optimal",  # optimal with unscaled infeasibilities: verification decides
}
#: PyPI's Community Edition: error 1016, beyond 1000 variables or constraints.
SIZE_LIMIT_ERROR = 1016


class CplexOptions(WhiteBoxOptions):
    """Options of `cplex`."""

    polish: bool = Field(True, description="Polish solutions from the first incumbent on")
    absmipgap: float | None = Field(None, ge=0, description="Absolute MIP gap; CPLEX's own if not given")
    integrality: float | None = Field(None, ge=0, le=0.5, description="Integrality tolerance; CPLEX's own if not given")
    feasibility: float | None = Field(
        None, ge=1e-9, le=0.1, description="Feasibility tolerance; CPLEX's own if not given"
    )
    optimality: float | None = Field(
        None, ge=1e-9, le=0.1, description="Optimality tolerance; CPLEX's own if not given"
    )


def build_model(model: Model) -> Any:
    """Return a formulation as a CPLEX model, silent; close it, or use it as a context manager."""
    import cplex

    problem = cplex.Cplex()
    for stream in ("log", "results", "warning", "error"):
        getattr(problem, f"set_{stream}_stream")(None)
    problem.variables.add(
        names=list(model.names),
        lb=np.maximum(model.lower, -cplex.infinity).tolist(),
        ub=np.minimum(model.upper, cplex.infinity).tolist(),
        types=model.types,
    )
    problem.set_problem_name(model.id)
    if len(model.b):
        problem.linear_constraints.add(
            lin_expr=[_sparse(row) for row in model.A], senses="E" * len(model.b), rhs=model.b.tolist()
        )

    objective = model.objective
    problem.objective.set_sense(problem.objective.sense.minimize)
    problem.objective.set_linear(list(enumerate(objective.q.tolist())))
    problem.objective.set_offset(objective.k)
    if objective.Q.any():
        # CPLEX's objective is ½ vᵀ(2Q)v + …; doubling is exact.
        problem.objective.set_quadratic([_sparse(row) for row in 2.0 * objective.Q])
    for name, quadratic, rhs in model.constraints:
        problem.quadratic_constraints.add(
            name=name,
            lin_expr=_sparse(quadratic.q),
            quad_expr=list(quadratic.terms()),
            sense="L",
            rhs=rhs - quadratic.k,
        )
    return problem


def _sparse(row: FloatArray) -> list[list[Any]]:
    at = np.flatnonzero(row)
    return [at.tolist(), row[at].tolist()]


def _configure(model: Any, budget: Budget, seed: int, options: CplexOptions, threads: int) -> None:
    p = model.parameters
    p.threads.set(threads)
    p.randomseed.set(seed % (2**31 - 1))
    p.parallel.set(p.parallel.values.deterministic)
    p.mip.tolerances.mipgap.set(options.mipgap)
    if options.polish:
        p.mip.polishafter.solutions.set(1)
    if budget.kind == "ticks":
        p.dettimelimit.set(budget.amount)
    else:
        p.clocktype.set(p.clocktype.values.wall)
        p.timelimit.set(budget.amount)
    for value, parameter in (
        (options.absmipgap, p.mip.tolerances.absmipgap),
        (options.integrality, p.mip.tolerances.integrality),
        (options.feasibility, p.simplex.tolerances.feasibility),
        (options.optimality, p.simplex.tolerances.optimality),
    ):
        if value is not None:
            parameter.set(value)


class _Listener:
    """Hands every new incumbent and every better bound to the report.

    While CPLEX polishes it makes no global progress, so local progress is listened to as well; that comes from the
    threads that work, several at a time.
    """

    def __init__(self, model: Model, report: Report) -> None:
        self.model, self.report = model, report
        self.best = 1e70  # CPLEX says 1e75 before there is an incumbent
        self.lock = Lock()

    def invoke(self, context: Any) -> None:
        with self.lock:
            value = context.get_double_info(context.info.best_solution)
            bound = _finite(context.get_double_info(context.info.best_bound))
            if value < self.best:
                self.best = value
                self.report.incumbent(self.model.recover(context.get_incumbent()), bound)
            else:
                self.report.bound(bound)


def _finite(value: float) -> float | None:
    return value if abs(value) < 1e20 else None


def _refusal(error: Any, model: Model, ticks: float) -> Ending:
    code = error.args[2] if len(error.args) > 2 else None
    if code == SIZE_LIMIT_ERROR:
        reason = (
            "licence: CPLEX Community Edition solves at most 1000 variables and 1000 constraints, "
            f"{model.id} has {model.size}; install a licensed CPLEX ({error})"
        )
        return Ending("skipped", reason, None)
    return Ending("error", str(error).strip(), None, ticks=ticks)


class Cplex(WhiteBox[CplexOptions]):
    """CPLEX."""

    summary = "IBM ILOG CPLEX, branch and cut on the mixed-integer quadratically constrained program"
    variants = {
        "cplex": {},
        "cplex-plain": {"polish": False},
        "cplex-published": {
            "absmipgap": 1e-3,
            "integrality": 1e-3,
            "feasibility": 1e-3,
            "optimality": 1e-3,
        },
    }
    options = CplexOptions
    budgets = ("seconds", "ticks")
    packages = ("cplex",)
    licence = "cplex"
    modifiers = modifiers("epigraph", "eigen")

    def seconds_of_a_unit(self, D: int) -> float:
        """Return what a unit of its budget takes."""
        # While it polishes, a second on one thread is some hundreds of ticks.
        return 1 / 400

    def unavailable(self) -> str | None:
        """Say why CPLEX cannot run here, if so."""
        try:
            import cplex

            cplex.Cplex().end()
        except ImportError as error:
            return cannot_import("cplex", error, "envs/requirements.txt")
        except Exception as error:
            return f"CPLEX does not start: {error}"
        return None

    def solve(self, instance: Instance, budget: Budget, seed: int, options: CplexOptions, report: Report) -> Ending:
        """Run CPLEX once and return what it says, its exceptions included."""
        import cplex
        from cplex.exceptions import CplexError

        model = formulate(instance, options)
        with build_model(model) as problem:
            if report.log is not None:
                for stream in ("log", "results", "warning", "error"):
                    getattr(problem, f"set_{stream}_stream")(report.log)
            _configure(problem, budget, seed, options, report.threads)
            ids = cplex.callbacks.Context.id
            problem.set_callback(_Listener(model, report), ids.global_progress | ids.local_progress)
            start = problem.get_dettime()
            try:
                problem.solve()
            except CplexError as error:
                return _refusal(error, model, problem.get_dettime() - start)
            ticks = problem.get_dettime() - start
            solution = problem.solution
            termination = f"{solution.get_status()}: {solution.get_status_string()}"
            try:
                bound = _finite(solution.MIP.get_best_objective())
            except CplexError:  # no bound where the search did not begin
                bound = None
            if not solution.is_primal_feasible() and solution.get_solution_type() == solution.type.none:
                return Ending("no-solution", termination, None, bound=bound, ticks=ticks)
            x = model.recover(solution.get_values())
            how = HOW.get(solution.get_status(), "error")
            claimed_f = solution.get_objective_value()
            report.incumbent(x, bound)
        return Ending(how, termination, x, claimed_f=claimed_f, bound=bound, ticks=ticks)


SOLVER = Cplex()
