"""A copy of the project with solvers that misbehave, and the real Snakemake in it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.running import Workflow, copy_repository


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository, with the faulty solvers among its own."""
    folder = tmp_path_factory.mktemp("project")
    copy_repository(folder)
    shutil.copy(Path(__file__).with_name("faulty.py"), folder / "workflow" / "unbounded" / "solvers")
    return folder


@pytest.fixture
def run(project: Path, tmp_path: Path) -> Iterator[Workflow]:
    with Workflow(tmp_path, project, "faults") as made:
        yield made
