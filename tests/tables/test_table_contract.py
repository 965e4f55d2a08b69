"""What every table keeps, whoever wrote it, and what is said of one that does not."""

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pandas.testing import assert_frame_equal

from unbounded import tables
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.tables import registry
from unbounded.tables.contract import CAMPAIGN, CLONE, SOURCES, TRACES, TRIALS, VECTORS, Column
from unbounded.tables.files import make, read, read_traces, read_trials, read_vectors, write
from unbounded.tables.published import Published
from unbounded.trials.row import SCHEMA

FOLDER = Path(tables.__file__).parent
#: Its lines are the statements of the paper, whatever was measured.
ALWAYS_FULL = {"claims"}
each_table = pytest.mark.parametrize("name", list(registry.entries()))


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what a campaign without a run has of all that tables are made from."""
    folder = tmp_path_factory.mktemp("empty")
    trials = folder / "trials.parquet"
    pq.write_table(SCHEMA.empty_table(), trials)
    (folder / "c.yaml").write_text("name: c\nstudies: {pictures: {type: landscapes}}\n", encoding="utf-8")
    sources = {
        TRIALS: read_trials(trials),
        TRACES: read_traces(trials),
        VECTORS: read_vectors(trials),
        CAMPAIGN: Plan(load_campaign(folder / "c.yaml")),
        CLONE: Published([], []),
    }
    assert set(sources) == set(SOURCES)
    return {**{name: table.empty() for name, table in registry.entries().items()}, **sources}


@each_table
def test_it_says_what_it_is_and_what_every_column_means(name: str) -> None:
    table = registry.entries()[name]
    assert table.name == name
    assert table.columns
    words = [table.summary, table.line, *(column.meaning for column in table.columns.values())]
    for text in words:
        assert text.strip() == text != ""
        assert not text.endswith(".")


@each_table
def test_its_inputs_are_there_before_it_and_make_takes_them(name: str) -> None:
    table = registry.entries()[name]
    order = [*SOURCES, *registry.entries()]
    assert all(order.index(other) < order.index(name) for other in table.inputs)
    inspect.signature(table.make).bind(*table.inputs)


@each_table
def test_from_nothing_it_is_empty_and_of_its_types(name: str, empty: dict[str, Any], tmp_path: Path) -> None:
    table = registry.entries()[name]
    made = table(*(empty[other] for other in table.inputs))
    assert made.dtypes.astype(str).to_dict() == table.types
    assert (len(made) == 0) == (name not in ALWAYS_FULL)
    # Files keep types too, where there is no value to tell them.
    write(made, tmp_path / name)
    assert_frame_equal(read(tmp_path / f"{name}.parquet"), made)


@pytest.mark.parametrize("module", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_no_table_is_imported_by_another_so_that_its_code_makes_no_other_stale(module: str) -> None:
    if module == "audit_page":  # It makes them.
        return
    tree = ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported & {registry.module_of(name) for name in registry.entries()} == set()


def test_reading_all_declarations_loads_nothing_heavy() -> None:
    heavy = ["scipy.stats", "scipy.spatial", "scipy.special", "matplotlib", "numba"]
    code = (
        f"import sys; from unbounded.tables import registry; registry.entries(); print({{*{heavy}}} & {{*sys.modules}})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_tables_of_campaigns_and_of_the_audit_are_apart() -> None:
    campaign, audit = registry.of_campaigns(), registry.of_audit()
    assert {*campaign, *audit} == set(registry.entries())
    assert set(audit) == {name for name in registry.entries() if name.startswith("audit")}
    assert set(campaign) - set(registry.made_from_tables()) == {"plan"}


# --- One of one's own ------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder whose modules belong to the package of tables, too."""
    monkeypatch.setattr(tables, "__path__", [*tables.__path__, str(tmp_path)])
    before = set(sys.modules)
    for cached in (registry.entries, registry.of_audit):
        cached.cache_clear()
    yield tmp_path
    for cached in (registry.entries, registry.of_audit):
        cached.cache_clear()
    for module in set(sys.modules) - before:
        del sys.modules[module]


def declare(folder: Path, module: str, inputs: str, name: str | None = None, column: str = "str") -> None:
    (folder / f"{module}.py").write_text(
        f"""
from unbounded.tables.contract import Column, Table

TABLE = Table(
    name="{name or module}", summary="One", line="a line", inputs=({inputs},),
    columns={{"solver": Column("{column}", "who"), "more": Column("Int64", "nothing")}},
    make=lambda table: table.rename(columns={{}}),
)
""",
        encoding="utf-8",
    )


def test_a_module_more_is_a_table_more(folder: Path, tmp_path: Path) -> None:
    declare(folder, "mine", '"runs"')
    assert "mine" in registry.made_from_tables()
    write(registry.find("runs").empty(), tmp_path / "runs")
    make(registry.find("mine"), tmp_path)
    # Other columns of what `make` returns are dropped, those it leaves out are empty.
    assert read(tmp_path / "mine.parquet").dtypes.astype(str).to_dict() == {"solver": "str", "more": "Int64"}


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (
            {"module": "mine", "inputs": '"rnus"'},
            "the table 'mine' is made from 'rnus', which is none; allowed: trials, ",
        ),
        ({"module": "mine", "inputs": '"mine"'}, "tables are made from one another in a circle: mine ← mine"),
        (
            {"module": "mine", "inputs": '"runs"', "name": "other"},
            "the table in the module unbounded.tables.mine is named 'other'; allowed: 'mine'",
        ),
        (
            {"module": "mine", "inputs": '"runs"', "column": "int"},
            "the table module unbounded.tables.mine cannot be imported (ValueError: a column has the type 'int'; "
            "allowed: str, int64, Int64, float64, bool); mend or remove unbounded/tables/mine.py",
        ),
    ],
)
def test_what_is_wrong_with_a_declaration_is_said(folder: Path, declared: dict[str, str], said: str) -> None:
    declare(folder, **declared)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - what it says is compared below
        registry.entries()
    assert str(caught.value).startswith(said)


def test_a_table_that_is_none_is_named() -> None:
    with pytest.raises(ValueError, match="there is no table 'measures'"):
        registry.find("measures")
    with pytest.raises(ValueError, match="allowed: str, int64, Int64, float64, bool"):
        Column("int", "a number")
