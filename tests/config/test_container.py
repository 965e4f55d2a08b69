"""The Containerfile, read: what it copies is there and enough, what it installs is the lock, who runs is not root."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def instructions() -> list[tuple[str, str]]:
    """Return the instructions with their arguments, continued lines joined."""
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#")).replace("\\\n", " ")
    found = [line.partition(" ") for line in text.splitlines() if line.strip()]
    assert {name for name, _, _ in found} <= {"FROM", "RUN", "WORKDIR", "COPY", "USER", "CMD"}
    return [(name, arguments.strip()) for name, _, arguments in found]


def arguments(instructions: list[tuple[str, str]], wanted: str) -> list[str]:
    return [text for name, text in instructions if name == wanted]


def test_the_base_has_a_python_that_the_project_takes(instructions) -> None:
    (base,) = arguments(instructions, "FROM")
    assert instructions[0][0] == "FROM"
    major, minor = map(int, re.fullmatch(r"python:(\d+)\.(\d+)-slim-\w+", base).groups())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    least = tuple(map(int, project["requires-python"].removeprefix(">=").split(".")))
    assert (major, minor) >= least
    # The lock is made for this one.
    assert f"--python-version {major}.{minor} " in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_only_what_is_locked_is_installed(instructions) -> None:
    installs = [
        command.split()
        for text in arguments(instructions, "RUN")
        for command in text.split("&&")
        if "pip install" in command
    ]
    locked, itself = installs
    assert {"--require-hashes", "--no-deps"} <= set(locked)
    assert locked[-2:] == ["-r", "envs/requirements.txt"]
    assert {"--no-deps", "--no-build-isolation"} <= set(itself)
    assert itself[-2:] == ["-e", "."]


def test_it_does_not_run_as_root(instructions) -> None:
    (user,) = arguments(instructions, "USER")
    assert any(
        shlex.split(text)[0] == "useradd" and text.endswith(f" {user}") for text in arguments(instructions, "RUN")
    )
    after = instructions[instructions.index(("USER", user)) :]
    assert [name for name, _ in after] == ["USER", "CMD"]
    assert json.loads(after[-1][1]) == ["unbounded"]


def test_what_it_copies_is_enough_to_plan_a_run(instructions, tmp_path: Path) -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for text in arguments(instructions, "COPY"):
        *sources, target = text.split()
        for source in sources:
            path, there = ROOT / source, tmp_path / target
            assert f"!{source.split('/')[0]}" in ignored
            if path.is_dir():
                shutil.copytree(path, there, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                there.mkdir(exist_ok=True)
                shutil.copy(path, there)
    (tmp_path / "profiles").symlink_to("workflow/profiles")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "workflow")}

    def run(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    assert "64" in run("unbounded", "plan", "config/mine.yaml")
    assert "run_lattice" in run("snakemake", "-n", "--cores", "2", "--configfile", "config/mine.yaml")
    run("unbounded", "config", "check")
