"""Where files lie: one module says so, to the package and to the rules."""

from pathlib import Path

import pytest

from unbounded.campaign.layout import FIGURES, TRIALS, Layout, part_of, present, trial_of

ROOT = Path(__file__).parents[2]
TRIAL = ("mixed-D4-t0-TC0-c1e1-E30", "cplex+centre", 7)


def test_a_trial_is_known_by_the_place_of_its_file(tmp_path: Path) -> None:
    layout = Layout.of("mine", tmp_path)
    file = layout.trial(TRIAL)
    assert trial_of(file) == TRIAL
    file.parent.mkdir(parents=True)
    file.touch()
    assert list(present(layout.trials)) == [TRIAL]
    assert part_of(file.relative_to(tmp_path.parent).as_posix()) is None
    assert part_of(Layout.of("mine").trial(TRIAL).as_posix()) == TRIALS


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("results/mine/figures/small/a.svg", FIGURES),
        ("results/mine/run.lock", None),
        ("results/README.md", None),
        ("docs/results/mine/figures/a.svg", None),
    ],
)
def test_a_path_tells_its_part_of_the_campaign_s_folder(path: str, part: str | None) -> None:
    assert part_of(path) == part


def test_names_may_be_wildcards() -> None:
    layout = Layout.of("mine")
    assert str(layout.trial(("{instance}", "mies", "{seed}"))) == "results/mine/trials/{instance}/mies/{seed}.parquet"
    assert [str(path) for path in layout.table_files("{table}")] == [
        "results/mine/tables/{table}.parquet",
        "results/mine/tables/{table}.csv",
    ]


def test_rules_spell_no_path_of_results() -> None:
    for file in (ROOT / "Snakefile", *(ROOT / "workflow/rules").glob("*.smk")):
        text = file.read_text(encoding="utf-8")
        assert not [word for word in ("results/", '.parquet"', '.csv"', '.svg"', '.log"') if word in text], file
