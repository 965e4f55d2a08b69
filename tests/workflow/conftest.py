"""Runs the real Snakemake on small campaigns in folders of their own."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]

TINY: dict[str, Any] = {
    "name": "tiny",
    "solvers": {
        "cplex": {"budget": {"ticks": 100}, "seeds": [1]},
        "mies": {"budget": {"evaluations": 3000}},
        "cma-IH": {"budget": {"evaluations": 600}},
    },
    "studies": {
        "landscapes": {"type": "landscapes"},
        "benchmark": {
            "type": "benchmark",
            "dimensions": [4],
            "test_cases": [0],
            "c": [10],
            "E": [30],
            "seeds": 2,
            "solvers": {"cplex": {}, "mies": {}, "cma-IH": {}},
        },
        "all-integer": {
            "type": "all-integer",
            "kinds": ["integer"],
            "dimensions": [4],
            "test_cases": [0],
            "c": [10],
            "E": [30],
            "seeds": [1],
            "solvers": {"cplex": {}, "mies": {}},
        },
    },
}


def plain_environment() -> dict[str, str]:
    """Return the environment without coverage, which would make every job of a workflow several times as slow."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("COV", "COVERAGE"))}


class Workflow:
    """A folder with one campaign, and the Snakemake that runs it."""

    def __init__(self, folder: Path, root: Path = ROOT) -> None:
        self.folder = folder
        self.root = root
        self.results = folder / "results" / "tiny"
        #: The campaign file; None for the repository's default.
        self.file: Path | None = folder / "tiny.yaml"
        self.python = Path(sys.executable)

    def write(self, campaign: dict[str, Any]) -> None:
        self.file.write_text(yaml.safe_dump(campaign, sort_keys=False), encoding="utf-8")

    def run(self, *arguments: str, succeeds: bool = True) -> str:
        command = [str(self.python), "-m", "snakemake", *arguments, "--snakefile", str(self.root / "Snakefile")]
        command += [] if "--cores" in arguments else ["--cores", "2"]
        command += ["--configfile", str(self.file)] if self.file else []
        done = subprocess.run(command, cwd=self.folder, env=plain_environment(), capture_output=True, text=True)
        output = done.stdout + done.stderr
        assert (done.returncode == 0) == succeeds, output
        return output

    def trials(self) -> dict[str, int]:
        """Return the trial files with the time of their last change."""
        return {
            str(path.relative_to(self.results / "trials")): path.stat().st_mtime_ns
            for path in (self.results / "trials").rglob("*.parquet")
        }

    def rerun(self, *arguments: str) -> set[str]:
        """Run again; return the trial files that were written."""
        before = self.trials()
        self.run(*arguments)
        return {name for name, time in self.trials().items() if before.get(name) != time}


class Copy(Workflow):
    """A folder with a repository of its own, whose code may be edited, and a finished campaign."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, folder)

    def edit(self, module: str, old: str, new: str) -> None:
        """Replace text in a module of the package."""
        path = self.folder / "workflow" / "unbounded" / module
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def unbounded(self, *arguments: str, code: int = 0) -> str:
        """Run the copy's command line; return what it prints."""
        return self.module("unbounded", *arguments, code=code)

    def module(self, *words: str, code: int = 0) -> str:
        """Run a module with the copy's package; return what it prints."""
        environment = plain_environment() | {"PYTHONPATH": str(self.folder / "workflow")}
        command = [sys.executable, "-m", *words]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)
        output = done.stdout + done.stderr
        assert done.returncode == code, output
        assert "Traceback" not in output
        return output

    def stale(self) -> dict[str, set[str]]:
        """Return what Snakemake would make, by rule: the first output of every job."""
        found: dict[str, set[str]] = {}
        for job in json.loads(self.unbounded("stale", "--json", str(self.file)))["jobs"]:
            found.setdefault(job["rule"], set()).add(job["output"][0].removeprefix("results/tiny/"))
        return found


#: What a repository needs to run, and what an archive packs of it.
REPOSITORY = (
    "Snakefile",
    "workflow",
    "scripts",
    "envs",
    "config",
    "docs",
    "profiles",
    "CITATION.cff",
    "LICENSE",
    "README.md",
    "pyproject.toml",
)


def copy_repository(folder: Path) -> None:
    """Put a copy of the repository into a folder, which is made if it is not there."""
    folder.mkdir(exist_ok=True)
    for name in REPOSITORY:
        source, target = ROOT / name, folder / name
        # Times are kept, so that what numba compiled remains valid.
        if source.is_dir() and not source.is_symlink():
            shutil.copytree(source, target)
        else:
            shutil.copy2(source, target, follow_symlinks=False)


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
def finished_campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the repository in which the tiny campaign was run."""

    def make(folder: Path) -> None:
        copy_repository(folder)
        made = Copy(folder)
        made.write(TINY)
        made.run()

    return made_once(tmp_path_factory, "finished", make)


@pytest.fixture(scope="session")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the starter campaign was run, as far as its tables."""

    def make(folder: Path) -> None:
        made = Workflow(folder)
        made.file = ROOT / "config" / "mine.yaml"
        made.run("tables")

    return made_once(tmp_path_factory, "starter", make)


@pytest.fixture(scope="session")
def open_copy() -> type[Copy]:
    """Return what a folder with a copy of the finished campaign is opened with."""
    return Copy


@pytest.fixture
def finished(finished_campaign: Path, tmp_path: Path) -> Copy:
    """Return a copy of the finished campaign, to be changed."""
    folder = tmp_path / "copy"
    shutil.copytree(finished_campaign, folder, symlinks=True)
    return Copy(folder)


@pytest.fixture
def spaced(tmp_path: Path) -> Copy:
    """Return a copy of the repository and of its environment in a folder with a space in its name."""
    folder = tmp_path / "a clone"
    copy_repository(folder)
    made = Copy(folder)
    made.write(TINY)
    venv.create(folder / ".venv", symlinks=True)
    made.python = folder / ".venv" / "bin" / "python"
    (packages,) = (folder / ".venv").glob("lib/*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return made


@pytest.fixture
def workflow(tmp_path: Path) -> Workflow:
    made = Workflow(tmp_path)
    made.write(TINY)
    return made


@pytest.fixture
def tiny() -> Callable[[], dict[str, Any]]:
    """Return a function that makes a copy of the tiny campaign, to be changed."""
    return lambda: yaml.safe_load(yaml.safe_dump(TINY, sort_keys=False))
