"""Errors whose text is all that people need: what is wrong, where, what to do."""


class PlainError(ValueError):
    """Shown without a traceback."""
