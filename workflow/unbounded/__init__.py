"""White-box solvers and evolution strategies on quadratic programs whose integers are unbounded."""

__version__ = "0.1.0"
