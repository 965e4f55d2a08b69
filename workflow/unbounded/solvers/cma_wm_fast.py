"""`cma-wM-fast`: the algorithm of `cma-wM`, compiled; samples come from a Cholesky factor.

CMA-ES (Hansen, "The CMA Evolution Strategy: A Tutorial", 2016) with the parameters of the package `cmaes`, and the
margin of Hamano et al. (2022): an integer is sampled with a factor A of its own beside σ and C, and after each
generation mean and A move such that both neighbours of the mean's cell keep a probability of at least 1/(2 D λ), at the
edge of the box 1/(D λ). Start, box, penalty and stopping rules are those of `cma-wM`. Where it differs from it:

- C = UᵀU is factored by Cholesky in place of an eigendecomposition, and the step-size path lives in the coordinates of
  the factor. Where C has no factor, eigenvalues below zero are replaced as there.
- Reals that leave the box are drawn again, as in the package, but alone: they do not depend on the normals of integers.
- Eigenvalues, for `tolxup` and for whether `noeffectaxis` is worth a look, come from power iterations. The package's
  limit of the condition number, 10²⁸ for C, is beyond what a double can tell, and is not here.
- An integer whose box holds one value alone stays there; the package refuses such boxes.
- Random numbers are numpy's SFC64, so a seed gives another run than the package's.

Checked against: a generation of the package, from the same state and the same samples, to ten digits; the contract that
all solvers keep; `cma-wM` by rank tests (docs/performance.md).
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.instances.structured import structure
from unbounded.solvers.cma_ih import tutorial_damping
from unbounded.solvers.cma_wm import MarginOptions, Start, begin
from unbounded.solvers.compiled.compiling import Kernel, padded
from unbounded.solvers.compiled.criteria import NOEFFECTAXIS, RUNNING, STOPS
from unbounded.solvers.contract import Budget, Ending, Found, Report, Strategy

#: Generations between two looks at the clock: a hundredth of a second, beside which the look itself is nothing.
CHUNK = 160

#: How often the reals of a sample are drawn again before they are brought back into the box.
RESAMPLINGS = 100

#: What the package puts in place of negative eigenvalues of C.
LEAST_EIGENVALUE = 1e-8


class Parameters(NamedTuple):
    """Strategy parameters, constant during a run."""

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
    lower: FloatArray
    upper: FloatArray
    resamplings: int
    #: α, and how many deviations away the thresholds are beyond which α and α/2 lie.
    margin: float
    edge: float
    side: float
    tol_x: float


class State(NamedTuple):
    """All that changes; scalars sit in arrays of one element, so that compiled code may write them."""

    mean: FloatArray
    sigma: FloatArray
    #: Factors of the integers' deviations.
    A: FloatArray
    #: C = UᵀU; of both matrices the upper triangle counts.
    C: FloatArray
    U: FloatArray
    p_sigma: FloatArray
    p_c: FloatArray
    iteration: Any
    #: Best and worst costs of the last generations.
    recent: FloatArray
    #: Vectors of the power iterations; the least eigenvalue of C, and all of them as last computed.
    v_max: FloatArray
    v_min: FloatArray
    least: FloatArray
    spectrum: FloatArray
    #: Normals that were used; whether the axes of C are asked for, and whether it has lost its factor.
    used: Any
    look: Any
    broken: Any
    #: A code of STOPS.
    stop: Any


class Work(NamedTuple):
    """Room that a generation works in."""

    Z: FloatArray
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

    @staticmethod
    def room(lam: int, D: int) -> Work:
        """Return room for a population."""
        return Work(
            Z=np.empty((lam, D)),
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
        )


def _advance() -> Any:
    from unbounded.solvers.compiled.margin import advance

    return advance


ADVANCE = Kernel(_advance)


def parameters(instance: Instance, options: MarginOptions, start: Start) -> Parameters:
    """Return the package's parameters at this dimension and population (tutorial, Eqs. 49 to 58)."""
    N, lam = instance.D, options.population_at(instance.D)
    mu = lam // 2
    raw = math.log((lam + 1) / 2) - np.log(np.arange(1, lam + 1))
    positive, negative = raw[:mu] / raw[:mu].sum(), raw[mu:]
    mu_eff = float(1 / np.sum(positive**2))
    mu_eff_minus = float(np.sum(negative) ** 2 / np.sum(negative**2))
    c_1 = 2 / ((N + 1.3) ** 2 + mu_eff)
    c_mu = min(1 - c_1 - 1e-8, 2 * (mu_eff - 2 + 1 / mu_eff) / ((N + 2) ** 2 + mu_eff))
    limit = 1 + 2 * mu_eff_minus / (mu_eff + 2)
    if c_mu > 0:
        limit = min(limit, 1 + c_1 / c_mu, (1 - c_1 - c_mu) / (N * c_mu))
    c_sigma = (mu_eff + 2) / (N + mu_eff + 5)
    margin = 1 / (N * lam)
    return Parameters(
        lam=lam,
        mu=mu,
        weights=np.concatenate([positive, negative * limit / np.abs(negative).sum()]),
        mu_eff=mu_eff,
        c_sigma=c_sigma,
        d_sigma=tutorial_damping(N, mu_eff, c_sigma),
        c_c=(4 + mu_eff / N) / (N + 4 + 2 * mu_eff / N),
        c_1=c_1,
        c_mu=c_mu,
        chi_n=math.sqrt(N) * (1 - 1 / (4 * N) + 1 / (21 * N**2)),
        penalty=options.penalty.weight(N),
        lower=start.lower,
        upper=start.upper,
        resamplings=RESAMPLINGS,
        margin=margin,
        edge=-NormalDist().inv_cdf(margin),
        side=-NormalDist().inv_cdf(margin / 2),
        tol_x=1e-12 * start.sigma,
    )


def initial_state(start: Start, lam: int, rng: np.random.Generator) -> State:
    """Return the state before the first generation."""
    N = len(start.lower)
    C, U = np.zeros((padded(N), padded(N))), np.zeros((padded(N), padded(N)))
    np.fill_diagonal(C[:N, :N], start.scales**2)
    np.fill_diagonal(U[:N, :N], start.scales)
    return State(
        mean=rng.uniform(start.lower, start.upper),
        sigma=np.array([start.sigma]),
        A=np.ones(N),
        C=C,
        U=U,
        p_sigma=np.zeros(N),
        p_c=np.zeros(N),
        iteration=np.zeros(1, dtype=np.int64),
        recent=np.zeros(2 * (10 + math.ceil(30 * N / lam))),
        v_max=np.ones(N) / math.sqrt(N),
        v_min=np.ones(N) / math.sqrt(N),
        least=np.array([np.inf]),
        spectrum=np.zeros(N),
        used=np.zeros(1, dtype=np.int64),
        look=np.zeros(1, dtype=np.int64),
        broken=np.zeros(1, dtype=np.int64),
        stop=np.zeros(1, dtype=np.int64),
    )


def axes_of(s: State) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvalues of C, in ascending order, and its axes; negative ones are replaced as in the package."""
    N = len(s.mean)
    upper = np.triu(s.C[:N, :N])
    eigenvalues, axes = np.linalg.eigh(upper + np.triu(upper, 1).T)
    return np.where(eigenvalues < 0, LEAST_EIGENVALUE, eigenvalues), axes


def look_along_an_axis(s: State) -> None:
    """Stop if a tenth of an axis of C, in every generation the next one, does not change the mean."""
    eigenvalues, axes = axes_of(s)
    i = s.iteration[0] % len(s.mean)
    if np.all(s.mean == s.mean + 0.1 * s.sigma[0] * np.sqrt(eigenvalues[i]) * axes[:, i]):
        s.stop[0] = NOEFFECTAXIS
    s.spectrum[:] = eigenvalues
    s.look[0] = 0


def mend(s: State) -> None:
    """Give C a factor again, which rounding has taken from it."""
    N = len(s.mean)
    eigenvalues, axes = axes_of(s)
    # C = (axes·√eigenvalues)(…)ᵀ, whose second factor is orthogonal times upper triangular.
    U: FloatArray = np.linalg.qr((axes * np.sqrt(eigenvalues)).T).R
    s.U[:N, :N] = U * np.where(np.diag(U) < 0, -1.0, 1.0)[:, None]
    s.C[:N, :N] = U.T @ U


class CompiledMargin(Strategy[MarginOptions]):
    """CMA-ES with Margin, compiled."""

    summary = "The algorithm of cma-wM, compiled, sampling from a Cholesky factor"
    variants = {"cma-wM-fast": {}}
    options = MarginOptions
    packages = ("numpy", "numba")
    compiled = True

    def seconds_of_a_unit(self, D: int) -> float:
        """Return what a unit of its budget takes."""
        return 1e-6 + 4e-10 * D * D

    def solve(self, instance: Instance, budget: Budget, seed: int, options: MarginOptions, report: Report) -> Ending:
        """Run the compiled strategy in chunks of generations, until a criterion or the budget stops it."""
        D, lam = instance.D, options.population_at(instance.D)
        if report.remaining < lam:
            return Ending("budget", f"{budget} do not allow one generation of {lam}", None)
        # A fifth faster at normals than numpy's default; they are two fifths of the run.
        rng = np.random.Generator(np.random.SFC64(seed))
        problem, start = structure(instance), begin(instance, options)
        p, state, work = parameters(instance, options, start), initial_state(start, lam, rng), Work.room(lam, D)
        found = Found.room(CHUNK, D)
        # numpy's own loop draws them two and a half times as fast as compiled code can.
        normals = np.empty(CHUNK * lam * D + lam * RESAMPLINGS * instance.n_r)
        left = 0
        while state.stop[0] == RUNNING and report.remaining >= lam:
            started, before = report.cpu_seconds, state.iteration[0]
            rng.standard_normal(out=normals[left:])
            ADVANCE(problem, p, state, work, int(min(CHUNK, report.remaining // lam)), normals, found)
            report.generations(lam, started, *found.first(state.iteration[0] - before))
            # What was not used comes first next time.
            left = len(normals) - state.used[0]
            normals[:left] = normals[state.used[0] :]
            if state.broken[0]:
                mend(state)
            if state.look[0]:
                look_along_an_axis(state)
        if state.stop[0] != RUNNING:
            return Ending("converged", STOPS[state.stop[0]], report.feasible_best)
        return Ending("budget", f"{budget} spent", report.feasible_best)


SOLVER = CompiledMargin()
