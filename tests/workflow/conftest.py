"""Runs the real Snakemake on small campaigns in folders of their own."""

import os
import subprocess
import sys
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

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.results = folder / "results" / "tiny"
        #: The campaign file; None for the repository's default.
        self.file: Path | None = folder / "tiny.yaml"

    def write(self, campaign: dict[str, Any]) -> None:
        self.file.write_text(yaml.safe_dump(campaign, sort_keys=False), encoding="utf-8")

    def run(self, *arguments: str, succeeds: bool = True) -> str:
        command = [sys.executable, "-m", "snakemake", *arguments, "--snakefile", str(ROOT / "Snakefile")]
        command += ["--cores", "2", *(["--configfile", str(self.file)] if self.file else [])]
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


@pytest.fixture
def workflow(tmp_path: Path) -> Workflow:
    made = Workflow(tmp_path)
    made.write(TINY)
    return made


@pytest.fixture
def tiny() -> Callable[[], dict[str, Any]]:
    """Return a function that makes a copy of the tiny campaign, to be changed."""
    return lambda: yaml.safe_load(yaml.safe_dump(TINY))
