"""The solvers: a contract, a registry that finds modules by itself, and one module per solver."""
