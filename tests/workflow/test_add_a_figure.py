"""The worked example of docs/add-a-figure.md, put where it says, in a campaign that was finished before."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "add-a-figure.md").read_text(encoding="utf-8")


def put(folder: Path) -> Path:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    (name,) = re.findall(r"^`(workflow/unbounded/figures/\w+\.py)`:$", TEXT, re.MULTILINE)
    (folder / name).write_text(code, encoding="utf-8")
    return folder / name


def check(package: Path, *command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_one_file_puts_a_figure_into_a_campaign_and_makes_nothing_else_anew(finished) -> None:
    put(finished.folder)
    path = "figures/benchmark/mixed-D4-t0-verified"
    assert finished.stale() == {"draw_figure": {f"{path}.svg"}, "write_report": {"report/index.html"}}
    finished.run()
    caption = (finished.results / f"{path}.txt").read_text(encoding="utf-8")
    assert "Stands on 5 of 5 planned runs" in caption
    assert caption.strip() in (finished.results / "report" / "index.html").read_text(encoding="utf-8")
    assert finished.stale() == {}
    (contract,) = re.findall(r"^\$ pytest (.*)$", TEXT, re.MULTILINE)
    check(finished.folder / "workflow", "-m", "pytest", "-p", "no:cacheprovider", *contract.split())


def test_the_example_passes_the_checks_that_the_package_passes(tmp_path: Path) -> None:
    (tmp_path / "workflow" / "unbounded" / "figures").mkdir(parents=True)
    example = put(tmp_path)
    settings = str(ROOT / "pyproject.toml")
    package = ROOT / "workflow"
    check(package, "-m", "ruff", "check", "--config", settings, str(example))
    check(package, "-m", "ruff", "format", "--check", "--config", settings, str(example))
    # By itself, with the package as it is in the repository.
    alone = tmp_path / "alone" / example.name
    alone.parent.mkdir()
    shutil.copy(example, alone)
    check(package, "-m", "mypy", "--config-file", settings, str(alone))
