"""`unbounded`: the steps by hand."""

import os
import re
import signal
import socket
import subprocess
import sys
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from harness.campaigns import MIXED
from harness.running import ROOT, unbounded, wait_for
from unbounded import __version__
from unbounded.campaign.reading import load_campaign
from unbounded.campaign.settings import BudgetSettings
from unbounded.campaign.studies import STUDY_TYPES
from unbounded.cli import main
from unbounded.instances import build
from unbounded.report.docs import MODELS
from unbounded.trials.reading import read_rows


def test_a_trial_by_hand_prints_a_summary_and_writes_its_row(tmp_path: Path) -> None:
    out = tmp_path / "row.parquet"
    command = ["trial", "mixed-D4-t0-TC0-c10-E30", "--solver", "mies", "--seed", "3", "--budget", "evaluations=10000"]
    output = unbounded(*command, "--option", "tournament=1", "--out", str(out))
    (row,) = read_rows([out]).to_pylist()
    assert row["instance"] == MIXED
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
        (["trial", MIXED, "--solver", "miez", "--seed", "1"], ["unknown solver 'miez'", "mies"]),
        (
            ["trial", MIXED, "--solver", "mies", "--seed", "1", "--option", "x=1"],
            ["unknown key 'x'", "tournament"],
        ),
        (
            ["trial", MIXED, "--solver", "mies", "--seed", "1", "--option", "parents=none"],
            ["parents", "'none'", "integer"],
        ),
        (["trial", MIXED, "--solver", "mies", "--seed", "1", "--option", "x"], ["KEY=VALUE"]),
        (["trial", MIXED, "--solver", "mies", "--seed", "1", "--budget", "hours=3"], ["hours=3", "seconds=N"]),
        (["trial", MIXED, "--solver", "mies", "--seed", "1", "--budget", "ticks=3"], ["ticks", "evaluations"]),
        (["trial", MIXED, "--solver", "mies", "--seed", "-1"], ["seed is -1"]),
        (["trial", MIXED, "--solver", "mies", "--seed", "1", "--threads", "0"], ["threads is 0"]),
        (["archive", "tables", "absent.zip", "--into", "absent", "--cores", "0"], ["--cores is 0", "from 1"]),
        (["plan", "config/absent.yaml"], ["config/absent.yaml", "cannot be read"]),
    ],
)
def test_what_is_wrong_is_one_sentence(arguments: list[str], words: list[str]) -> None:
    output = unbounded(*arguments, code=2)
    assert len(output.strip().splitlines()) == 1
    for word in words:
        assert word in output


@pytest.mark.parametrize(
    "command",
    [
        ["trial", MIXED, "--solver", "mies", "--seed", "1", "--budget", "evaluations=1000", "--out"],
        ["trial", MIXED, "--solver", "mies", "--seed", "1", "--budget", "evaluations=1000", "--log"],
        ["instance", "export", MIXED, "--format", "npz", "--out"],
        ["instance", "export", MIXED, "--format", "lp", "--out"],
        ["archive", "pack", "config/demo.yaml", "--partial", "--out"],
        ["progress", "config/demo.yaml", "--log"],
    ],
    ids=lambda command: " ".join(word for word in command if word[0] != "m"),
)
def test_only_files_are_written_and_that_is_checked_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(ROOT)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    before = {path: path.lstat().st_ino for path in tmp_path.iterdir()}
    for name, words in {
        "pipe": "is a device, a pipe or a socket",
        "socket": "is a device, a pipe or a socket",
        "link": "is a device, a pipe or a socket",
        "folder": "is a folder",
        "file/below": "Not a directory",
    }.items():
        assert main([*command, str(tmp_path / name)]) == 2
        said = capsys.readouterr()
        assert words in said.err
        assert said.out == ""
    assert {path: path.lstat().st_ino for path in tmp_path.iterdir()} == before


def test_ctrl_c_ends_a_trial_with_a_sentence(tmp_path: Path) -> None:
    command = ["trial", "mixed-D64-t0-TC8-c1e4-E30", "--solver", "cma-IH", "--seed", "1", "--budget", "seconds=300"]
    log = tmp_path / "log"
    # Where the tests run in the background of a shell, they and all that they start ignore this signal.
    heeding = ["env", "--default-signal=INT", sys.executable]
    with subprocess.Popen(
        [*heeding, "-m", "unbounded", *command, "--log", str(log), "--out", str(tmp_path / "row")],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        # The log is opened when the solver's process is forked.
        wait_for(log.exists)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == "unbounded trial: interrupted\n"
    assert not (tmp_path / "row").exists()


def test_what_is_written_to_a_link_goes_where_it_points(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "real.npz", tmp_path / "link.npz"
    link.symlink_to(target)
    for _ in range(2):
        assert main(["instance", "export", MIXED, "--format", "npz", "--out", str(link)]) == 0
        assert link.is_symlink()
        assert np.load(target)["digest"] == build(MIXED).digest
    assert os.listdir(tmp_path / "elsewhere") == ["real.npz"]


def test_an_instance_is_exported_and_shown(tmp_path: Path) -> None:
    for format in ("lp", "mps", "npz"):
        unbounded("instance", "export", MIXED, "--format", format, folder=tmp_path)
        assert (tmp_path / f"{MIXED}.{format}").stat().st_size > 300
    arrays = np.load(tmp_path / f"{MIXED}.npz")
    assert arrays["digest"] == build(MIXED).digest
    output = unbounded("instance", "show", MIXED)
    assert "2 real, then 2 integer" in output
    assert build(MIXED).digest in output


def test_the_plan_counts_trials_and_cpu_hours() -> None:
    output = unbounded("plan")
    assert re.search(r"^benchmark +648 +14256 +14256 +\d", output, re.MULTILINE)
    assert re.search(r"^all +1622 +42748", output, re.MULTILINE)


def test_products_are_listed_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "results/demo/tables").mkdir(parents=True)
    (tmp_path / "results/demo/tables/trials.csv").write_text("f\n")
    (tmp_path / "results/demo/figures/benchmark").mkdir(parents=True)
    (tmp_path / "results/demo/figures/benchmark/best.svg").write_text("<svg/>")
    output = unbounded("products", str(ROOT / "config/demo.yaml"), folder=tmp_path)
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


def test_the_installed_command_is_this_program() -> None:
    (script,) = entry_points(group="console_scripts", name="unbounded")
    assert script.load() is main
    assert unbounded("--version") == f"unbounded {__version__}\n"


def test_a_bare_call_lists_the_commands() -> None:
    output = unbounded()
    modules = [path.stem for path in (ROOT / "workflow/unbounded/cli").glob("[a-z]*.py")]
    assert len(modules) > 10
    for name in modules:
        assert re.search(rf"^ +{name} +\w", output, re.MULTILINE), name
    assert "invalid choice: 'plans'" in unbounded("plans", code=2)


def test_a_command_loads_no_library_before_it_needs_one() -> None:
    lines = """
import sys
import unbounded
from unbounded.cli import main
try:
    main(["--version"])
except SystemExit:
    pass
print(sorted({"numpy", "pydantic", "yaml", "rich", "argcomplete"} & set(sys.modules)))
"""
    output = subprocess.run([sys.executable, "-c", lines], check=True, capture_output=True, text=True).stdout
    assert output.splitlines()[1:] == ["[]"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("unbounded pr", {"products", "progress"}),
        ("unbounded archive ", {"pack", "verify", "restore", "tables"}),
        (
            "unbounded trial x --solver cma-I",
            {"cma-IC", "cma-IH", "cma-IH-AL", "cma-IH-AL-fast", "cma-IH-default", "cma-IH-fast"},
        ),
        ("unbounded solvers lat", {"lattice"}),
        ("unbounded plan config/demo", {"config/demo.yaml"}),
    ],
)
def test_a_shell_can_complete_a_line(line: str, expected: set[str], tmp_path: Path) -> None:
    answer = tmp_path / "answer"
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    subprocess.run([sys.executable, "-m", "unbounded"], cwd=ROOT, env=os.environ | asked, check=True)
    assert {word.strip() for word in answer.read_text().split("\n")} - {"-h", "--help"} == expected


def test_a_new_campaign_is_a_copy_of_the_starter_under_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    assert "go to the folder of the repository" in unbounded("new", "first", folder=tmp_path, code=2)
    starter = (ROOT / "config/mine.yaml").read_text(encoding="utf-8")
    (tmp_path / "config/mine.yaml").write_text(starter, encoding="utf-8")
    for name in ("first", "010", "true"):
        output = unbounded("new", name, folder=tmp_path)
        assert f"--configfile config/{name}.yaml" in output
        made = load_campaign(tmp_path / f"config/{name}.yaml")
        assert made.name == name
        assert made.studies == load_campaign(ROOT / "config/mine.yaml").studies
    (tmp_path / "config/first.yaml").write_text("mine", encoding="utf-8")
    assert "config/first.yaml is there already" in unbounded("new", "first", folder=tmp_path, code=2)
    assert (tmp_path / "config/first.yaml").read_text(encoding="utf-8") == "mine"
    for name in ("../out", "", ".hidden", "two words", "x" * 61):
        assert "is no name of a campaign" in unbounded("new", name, folder=tmp_path, code=2)
    assert len(list(tmp_path.rglob("*.yaml"))) == 4


def test_the_starter_explains_every_key_of_a_campaign() -> None:
    text = (ROOT / "config/mine.yaml").read_text(encoding="utf-8")
    for _, model in MODELS:
        for key in model.model_fields:
            # Kinds of budgets are listed in a sentence, all else stands as a key.
            assert re.search(rf"\b{key}\b" if model is BudgetSettings else rf"\b{key}:", text), key
    for study_type in STUDY_TYPES:
        assert study_type in text
    # What is set is explained where it is set first, in the line above.
    lines = text.splitlines()
    seen: set[str] = set()
    for above, line in pairwise(lines):
        key = re.match(r"    ([a-zA-Z_]+):", line)
        if key and key[1] not in seen:
            seen.add(key[1])
            assert above.strip().startswith("#"), line
    assert len(seen) > 10


def test_the_plan_says_which_solvers_are_not_there_and_why(tmp_path: Path) -> None:
    # As where the package is not installed.
    (tmp_path / "gurobipy.py").write_text("raise ModuleNotFoundError('no such package here', name='gurobipy')")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    for campaign, words in (("question", ["gurobi: the package gurobipy", "no such package here"]), ("demo", [])):
        output = unbounded("plan", f"config/{campaign}.yaml", env=os.environ | {"PYTHONPATH": path})
        assert ("Not available here" in output) == bool(words)
        for word in words:
            assert word in output
        assert "scip: " not in output
