"""What all tests share."""

import os
from collections.abc import Iterator

import pytest

pytest.register_assert_rewrite("harness")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    """Give back the environment as it was: Snakemake, run within a test's process, sets paths for its jobs."""
    before = dict(os.environ)
    try:
        return (yield)
    finally:
        os.environ.clear()
        os.environ.update(before)
