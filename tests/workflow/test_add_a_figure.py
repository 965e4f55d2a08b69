"""The worked example of docs/add-a-figure.md, put where it says, in a campaign that was finished before."""

from pathlib import Path

from harness.examples import Example

EXAMPLE = Example("add-a-figure.md")


def test_one_file_puts_a_figure_into_a_campaign_and_makes_nothing_else_anew(finished) -> None:
    EXAMPLE.put(finished.folder)
    path = "figures/benchmark/mixed-D4-t0-verified"
    assert finished.stale() == {"draw_figure": {f"{path}.svg"}, "write_report": {"report/index.html"}}
    finished.run()
    caption = (finished.results / f"{path}.txt").read_text(encoding="utf-8")
    assert "Stands on 5 of 5 planned runs" in caption
    assert caption.strip() in (finished.results / "report" / "index.html").read_text(encoding="utf-8")
    assert finished.stale() == {}
    EXAMPLE.keeps_the_contract(finished.folder / "workflow")


def test_the_example_passes_the_checks_that_the_package_passes(tmp_path: Path) -> None:
    EXAMPLE.passes_the_checks(tmp_path)
