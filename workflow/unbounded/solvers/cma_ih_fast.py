"""`cma-IH-fast` and `cma-IH-AL-fast`: the algorithms of `cma-IH` and `cma-IH-AL`, compiled.

CMA-ES with active covariance update and cumulative step-size adaptation (Hansen, "The CMA Evolution Strategy: A
Tutorial", 2016, whose notation the comments use), with the parameters of `cma-IH`, lower-bounded integer deviations,
rounding at evaluation, and pycma's termination criteria under their names. Where it differs from pycma:

- C = UᵀU is factored by Cholesky in each generation in place of an eigendecomposition, and the
  step-size path lives in the coordinates of the factor, where the mean's shift is the weighted mean of the samples z.
- The condition number of C, for `tolconditioncov` and `tolupsigma`, comes from power iterations, one step every
  fifth generation.
- `noeffectaxis` looks along a row of U in place of an eigenvector.
- pycma's `conditioncov_alleviate` is here too: where variances of coordinates differ by more than 1e8, their scales
  pass from C to `scaling`; once, where the condition number of C exceeds 1e12, C^½ becomes a linear transformation of
  the coordinates. The condition number is that of the power iterations.
- Random numbers are numpy's SFC64, so a seed gives another run than pycma's.

The augmented Lagrangian is that of `cma-IH-AL`, its start and its adaptation included.

Checked against: pycma's parameters, pycma's Lagrangian on the same populations, the contract that all solvers keep, and
the published medians and bests (docs/solvers.md); `benchmarks/compare.py` compares both with pycma by rank tests.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.instances.structured import structure
from unbounded.solvers.cma_ih import CmaOptions, tutorial_damping
from unbounded.solvers.compiled.compiling import Kernel, padded, padded_identity
from unbounded.solvers.compiled.criteria import RUNNING, STOPS, TO_TRANSFORM, TRANSFORMED
from unbounded.solvers.contract import Budget, Ending, Found, Report, Strategy

#: Generations between two looks at the clock: a hundredth of a second, beside which the look itself is nothing.
CHUNK = 160

#: pycma's conditioncov_alleviate: from which ratio of variances, and from which condition number of C on.
COORDINATES, AXES = 1e8, 1e12

#: Generations, every fifth, that `tolstagnation` looks back on at most.
HISTORY = 20_001

#: So many generations that `tolstagnation` never looks.
NEVER = 2**60


class Parameters(NamedTuple):
    """Strategy parameters, constant during a run (tutorial, Table 1)."""

    lam: int
    mu: int
    weights: FloatArray
    mu_eff: float
    c_sigma: float
    d_sigma: float
    c_c: float
    c_1: float
    c_mu: float
    chi_n: float
    penalty: float
    min_std: FloatArray
    sigma_0: float
    max_iterations: float
    stagnation: int
    #: Thresholds of conditioncov_alleviate.
    coordinates: float
    axes: float
    #: Whether the augmented Lagrangian takes the place of the penalty.
    augmented: bool


class Lagrangian(NamedTuple):
    """The augmented Lagrangian f + γ h + ω h²/2 with h = g − E, and what its adaptation looks back on."""

    #: γ and ω, and what is known of them (`UNSET`, `PRELIMINARY` or `SET` of the kernel).
    multiplier: FloatArray
    weight: FloatArray
    known: Any
    #: h of the best points of the last generations (ring), how many were noted, and the last one.
    history: FloatArray
    noted: Any
    previous: FloatArray
    #: Whether no feasible point is known yet, and whether f counted in all costs of the generation, from where on.
    searching: Any
    clean: Any
    first: Any
    #: Points since the last update that γ and ω matter to, updates, and changes of ω in one direction, signed.
    penalised: Any
    updates: Any
    same: Any

    @staticmethod
    def start(N: int) -> Lagrangian:
        """Return the state before the first generation."""
        none = np.zeros(1, dtype=np.int64)
        return Lagrangian(
            multiplier=np.zeros(1),
            weight=np.zeros(1),
            known=none.copy(),
            history=np.zeros(5 + N),
            noted=none.copy(),
            previous=np.array([np.nan]),
            searching=np.ones(1, dtype=np.int64),
            clean=none.copy(),
            first=none.copy(),
            penalised=none.copy(),
            updates=none.copy(),
            same=none.copy(),
        )


class State(NamedTuple):
    """All that changes; scalars sit in arrays of one element, so that compiled code may write them."""

    mean: FloatArray
    sigma: FloatArray
    #: x is A times what is sampled, once `transformed` says so; before that it is the sample itself.
    A: FloatArray
    transformed: Any
    #: C = UᵀU; of both matrices the upper triangle counts.
    C: FloatArray
    U: FloatArray
    p_sigma: FloatArray
    p_c: FloatArray
    #: Deviations of coordinates that are not in C: pycma's sigma_vec, raised to keep integer deviations up.
    scaling: FloatArray
    iteration: Any
    best_cost: FloatArray
    best_iteration: Any
    #: Best costs of the last generations (ring), and best and median of every fifth one (growing).
    recent: FloatArray
    history_best: FloatArray
    history_median: FloatArray
    history_length: Any
    flat_iterations: Any
    #: A code of STOPS.
    stop: Any
    still_mean: FloatArray
    still_since: Any
    #: Vectors of the power iterations for the largest and the smallest eigenvalue of C.
    v_max: FloatArray
    v_min: FloatArray
    lagrangian: Lagrangian


class Work(NamedTuple):
    """Room that a generation works in."""

    X: FloatArray
    #: Steps y, and below them p_c, as they are and times their weights in C.
    Y: FloatArray
    V: FloatArray
    f: FloatArray
    g: FloatArray
    cost: FloatArray
    order: Any
    z_mean: FloatArray
    shift: FloatArray
    scratch: FloatArray
    history: FloatArray
    values: FloatArray
    ranks: Any


def _advance() -> Any:
    from unbounded.solvers.compiled.cma import advance

    return advance


ADVANCE = Kernel(_advance)


def parameters(instance: Instance, options: CmaOptions) -> Parameters:
    """Return pycma's default parameters at this dimension and population."""
    N, lam = instance.D, options.population_at(instance.D)
    augmented = options.constraint == "augmented-lagrangian"
    mu = lam // 2
    raw = math.log((lam + 1) / 2) - np.log(np.arange(1, lam + 1))
    positive, negative = raw[:mu] / raw[:mu].sum(), raw[mu:]
    mu_eff = 1 / np.sum(positive**2)
    mu_eff_minus = np.sum(negative) ** 2 / np.sum(negative**2)

    c_c = (4 + mu_eff / N) / (N + 4 + 2 * mu_eff / N)
    c_1 = min(1.0, lam / 6) * 2 / ((N + 1.3) ** 2 + mu_eff)
    c_mu = min(1 - c_1, 2 * (0.25 + mu_eff + 1 / mu_eff - 2) / ((N + 2) ** 2 + mu_eff))
    c_sigma = min(0.5, (mu_eff + 2) / (N + mu_eff + 3))
    d_sigma = tutorial_damping(N, mu_eff, c_sigma)
    # Negative weights, limited such that C stays positive definite (tutorial, Eqs. 50 to 53).
    limit = min(1 + c_1 / c_mu, 1 + 2 * mu_eff_minus / (mu_eff + 2), (1 - c_1 - c_mu) / (N * c_mu))
    weights = np.concatenate([positive, negative * limit / np.abs(negative).sum()])

    min_std = np.zeros(N)
    min_std[instance.integers] = 1.0 / (2 * instance.n_z + 1)
    return Parameters(
        lam=lam,
        mu=mu,
        weights=weights,
        mu_eff=mu_eff,
        c_sigma=c_sigma,
        d_sigma=d_sigma,
        c_c=c_c,
        c_1=c_1,
        c_mu=c_mu,
        chi_n=math.sqrt(N) * (1 - 1 / (4 * N) + 1 / (21 * N**2)),
        penalty=options.penalty.weight(N),
        min_std=min_std,
        sigma_0=2 * options.radius / 3,
        max_iterations=100 + 150 * (N + 3) ** 2 // lam**0.5,
        # The Lagrangian changes from generation to generation: there costs of late say nothing.
        stagnation=NEVER if augmented else int(100 + 100 * N**1.5 / lam),
        coordinates=COORDINATES if options.alleviate_conditioning else np.inf,
        axes=AXES if options.alleviate_conditioning else np.inf,
        augmented=augmented,
    )


def initial_state(instance: Instance, p: Parameters, radius: float, rng: np.random.Generator) -> State:
    """Return the state before the first generation: x0 ~ U(±R), C = I."""
    N = instance.D
    mean = rng.uniform(-radius, radius, N)
    return State(
        mean=mean,
        sigma=np.array([p.sigma_0]),
        A=np.eye(N),
        transformed=np.zeros(1, dtype=np.int64),
        C=padded_identity(N),
        U=padded_identity(N),
        p_sigma=np.zeros(N),
        p_c=np.zeros(N),
        scaling=np.ones(N),
        iteration=np.zeros(1, dtype=np.int64),
        best_cost=np.array([np.inf]),
        best_iteration=np.zeros(1, dtype=np.int64),
        recent=np.full(int(10 + 30 * N / p.lam), np.nan),
        history_best=np.empty(HISTORY),
        history_median=np.empty(HISTORY),
        history_length=np.zeros(1, dtype=np.int64),
        flat_iterations=np.zeros(1, dtype=np.int64),
        stop=np.zeros(1, dtype=np.int64),
        still_mean=mean.copy(),
        still_since=np.zeros(1, dtype=np.int64),
        v_max=np.ones(N),
        v_min=np.ones(N),
        lagrangian=Lagrangian.start(N),
    )


def transform(s: State) -> None:
    """Pass the shape of C to a linear transformation of the coordinates, in which C = I; the distribution stays.

    As in pycma: x = A u with A = diag(scaling) C^½, the symmetric root. The path of σ leaves the coordinates of the
    factor, y = Uᵀz, for those of the root, y = C^½ z, in which from here on I is the factor.
    """
    N = len(s.mean)
    U = np.triu(s.U[:N, :N])
    # U = W diag(d) Vᵀ gives C^½ = V diag(d) Vᵀ, with twice the digits that the eigenvalues of C would leave.
    _, deviations, axes = np.linalg.svd(U)
    inverse = (axes.T / deviations) @ axes
    s.A[:] = s.scaling[:, None] * ((axes.T * deviations) @ axes)
    s.p_sigma[:] = inverse @ (U.T @ s.p_sigma)
    s.p_c[:] = inverse @ s.p_c
    for mean in (s.mean, s.still_mean):
        mean[:] = inverse @ (mean / s.scaling)
    s.scaling[:] = 1.0
    s.C[:] = s.U[:] = padded_identity(N)
    s.v_max[:] = s.v_min[:] = 1.0
    s.transformed[0] = TRANSFORMED


class CompiledCma(Strategy[CmaOptions]):
    """CMA-ES, compiled."""

    summary = "The algorithm of cma-IH, or of cma-IH-AL, compiled, sampling from a Cholesky factor"
    variants = {"cma-IH-fast": {}, "cma-IH-AL-fast": {"constraint": "augmented-lagrangian"}}
    options = CmaOptions
    packages = ("numpy", "numba")
    compiled = True

    def seconds_of_a_unit(self, D: int) -> float:
        """Return what a unit of its budget takes."""
        return 1e-6 + 2e-10 * D * D

    def solve(self, instance: Instance, budget: Budget, seed: int, options: CmaOptions, report: Report) -> Ending:
        """Run the compiled strategy in chunks of generations, until a criterion or the budget stops it."""
        p = parameters(instance, options)
        lam, D = p.lam, instance.D
        if report.remaining < lam:
            return Ending("budget", f"{budget} do not allow one generation of {lam}", None)
        # A fifth faster at normals than numpy's default; they are two fifths of the run.
        rng = np.random.Generator(np.random.SFC64(seed))
        problem = structure(instance)
        state = initial_state(instance, p, options.radius, rng)
        work = Work(
            X=np.empty((lam, D)),
            Y=np.zeros((lam + 1, padded(D))),
            V=np.zeros((lam + 1, padded(D))),
            f=np.empty(lam),
            g=np.empty(lam),
            cost=np.empty(lam),
            order=np.empty(lam, dtype=np.int64),
            z_mean=np.empty(D),
            shift=np.empty(D),
            scratch=np.empty(D),
            history=np.empty(HISTORY),
            values=np.empty(lam),
            ranks=np.empty(lam, dtype=np.int64),
        )
        found = Found.room(CHUNK, D)
        # Used again and again: fresh memory of this size would be handed out page by page.
        room = np.empty((CHUNK, lam, D))
        while state.stop[0] == RUNNING and report.remaining >= lam:
            generations = int(min(CHUNK, report.remaining // lam))
            started, before = report.cpu_seconds, state.iteration[0]
            # numpy's own loop draws them two and a half times as fast as compiled code can.
            normals = rng.standard_normal(out=room[:generations])
            ADVANCE(problem, p, state, work, normals, found)
            report.generations(lam, started, *found.first(state.iteration[0] - before))
            if state.transformed[0] == TO_TRANSFORM:
                transform(state)
        if state.stop[0] != RUNNING:
            return Ending("converged", STOPS[state.stop[0]], report.feasible_best)
        return Ending("budget", f"{budget} spent", report.feasible_best)


SOLVER = CompiledCma()
