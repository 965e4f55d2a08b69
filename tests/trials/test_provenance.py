"""The digest of code: it moves with what code does, and with nothing else."""

import shutil
from pathlib import Path

import pytest

from unbounded.running import provenance
from unbounded.running.provenance import code_digest
from unbounded.solvers.registry import find
from unbounded.trials.run import trial_code

PACKAGE = Path(__file__).parents[2] / "workflow" / "unbounded"
CACHED = (provenance._source, provenance._module, provenance.code_digest)


def forget() -> None:
    for function in CACHED:
        function.cache_clear()


@pytest.fixture
def digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that edits a copy of the package and returns the digests of three solvers' trials."""
    copy = tmp_path / "unbounded"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    source = provenance._source

    def in_copy(module: str) -> Path | None:
        path = source(module)
        return None if path is None else copy / path.relative_to(PACKAGE)

    def after(module: str | None = None, old: str = "", new: str = "") -> dict[str, str]:
        if module is not None:
            path = copy / module
            text = path.read_text(encoding="utf-8")
            assert old in text
            path.write_text(text.replace(old, new, 1), encoding="utf-8")
        forget()
        return {solver: trial_code(find(solver)) for solver in ("mies", "cma-IH", "cplex")}

    monkeypatch.setattr(provenance, "_source", in_copy)
    yield after
    forget()


def test_a_solver_s_own_module_moves_only_its_own_digest(digests) -> None:
    before = digests()
    after = digests("solvers/compiled/mies.py", "common + rate", "1.0 * common + rate")
    assert before["mies"] != after["mies"]
    assert (before["cma-IH"], before["cplex"]) == (after["cma-IH"], after["cplex"])


def test_what_never_changes_a_result_moves_no_digest_and_each_other_module_moves_those_that_import_it(digests) -> None:
    """Every module of the package is edited in turn."""
    before = digests()
    running = sorted(path.relative_to(PACKAGE) for path in (PACKAGE / "running").rglob("*.py"))
    assert len(running) > 8
    for module in running:
        assert digests(str(module), '"""', '"""\nONE = 1\n"""') == before, module
    shared = {"mies", "cma-IH", "cplex"}
    for module, moved in {
        "instances/instance.py": shared,
        "instances/hessians.py": shared,
        "solvers/contract.py": shared,
        "trials/run.py": shared,
        "trials/row.py": shared,
        "trials/shared.py": shared,
        "solvers/compiled/compiling.py": {"mies"},
        "solvers/compiled/evaluation.py": {"mies"},
        "solvers/mies.py": {"mies"},
        "solvers/cma_ih.py": {"cma-IH"},
        "solvers/formulation.py": {"cplex"},
        "solvers/lattice.py": set(),
        "campaign/plan.py": set(),
        "tables/cells.py": set(),
    }.items():
        last = digests()
        after = digests(module, "from __future__ import annotations\n", "from __future__ import annotations\nONE = 1\n")
        assert {solver for solver in shared if last[solver] != after[solver]} == moved, module


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("trials/run.py", '"seed": trial.seed', '"seed": trial.seed + 0'),
        ("instances/hessians.py", "half *= 2", "half = 2 * half"),
        ("solvers/contract.py", "math.log(1.03)", "math.log(1.04)"),
        ("trials/row.py", "VERSION = ", "VERSION = 1 + "),
    ],
)
def test_a_shared_module_moves_every_digest(digests, module: str, old: str, new: str) -> None:
    before, after = digests(), digests(module, old, new)
    assert all(before[solver] != after[solver] for solver in before)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("solvers/mies.py", '"""`mies`:', '"""Another docstring. `mies`:'),
        ("solvers/mies.py", "#: Generations between", "#: As said, generations between"),
        ("solvers/mies.py", 'description="μ, parents', 'description="μ, the parents'),
        ("solvers/mies.py", 'summary = "(15,100)', 'summary = "A (15,100)'),
        ("instances/hessians.py", "    def matrix(self)", "\n\n    def matrix(self)"),
        ("cli/trial.py", '"id, such as', '"an id such as'),
        ("trials/row.py", 'description="name of the machine"', 'description="the machine"'),
        ("campaign/types.py", "MAX_SEEDS = 100_000", "MAX_SEEDS = 200_000"),
        ("__init__.py", "__version__ = ", "__version__ = 'x' or "),
        ("figures/style.py", '"font.size": 9', '"font.size": 10'),
    ],
)
def test_prose_layout_and_what_trials_do_not_run_move_nothing(digests, module: str, old: str, new: str) -> None:
    assert digests() == digests(module, old, new)


def test_an_unknown_module_is_refused() -> None:
    with pytest.raises(ValueError, match="no module"):
        code_digest("unbounded.absent")
