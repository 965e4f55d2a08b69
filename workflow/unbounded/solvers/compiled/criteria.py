"""Codes of the termination criteria of compiled loops; apart from the loops, so that numba is not imported for them."""

#: The names that pycma and cmaes have for them, in the order of their codes; the first stands for none.
STOPS = (
    "",
    "maxiter",
    "tolfacupx",
    "tolx",
    "tolfun",
    "tolfunhist",
    "tolstagnation",
    "tolxstagnation",
    "tolupsigma",
    "noeffectcoord",
    "noeffectaxis",
    "tolconditioncov",
    "tolflatfitness",
    "tolxup",
)
(
    RUNNING,
    MAXITER,
    TOLFACUPX,
    TOLX,
    TOLFUN,
    TOLFUNHIST,
    TOLSTAGNATION,
    TOLXSTAGNATION,
    TOLUPSIGMA,
    NOEFFECTCOORD,
    NOEFFECTAXIS,
    TOLCONDITIONCOV,
    TOLFLATFITNESS,
    TOLXUP,
) = range(len(STOPS))

#: Whether coordinates are transformed (pycma's conditioncov_alleviate): not yet; they are; they are to be.
PLAIN, TRANSFORMED, TO_TRANSFORM = range(3)
