"""Campaign files: what is accepted, what is refused, and in which words."""

import copy
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from harness import campaigns
from unbounded.campaign.checking import RESERVED
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import CampaignLoader, ConfigError, load_campaign
from unbounded.report.docs import files, schema
from unbounded.solvers import registry

ROOT = Path(__file__).parents[2]
CAMPAIGNS = sorted([*(ROOT / "config").glob("*.yaml"), *(ROOT / "docs" / "data").glob("*.yaml")])

GOOD: dict[str, Any] = {
    "name": "mine",
    "studies": {
        "benchmark": {
            "type": "benchmark",
            "dimensions": [8],
            "test_cases": [0, 8],
            "c": [10, 1000],
            "E": [30],
            "seeds": [1, 2, 3],
            "solvers": {
                "cplex": {"budget": {"ticks": 100}, "seeds": [1]},
                "mies": {"budget": {"evaluations": 1000}},
            },
        }
    },
}


def write(tmp_path: Path, content: Any) -> Path:
    return campaigns.write(tmp_path / "mine.yaml", content)


def changed(*keys_and_value: Any) -> dict[str, Any]:
    """Return the good campaign with one key of its study replaced."""
    *keys, last, value = keys_and_value
    campaign = copy.deepcopy(GOOD)
    place = campaign["studies"]["benchmark"]
    for key in keys:
        place = place.setdefault(key, {})
    place[last] = value
    return campaign


def refusal(tmp_path: Path, content: Any) -> str:
    path = write(tmp_path, content)
    with pytest.raises(ConfigError) as caught:
        load_campaign(path)
    message = str(caught.value)
    assert str(path) in message
    return message


def test_a_good_campaign_is_accepted(tmp_path: Path) -> None:
    plan = Plan(load_campaign(write(tmp_path, GOOD)))
    assert len(list(plan.trials("benchmark"))) == 4 * (1 + 3)


@pytest.mark.parametrize(
    ("campaign", "words"),
    [
        (changed("colour", "red"), ["studies.benchmark", "unknown key 'colour'", "allowed: type, kinds, dimensions"]),
        (changed("solvers", "cmaes", {}), ["studies.benchmark.solvers.cmaes", "unknown solver 'cmaes'", "mies"]),
        (changed("solvers", "mine", {"use": "ceplex"}), ["solvers.mine.use", "unknown solver 'ceplex'", "cplex"]),
        (
            changed("solvers", "mies", "options", {"sigma_mim": 1}),
            ["studies.benchmark.solvers.mies.options", "unknown key 'sigma_mim'", "sigma_min"],
        ),
        (
            changed("solvers", "mies", "options", {"parents": -3}),
            ["studies.benchmark.solvers.mies.options.parents", "is -3", "greater than or equal to 1"],
        ),
        (
            changed("solvers", "mies", "budget", {"evaluations": -5}),
            ["studies.benchmark.solvers.mies.budget.evaluations", "-5", "above 0"],
        ),
        (
            changed("solvers", "mies", "budget", {"evaluations": 1e15}),
            ["studies.benchmark.solvers.mies.budget", "1e+15", "at most 1e+12"],
        ),
        (changed("solvers", "cplex", "budget", {"seconds": 1e9}), ["budget", "1e+09", "at most 5.184e+06"]),
        (changed("solvers", "mies", "budget", {"evaluations": 10.5}), ["budget", "10.5", "whole number"]),
        (changed("solvers", "mies", "budget", {"ticks": 5}), ["mies.budget", "ticks", "evaluations, seconds"]),
        (changed("solvers", "mies", "budget", {}), ["mies.budget", "one of evaluations, seconds, ticks, work, nodes"]),
        (changed("solvers", "mies", "budget", {"evaluations": {16: 10}}), ["mies.budget", "no amount for D = 8"]),
        (changed("dimensions", [12]), ["studies.benchmark.dimensions", "12", "hadellipse", "power of two"]),
        (changed("dimensions", [9]), ["studies.benchmark.dimensions.0", "is 9", "multiple of 2"]),
        (changed("seeds", [1, 2, 1]), ["studies.benchmark.seeds", "1 given more than once"]),
        (changed("seeds", 0), ["studies.benchmark.seeds", "is 0", "between 1 and"]),
        (changed("c", [10, 0]), ["studies.benchmark.c.1", "is 0", "allowed: a number from 1e-06 to 1e+12"]),
        (changed("c", [10, 1e-300]), ["studies.benchmark.c.1", "is 1e-300", "allowed: a number from 1e-06"]),
        (changed("E", [1e-308]), ["studies.benchmark.E.0", "is 1e-308", "allowed: a number from 1e-06"]),
        (changed("c", [-10]), ["studies.benchmark.c.0", "is -10", "a number from"]),
        (changed("E", []), ["studies.benchmark.E", "is []", "at least 1 item"]),
        (changed("solvers", {}), ["studies.benchmark.solvers", "at least 1 item"]),
        (changed("test_cases", [9]), ["studies.benchmark.test_cases.0", "is 9", "0 to 8, `sphere`, or two forms"]),
        (changed("test_cases", ["sphere"]), ["studies.benchmark.c", "sphere has condition 1"]),
        (changed("kinds", ["real"]), ["studies.benchmark.kinds.0", "'real'", "'mixed' or 'integer'"]),
        *[
            (changed("translations", [0, t]), ["benchmark.translations.1", "not exact in double precision", "2⁵³"])
            for t in (0.1, -1.7, 2.0**53, -(2.0**53), 1e300)
        ],
        (changed("hessian", "half"), ["studies.benchmark.hessian", "'half'", "'full' or 'block'"]),
        (changed("reference", "scip"), ["studies.benchmark.reference", "'scip'", "cplex, mies"]),
        (changed("type", "bench"), ["studies.benchmark", "'bench'", "benchmark", "landscapes"]),
        ({**GOOD, "name": "a/b"}, ["name", "'a/b'"]),
        ({**GOOD, "studies": {}}, ["studies", "at least 1 item"]),
        ({"name": "mine"}, ["studies", "missing"]),
        ({**GOOD, "studies": {"all": GOOD["studies"]["benchmark"]}}, ["studies.all", "target of the workflow"]),
        (
            {**GOOD, "studies": {**GOOD["studies"], "claims": {"type": "claims", "of": ["benchmarks"]}}},
            ["studies.claims.of", "'benchmarks'", "benchmark"],
        ),
        ([1, 2], ["is [1, 2]", "a mapping with the keys name"]),
        (changed("c", [10, "1000"]), ["studies.benchmark.c.1", "is '1000'", "text", "without quotes"]),
        (changed("seeds", ["1"]), ["studies.benchmark.seeds.0", "is '1'", "text"]),
        (changed("c", [True]), ["studies.benchmark.c.0", "is true", "number"]),
        (
            changed("test_cases", [True]),
            ["studies.benchmark.test_cases.0", "is true", "0 to 8, `sphere`, or two forms"],
        ),
        (changed("solvers", "mies", "threads", True), ["solvers.mies.threads", "is true", "integer"]),
        (changed("solvers", "mies", "options", {"parents": "3"}), ["mies.options.parents", "is '3'", "text"]),
        ({**GOOD, "allow_missing": "yes"}, ["allow_missing", "is 'yes'", "boolean"]),
        ({**GOOD, "name": 12}, ["name", "is 12", "put it in quotes"]),
        ({**GOOD, "name": "README.md"}, ["name", "'README.md' is something else in the folder of results"]),
        ({**GOOD, "title": "a\nb"}, ["title", "is 'a\\nb'", "one line of text"]),
        *[
            ({**GOOD, "studies": {name: GOOD["studies"]["benchmark"]}}, [f"studies.{name}", "target of the workflow"])
            for name in ("make_table", "run_mies")
        ],
        (changed("solvers", "mies", "label", "cplex"), ["solvers.mies.label", "'cplex', the name of cplex in figures"]),
        (changed("solvers", "mies", "label", ""), ["solvers.mies.label", "is ''", "at least 1 character"]),
    ],
    ids=lambda value: None,
)
def test_what_is_wrong_is_said_with_the_key_the_value_and_what_is_allowed(
    tmp_path: Path, campaign: Any, words: list[str]
) -> None:
    message = refusal(tmp_path, campaign)
    for word in words:
        assert word in message


def test_a_study_without_its_reference_solver_is_refused(tmp_path: Path) -> None:
    campaign = copy.deepcopy(GOOD)
    del campaign["studies"]["benchmark"]["solvers"]["cplex"]
    message = refusal(tmp_path, campaign)
    assert "studies.benchmark.reference" in message
    assert "'cplex' is not among the study's solvers; allowed: mies" in message


def test_every_rule_of_the_workflow_is_a_name_that_no_study_may_have() -> None:
    rules = "".join(path.read_text(encoding="utf-8") for path in [ROOT / "Snakefile", *ROOT.glob("workflow/rules/*")])
    assert set(re.findall(r"^rule (\w+):", rules, re.MULTILINE)) <= set(RESERVED)
    assert 'f"run_{solver}"' in rules


def test_two_ids_or_two_studies_with_one_label_or_two_are_refused(tmp_path: Path) -> None:
    campaign = copy.deepcopy(GOOD)
    campaign["studies"]["other"] = {**copy.deepcopy(campaign["studies"]["benchmark"]), "E": [50]}
    campaign["solvers"] = {"cplex": {"label": "B&B"}, "mies": {"label": "B&B"}}
    assert "solvers.mies.label: is 'B&B', the name of cplex in figures" in refusal(tmp_path, campaign)
    campaign["solvers"] = {}
    for study, label in zip(campaign["studies"].values(), ("one", "two"), strict=True):
        study["solvers"]["mies"]["label"] = label
    message = refusal(tmp_path, campaign)
    assert "studies.benchmark.solvers.mies.label: is 'one', in another study 'two'" in message


@pytest.mark.parametrize("text", ["010", "1:30", "0x10", "0o10", "0b11", "1_000", "yes", "on", "'8'", "2020-01-01"])
@pytest.mark.parametrize("key", ["dimensions", "c", "test_cases", "seeds"])
def test_what_yaml_1_1_takes_for_another_number_is_refused_as_it_is_written(
    tmp_path: Path, key: str, text: str
) -> None:
    written = yaml.safe_dump(changed(key, ["HERE"])).replace("HERE", text)
    message = refusal(tmp_path, written)
    assert f"studies.benchmark.{key}.0: is '{text.strip(chr(39))}'" in message


def test_words_that_yaml_1_1_takes_for_something_else_are_names(tmp_path: Path) -> None:
    written = yaml.safe_dump({**GOOD, "name": "NAME"}).replace("NAME", "no").replace("benchmark:", "on:")
    campaign = load_campaign(write(tmp_path, written))
    assert campaign.name == "no"
    assert list(campaign.studies) == ["on"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"name: a\0b\n", ", line 1: the character '\\x00' is not allowed"),
        (b"name: mine\ntitle: caf\xe9\n", ", line 2: the byte 0xe9 is no UTF-8"),
        (bytes(range(128, 256)), "is no UTF-8"),
        ("name: mine\n".encode("utf-16"), "is no UTF-8"),
        (b"[" * 2000, "nested too deeply"),
        (b"name: " + b"[" * 3000 + b"]" * 3000, "nested too deeply"),
        (b"? [1, 2]\n: 3\n", ", line 1, column 3: not valid YAML: a key is a list"),
        (b"? {a: 1}\n: 3\n", ", line 1, column 3: not valid YAML: a key is a list or a mapping"),
        (b"name: " + b"9" * 5000, ", line 1, column 7: not valid YAML: this cannot be read as int"),
        (b"name: !!int two", "this cannot be read as int"),
        (b"name: &a [*a]\nstudies: {}\n", "name: is [[[[[["),
        (b'name: mine\ntitle: "\\ud800"\nstudies: {}\n', "title: is '\\ud800'"),
        (
            b"name: [&a [x,x,x,x,x,x,x,x], "
            + b",".join(b"&%c [%b]" % (98 + i, b",".join([b"*%c" % (97 + i)] * 9)) for i in range(9))
            + b"]\nstudies: {}\n",
            "name: is [[",
        ),
    ],
    ids=range(13),
)
def test_a_file_that_is_no_campaign_at_all_is_a_sentence(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load_campaign(path)
    message = str(caught.value)
    assert f"{path}{words}" in message or words in message
    assert len(message) < 1000
    message.encode()


def test_a_folder_in_place_of_a_campaign_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_campaign(tmp_path)


def test_a_syntax_error_is_said_with_its_line(tmp_path: Path) -> None:
    assert ", line 4, column" in refusal(tmp_path, "name: mine\nstudies:\n  benchmark: [1, 2\n  c: 3\n")


def test_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    assert "'name' is given twice" in refusal(tmp_path, "name: a\nname: b\nstudies: {}\n")


def test_a_study_may_be_merged_from_another(tmp_path: Path) -> None:
    text = yaml.safe_dump(GOOD, sort_keys=False).replace("  benchmark:\n", "  benchmark: &grid\n")
    text += "  translation:\n    <<: *grid\n    type: translation\n    translations: [10000]\n"
    campaign = load_campaign(write(tmp_path, text))
    assert campaign.run_studies["translation"].c == campaign.run_studies["benchmark"].c
    assert campaign.run_studies["translation"].translations == [10000]


def test_translations_that_keep_the_centres_exact_are_accepted(tmp_path: Path) -> None:
    exact = [0, 10, 1e6, -1e15, 2.0**53 - 9, 0.5, -2.25]
    study = load_campaign(write(tmp_path, changed("translations", exact))).run_studies["benchmark"]
    assert study.translations == exact


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_campaign(tmp_path / "absent.yaml")


def test_everything_wrong_is_said_at_once(tmp_path: Path) -> None:
    campaign = changed("c", [0])
    campaign["studies"]["benchmark"]["E"] = []
    assert len(refusal(tmp_path, campaign).splitlines()) == 2


def test_the_same_trials_with_different_settings_in_two_studies_are_refused(tmp_path: Path) -> None:
    campaign = copy.deepcopy(GOOD)
    other = copy.deepcopy(campaign["studies"]["benchmark"])
    other["solvers"]["mies"]["budget"] = {"evaluations": 2000}
    campaign["studies"]["again"] = other
    message = refusal(tmp_path, campaign)
    assert "studies.again.solvers.mies" in message
    assert "study 'benchmark'" in message
    other["E"] = [50]  # other instances: no trial in common, no conflict
    load_campaign(write(tmp_path, campaign))


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("threads", 2, "is 2, in study 'benchmark' 1;"),
        ("mem_mb", 4000, "is 4000, in study 'benchmark' not given;"),
        ("runtime", 90, "is 90, in study 'benchmark' not given;"),
        ("watchdog", 2.5, "is 2.5, in study 'benchmark' not given;"),
    ],
)
def test_what_a_solver_s_jobs_ask_for_is_one_thing_in_all_studies(
    tmp_path: Path, key: str, value: float, words: str
) -> None:
    campaign = copy.deepcopy(GOOD)
    other = campaign["studies"]["other"] = copy.deepcopy(campaign["studies"]["benchmark"])
    other["E"] = [50]
    other["solvers"]["mies"][key] = value
    message = refusal(tmp_path, campaign)
    assert f"studies.other.solvers.mies.{key}: {words}" in message
    assert "an id of its own (`use: mies`)" in message
    other["solvers"]["mies-other"] = {**other["solvers"].pop("mies"), "use": "mies"}
    load_campaign(write(tmp_path, campaign))
    campaign["solvers"] = {"mies": {key: value}}
    load_campaign(write(tmp_path, campaign))


def test_the_watchdog_gives_way_to_a_runtime_that_is_given_and_to_nothing_else(tmp_path: Path) -> None:
    def needs(**settings: Any) -> tuple[int, int]:
        solver = {"budget": {"seconds": 36000}, **settings}
        plan = Plan(load_campaign(write(tmp_path, changed("solvers", "cplex", solver))))
        return plan.needs()["cplex"].watchdog, plan.needs()["cplex"].runtime

    # Five minutes more than 1.2 times the budget; a cluster grants five more than that.
    assert needs() == (43500, 730)
    assert needs(watchdog=600) == (36000, 605)
    assert needs(runtime=600) == (32400, 600)
    assert needs(runtime=1000) == (43500, 1000)


def test_scientific_notation_is_a_number_as_in_yaml_1_2(tmp_path: Path) -> None:
    text = yaml.safe_dump(changed("c", ["C"])).replace("- C", "- 1e3")
    text = text.replace("evaluations: 1000", "evaluations: 2e3")
    campaign = load_campaign(write(tmp_path, text))
    plan = Plan(campaign)
    cell = plan.cells["mixed-D8-t0-TC0-c1e3-E30", "mies"]
    assert cell.budget.amount == 2000


def test_a_study_overrides_the_campaign_and_options_are_merged(tmp_path: Path) -> None:
    campaign = {
        **copy.deepcopy(GOOD),
        "solvers": {"mies": {"budget": {"evaluations": 7}, "threads": 2, "options": {"parents": 3, "offspring": 9}}},
    }
    campaign["studies"]["benchmark"]["solvers"]["mies"] = {"options": {"offspring": 11}}
    campaign["studies"]["benchmark"]["penalty"] = {"dimension": 32}
    cell = Plan(load_campaign(write(tmp_path, campaign))).cells["mixed-D8-t0-TC0-c1e1-E30", "mies"]
    assert (cell.budget.amount, cell.threads) == (7, 2)
    assert cell.options["parents"] == 3
    assert cell.options["offspring"] == 11
    assert cell.options["penalty_dimension"] == 32


def test_a_label_is_no_part_of_what_makes_a_trial_stale(tmp_path: Path) -> None:
    plain = Plan(load_campaign(write(tmp_path, GOOD)))
    labelled = Plan(load_campaign(write(tmp_path, changed("solvers", "mies", "label", "MIES"))))
    assert labelled.campaign.labels == {"mies": "MIES"}
    assert labelled.campaign.record() == plain.campaign.record()
    assert labelled.digest == plain.digest
    for key, cell in plain.cells.items():
        assert labelled.cells[key].params == cell.params


@pytest.mark.parametrize("path", CAMPAIGNS, ids=lambda path: path.name)
def test_the_campaigns_of_the_repository_are_valid_and_fit_the_schema(path: Path) -> None:
    load_campaign(path)
    data = yaml.load(path.read_text(encoding="utf-8"), Loader=CampaignLoader)
    jsonschema.validate(data, schema())


def test_the_schema_refuses_an_unknown_option_of_a_solver() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(changed("solvers", "mies", "options", {"sigma_mim": 1}), schema())


def test_every_key_says_what_holds_without_it() -> None:
    lines = [line.split(" | ") for line in files()[Path("config/README.md")].splitlines() if line.startswith("| `")]
    defaults = {default.strip() for _, _, default, *_ in lines}
    assert defaults & {"required", "not given", "`true`"} == {"required", "not given", "`true`"}
    assert not defaults & {"", "`[]`", "`{}`", '`""`', "`null`"}


@pytest.mark.parametrize("path", list(files()), ids=str)
def test_generated_files_are_what_the_models_say(path: Path) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == files()[path], "run `make format`"


def test_options_are_described_for_a_solver_s_first_id_and_the_others_say_what_differs() -> None:
    text = files()[Path("config/README.md")]
    for entry in registry.entries().values():
        first, *others = entry.solver.variants
        assert f"Defaults are those of `{first}`." in text
        assert not entry.solver.variants[first]
        for id in others:
            assert f"\n`{id}`: {next(iter(entry.solver.variants[id]))} = " in text


def test_the_paper_s_campaign_has_every_study_and_every_trial() -> None:
    plan = Plan(load_campaign(ROOT / "config/paper.yaml"))
    counts = {row.study: (row.instances, row.trials) for row in plan.counts()}
    assert counts["preliminary"] == (20, 20 * 2)
    assert counts["benchmark"] == (3 * 216, 3 * 216 * 22)
    # CPLEX sees translated instances both as they are and centred.
    assert counts["translation"] == (3 * 216, 3 * 216 * 23)
    assert counts["invariance"] == (7 * 18, 7 * 18 * (3 + 2 * 3 * 10))
    assert counts["all-integer"] == (216, 216 * 22)
    assert counts["multimodality"] == (4, 4 * (300 + 3))
    # Half of the compiled loop's runs are the benchmark's.
    assert counts["port"] == (18, 18 * (20 + 20))
    assert {"landscapes", "discrepancy", "claims"} <= set(counts)
    demo = load_campaign(ROOT / "config/demo.yaml")
    paper = load_campaign(ROOT / "config/paper.yaml")
    types = {study.type for study in paper.studies.values()}
    assert {study.type for study in demo.studies.values()} == {*types, "formulation"}


def test_shared_trials_are_planned_once() -> None:
    plan = Plan(load_campaign(ROOT / "config/paper.yaml"))
    trials = list(plan.trials())
    assert len(trials) == len(set(trials)) == sum(row.new for row in plan.counts())
    assert sum(map(len, plan.slices.values())) == len(trials)
