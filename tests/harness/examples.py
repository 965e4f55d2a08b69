"""The worked examples of the docs: taken from their pages, put where they say, and used as they say."""

import re
from functools import cached_property
from pathlib import Path

from harness.running import ROOT, environment, python


class Example:
    """A page of the docs with a module in it."""

    def __init__(self, page: str) -> None:
        self.text = (ROOT / "docs" / page).read_text(encoding="utf-8")

    def block(self, language: str = "python") -> str:
        """Return the only block of code in a language."""
        (code,) = re.findall(rf"```{language}\n(.*?)```", self.text, re.DOTALL)
        return str(code)

    @cached_property
    def path(self) -> Path:
        """Where the page puts its module, in the repository."""
        (path,) = re.findall(r"^`(workflow/unbounded/[\w/]+\.py)`:$", self.text, re.MULTILINE)
        return Path(path)

    def put(self, folder: Path) -> Path:
        """Write the module where the page puts it, in a copy of the repository."""
        (folder / self.path).write_text(self.block(), encoding="utf-8")
        return folder / self.path

    def commands(self, program: str) -> list[list[str]]:
        """Return the arguments with which the page calls a program."""
        return [line.split() for line in re.findall(rf"^\$ {program} (.*)$", self.text, re.MULTILINE)]

    def keeps_the_contract(self, package: Path) -> None:
        """Run the tests that the page names, on the package in a folder."""
        (contract,) = self.commands("pytest")
        env = environment(PYTHONPATH=str(package))
        output = python("-m", "pytest", "-p", "no:cacheprovider", *contract, env=env)
        assert re.search(r"[1-9]\d* passed", output)

    def passes_the_checks(self, folder: Path) -> None:
        """Check the module as the package is checked; by itself, with the package as it is in the repository."""
        alone = folder / self.path.name
        alone.write_text(self.block(), encoding="utf-8")
        settings = str(ROOT / "pyproject.toml")
        env = environment(PYTHONPATH=str(ROOT / "workflow"))
        for check in (
            ["ruff", "check", "--config", settings],
            ["ruff", "format", "--check", "--config", settings],
            ["mypy", "--config-file", settings],
        ):
            python("-m", *check, str(alone), env=env)
