"""Trial files that are no rows are found by a look at their ends, and set aside."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness.campaigns import study
from unbounded.campaign.campaign import Campaign
from unbounded.campaign.layout import Layout
from unbounded.campaign.origin import Made, Origin, campaign_digest, vouch, withdraw
from unbounded.campaign.plan import Plan
from unbounded.campaign.start import find_useless, start_dry_run, start_run
from unbounded.running.errors import NAMED
from unbounded.solvers.contract import Budget
from unbounded.trials.broken import GUESS, find_broken, set_aside
from unbounded.trials.row import SCHEMA, VERSION, write_row
from unbounded.trials.run import Trial, run_trial


@pytest.fixture(scope="module")
def row() -> dict:
    trial = Trial("mixed-D4-t0-TC0-c1e1-E30", "cma-IH", "cma-IH", 1, Budget.parse("evaluations=300"))
    return run_trial(trial)


def write(row: dict, path: Path, **metadata: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    schema = SCHEMA.with_metadata({**{k.decode(): v.decode() for k, v in SCHEMA.metadata.items()}, **metadata})
    pq.write_table(pa.Table.from_pylist([row], schema=schema), path)


def test_whole_rows_of_this_version_are_left_alone(row: dict, tmp_path: Path) -> None:
    write_row(row, tmp_path / "1.parquet")
    # A row with a footer longer than what is read at first, and one with a long trace.
    write(row, tmp_path / "2.parquet", note="x" * 3 * GUESS)
    write_row({**row, "trace": row["trace"] * 500}, tmp_path / "3.parquet")
    assert list(find_broken([tmp_path / f"{number}.parquet" for number in range(1, 5)])) == []


def test_every_cut_is_found(row: dict, tmp_path: Path) -> None:
    path = tmp_path / "1.parquet"
    write_row(row, path)
    whole = path.read_bytes()
    for size in (0, 1, 3, 4, 7, 8, 11, 12, 100, len(whole) // 2, len(whole) - 8, len(whole) - 4, len(whole) - 1):
        path.write_bytes(whole[:size])
        (broken,) = find_broken([path])
        assert broken.path == path
        assert broken.why == ("empty" if size == 0 else "no parquet file" if size < 4 else "cut short")
    # A file system may keep the size and lose the content.
    path.write_bytes(bytes(len(whole)))
    assert [broken.why for broken in find_broken([path])] == ["no parquet file"]
    path.write_bytes(whole)
    assert list(find_broken([path])) == []


def test_what_else_is_no_row_is_said(row: dict, tmp_path: Path) -> None:
    old, other, garbled, folder = (tmp_path / f"{name}.parquet" for name in ("old", "other", "garbled", "folder"))
    write(row, old, **{"unbounded.row.version": str(VERSION - 1)})
    pq.write_table(pa.table({"a": [1]}), other)
    garbled.write_bytes(b"PAR1" + b"x" * 50 + (40).to_bytes(4, "little") + b"PAR1")
    folder.mkdir()
    found = {broken.path: broken.why for broken in find_broken([old, other, garbled, folder])}
    assert found[old] == f"row version {VERSION - 1}, this code reads {VERSION}"
    assert found[other] == "no trial row"
    assert found[garbled].startswith("unreadable (")
    assert found[folder].startswith("cannot be read (")


def test_a_trial_that_was_skipped_for_want_of_a_package_runs_again_once_it_is_there(row: dict, tmp_path: Path) -> None:
    here = json.loads(row["versions"])
    absent = {**here, "no-such-package": "not installed"}
    regained = {**here, "numpy": "not installed"}
    rows = {
        "whole": row,
        "licence": {**row, "status": "skipped", "versions": json.dumps(here)},
        "absent": {**row, "status": "skipped", "versions": json.dumps(absent)},
        "one-of-two": {**row, "status": "skipped", "versions": json.dumps({**absent, **regained})},
        "regained": {**row, "status": "skipped", "versions": json.dumps(regained)},
        # A package that vanished, or came, is nothing to a trial that ran.
        "ran": {**row, "termination": "skipped", "versions": json.dumps(regained)},
    }
    for name, content in rows.items():
        write_row(content, tmp_path / f"{name}.parquet")
    found = {broken.path.stem: broken.why for broken in find_broken(sorted(tmp_path.iterdir()))}
    assert found == {"regained": "skipped for want of numpy, installed by now"}


def test_files_are_moved_from_one_file_system_to_another(tmp_path: Path) -> None:
    if not Path("/dev/shm").is_dir() or os.stat("/dev/shm").st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no other file system here")
    with TemporaryDirectory(dir="/dev/shm") as other:
        trials = tmp_path / "trials"
        trials.symlink_to(other)
        (trials / "1.parquet").write_bytes(b"PAR1")
        set_aside(find_broken([trials / "1.parquet"]), tmp_path, tmp_path / "broken")
        assert list(trials.iterdir()) == []
    assert (tmp_path / "broken" / "trials" / "1.parquet").read_bytes() == b"PAR1"


PLAN = {
    "name": "tiny",
    "solvers": {"cma-IH": {"budget": {"evaluations": 300}}},
    "studies": {"benchmark": study("benchmark", ["cma-IH"], seeds=NAMED + 5)},
}


def test_a_run_moves_them_and_a_dry_run_only_tells(row: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = Path("results/tiny")
    plan = Plan(Campaign.model_validate(PLAN))
    layout = Layout(results)
    tables = [layout.table(name) for name in ("cells", "runs")]
    good, *broken = map(layout.trial, plan.trials())
    write_row(row, good)
    for path in broken:
        path.write_bytes(b"")
    table = tables[0]
    table.parent.mkdir()
    pq.write_table(pa.table({"a": [1]}), table)
    table.write_bytes(table.read_bytes()[:-20])
    useless = [*map(str, broken), str(table)]
    said: list[str] = []
    made = Made(tables, lambda: pytest.fail("all products are remembered"), lambda file: True)
    assert start_dry_run(layout, plan, made, lambda file: None, said.append) == useless
    assert all(path.exists() for path in broken)
    assert "would be made again when asked for" in said.pop()

    moved = start_run(layout, plan, made, lambda file: None, said.append, lambda: pytest.fail("no run was killed"))
    assert moved == useless
    assert good.exists()
    assert not any(path.exists() for path in broken)
    assert len(list((results / "broken" / good.parent.relative_to(results)).iterdir())) == len(broken)
    (message,) = said
    assert message.startswith(f"{NAMED + 5} files are there but of no use")
    assert f"    {broken[0]}: empty\n" in message
    assert message.endswith("… and 5 more")


def test_products_that_snakemake_does_not_remember_are_believed_if_a_file_vouches_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan, layout = Plan(Campaign.model_validate(PLAN)), Layout(Path("results/tiny"))
    ours, remembered, figure = layout.table("cells"), layout.table("runs"), layout.figure("benchmark/best", "svg")
    for path in (ours, remembered, figure):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    pq.write_table(pa.table({"a": [1]}), ours)
    pq.write_table(pa.table({"a": [1]}), remembered)
    code, known = ["0123"], {remembered}
    made = Made([ours, remembered, figure], lambda: Origin(campaign_digest(plan), code[0]), known.__contains__)

    def useless() -> dict[Path, str]:
        return {file.path: file.why for file in find_useless(layout, plan, made, lambda file: None)}

    unknown = "nothing says for which campaign and by which code it was made"
    assert useless() == {ours: unknown, figure: unknown}
    # Only what is remembered, or was found good, is vouched for.
    vouch(layout, made, [ours])
    assert not layout.provenance.exists()
    vouch(layout, made, [ours, figure])
    assert useless() == {}
    written = layout.provenance.read_bytes()
    code[0] = "4567"
    why = "made by other code than there is here, by results/tiny/provenance.json"
    assert useless() == {ours: why, figure: why}
    code[0] = "0123"
    for other in (b"", b"{}", b"[]", b"7", b'{"products": null}', b'{"products": {"code": "0123"}}', b"\xff"):
        layout.provenance.write_bytes(other)
        assert useless() == {ours: unknown, figure: unknown}
    layout.provenance.write_bytes(written)
    changed = {**PLAN, "studies": {"benchmark": study("benchmark", ["cma-IH"], seeds=NAMED + 6)}}
    plan = Plan(Campaign.model_validate(changed))
    why = "made for another campaign than this one, by results/tiny/provenance.json"
    assert useless() == {ours: why, figure: why}
    # One that is cut is named once, and what does not exist is not vouched for.
    ours.write_bytes(b"PAR1")
    found = [file.path for file in find_useless(layout, plan, made, lambda file: None)]
    assert sorted(found) == sorted([ours, figure])
    withdraw(layout)
    figure.unlink()
    vouch(layout, made, [ours, figure])
    assert not layout.provenance.exists()


def test_the_campaign_that_products_are_of_is_all_that_makes_them_another() -> None:
    def digest(solver: dict[str, Any] | None = None, name: str = "benchmark", **more: Any) -> str:
        settings = {"budget": {"evaluations": 300}, **(solver or {})}
        solvers = {"cma-IH": settings, "mies": {"budget": {"evaluations": 300}}}
        studies = {name: study("benchmark", more.pop("ids", ["cma-IH", "mies"]), seeds=1)}
        return campaign_digest(
            Plan(Campaign.model_validate({"name": "tiny", "solvers": solvers, "studies": studies, **more}))
        )

    same = digest()
    for running in ({"watchdog": 90.0}, {"mem_mb": 9000}, {"runtime": 100}, {"label": "CMA-ES"}):
        assert digest(running) == same
    assert digest(title="Another title") == same
    for other in (
        digest({"budget": {"evaluations": 301}}),
        digest(trace_points=5),
        digest(ids=["mies", "cma-IH"]),
        digest(ids=["cma-IH"]),
        # A study may have the name of a setting.
        digest(name="runtime"),
    ):
        assert other != same


def test_rows_are_compared_with_the_plan_where_snakemake_does_not(row: dict, tmp_path: Path) -> None:
    path = str(tmp_path / "1.parquet")
    (cell,) = Plan(Campaign.model_validate(PLAN)).cells.values()
    planned = cell.columns(1)

    def why(recorded: str | None = None, **changes: Any) -> str | None:
        write_row({**row, **changes}, Path(path))
        broken = list(find_broken([path], lambda path: planned, lambda path: recorded))
        return broken[0].why if broken else None

    assert why() is None
    budget = "not as planned: budget_amount is 200.0, planned 300.0"
    assert why(budget_amount=200.0) == budget
    # A record that agrees with the plan is about another file than this; one that does not is Snakemake's own reason.
    assert why("same", budget_amount=200.0) == budget
    assert why("other", budget_amount=200.0) is None
    options = json.loads(row["options"])
    nearer = json.dumps({**options, "radius": 77.0}, sort_keys=True)
    assert why(options=nearer, threads=2) == (
        f"not as planned: option radius is 77.0, planned {options['radius']}; threads is 2, planned 1"
    )
    # Other code counts where nobody remembers the file; who touched it has said that it is as good.
    assert why(code_digest="0" * 16) == f"not as planned: code_digest is {'0' * 16}, planned {planned['code_digest']}"
    assert why("same", code_digest="0" * 16) is None
    for recorded in (None, "same", "other"):
        foreign = why(recorded, seed=2, budget_amount=200.0)
        assert foreign == f"the row of another trial: {row['instance']} by cma-IH with seed 2"
