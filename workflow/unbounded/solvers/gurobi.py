"""`gurobi`: Gurobi by gurobipy, branch and cut on the mixed-integer quadratically constrained program.

The instance is passed as to CPLEX, and reformulated by the same module (`gurobi+centre`, `gurobi+box`,
`gurobi+eigen`, …). Gurobi's tolerances are its own but the gap. A budget of work, Gurobi's deterministic time, gives
the same answer on every run of one machine; seconds do not.

An optional package. The licence that comes with it solves models of at most 200 variables where one is quadratic:
every instance up to D = 128, in the eigenbasis up to D = 64. A full licence is found by Gurobi itself.

Checked against: the proven optima at D = 16, and the other white-box solvers on the same instances.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from unbounded.instances.instance import Instance
from unbounded.solvers.contract import Budget, Ending, Report, WhiteBox, cannot_import
from unbounded.solvers.formulation import Model, Quadratic, WhiteBoxOptions, formulate, gap_ending, modifiers

#: "Model too large for size-limited license".
SIZE_LIMIT_ERROR = 10010
#: Gurobi's status codes in words.
OPTIMAL, TIME_LIMIT, WORK_LIMIT = 2, 9, 16
WORDS = {
    OPTIMAL: "optimal within the gap",
    3: "claims that the problem is infeasible",
    4: "claims that the problem is infeasible or unbounded",
    5: "claims that the problem is unbounded",
    TIME_LIMIT: "time limit reached",
    12: "stopped by numerical difficulties",
    13: "suboptimal: could not satisfy the optimality tolerances",
    WORK_LIMIT: "work limit reached",
    17: "memory limit reached",
}


class GurobiOptions(WhiteBoxOptions):
    """Options of `gurobi`."""

    numeric_focus: int = Field(0, ge=0, le=3, description="Care for numerics: 0 is Gurobi's choice, 3 the most")


def _build(model: Model, env: Any) -> tuple[Any, list[Any]]:
    """Return a formulation as a Gurobi model, and its variables."""
    import gurobipy as gp

    problem = gp.Model(model.id, env=env)
    added = problem.addVars(
        model.columns, lb=model.lower.tolist(), ub=model.upper.tolist(), vtype=list(model.types), name=list(model.names)
    )
    variables = [added[i] for i in range(model.columns)]
    for row, rhs in zip(model.A, model.b.tolist(), strict=True):
        at = row.nonzero()[0]
        problem.addLConstr(gp.LinExpr(row[at].tolist(), [variables[i] for i in at]), gp.GRB.EQUAL, rhs)
    for name, quadratic, rhs in model.constraints:
        problem.addQConstr(_expression(quadratic, variables), gp.GRB.LESS_EQUAL, rhs - quadratic.k, name)
    problem.setObjective(_expression(model.objective, variables) + model.objective.k, gp.GRB.MINIMIZE)
    return problem, variables


def _expression(quadratic: Quadratic, variables: list[Any]) -> Any:
    """Return vᵀQv + qᵀv."""
    import gurobipy as gp

    at = quadratic.q.nonzero()[0]
    expression = gp.QuadExpr(gp.LinExpr(quadratic.q[at].tolist(), [variables[i] for i in at]))
    rows, columns, coefficients = quadratic.terms()
    expression.addTerms(coefficients, [variables[i] for i in rows], [variables[j] for j in columns])
    return expression


def _listener(model: Model, variables: list[Any], report: Report) -> Any:
    """Return a callback that hands new incumbents, better bounds and lines of the log to the report."""
    from gurobipy import GRB

    def listen(problem: Any, where: int) -> None:
        if where == GRB.Callback.MIPSOL:
            bound = _finite(problem.cbGet(GRB.Callback.MIPSOL_OBJBND))
            report.incumbent(model.recover(problem.cbGetSolution(variables)), bound)
        elif where == GRB.Callback.MIPNODE:  # not MIP, which is called when time has passed: not the same twice
            report.bound(_finite(problem.cbGet(GRB.Callback.MIPNODE_OBJBND)))
        elif where == GRB.Callback.MESSAGE and report.log is not None:
            report.log.write(problem.cbGet(GRB.Callback.MSG_STRING))

    return listen


def _finite(value: float) -> float | None:
    return value if abs(value) < 1e99 else None


def _ending(problem: Any, model: Model, variables: list[Any], report: Report) -> Ending:
    import gurobipy as gp

    status, work = problem.Status, float(problem.Work)
    termination = f"{status}: {WORDS.get(status, 'stopped')}"
    try:
        bound = _finite(problem.ObjBound)
    except (gp.GurobiError, AttributeError):  # no bound where the search did not begin
        bound = None
    if problem.SolCount == 0:
        return Ending("no-solution", termination, None, bound=bound, ticks=work)
    x = model.recover([variable.X for variable in variables])
    claimed_f = float(problem.ObjVal)
    report.incumbent(x, bound)
    if status == OPTIMAL:
        how = gap_ending(claimed_f, bound)
    else:
        how = "time-out" if status in (TIME_LIMIT, WORK_LIMIT) else "error"
    return Ending(how, termination, x, claimed_f=claimed_f, bound=bound, ticks=work)


def _refusal(error: Any, model: Model) -> Ending:
    if error.errno == SIZE_LIMIT_ERROR:
        reason = (
            "licence: the one that comes with gurobipy solves quadratic models of at most 200 variables, "
            f"{model.id} has {model.size} in this formulation; install a Gurobi licence ({error})"
        )
        return Ending("skipped", reason, None)
    return Ending("error", f"{error.errno}: {error}".strip(), None)


class Gurobi(WhiteBox[GurobiOptions]):
    """Gurobi."""

    summary = "Gurobi, branch and cut on the mixed-integer quadratically constrained program (optional package)"
    variants = {"gurobi": {}}
    options = GurobiOptions
    budgets = ("seconds", "work")
    packages = ("gurobipy",)
    licence = "gurobi"
    modifiers = modifiers("epigraph", "eigen")

    def seconds_of_a_unit(self, D: int) -> float:
        """Return what a unit of its budget takes."""
        # A unit of work takes a few seconds on these instances.
        return 3.0

    def unavailable(self) -> str | None:
        """Say why Gurobi cannot run here, if so."""
        try:
            import gurobipy as gp

            gp.Env(params={"OutputFlag": 0}).close()
        except ImportError as error:
            return cannot_import("gurobipy", error, "envs/commercial.txt")
        except Exception as error:
            return f"Gurobi does not start: {error}"
        return None

    def solve(self, instance: Instance, budget: Budget, seed: int, options: GurobiOptions, report: Report) -> Ending:
        """Run Gurobi once and return what it says, its exceptions included."""
        import gurobipy as gp

        model = formulate(instance, options)
        with gp.Env(params={"OutputFlag": 0}) as env:
            problem, variables = _build(model, env)
            with problem:
                p = problem.Params
                p.OutputFlag = int(report.log is not None)
                p.LogToConsole = 0
                p.Threads = report.threads
                p.Seed = seed % 2_000_000_001
                p.MIPGap = options.mipgap
                p.NumericFocus = options.numeric_focus
                if budget.kind == "work":
                    p.WorkLimit = budget.amount
                else:
                    p.TimeLimit = budget.amount
                try:
                    problem.optimize(_listener(model, variables, report))
                except gp.GurobiError as error:
                    return _refusal(error, model)
                return _ending(problem, model, variables, report)


SOLVER = Gurobi()
