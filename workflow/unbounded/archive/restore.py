"""A campaign's results, back from its archive: nothing is run, and what was up to date when packed is not stale."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from unbounded.archive.check import verify
from unbounded.archive.contents import CAMPAIGN, PROVENANCE, ArchiveError, is_problem
from unbounded.archive.rows import of_other_code, read_rows, write_trials
from unbounded.campaign.layout import PRODUCTS, RESULTS, Layout, is_slice, part_of
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.report.products import Products
from unbounded.tables.files import read, write_csv
from unbounded.tables.trials import merge


@dataclass(frozen=True)
class Restored:
    """What was restored."""

    layout: Layout
    trials: int
    #: Trials that other code made than there is here.
    other_code: int
    #: What of it was not up to date when it was packed, if anything.
    stale: str


def restore(path: Path, into: Path) -> Restored:
    """Write the results that an archive holds below a folder: all of them or, where that fails, none."""
    check(path)
    results = into / RESULTS
    with zipfile.ZipFile(path) as archive:
        plan = _plan(archive)
        folder = Layout.of(plan.campaign.name, results).folder
        if folder.exists() and any(folder.iterdir()):
            raise ArchiveError(f"{folder} is not empty; remove or rename it, or name another folder by --into")
        results.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=results, prefix=f".{folder.name}.") as beside:
            layout = Layout.of(folder.name, Path(beside) / RESULTS)
            archive.extractall(beside, [name for name in archive.namelist() if part_of(name) in PRODUCTS])
            # The campaign as it was packed, with the problems that it names: one of the same name here may differ.
            archive.extractall(layout.folder, [name for name in archive.namelist() if is_problem(name)])
            rows = list(rows_of(archive))
            for table in rows:
                write_trials(table, layout)
            _make_again(Products(plan, layout), layout)
            stale = json.loads(archive.read(PROVENANCE)).get("stale", "")
            _set_times(layout, stale=bool(stale))
            os.replace(layout.folder, folder)
    others = sum(of_other_code(table, plan) for table in rows)
    return Restored(Layout(folder), sum(table.num_rows for table in rows), others, stale)


def check(path: Path) -> None:
    """Raise ArchiveError if anything is wrong with an archive."""
    _, problems = verify(path)
    if problems:
        raise ArchiveError(f"{path} cannot be trusted, {len(problems)} problems; see: unbounded archive verify {path}")


def rows_of(archive: zipfile.ZipFile) -> Iterator[pa.Table]:
    """Yield the rows of an archive that was checked, by slice."""
    tables = (read_rows(name, archive.read(name)) for name in archive.namelist() if is_slice(name))
    return (table for table in tables if isinstance(table, pa.Table))


def _plan(archive: zipfile.ZipFile) -> Plan:
    with TemporaryDirectory() as folder:
        archive.extractall(folder, [name for name in archive.namelist() if is_problem(name)])
        return Plan(load_campaign(Path(folder) / CAMPAIGN))


def _make_again(products: Products, layout: Layout) -> None:
    """Write what an archive leaves out, since it is something else once more."""
    for csv in products.csv_tables:
        if (parquet := csv.with_suffix(".parquet")).exists():
            write_csv(read(parquet), csv)
    if slices := [path for path in products.slices if path.exists()]:
        merge(slices, *layout.table_files("trials"))


def _set_times(layout: Layout, *, stale: bool) -> None:
    """Give all files one time: none is then newer than what was made from it, unless products were stale."""
    files = [path for path in layout.folder.rglob("*") if path.is_file()]
    now = max((path.stat().st_mtime_ns for path in files), default=0)
    _touch(files, now)
    if stale:
        _touch(layout.trials.rglob("*.parquet"), now + 1_000_000_000)


def _touch(files: Iterable[Path], time: int) -> None:
    for path in files:
        os.utime(path, ns=(time, time))
