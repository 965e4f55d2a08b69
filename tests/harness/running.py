"""Runs the project as users do: Snakemake and the command line, in folders of their own."""

import json
import os
import shutil
import subprocess
import sys
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Self, TypeVar

import psutil

from harness import campaigns
from unbounded.trials.reading import read_rows

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
#: Seconds after which something that should happen soon is taken not to happen; machines may be busy.
PATIENCE = 120.0


def environment(**variables: str) -> dict[str, str]:
    """Return the environment without coverage, which slows every job down, and without a Snakemake that started us."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COV", "UNBOUNDED"))}
    return kept | variables


def python(*words: str, folder: Path = ROOT, code: int = 0, env: Mapping[str, str] | None = None) -> str:
    """Run this Python to its end; return what it says."""
    done = subprocess.run([sys.executable, *words], cwd=folder, env=env, capture_output=True, text=True)
    output = done.stdout + done.stderr
    assert done.returncode == code, output
    return output


def unbounded(*arguments: str, folder: Path = ROOT, code: int = 0, env: Mapping[str, str] | None = None) -> str:
    """Run the command line; return what it says."""
    output = python("-m", "unbounded", *arguments, folder=folder, code=code, env=env)
    assert "Traceback" not in output
    return output


def wait_for(what: Callable[[], T], patience: float = PATIENCE) -> T:
    """Return what a function returns once that is something."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if found := what():
            return found
        time.sleep(0.1)
    raise TimeoutError(f"it did not happen in {patience:g} s")


def all_end(*processes: psutil.Process, patience: float = 60) -> bool:
    """Say whether all processes end by themselves; nobody may have waited for them yet."""
    _, alive = psutil.wait_procs(processes, timeout=patience)
    return all(not process.is_running() or process.status() == psutil.STATUS_ZOMBIE for process in alive)


class Workflow:
    """A folder with one campaign, and the repository that runs it there."""

    def __init__(self, folder: Path, root: Path = ROOT, name: str = "tiny") -> None:
        self.folder = folder
        self.root = root
        self.results = folder / "results" / name
        #: The campaign file; None for the repository's default.
        self.file: Path | None = folder / f"{name}.yaml"
        self.python = sys.executable
        self._outputs: dict[subprocess.Popen[bytes], IO[bytes]] = {}

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which Python imports this repository's package."""
        return environment(PYTHONPATH=str(self.root / "workflow"))

    def write(self, campaign: dict[str, Any]) -> None:
        assert self.file is not None
        campaigns.write(self.file, campaign)

    @property
    def arguments(self) -> list[str]:
        """What tells Snakemake of the repository and of the campaign."""
        return ["--snakefile", str(self.root / "Snakefile"), *(["--configfile", str(self.file)] if self.file else [])]

    def start(self, *arguments: str, folder: Path | None = None, **variables: str) -> subprocess.Popen[bytes]:
        """Start Snakemake, on two cores if nothing else is said; `output` reads what it says."""
        command = [self.python, "-m", "snakemake", *arguments, *self.arguments]
        command += [] if {"--cores", "--jobs"} & set(arguments) else ["--cores", "2"]
        return self.launch(*command, cwd=folder or self.folder, env=environment(**variables))

    def launch(self, *command: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start a program here, with this repository's package."""
        # What it starts may write after it has ended: always at the end.
        output = TemporaryFile("a+b")  # noqa: SIM115
        options = {"cwd": self.folder, "env": self.environment, "stdout": output, "stderr": output, **options}
        process = subprocess.Popen(command, **options)
        self._outputs[process] = output
        return process

    def output(self, process: subprocess.Popen[bytes], code: int | None = None) -> str:
        """Wait for a process, and return what it said."""
        process.wait()
        self._outputs[process].seek(0)
        text = self._outputs[process].read().decode()
        assert code is None or process.returncode == code, text
        return text

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End what was started here and still runs."""
        for process, output in self._outputs.items():
            process.kill()
            process.wait()
            output.close()

    def run(self, *arguments: str, code: int = 0, folder: Path | None = None) -> str:
        """Run Snakemake to its end; return what it says."""
        return self.output(self.start(*arguments, folder=folder), code)

    def unbounded(self, *arguments: str, code: int = 0) -> str:
        """Run the repository's command line; return what it says."""
        return unbounded(*arguments, folder=self.folder, code=code, env=self.environment)

    def stale(self) -> dict[str, set[str]]:
        """Return what Snakemake would make, by rule: the first output of every job."""
        found: dict[str, set[str]] = {}
        for job in json.loads(self.unbounded("stale", "--json", str(self.file)))["jobs"]:
            output = Path(job["output"][0]).relative_to(self.results.relative_to(self.folder))
            found.setdefault(job["rule"], set()).add(str(output))
        return found

    def trials(self) -> dict[str, int]:
        """Return the trial files with the time of their last change."""
        folder = self.results / "trials"
        return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*.parquet")}

    def rows(self) -> dict[tuple[str, int], dict[str, Any]]:
        """Return the rows that there are on the only instance, by solver and seed."""
        files = sorted((self.results / "trials").rglob("*.parquet"))
        return {(row["solver"], row["seed"]): row for row in read_rows(files).to_pylist()}

    def rerun(self, *arguments: str) -> set[str]:
        """Run again; return the trial files that were written."""
        before = self.trials()
        self.run(*arguments)
        return {name for name, time in self.trials().items() if before.get(name) != time}

    def unfinished(self) -> set[Path]:
        """Return the files of the jobs whose end Snakemake has not seen."""
        folder = self.folder / ".snakemake" / "incomplete"
        found = set()
        for marker in folder.rglob("*"):
            if marker.is_file():
                name = "".join(part.removeprefix("@") for part in marker.relative_to(folder).parts)
                found.add(self.folder / urlsafe_b64decode(name).decode())
        return found

    def edit(self, module: str, old: str, new: str) -> None:
        """Replace text in a module of the package, which must be a copy."""
        assert self.root != ROOT
        path = self.root / "workflow" / "unbounded" / module
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def copy_to(self, folder: Path) -> "Workflow":
        """Return a copy of the folder, to be changed; the repository must be in it."""
        assert self.root == self.folder
        shutil.copytree(self.folder, folder, symlinks=True)
        return Workflow(folder, folder)


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
