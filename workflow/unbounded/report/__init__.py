"""The report: one page, made from tables and figures alone, that a reader can question."""

# Before matplotlib is imported here: it says which backend that takes.
import unbounded.figures  # noqa: F401
