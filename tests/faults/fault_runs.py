"""A copy of the project with solvers that misbehave, and the real Snakemake in it."""

import os
import shutil
import subprocess
import sys
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest
import yaml

from unbounded.trials.row import read_rows

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
INSTANCE = "mixed-D4-t0-TC0-c1e1-E30"
#: Seconds after which something that should happen soon is taken not to happen; machines may be busy.
PATIENCE = 120


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of what a run needs, with the faulty solvers among its own."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("workflow", "scripts", "config", "envs", "profiles"):
        source = ROOT / name
        if source.is_symlink():
            (folder / name).symlink_to(source.readlink())
        else:
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Snakefile", folder)
    shutil.copy(Path(__file__).with_name("faulty.py"), folder / "workflow" / "unbounded" / "solvers")
    return folder


class Run:
    """A working directory with one campaign, and Snakemake in it."""

    def __init__(self, project: Path, folder: Path) -> None:
        self.project = project
        self.folder = folder
        self.results = folder / "results" / "faults"
        self.started: list[subprocess.Popen[bytes]] = []

    @property
    def environment(self) -> dict[str, str]:
        # Without coverage, which would make every job several times as slow, and without a Snakemake that started us.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("COV", "UNBOUNDED"))}
        return {**kept, "PYTHONPATH": str(self.project / "workflow")}

    def write(self, solvers: dict[str, Any], seeds: int = 1) -> None:
        """Write a campaign of these solvers on one instance."""
        grid = {"dimensions": [4], "test_cases": [0], "c": [10], "E": [30], "seeds": seeds}
        study = {"type": "benchmark", **grid, "reference": next(iter(solvers)), "solvers": dict.fromkeys(solvers)}
        campaign = {"name": "faults", "solvers": solvers, "studies": {"study": study}}
        (self.folder / "faults.yaml").write_text(yaml.safe_dump(campaign, sort_keys=False), encoding="utf-8")

    def start(self, *arguments: str, folder: Path | None = None) -> subprocess.Popen[bytes]:
        """Start Snakemake; `output` reads what it says."""
        command = ["snakemake", *arguments, "--snakefile", str(self.project / "Snakefile")]
        command += ["--cores", "2", "--configfile", str(self.folder / "faults.yaml")]
        return self.python(*command, cwd=folder or self.folder)

    def python(self, *command: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start a module of Python, with the copy's package."""
        with self._output(len(self.started)).open("wb") as file:
            options = {"cwd": self.folder, "env": self.environment, "stdout": file, "stderr": file, **options}
            self.started.append(subprocess.Popen([sys.executable, "-m", *command], **options))
        return self.started[-1]

    def _output(self, number: int) -> Path:
        return self.folder / f"output-{number}.txt"

    def output(self, process: subprocess.Popen[bytes], code: int | None = None) -> str:
        """Wait for a process, and return what it said."""
        process.wait()
        text = self._output(self.started.index(process)).read_text(encoding="utf-8")
        assert code is None or process.returncode == code, text
        return text

    def run(self, *arguments: str, code: int = 0, folder: Path | None = None) -> str:
        return self.output(self.start(*arguments, folder=folder), code)

    def file(self, solver: str, seed: int = 1) -> Path:
        return self.results / "trials" / INSTANCE / solver / f"{seed}.parquet"

    def rows(self) -> dict[tuple[str, int], dict[str, Any]]:
        """Return the rows that there are, by solver and seed."""
        files = sorted((self.results / "trials").rglob("*.parquet"))
        return {(row["solver"], row["seed"]): row for row in read_rows(files).to_pylist()}

    def unfinished(self) -> set[Path]:
        """Return the files of the jobs whose end Snakemake has not seen."""
        folder = self.folder / ".snakemake" / "incomplete"
        found = set()
        for marker in folder.rglob("*"):
            if marker.is_file():
                name = "".join(part.removeprefix("@") for part in marker.relative_to(folder).parts)
                found.add(self.folder / urlsafe_b64decode(name).decode())
        return found


@pytest.fixture
def run(project: Path, tmp_path: Path) -> Iterator[Run]:
    made = Run(project, tmp_path)
    yield made
    for process in made.started:
        if process.poll() is None:
            process.kill()
            process.wait()


def workers(process: subprocess.Popen[bytes]) -> tuple[list[psutil.Process], list[psutil.Process]]:
    """Return the processes that supervise trials below this one, and those that solve."""
    supervisors: list[psutil.Process] = []
    solvers: list[psutil.Process] = []
    with suppress(psutil.NoSuchProcess):
        for found in psutil.Process(process.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                command = found.cmdline()
                if "unbounded.trials" in command and not any(word.endswith("client.py") for word in command):
                    # A fork has the command of its parent; a server forks supervisors, they fork solvers.
                    forks = sum(parent.cmdline() == command for parent in found.parents())
                    level = forks - ("unbounded.running.forking.server" in command)
                    if level >= 0:
                        (solvers if level else supervisors).append(found)
    return supervisors, solvers


def wait_for(what: Callable[[], T], patience: float = PATIENCE) -> T:
    """Return what a function returns once that is something."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if found := what():
            return found
        time.sleep(0.1)
    raise TimeoutError("it did not happen")
