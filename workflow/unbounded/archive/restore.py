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
from unbounded.archive.contents import ArchiveError, is_problem, plan_of
from unbounded.archive.rows import of_other_code, read_rows, write_trials
from unbounded.campaign.layout import PRODUCTS, PROVENANCE, RESULTS, Layout, is_slice, part_of
from unbounded.campaign.origin import read_origin
from unbounded.campaign.plan import Plan
from unbounded.report.products import Products
from unbounded.tables.files import read, write_csv
from unbounded.tables.trials import merge


@dataclass(frozen=True)
class Restored:
    """What was restored."""

    layout: Layout
    trials: int
    #: Trials that other code made than there is here, and whether nothing says that tables, figures and page are of it.
    other_code: int
    other_products: bool
    #: What of it was not up to date when it was packed, if anything.
    stale: str


def restore(path: Path, into: Path) -> Restored:
    """Write the results that an archive holds below a folder: all of them or, where that fails, none."""
    check(path)
    results = into / RESULTS
    with zipfile.ZipFile(path) as archive, plan_of(archive) as plan:
        folder = Layout.of(plan.campaign.name, results).folder
        if folder.exists() and any(folder.iterdir()):
            raise ArchiveError(f"{folder} is not empty; remove or rename it, or name another folder by --into")
        results.mkdir(parents=True, exist_ok=True)
        provenance = json.loads(archive.read(PROVENANCE))
        with TemporaryDirectory(dir=results, prefix=f".{folder.name}.") as beside:
            layout = Layout.of(folder.name, Path(beside) / RESULTS)
            archive.extractall(beside, [name for name in archive.namelist() if part_of(name) in PRODUCTS])
            # The campaign as it was packed, with the problems that it names: one of the same name here may differ.
            beside_rows = [name for name in archive.namelist() if is_problem(name) or name == PROVENANCE]
            archive.extractall(layout.folder, beside_rows)
            rows = list(rows_of(archive))
            for table in rows:
                write_trials(table, layout)
            products = Products(plan, layout)
            _make_again(products, layout)
            some = any(file.exists() for file in products.all)
            stale = str(provenance.get("stale", ""))
            if stale:
                _remove_without_inputs(plan, products, layout)
            _set_times(layout, stale=bool(stale))
            _forget(into, (file.relative_to(layout.folder.parent.parent) for file in _files(layout)))
            os.replace(layout.folder, folder)
        return Restored(
            Layout(folder),
            sum(table.num_rows for table in rows),
            sum(of_other_code(table, plan) for table in rows),
            some and not stale and read_origin(Layout(folder)) != products.origin(),
            stale,
        )


def check(path: Path) -> None:
    """Raise ArchiveError if anything is wrong with an archive."""
    _, problems = verify(path)
    if problems:
        raise ArchiveError(f"{path} cannot be trusted, {len(problems)} problems; see: unbounded archive verify {path}")


def rows_of(archive: zipfile.ZipFile) -> Iterator[pa.Table]:
    """Yield the rows of an archive that was checked, by slice."""
    for name in filter(is_slice, archive.namelist()):
        rows = read_rows(name, archive.read(name))
        if isinstance(rows, str):
            raise ArchiveError(rows)
        yield rows


def _make_again(products: Products, layout: Layout) -> None:
    """Write what an archive leaves out, since it is something else once more."""
    for csv in products.csv_tables:
        if (parquet := csv.with_suffix(".parquet")).exists():
            write_csv(read(parquet), csv)
    if slices := [path for path in products.slices if path.exists()]:
        merge(slices, *layout.table_files("trials"))


def _remove_without_inputs(plan: Plan, products: Products, layout: Layout) -> None:
    """Remove what is made from no file: by times alone it could never be seen that it is not up to date."""
    free = [path for study in plan.campaign.studies for path in products.figures_without_tables(study)]
    for path in (layout.record, *layout.table_files("plan"), *free):
        path.unlink(missing_ok=True)


def _set_times(layout: Layout, *, stale: bool) -> None:
    """Give all files one time: none is then newer than what was made from it, unless products were stale."""
    files = list(_files(layout))
    now = max((path.stat().st_mtime_ns for path in files), default=0)
    _touch(files, now)
    if stale:
        _touch(layout.trials.rglob("*.parquet"), now + 1_000_000_000)


def _files(layout: Layout) -> Iterator[Path]:
    return (path for path in layout.folder.rglob("*") if path.is_file())


def _forget(folder: Path, files: Iterable[Path]) -> None:
    """Have Snakemake forget how files were made that were here before: it would compare these with that."""
    if not (folder / ".snakemake" / "metadata").is_dir():
        return
    from snakemake.io import IOFile
    from snakemake.persistence.file import FilePersistence

    memory = FilePersistence(path=folder / ".snakemake")
    for file in files:
        memory.cleanup_metadata(IOFile(str(file)))


def _touch(files: Iterable[Path], time: int) -> None:
    for path in files:
        os.utime(path, ns=(time, time))
