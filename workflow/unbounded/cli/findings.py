"""Write what the study found into the pages that tell it: README.md and docs/, with their pictures and its claims."""

from __future__ import annotations

import argparse
from pathlib import Path

STUDY = Path("config/study.yaml")
SHIPPED = Path("results/study.crate.zip")
#: The pages with blocks of findings.
PAGES = (Path("README.md"), Path("docs/results.md"), Path("docs/strategies.md"), Path("docs/paper.md"))
#: Where their pictures lie.
PICTURES = Path("docs/study")
CLAIMS = Path("docs/claims.md")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what it takes."""
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run it."""
    import shutil

    from unbounded.campaign.layout import Layout
    from unbounded.campaign.reading import load_campaign
    from unbounded.report.findings import fill, pictures
    from unbounded.running.writing import write_text

    layout = Layout.of(load_campaign(STUDY).name)
    if not layout.tables.is_dir():
        raise ValueError(f"{layout.tables} is not there; run: unbounded archive restore {SHIPPED}")
    pages = {page: fill(page.read_text(encoding="utf-8"), layout.tables) for page in PAGES}
    shown = sorted({name for text in pages.values() for name in pictures(text)})
    missing = [path for path in (layout.claims, *(layout.figure(name, "png") for name in shown)) if not path.exists()]
    if missing:
        raise ValueError(f"not there, so nothing was written: {', '.join(map(str, missing))}; run: make study")
    for page, text in pages.items():
        write_text(page, text)
    shutil.rmtree(PICTURES, ignore_errors=True)
    for name in shown:
        target = PICTURES / f"{name}.png"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(layout.figure(name, "png"), target)
    shutil.copyfile(layout.claims, CLAIMS)
    print(f"{len(PAGES)} pages with {len(shown)} pictures, and {CLAIMS}, from {layout.folder}")
    return 0
