"""`unbounded stale`: Snakemake's reasons in words, and what a rerun is expected to cost."""

import re
import subprocess
from pathlib import Path

import pytest

from harness.campaigns import MIXED, planned, tiny
from harness.running import Workflow
from unbounded.campaign.costs import CostModel
from unbounded.campaign.layout import present, trial_path
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.campaign.stale import reasons
from unbounded.figures.registry import pictures
from unbounded.solvers.contract import Budget
from unbounded.tables.registry import made_from_tables
from unbounded.trials.row import write_row
from unbounded.trials.run import Trial, run_trial


def test_jobs_are_grouped_by_reason_and_rule_with_their_cost(finished) -> None:
    assert finished.unbounded("stale", "tiny.yaml") == "Campaign tiny (tiny.yaml): nothing is stale.\n"

    campaign = tiny()
    campaign["solvers"]["mies"] = {"budget": {"evaluations": 4000}, "options": {"tournament": 1}}
    campaign["studies"]["benchmark"]["seeds"] = 3
    finished.write(campaign)
    (finished.results / "trials" / MIXED / "cplex" / "1.parquet").write_bytes(b"PAR1")
    finished.edit("solvers/cma_ih.py", "SOLVER = Pycma()", "ONE = 1\nSOLVER = Pycma()")
    finished.edit("figures/landscapes.py", "markersize=7", "markersize=8")

    output = finished.unbounded("stale", "tiny.yaml")
    assert "CPU hours: of 8 trials from recorded times" in output
    groups = {tuple(re.split(r" {2,}", line)[:3]) for line in output.splitlines()[3:] if "  " in line}
    jobs = sum(int(count) for _, _, count in groups)
    assert output.startswith(f"Campaign tiny (tiny.yaml): {jobs} jobs would run, 8 of them trials, ")
    drawn = len(pictures(Plan(load_campaign(finished.file))))
    # A job that has several reasons is said by Snakemake to have the first that it finds.
    collected = {group for group in groups if group[1] == "collect_slice"}
    assert sum(int(jobs) for _, _, jobs in collected) == 2
    assert {why for why, _, _ in collected} <= {"other inputs than before", "inputs are remade"}
    assert groups - collected == {
        ("changed: budget, options.tournament", "run_mies", "3"),
        ("missing", "run_mies", "1"),
        ("changed: code", "run_cma-IH", "2"),
        ("missing", "run_cma-IH", "1"),
        ("its file is of no use", "run_cplex", "1"),
        ("changed: code", "draw_figure", "1"),
        ("changed: campaign", "record_campaign", "1"),
        ("changed: planned trials", "record_plan", "1"),
        ("inputs are remade", "collect_campaign", "1"),
        ("inputs are remade", "make_table", str(len(made_from_tables()))),
        ("inputs are remade", "draw_figure", str(drawn - 2)),
        ("inputs are remade", "write_claims", "1"),
        ("inputs are remade", "write_report", "1"),
    }


def test_results_that_move_as_the_docs_say_are_not_stale(finished, tmp_path: Path) -> None:
    moved = Workflow(tmp_path / "elsewhere", tmp_path / "elsewhere")
    moved.folder.mkdir()
    kept = ("results/tiny", ".snakemake/metadata", "tiny.yaml")
    for name in (
        *(path.name for path in finished.folder.iterdir() if path.name not in ("results", ".snakemake")),
        *kept,
    ):
        (moved.folder / name).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-aT", finished.folder / name, moved.folder / name], check=True)
    assert moved.unbounded("stale", "tiny.yaml") == "Campaign tiny (tiny.yaml): nothing is stale.\n"
    campaign = tiny()
    campaign["solvers"]["mies"]["budget"] = {"evaluations": 4000}
    moved.write(campaign)
    assert "changed: budget" in moved.unbounded("stale", "tiny.yaml")


def test_a_campaign_that_snakemake_cannot_plan_is_a_message(finished) -> None:
    finished.edit("figures/completeness.py", '"campaign/completeness"', '"campaign/two/parts"')
    output = finished.unbounded("stale", "tiny.yaml", code=2)
    assert "snakemake cannot plan tiny.yaml" in output


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Missing output files: a.parquet, b.parquet", ["missing"]),
        ("Incomplete output files: a.parquet", ["incomplete"]),
        ("Updated input files: a", ["inputs are newer"]),
        ("Missing output files: a; Input files updated by another job: b", ["missing"]),
        ("Input files updated by another job: b, c", ["inputs are remade"]),
        ("Something that Snakemake did not say before", ["Something that Snakemake did not say before"]),
        (
            "Params have changed since last execution: Union of exclusive params before and now across all output: "
            "before: {'options': {'a': 1, 'b': 2}, 'instance_digest': 'x', 'threads': 1} "
            "now: {'options': {'a': 1, 'b': 3}, 'instance_digest': 'y', 'threads': 1} ",
            ["changed: instance, options.b"],
        ),
        (
            "Set of input files has changed since last execution; Params have changed since last execution: Union of "
            "exclusive params before and now across all output: before: '0123456789abcdef' now: '0123456789abcdee' "
            "; Software environment definition has changed since last execution",
            ["other inputs than before", "changed: code", "another software environment"],
        ),
        (
            "Params have changed since last execution: Union of exclusive params before and now across all output: "
            "before: <nothing exclusive> now: 'some text; and more' ",
            ["changed: params"],
        ),
    ],
)
def test_reasons_in_words(text: str, expected: list[str]) -> None:
    assert list(reasons(text)) == expected


def test_costs_are_medians_of_what_was_recorded_scaled_to_the_budget(tmp_path: Path) -> None:
    campaign = tiny()
    campaign["studies"]["benchmark"]["seeds"] = 60
    plan = planned(tmp_path / "tiny.yaml", campaign)
    row = run_trial(Trial(MIXED, "mies", "mies", 1, Budget.parse("evaluations=1500")))
    # Half of the planned budget; of 60 trials one third took 1 s, the others 3 s; one has no run to learn from.
    for seed in range(1, 61):
        status = "skipped" if seed == 2 else row["status"]
        seconds = 1.0 if seed % 3 == 0 else 3.0
        write_row(
            {**row, "seed": seed, "status": status, "cpu_seconds": seconds},
            tmp_path / trial_path((MIXED, "mies", seed)),
        )
    (tmp_path / trial_path((MIXED, "cma-IH", 1))).parent.mkdir()
    (tmp_path / trial_path((MIXED, "cma-IH", 1))).write_bytes(b"no row")
    files = present(tmp_path)
    assert len(files) == 61
    costs = CostModel(plan, tmp_path)
    mies, cma = plan.cells[MIXED, "mies"], plan.cells[MIXED, "cma-IH"]
    assert costs.seconds(mies) == mies.cpu_seconds
    costs.learn(files)
    assert costs.recorded(mies)
    assert costs.seconds(mies) == pytest.approx(6.0)
    assert not costs.recorded(cma)
    assert costs.seconds(cma) == cma.cpu_seconds
    # A sample is enough, and nothing is read twice.
    assert len(costs._read) <= CostModel.SAMPLE + 1
    for path in tmp_path.rglob("*.parquet"):
        path.unlink()
    costs.learn(files)
    assert costs.seconds(mies) == pytest.approx(6.0)


def test_only_trial_files_are_counted_as_trials(tmp_path: Path) -> None:
    assert present(tmp_path / "absent") == {}
    folder = tmp_path / MIXED / "mies"
    folder.mkdir(parents=True)
    for name in ("1.parquet", ".2.parquet.77.tmp", "3.parquet.tmp", "notes.parquet", "README"):
        (folder / name).touch()
    (folder / "4.parquet").mkdir()
    (tmp_path / "a file").touch()
    assert set(present(tmp_path)) == {(MIXED, "mies", 1)}
    assert present(tmp_path)[MIXED, "mies", 1] == (folder / "1.parquet").stat().st_mtime
