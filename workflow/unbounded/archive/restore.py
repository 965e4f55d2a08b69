"""A campaign's results, back from its archive: nothing is run, and nothing of it is stale."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from unbounded.archive.check import verify
from unbounded.archive.contents import CAMPAIGN, ArchiveError, is_problem
from unbounded.archive.rows import read_rows, write_trials
from unbounded.campaign.layout import RESULTS, Layout, is_slice
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.report.products import Products
from unbounded.tables.files import read, write_csv
from unbounded.tables.trials import merge


def restore(path: Path, into: Path) -> tuple[Layout, int]:
    """Write the results that an archive holds below a folder; return where they are, and how many trials."""
    check(path)
    with zipfile.ZipFile(path) as archive:
        plan = _plan(archive)
        layout = Layout.of(plan.campaign.name, into / RESULTS)
        if layout.folder.exists() and any(layout.folder.iterdir()):
            raise ArchiveError(f"{layout.folder} is not empty; remove or rename it, or name another folder by --into")
        folder = f"{RESULTS.name}/{layout.folder.name}/"
        archive.extractall(into, [name for name in archive.namelist() if name.startswith(folder)])
        # The campaign as it was packed, with the problems that it names: it may differ from one of the same name here.
        archive.extractall(layout.folder, [name for name in archive.namelist() if is_problem(name)])
        trials = write_rows(archive, layout)
    products = Products(plan, layout)
    for csv in products.csv_tables:
        if (parquet := csv.with_suffix(".parquet")).exists():
            write_csv(read(parquet), csv)
    if slices := [path for path in products.slices if path.exists()]:
        merge(slices, *layout.table_files("trials"))
    _same_time(layout.folder)
    return layout, trials


def check(path: Path) -> None:
    """Raise ArchiveError if anything is wrong with an archive."""
    _, problems = verify(path)
    if problems:
        raise ArchiveError(f"{path} cannot be trusted, {len(problems)} problems; see: unbounded archive verify {path}")


def write_rows(archive: zipfile.ZipFile, layout: Layout) -> int:
    """Write the trial files of an archive that was checked; return how many they are."""
    tables = [read_rows(name, archive.read(name)) for name in archive.namelist() if is_slice(name)]
    rows = [table for table in tables if isinstance(table, pa.Table)]
    for table in rows:
        write_trials(table, layout)
    return sum(table.num_rows for table in rows)


def _plan(archive: zipfile.ZipFile) -> Plan:
    with TemporaryDirectory() as folder:
        archive.extractall(folder, [name for name in archive.namelist() if is_problem(name)])
        return Plan(load_campaign(Path(folder) / CAMPAIGN))


def _same_time(folder: Path) -> None:
    """Give all files of a folder one time: none is then newer than what was made from it."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    now = max((path.stat().st_mtime_ns for path in files), default=0)
    for path in files:
        os.utime(path, ns=(now, now))
