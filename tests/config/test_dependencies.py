"""What is imported is declared, and what is declared is imported, or is a command or plug-in that a file names."""

import ast
import re
import sys
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DECLARED = {
    re.match(r"[A-Za-z0-9_.-]+", line)[0].lower().replace("_", "-")
    for name in ("requirements", "commercial", "peers")
    for line in (ROOT / "envs" / f"{name}.in").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith(("#", "-"))
}
#: Where commands and plug-ins are named, and under which names those are that are called otherwise.
NAMED_IN = [ROOT / "Makefile", ROOT / "pyproject.toml", *ROOT.glob("workflow/profiles/*/config.yaml"), ROOT / ".ci/run"]
CALLED = {
    "import-linter": "lint-imports",
    "pytest-cov": "--cov",
    "pytest-xdist": "-n $(CORES)",
    "types-pyyaml": "mypy",
    "snakemake-executor-plugin-slurm": "executor: slurm",
}
#: Of Snakemake: what `--report` and `--logger rich` load by name.
BY_SNAKEMAKE = {"pygments", "snakemake-logger-plugin-rich"}
#: Installed for another package: pip builds this repository with the first, fpylll loads the second.
BY_OTHERS = {"editables", "cysignals"}


@cache
def imported() -> set[str]:
    """Return the distributions behind all imports of this repository's code, its own and Python's modules aside."""
    own = {path.stem for pattern in ("tests/*", "tests/*/*.py", "benchmarks/*.py") for path in ROOT.glob(pattern)}
    names = set()
    for folder in ("workflow", "scripts", "tests", "benchmarks", "envs"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    names.update(alias.name.partition(".")[0] for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    names.add(node.module.partition(".")[0])
    distributions = packages_distributions()
    outside = names - set(sys.stdlib_module_names) - own - {"unbounded"}
    return {distributions.get(name, [name])[0].lower().replace("_", "-") for name in outside}


def test_every_package_that_is_imported_is_declared() -> None:
    assert imported() - DECLARED == set()


@pytest.mark.parametrize("package", sorted(DECLARED))
def test_every_declared_package_is_used(package: str) -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in NAMED_IN)
    assert package in imported() | BY_SNAKEMAKE | BY_OTHERS or CALLED.get(package, package) in text
