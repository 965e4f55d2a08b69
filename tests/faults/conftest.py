"""Fixtures of the tests of faults; under another name, so that tests can import what stands beside them."""

from fault_runs import project, run

__all__ = ["project", "run"]
