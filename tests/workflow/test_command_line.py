"""`python -m unbounded`: the steps by hand."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from unbounded.instances import build
from unbounded.trials.row import read_rows

ROOT = Path(__file__).parents[2]
INSTANCE = "mixed-D4-t0-TC0-c1e1-E30"


def unbounded(*arguments: str, cwd: Path = ROOT, code: int = 0) -> str:
    done = subprocess.run([sys.executable, "-m", "unbounded", *arguments], cwd=cwd, capture_output=True, text=True)
    output = done.stdout + done.stderr
    assert done.returncode == code, output
    assert "Traceback" not in output
    return output


def test_a_trial_by_hand_prints_a_summary_and_writes_its_row(tmp_path: Path) -> None:
    out = tmp_path / "row.parquet"
    command = ["trial", "mixed-D4-t0-TC0-c10-E30", "--solver", "mies", "--seed", "3", "--budget", "evaluations=10000"]
    output = unbounded(*command, "--option", "tournament=1", "--out", str(out))
    (row,) = read_rows([out]).to_pylist()
    assert row["instance"] == INSTANCE
    assert f"{row['f']:.10g}" in output
    assert row["evaluations"] <= 10000
    assert '"tournament": 1' in row["options"]
    assert row["status"] == "budget"


def test_a_trial_by_hand_takes_the_solver_s_default_budget(tmp_path: Path) -> None:
    output = unbounded("trial", "mixed-D2-t0-TC0-c10-E30", "--solver", "cma-IH", "--seed", "1")
    assert "1e+06 evaluations" in output
    assert "converged" in output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["trial", "D4", "--solver", "mies", "--seed", "1"], ["'D4' is no instance id", "mixed-D64-t0-TC3-c1e4-E30"]),
        (["trial", INSTANCE, "--solver", "miez", "--seed", "1"], ["unknown solver 'miez'", "mies"]),
        (
            ["trial", INSTANCE, "--solver", "mies", "--seed", "1", "--option", "x=1"],
            ["unknown key 'x'", "tournament"],
        ),
        (
            ["trial", INSTANCE, "--solver", "mies", "--seed", "1", "--option", "parents=none"],
            ["parents", "'none'", "integer"],
        ),
        (["trial", INSTANCE, "--solver", "mies", "--seed", "1", "--option", "x"], ["KEY=VALUE"]),
        (["trial", INSTANCE, "--solver", "mies", "--seed", "1", "--budget", "hours=3"], ["hours=3", "seconds=N"]),
        (["trial", INSTANCE, "--solver", "mies", "--seed", "1", "--budget", "ticks=3"], ["ticks", "evaluations"]),
        (["trial", INSTANCE, "--solver", "mies", "--seed", "-1"], ["--seed is -1"]),
        (["trial", INSTANCE, "--solver", "mies", "--seed", "1", "--threads", "0"], ["--threads is 0"]),
        (["plan", "config/absent.yaml"], ["config/absent.yaml", "cannot be read"]),
    ],
)
def test_what_is_wrong_is_one_sentence(arguments: list[str], words: list[str]) -> None:
    output = unbounded(*arguments, code=2)
    assert len(output.strip().splitlines()) == 1
    for word in words:
        assert word in output


def test_an_instance_is_exported_and_shown(tmp_path: Path) -> None:
    for format in ("lp", "mps", "npz"):
        unbounded("instance", "export", INSTANCE, "--format", format, cwd=tmp_path)
        assert (tmp_path / f"{INSTANCE}.{format}").stat().st_size > 300
    arrays = np.load(tmp_path / f"{INSTANCE}.npz")
    assert arrays["digest"] == build(INSTANCE).digest
    output = unbounded("instance", "show", INSTANCE)
    assert "2 real, then 2 integer" in output
    assert build(INSTANCE).digest in output


def test_the_plan_counts_trials_and_cpu_hours() -> None:
    output = unbounded("plan")
    assert re.search(r"^benchmark +648 +14256 +14256 +\d", output, re.MULTILINE)
    assert re.search(r"^all +1622 +42208", output, re.MULTILINE)


def test_products_are_listed_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "results/demo/tables").mkdir(parents=True)
    (tmp_path / "results/demo/tables/trials.csv").write_text("f\n")
    (tmp_path / "results/demo/figures/benchmark").mkdir(parents=True)
    (tmp_path / "results/demo/figures/benchmark/best.svg").write_text("<svg/>")
    output = unbounded("products", str(ROOT / "config/demo.yaml"), cwd=tmp_path)
    assert re.search(r"^results/demo/tables +1 tables", output, re.MULTILINE)
    assert re.search(r"^ +results/demo/figures/benchmark +1$", output, re.MULTILINE)


def test_the_solvers_are_listed_with_version_and_availability() -> None:
    output = unbounded("solvers")
    for id in (
        "cplex",
        "cplex-published",
        "mies",
        "mies-printed",
        "mies-corr",
        "cma-IH",
        "cma-IH-default",
        "cma-IH-AL",
        "cma-IC",
        "cma-wM",
        "cma-wM-fast",
        "cma-IH-fast",
        "cma-IH-AL-fast",
    ):
        assert re.search(rf"^{id} +\w+ \d.* available$", output, re.MULTILINE), id
    described = unbounded("solvers", "mies-printed")
    assert "Algorithm 1" in described
    assert re.search(r"tournament +1 ", described)
