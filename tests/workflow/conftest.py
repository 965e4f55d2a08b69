"""The tiny campaign: to be run, or finished once for all tests that begin where it ended."""

import fcntl
import os
import sysconfig
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness import campaigns
from harness.running import ROOT, Workflow, copy_repository


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that is made once, for all workers."""
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / name
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            folder.mkdir()
            make(folder)
            (folder / "done").touch()
    return folder


@pytest.fixture(scope="session")
def finished_campaign(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """Return a copy of the repository in which the tiny campaign was run, and said.txt; not to be changed."""

    def make(folder: Path) -> None:
        copy_repository(folder)
        with Workflow(folder, folder) as made:
            made.write(campaigns.tiny())
            (folder / "said.txt").write_text(made.run(), encoding="utf-8")

    folder = made_once(tmp_path_factory, "finished", make)
    return Workflow(folder, folder)


@pytest.fixture(scope="session")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the starter campaign was run, as far as its tables."""

    def make(folder: Path) -> None:
        with Workflow(folder) as made:
            made.file = ROOT / "config" / "mine.yaml"
            made.run("tables")

    return made_once(tmp_path_factory, "starter", make)


@pytest.fixture
def finished(finished_campaign: Workflow, tmp_path: Path) -> Iterator[Workflow]:
    """Return a copy of the finished campaign, to be changed."""
    with finished_campaign.copy_to(tmp_path / "copy") as copy:
        yield copy


@pytest.fixture
def spaced(tmp_path: Path) -> Iterator[Workflow]:
    """Return a copy of the repository and of its environment in a folder with a space in its name."""
    folder = tmp_path / "a clone"
    copy_repository(folder)
    venv.create(folder / ".venv", symlinks=True)
    (packages,) = (folder / ".venv").glob("lib/*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    with Workflow(folder, folder) as made:
        made.write(campaigns.tiny())
        made.python = str(folder / ".venv" / "bin" / "python")
        yield made


@pytest.fixture
def workflow(tmp_path: Path) -> Iterator[Workflow]:
    with Workflow(tmp_path) as made:
        made.write(campaigns.tiny())
        yield made
