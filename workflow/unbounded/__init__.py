"""White-box solvers and evolution strategies on quadratic programs whose integers are unbounded."""

# As typing has it, without loading typing: the start of every command waits for this module.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from unbounded.api import build, load, solve

__all__ = ["build", "load", "solve"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load the functions of docs/api.md when they are asked for."""
    if name in __all__:
        from unbounded import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
