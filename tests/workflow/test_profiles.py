"""The profiles: what a job asks for, what goes to a cluster together, and licences that are never exceeded."""

import re
from typing import Any

import pytest
import yaml

from harness.campaigns import tiny
from harness.running import ROOT
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign

PROFILES = ROOT / "workflow" / "profiles"


def entries(profile: str) -> dict[str, Any]:
    return yaml.safe_load((PROFILES / profile / "config.yaml").read_text(encoding="utf-8"))


def most_at_once(output: str, rule: str) -> int:
    """Return how many jobs of a rule Snakemake had running at any time, by its own log of starts and ends."""
    running = most = 0
    for line in output.splitlines():
        if line.strip() in (f"rule {rule}:", f"localrule {rule}:"):
            running += 1
        elif re.match(rf"Finished jobid: \d+ \(Rule: {rule}\)", line):
            running -= 1
        most = max(most, running)
    return most


@pytest.mark.parametrize(("profile", "own"), [("workstation", set()), ("slurm", {"retries", "latency-wait"})])
def test_a_profile_that_stands_in_for_the_default_repeats_it(profile: str, own: set[str]) -> None:
    default, found = entries("default"), entries(profile)
    assert {key: found.get(key) for key in default if key not in own} == {
        key: value for key, value in default.items() if key not in own
    }
    assert own <= set(found)


def test_long_trials_and_those_with_a_licence_are_submitted_alone() -> None:
    needs = Plan(load_campaign(ROOT / "config" / "paper.yaml")).needs()
    assert {solver: need.group for solver, need in needs.items()} == {
        "cplex": None,
        "cplex+centre": None,
        "cplex-tight": None,
        "lattice": "trials",
        "lattice-near": None,
        **dict.fromkeys(("mies", "mies-R1e4", "mies-R1e2"), "trials"),
        **dict.fromkeys(("cma-IH", "cma-IH-fast", "cma-IH-R1e4", "cma-IH-R1e2"), "trials"),
        "cma-wM-fast": "trials",
    }
    # Those of the demonstration take seconds, but within a submission nobody would count the licences.
    needs = Plan(load_campaign(ROOT / "config" / "demo.yaml")).needs()
    assert needs["cplex"].runtime < 60
    assert needs["cplex"].licences == {"cplex"}
    assert needs["cplex"].group is None


def test_the_slurm_profile_groups_short_trials_and_gives_more_to_a_second_attempt(workflow) -> None:
    profile = ("--workflow-profile", str(PROFILES / "slurm"))
    output = workflow.run(*profile, "--dry-run", "--quiet", "host", "--attempt", "2", "trials")
    # Five trials of two solvers: one group, indented. The two of CPLEX stand alone.
    assert output.count("Group job trials") == 1
    assert len(re.findall(r"^ +rule (?:run_mies|run_cma-IH):", output, re.MULTILINE)) == 5
    assert len(re.findall(r"^rule run_cplex:", output, re.MULTILINE)) == 2
    asked = re.findall(r"mem_mb=(\d+).*runtime=(\d+).*, (turns|cplex_licences)=1", output)
    assert sorted(asked) == [("4000", "22", "cplex_licences")] * 2 + [("4000", "22", "turns")] * 5


def test_within_a_job_of_a_cluster_a_retry_may_take_the_memory_that_it_was_given(workflow) -> None:
    trial = "results/tiny/trials/mixed-D4-t0-TC0-c1e1-E30/mies/1.parquet"
    inside = ("--mode", "remote", "--attempt", "2", "--nolock")
    output = workflow.run(trial, *inside, "--printshellcmds", "--quiet", "host")
    assert f"{trial} " in output
    assert "--mem-mb 4000 " in output


def test_no_more_trials_run_at_once_than_there_are_licences(workflow) -> None:
    campaign = tiny()
    grid = {"dimensions": [4], "test_cases": ["sphere"], "c": [1], "E": [10, 30, 50, 80], "solvers": {"cplex": {}}}
    campaign["studies"] = {"preliminary": {"type": "preliminary", **grid}}
    workflow.write(campaign)
    # The profile as a user with a single licence would have it.
    profile = workflow.folder / "profile"
    profile.mkdir()
    text = (PROFILES / "workstation" / "config.yaml").read_text(encoding="utf-8")
    (profile / "config.yaml").write_text(text.replace("cplex_licences=11", "cplex_licences=1"), encoding="utf-8")

    output = workflow.run("trials", "--workflow-profile", str(profile), "--quiet", "host")
    assert len(workflow.trials()) == 4
    assert most_at_once(output, "run_cplex") == 1


def test_snakemake_looks_at_ready_jobs_when_one_ends_and_not_every_second_for_each_that_has_ended(workflow) -> None:
    # With a limit on job starts, whatever it is, that is what it does.
    assert "Submitting maximum" not in workflow.run("trials", "--verbose")


def test_jobs_run_in_the_python_of_their_snakemake_though_its_environment_is_not_active(workflow, monkeypatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    workflow.run("trials")
    assert len(workflow.trials()) == 7
