"""What a change makes stale, as Snakemake itself sees it: that, what is made from it, and nothing else."""

import os
import re

import pyarrow.parquet as pq
import pytest

from harness.campaigns import INTEGER, MIXED, tiny
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.figures.registry import drawing, pictures
from unbounded.tables.registry import made_from_tables
from unbounded.trials.row import SCHEMA, VERSION

TRIALS = {
    "run_cplex": {f"trials/{MIXED}/cplex/1.parquet", f"trials/{INTEGER}/cplex/1.parquet"},
    "run_mies": {
        f"trials/{MIXED}/mies/1.parquet",
        f"trials/{MIXED}/mies/2.parquet",
        f"trials/{INTEGER}/mies/1.parquet",
    },
    "run_cma-IH": {f"trials/{MIXED}/cma-IH/1.parquet", f"trials/{MIXED}/cma-IH/2.parquet"},
}
#: What is made from any trial.
FROM_TRIALS = {"collect_slice", "collect_campaign", "make_table", "write_claims", "draw_figure", "write_report"}
#: What is made from any table or figure.
PAGE = {"write_report": {"report/index.html"}}


def drawn(finished, *figures: str, tables: bool = False) -> set[str]:
    """Return the pictures of these figures, of all without one; `tables`: of those that are drawn from tables."""
    found = {
        f"figures/{name}.svg"
        for name, picture in pictures(Plan(load_campaign(finished.file))).items()
        if (not figures or picture["figure"] in figures) and (drawing(picture).figure.tables or not tables)
    }
    assert found
    return found


def trials(stale: dict[str, set[str]]) -> dict[str, set[str]]:
    return {rule: outputs for rule, outputs in stale.items() if rule.startswith("run_")}


def test_nothing_is_stale_after_a_run_however_the_file_of_the_campaign_is_named(finished) -> None:
    assert finished.stale() == {}
    finished.file = finished.file.relative_to(finished.folder)
    assert finished.stale() == {}
    finished.file = finished.folder / "same.yaml"
    os.rename(finished.folder / "tiny.yaml", finished.file)
    assert finished.stale() == {}


def test_an_option_of_one_solver_reruns_its_trials_and_what_is_made_from_them(finished) -> None:
    campaign = tiny()
    campaign["solvers"]["cma-IH"]["options"] = {"population_factor": 4.0}
    finished.write(campaign)
    stale = finished.stale()
    assert trials(stale) == {"run_cma-IH": TRIALS["run_cma-IH"]}
    # The other slice has no trial of it.
    assert stale["collect_slice"] == {"tables/trials/mixed-D4-t0.parquet"}
    assert set(stale) == {"run_cma-IH", *FROM_TRIALS, "record_campaign"}
    assert stale["draw_figure"] == drawn(finished, tables=True)


def test_a_solver_s_module_reruns_its_trials_with_the_edited_code(finished) -> None:
    finished.edit("solvers/mies.py", 'f"{budget} spent"', 'f"{budget} used up"')
    stale = finished.stale()
    assert trials(stale) == {"run_mies": TRIALS["run_mies"]}
    assert set(stale) == {"run_mies", *FROM_TRIALS}

    assert finished.rerun("trials") == {name.removeprefix("trials/") for name in TRIALS["run_mies"]}
    for name in TRIALS["run_mies"]:
        (row,) = pq.read_table(finished.results / name, columns=["termination"]).to_pylist()
        assert row["termination"] == "3000 evaluations used up"
    assert trials(finished.stale()) == {}


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("trials/run.py", '"seed": trial.seed', '"seed": trial.seed + 0'),
        ("trials/__main__.py", "seed=arguments.seed", "seed=arguments.seed + 0"),
        ("instances/hessians.py", "half *= 2", "half = 2 * half"),
    ],
)
def test_a_module_that_all_solvers_run_reruns_every_trial(finished, module: str, old: str, new: str) -> None:
    finished.edit(module, old, new)
    assert trials(finished.stale()) == TRIALS


def test_more_seeds_run_the_new_trials_alone(finished) -> None:
    campaign = tiny()
    campaign["studies"]["benchmark"]["seeds"] = 3
    finished.write(campaign)
    stale = finished.stale()
    assert trials(stale) == {
        "run_mies": {f"trials/{MIXED}/mies/3.parquet"},
        "run_cma-IH": {f"trials/{MIXED}/cma-IH/3.parquet"},
    }
    assert stale["collect_slice"] == {"tables/trials/mixed-D4-t0.parquet"}


def test_a_deleted_trial_is_run_alone(finished) -> None:
    (finished.results / "trials" / INTEGER / "mies" / "1.parquet").unlink()
    stale = finished.stale()
    assert trials(stale) == {"run_mies": {f"trials/{INTEGER}/mies/1.parquet"}}
    assert stale["collect_slice"] == {"tables/trials/integer-D4-t0.parquet"}
    # Whatever is asked for: tables that are there do not hide it.
    for target in ("figures", "report", "tables"):
        assert re.search(r"^run_mies +1$", finished.run(target, "--dry-run"), re.MULTILINE), target


def test_a_trial_of_another_version_is_run_alone_with_a_message(finished) -> None:
    name = f"{INTEGER}/mies/1.parquet"
    path = finished.results / "trials" / name
    older = SCHEMA.with_metadata({"unbounded.row.version": str(VERSION - 1)})
    pq.write_table(pq.read_table(path).cast(older), path)
    assert trials(finished.stale()) == {"run_mies": {f"trials/{name}"}}
    before = finished.trials()
    output = finished.run("trials")
    assert f"results/tiny/trials/{name}: row version {VERSION - 1}, this code reads {VERSION}" in output
    assert {file for file, time in finished.trials().items() if before[file] != time} == {name}
    assert pq.read_metadata(finished.results / "broken" / "trials" / name).num_rows == 1


def test_a_colour_of_one_figure_redraws_that_figure_alone(finished) -> None:
    finished.edit("figures/completeness.py", '"budget": ("#E69F00"', '"budget": ("#56B4E9"')
    assert finished.stale() == {"draw_figure": {"figures/campaign/completeness.svg"}, **PAGE}
    before = times(finished)
    finished.run()
    after = times(finished)
    assert {name for name in after if before.get(name) != after[name]} == {
        f"figures/campaign/completeness.{ending}" for ending in ("svg", "png", "txt")
    }


def times(finished) -> dict[str, int]:
    """Return the products with the time of their last change."""
    folders = [finished.results / name for name in ("trials", "tables", "figures")]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(finished.results)): path.stat().st_mtime_ns for path in files}


def test_a_part_redraws_the_figures_that_are_drawn_with_it(finished) -> None:
    finished.edit("figures/parts/box_panel.py", "BOTTOM, TOP, STEM = 0.035", "BOTTOM, TOP, STEM = 0.04")
    finished.edit("figures/landscapes.py", "markersize=7", "markersize=8")
    assert finished.stale() == {"draw_figure": drawn(finished, "boxplots", "gallery", "landscapes"), **PAGE}


def test_which_pictures_there_are_redraws_none_of_those_that_stay(finished) -> None:
    finished.edit("figures/planned.py", "return bool(self.plan.cells)", "return len(self.plan.cells) > 0")
    finished.edit("figures/registry.py", 'CAMPAIGN = "campaign"', "CAMPAIGN = str('campaign')")
    assert finished.stale() == PAGE


def test_the_style_that_all_figures_share_redraws_them_all(finished) -> None:
    finished.edit("figures/style.py", '"font.size": 9', '"font.size": 10')
    assert finished.stale() == {"draw_figure": drawn(finished), **PAGE}


def test_the_module_of_one_table_remakes_it_and_what_is_made_from_it(finished) -> None:
    # No figure and no other table is made from the tests of strategies.
    finished.edit("tables/strategy_tests.py", "LEAST = 6", "LEAST = 7")
    finished.edit("figures/parts/map_panels.py", "GAP_X, GAP_Y = 0.07", "GAP_X, GAP_Y = 0.08")
    assert finished.stale() == {
        "make_table": {"tables/strategy_tests.parquet"},
        "draw_figure": drawn(finished, "maps"),
        **PAGE,
    }
    # From completeness only a figure is made; from `anytime` expected running times, and from these profiles.
    finished.edit("tables/completeness.py", "planned=1,", "planned=2 - 1,")
    finished.edit("tables/anytime.py", "pd.concat(parts)", "pd.concat([*parts])")
    tables = finished.stale()["make_table"]
    assert tables == {
        f"tables/{name}.parquet"
        for name in ("strategy_tests", "completeness", "anytime", "expected_runtimes", "profiles")
    }


def test_what_several_tables_compute_alike_remakes_them(finished) -> None:
    finished.edit("tables/rank_tests.py", "EXACT = 60", "EXACT = 61")
    assert finished.stale() == {
        "make_table": {
            f"tables/{name}.parquet"
            for name in ("claims", "instance_tests", "invariance", "multimodality_tests", "ports", "strategy_tests")
        },
        "write_claims": {"tables/claims.md"},
        **PAGE,
    }


def test_how_tables_are_read_and_written_remakes_them_and_no_trial(finished) -> None:
    finished.edit("tables/files.py", "return read_table(path).to_pandas()", "return read_table(Path(path)).to_pandas()")
    stale = finished.stale()
    assert set(stale) == {"record_plan", "make_table", "write_claims", "draw_figure", "write_report"}
    assert stale["make_table"] == {f"tables/{name}.parquet" for name in made_from_tables()}
    assert stale["draw_figure"] == drawn(finished, tables=True)


def test_how_figures_are_drawn_from_tables_redraws_them_and_remakes_no_table(finished) -> None:
    finished.edit("figures/contract.py", 'description.get("options", {})', 'description.get("options") or {}')
    assert finished.stale() == {"draw_figure": drawn(finished), **PAGE}


def test_another_declaration_of_a_table_remakes_it(finished) -> None:
    finished.edit("tables/strategy_tests.py", '"equal": Column("int64"', '"equal": Column("Int64"')
    finished.edit("tables/completeness.py", 'inputs=("runs",)', 'inputs=("runs", "trials")')
    assert finished.stale()["make_table"] == {"tables/strategy_tests.parquet", "tables/completeness.parquet"}


def test_a_script_reruns_its_rule(finished) -> None:
    scripts = {
        "collect_campaign": "merge([",
        "draw_figure": "figure = json.loads(",
        "record_campaign": "write_text(",
    }
    for script, code in scripts.items():
        finished.edit(f"../../scripts/{script}.py", code, f"None\n{code}")
    assert set(finished.stale()) == {*scripts, *FROM_TRIALS} - {"collect_slice"}


def test_names_comments_and_docstrings_rerun_nothing(finished) -> None:
    campaign = tiny()
    campaign["title"] = "Another line for people"
    campaign["solvers"]["mies"]["label"] = "MIES"
    campaign["studies"]["benchmark"]["solvers"]["cplex"] = {"label": "CPLEX"}
    finished.write(campaign)
    finished.edit("trials/run.py", "# The clocks start here", "# As of here the clocks run")
    finished.edit("solvers/mies.py", '"""`mies`:', '"""Another docstring. `mies`:')
    finished.edit("figures/style.py", '"""', '"""Otherwise said: ')
    finished.edit("tables/runs.py", '"""', '"""Otherwise said: ')
    finished.edit("tables/runs.py", "CPU seconds that it took", "what it took of the CPU")
    finished.edit("tables/cells.py", 'line="a solver on', 'line="one solver on')
    finished.edit("tables/columns.py", '"the dimension"', '"how many coordinates there are"')
    finished.edit("tables/files.py", "#: What tables need of a trial row", "#: Of a trial row tables need this")
    finished.edit("figures/contract.py", '"""', '"""Otherwise said: ')
    for script in (finished.folder / "scripts").glob("*.py"):
        script.write_text("# Otherwise said.\n" + script.read_text(encoding="utf-8") + "# The end.\n")
    assert finished.stale() == {}
