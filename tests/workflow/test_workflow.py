"""The workflow as a user runs it: from a campaign file to tables and figures, and only what is stale again."""

import json
import os
import re
from pathlib import Path
from zipfile import ZipFile

import pyarrow.csv as pcsv
import pyarrow.parquet as pq
import pytest

from harness.campaigns import INTEGER, MIXED, tiny
from harness.running import ROOT
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.solvers.contract import Budget
from unbounded.trials.reading import read_rows
from unbounded.trials.row import MEASURED, SCHEMA
from unbounded.trials.run import Trial, run_trial


def planned(output: str) -> int:
    """Return how many trials the job table of a dry run counts; it is printed twice."""
    return sum(int(count) for count in dict(re.findall(r"^(run_\S+) +(\d+)$", output, re.MULTILINE)).values())


def test_a_campaign_runs_to_its_products_and_then_only_what_changed_runs_again(finished) -> None:
    output = (finished.folder / "said.txt").read_text(encoding="utf-8")

    # The count of trials by study stands before the first job.
    table = output.index("trials by study")
    assert table < output.index("steps (")
    assert re.search(r"benchmark +1 +5 +5", output)
    assert re.search(r"all-integer +1 +2 +2", output)

    # Every planned trial has its row and its log.
    plan = Plan(load_campaign(finished.file))
    assert set(finished.trials()) == {f"{instance}/{solver}/{seed}.parquet" for instance, solver, seed in plan.trials()}
    logs = finished.results / "logs" / "trials" / MIXED / "cplex"
    assert "MIP" in (logs / "1.log").read_text(encoding="utf-8")

    # The table holds every row once, and the rows are those that the same function gives by hand.
    trials = pq.read_table(finished.results / "tables" / "trials.parquet")
    assert trials.num_rows == 7
    assert set(SCHEMA.names) | {"kind", "D", "t", "case", "c", "E", "hessian"} == set(trials.column_names)
    (row,) = [row for row in trials.to_pylist() if row["solver"] == "mies" and row["seed"] == 2]
    by_hand = run_trial(Trial(row["instance"], "mies", "mies", 2, Budget.parse("evaluations=3000")))
    same = set(SCHEMA.names) - {*MEASURED, "trace"}
    assert {name: row[name] for name in same} == {name: by_hand[name] for name in same}
    assert (row["kind"], row["D"], row["case"], row["c"]) == ("mixed", 4, "TC0", 10.0)
    people = pcsv.read_csv(finished.results / "tables" / "trials.csv")
    assert people["f"].to_pylist() == trials["f"].to_pylist()
    assert json.loads((finished.results / "tables" / "campaign.json").read_text())["name"] == "tiny"
    for name in ("gallery.svg", "gallery.png", "contours.svg", "contours.png"):
        assert (finished.results / "figures" / "landscapes" / name).stat().st_size > 10_000
    for name in (f"mixed-D4-t0-{name}" for name in ("best", "median", "boxes", "TC0", "known-best", "runtimes")):
        for ending in ("svg", "png"):
            assert (finished.results / "figures" / "benchmark" / f"{name}.{ending}").stat().st_size > 5_000
        caption = (finished.results / "figures" / "benchmark" / f"{name}.txt").read_text(encoding="utf-8")
        assert "5 of 5 planned runs" in caption
    assert {path.stem for path in (finished.results / "figures" / "all-integer").glob("*.svg")} == {
        *(f"integer-D4-t0-{name}" for name in ("best", "median", "known-best", "known-median", "TC0")),
        *(f"integer-D4-t0-{name}" for name in ("runtimes", "targets", "profiles")),
    }
    claims = pcsv.read_csv(finished.results / "tables" / "claims.csv")
    assert set(claims["agrees"].to_pylist()) == {"not measured"}
    completeness = pcsv.read_csv(finished.results / "tables" / "completeness.csv").to_pylist()
    assert sum(row["present"] for row in completeness) == sum(row["planned"] for row in completeness) == 7

    # Nothing to do.
    assert "Nothing to be done" in finished.run()

    # All of it on one page, which is in Snakemake's own report too.
    page = finished.results / "report" / "index.html"
    assert "7 of 7 (100 %)" in page.read_text(encoding="utf-8")
    finished.run("--report", "packed.zip")
    with ZipFile(finished.folder / "packed.zip") as packed:
        (name,) = [name for name in packed.namelist() if name.endswith("/index.html")]
        assert packed.read(name) == page.read_bytes()

    # One more seed: only the new trials.
    campaign = tiny()
    campaign["studies"]["benchmark"]["seeds"] = 3
    finished.write(campaign)
    assert finished.rerun("trials") == {f"{MIXED}/mies/3.parquet", f"{MIXED}/cma-IH/3.parquet"}

    # Another budget for one solver: only its trials, in both studies.
    campaign["solvers"]["mies"]["budget"]["evaluations"] = 3100
    finished.write(campaign)
    assert finished.rerun("trials") == {
        *(f"{MIXED}/mies/{seed}.parquet" for seed in (1, 2, 3)),
        f"{INTEGER}/mies/1.parquet",
    }

    # A trial that was deleted: that one alone.
    (finished.results / "trials" / MIXED / "cplex" / "1.parquet").unlink()
    assert finished.rerun("trials") == {f"{MIXED}/cplex/1.parquet"}

    # Trial files that are no rows: a dry run counts them, a run sets them aside; those trials alone run again.
    table = "results/tiny/tables/trials.parquet"
    finished.run(table)
    cut, empty = (f"{MIXED}/{name}.parquet" for name in ("mies/1", "cplex/1"))
    time = (finished.results / "trials" / cut).stat().st_mtime_ns
    os.truncate(finished.results / "trials" / cut, 1000)
    os.utime(finished.results / "trials" / cut, ns=(time, time))
    os.truncate(finished.results / "trials" / empty, 0)
    output = finished.run(table, "-n")
    assert f"results/tiny/trials/{cut}: cut short" in output
    assert planned(output) == 2
    assert (finished.results / "trials" / cut).stat().st_size == 1000
    assert finished.rerun(table) == {cut, empty}
    assert (finished.results / "broken" / "trials" / cut).stat().st_size == 1000
    assert pq.read_metadata(finished.results / "tables" / "trials.parquet").num_rows == 9


def test_a_campaign_with_failed_trials_still_makes_its_figures_and_says_what_is_missing(workflow) -> None:
    # A folder where a log should be: the trial cannot write it.
    blocked = workflow.results / "logs" / "trials" / MIXED / "mies" / "1.log"
    (blocked / "in the way").mkdir(parents=True)
    campaign = tiny()
    del campaign["studies"]["all-integer"], campaign["studies"]["landscapes"]
    workflow.write(campaign)
    workflow.run("--keep-going", "--retries", "0", code=1)
    assert not (workflow.results / "tables" / "trials.parquet").exists()
    (blocked / "in the way").rmdir()
    blocked.rmdir()

    campaign["allow_missing"] = True
    workflow.write(campaign)
    workflow.run("tables", "figures")
    completeness = pcsv.read_csv(workflow.results / "tables" / "completeness.csv").to_pylist()
    assert {(row["solver"], row["planned"], row["missing"]) for row in completeness} == {
        ("cplex", 1, 0),
        ("mies", 2, 1),
        ("cma-IH", 2, 0),
    }
    caption = (workflow.results / "figures" / "benchmark" / "mixed-D4-t0-best.txt").read_text(encoding="utf-8")
    assert "4 of 5 planned runs" in caption


def test_campaigns_of_a_single_study_make_what_they_can(workflow) -> None:
    campaign = tiny()
    campaign["studies"] = {"landscapes": {"type": "landscapes"}}
    workflow.write(campaign)
    workflow.run()
    assert (workflow.results / "figures" / "landscapes" / "gallery.svg").exists()

    grid = {"dimensions": [4], "test_cases": ["sphere"], "c": [1], "E": [10, 30], "solvers": {"cplex": {}}}
    campaign["studies"] = {"preliminary": {"type": "preliminary", **grid}}
    workflow.write(campaign)
    workflow.run()
    assert "optimal" in (workflow.results / "figures" / "preliminary" / "statuses.svg").read_text(encoding="utf-8")
    # The only solver is the reference: nothing is compared.
    assert not (workflow.results / "figures" / "benchmark").exists()


def test_every_study_and_kind_of_product_is_a_target(workflow) -> None:
    for target, trials in (
        ("all-integer", 2),
        ("benchmark", 5),
        ("landscapes", 0),
        ("tables", 7),
        ("figures", 7),
        ("report", 7),
    ):
        output = workflow.run("--dry-run", target)
        assert planned(output) == trials, target


def test_a_trial_runs_with_the_planned_threads_or_not_at_all(workflow) -> None:
    campaign = tiny()
    campaign["solvers"]["mies"]["threads"] = 2
    workflow.write(campaign)
    output = workflow.run("benchmark", "--cores", "1", code=1)
    assert "Trials of mies are planned with 2 threads, and this run gives them 1" in output
    assert "Traceback" not in output
    assert workflow.trials() == {}
    # Trials that need fewer are not concerned; and a profile that grants more changes no trial.
    files = {
        solver: f"results/tiny/trials/mixed-D4-t0-TC0-c1e1-E30/{solver}/1.parquet" for solver in ("mies", "cma-IH")
    }
    workflow.run(files["cma-IH"], "--cores", "1")
    workflow.run(*files.values(), "--cores", "4", "--set-threads", "run_mies=3", "run_cma-IH=2", "--forceall")
    threads = {
        solver: pq.read_table(workflow.folder / file, columns=["threads"]).to_pylist()[0]["threads"]
        for solver, file in files.items()
    }
    assert threads == {"mies": 2, "cma-IH": 1}


def test_a_bad_campaign_stops_before_any_job(workflow) -> None:
    campaign = tiny()
    campaign["studies"]["benchmark"]["dimensions"] = [12]
    campaign["studies"]["benchmark"]["test_cases"] = [8]
    workflow.write(campaign)
    output = workflow.run(code=1)
    assert "tiny.yaml: studies.benchmark.dimensions: D is 12; TC8 has a hadellipse" in output
    assert "Traceback" not in output
    assert not workflow.results.exists()


def test_what_would_be_ignored_is_refused(workflow) -> None:
    output = workflow.run("-n", "--config", "name=other", "allow_missing=true", code=1)
    assert "--config (here name, allow_missing) sets nothing" in output
    assert "edit the copy and name it by --configfile" in output


def test_no_core_at_all_is_refused(workflow) -> None:
    output = workflow.run("results/tiny/tables/campaign.json", "--cores", "0", code=1)
    assert "--cores is 0; allowed: a number from 1" in output


def test_a_space_in_the_path_of_the_clone_is_no_hindrance(spaced) -> None:
    made = [f"results/tiny/{name}" for name in ("tables/campaign.json", f"trials/{MIXED}/mies/1.parquet")]
    spaced.run(*made)
    for name in made:
        assert (spaced.folder / name).stat().st_size > 0


def test_a_trial_that_is_not_planned_is_refused_with_a_hint(workflow) -> None:
    output = workflow.run("results/tiny/trials/mixed-D4-t0-TC5-c1e1-E30/mies/1.parquet", code=1)
    assert "does not plan mies on mixed-D4-t0-TC5-c1e1-E30" in output
    assert "unbounded trial" in output


def test_a_bare_snakemake_plans_the_whole_campaign_of_the_paper(workflow) -> None:
    workflow.file = None
    expected = sum(row.new for row in Plan(load_campaign(ROOT / "config" / "paper.yaml")).counts())
    assert planned(workflow.run("--dry-run")) == expected


def test_the_start_says_what_is_not_there_and_what_it_compiles_before_the_first_trial(
    finished, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As where gurobipy is not installed and nothing was compiled yet.
    (tmp_path / "absent").mkdir()
    (tmp_path / "absent" / "gurobipy.py").write_text(
        "raise ModuleNotFoundError('no such package here', name='gurobipy')"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "absent"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for code in (finished.folder / "workflow/unbounded/solvers/compiled/__pycache__").glob("*.o"):
        code.unlink()
    campaign = tiny()
    campaign["solvers"] = {"gurobi": {"budget": {"work": 1}}, "mies": {"budget": {"evaluations": 1000}}}
    grid = {**campaign["studies"]["benchmark"], "solvers": {"gurobi": {}, "mies": {}}, "reference": "gurobi"}
    campaign["studies"] = {"benchmark": grid}
    finished.write(campaign)
    output = finished.run("trials")
    reason = "gurobi: the package gurobipy cannot be imported (no such package here)"
    assert reason in output
    # The second stream holds what is compiled and which jobs have ended.
    assert output.index("compiling mies (1 of 1)") < output.index("Finished jobid")
    (row,) = read_rows([finished.results / "trials/mixed-D4-t0-TC0-c1e1-E30/gurobi/1.parquet"]).to_pylist()
    assert row["status"] == "skipped"
