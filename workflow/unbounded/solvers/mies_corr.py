"""`mies-corr`: mies whose mutations, of integers too, are correlated; the correlations are learned.

The paper's second direction for future research: the double-geometric distribution in concert with a correlation
mechanism. Selection, start and budget are those of `mies`. What is new, for step sizes s of the reals and q of the
integers, and a correlation matrix C that all parents share (C = I at the start):

    w ~ N(0, C)
    reals:     x_k ← x_k + s_k w_k
    integers:  x_k ← x_k + F⁻¹(Φ(w_k)), F the distribution function of the double-geometric law with mean size q_k/n_z

This is a Gaussian copula: every coordinate's step has exactly the distribution that it has in `mies`, integers move by
whole numbers, and C says which coordinates move together. With C = I it is the mutation of `mies`.

After selection, with y the steps of the μ survivors in units of their standard deviations (y_k = w_k for reals; for
integers the whole step over √(2(1−p))/p), and v the path of a survivor's line of descent:

    v ← (1 − c_v) v_parent + √(c_v (2 − c_v)) y,    c_v = 4/(D + 4)
    Σ = (1 − c) C + c · mean of ((1 − α) y yᵀ + α v vᵀ),    c = rate · 2μ/((D+2)² + μ)
    C_kj ← Σ_kj / √(Σ_kk Σ_jj),    s_k ← s_k √Σ_kk,    q_k ← q_k √Σ_kk,    v_k ← v_k / √Σ_kk

that is the rank-μ update of CMA-ES (Hansen 2016, Eqs. 24 and 31, equal weights) with a share α for paths, split into
correlations, which all share, and scales, which go into the parents' step sizes. The factors of Algorithm 1 that are
common to all reals and to all integers stay as printed; those of single coordinates are switched off (`local_rate`),
since they blur the scales in whose units the correlations are learned; docs/strategies.md has the two apart.
So the size of the steps is self-adapted and their shape is learned, as in the covariance matrix self-adaptation of
Beyer & Sendhoff (2008), here without recombination. `learning_rate` 0 and `local_rate` 1 is the algorithm of `mies`.

Parameters: those of `mies` as the published data fit it, the two rates and α.

Checked against: the printed probability function, coordinate by coordinate; `mies`, with the extension switched off;
and `mies` at full budgets (docs/strategies.md).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from pydantic import Field

from unbounded.instances.hessians import FloatArray
from unbounded.instances.instance import Instance
from unbounded.instances.structured import StructuredInstance
from unbounded.solvers.compiled.compiling import Kernel, padded, padded_identity
from unbounded.solvers.contract import Budget, Ending, Found, Report, Strategy
from unbounded.solvers.mies import CHUNK, MiesOptions, Parameters, Work, evolve


class MiesCorrOptions(MiesOptions):
    """Options of `mies-corr`."""

    learning_rate: float = Field(1.0, ge=0, description="Multiple of c = 2μ/((D+2)²+μ), at most 1/2; 0 keeps C = I")
    path_share: float = Field(0.1, ge=0, le=1, description="α: share of the paths in what is learned")
    local_rate: float = Field(0.0, ge=0, description="Multiple of Algorithm 1's learning rates of single coordinates")

    def rate_at(self, D: int) -> float:
        """Return c at dimension D; at most 1/2, so that C keeps what it knows where D is small."""
        return min(0.5, self.learning_rate * 2 * self.parents / ((D + 2) ** 2 + self.parents))


class Laws(NamedTuple):
    """The double-geometric laws of the integers of parents, or of offspring, one a row; columns are coordinates."""

    #: −log(1−p), log(2−p), and one over the standard deviation.
    decays: FloatArray
    shifts: FloatArray
    units: FloatArray
    #: A row to work in.
    steps: FloatArray

    @staticmethod
    def room(rows: int, D: int) -> Laws:
        """Return room for so many rows."""
        return Laws(*(np.ones((count, padded(D))) for count in (rows, rows, rows, 1)))


class Learning(NamedTuple):
    """What is learned from the survivors' steps, and how fast."""

    #: c, α and c_v of the equations above; the multiple of Algorithm 1's local rates.
    rate: float
    share: float
    path_rate: float
    local: float
    #: Correlations, of which the upper triangle is kept, and their Cholesky factor: C = UᵀU.
    C: FloatArray
    U: FloatArray
    #: v of each parent.
    paths: FloatArray
    #: Steps of all offspring; those of the survivors with their paths below them, as they are and times their weights
    #: in C.
    Y: FloatArray
    learned: FloatArray
    weighted: FloatArray
    laws: Laws


def _advance() -> Any:
    from unbounded.solvers.compiled.mies_corr import advance

    return advance


ADVANCE = Kernel(_advance)


class MiesCorr(Strategy[MiesCorrOptions]):
    """The strategy with correlations."""

    summary = "mies with learned correlations between the mutations of all variables, integers included"
    variants = {"mies-corr": {}}
    options = MiesCorrOptions
    packages = ("numpy", "numba")
    compiled = True

    def seconds_of_a_unit(self, D: int) -> float:
        """Return what a unit of its budget takes."""
        return 5e-7 + (2e-8 + 2e-10 * D) * D

    def solve(self, instance: Instance, budget: Budget, seed: int, options: MiesCorrOptions, report: Report) -> Ending:
        """Run the strategy until the budget is spent."""
        D, mu, lam = instance.D, options.parents, options.offspring
        learning = Learning(
            rate=options.rate_at(D),
            share=options.path_share,
            path_rate=4 / (D + 4),
            local=options.local_rate,
            C=padded_identity(D),
            U=padded_identity(D),
            paths=np.zeros((mu, D)),
            Y=np.zeros((lam, padded(D))),
            learned=np.zeros((2 * mu, padded(D))),
            weighted=np.zeros((2 * mu, padded(D))),
            laws=Laws.room(lam, D),
        )
        uniforms = np.empty((CHUNK, lam, options.tournament))
        # Factors of single coordinates that do not change need no normals.
        normals = np.empty((CHUNK, lam, 2 + D if options.local_rate else 2))
        independent = np.empty((CHUNK, lam, D))

        def advance(
            rng: np.random.Generator,
            generations: int,
            problem: StructuredInstance,
            p: Parameters,
            X: FloatArray,
            steps: FloatArray,
            work: Work,
            found: Found,
        ) -> None:
            u = rng.random(out=uniforms[:generations])
            z = rng.standard_normal(out=normals[:generations])
            w = rng.standard_normal(out=independent[:generations])
            ADVANCE(problem, p, learning, X, steps, work, u, z, w, found)

        return evolve(instance, budget, seed, options, report, advance)


SOLVER = MiesCorr()
