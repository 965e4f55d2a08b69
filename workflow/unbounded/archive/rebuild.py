"""Tables made anew from the rows of an archive, and compared with those that it holds."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from unbounded.archive.contents import CAMPAIGN, ROOT, ArchiveError, is_problem
from unbounded.archive.restore import check, rows_of
from unbounded.archive.rows import write_trials
from unbounded.campaign.layout import PRODUCTS, RESULTS, TABLES, Layout, part_of
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign


def rebuild(path: Path, into: Path, cores: int, own_code: bool = False) -> None:
    """Unpack the trials of an archive, and make its tables anew, with the code of this installation or with its own."""
    if into.exists() and any(into.iterdir()):
        raise ArchiveError(f"{into} is not empty; name a folder that is empty or not there")
    check(path)
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if own_code or is_problem(name)]
        archive.extractall(into, [name for name in names if part_of(name) not in PRODUCTS])
        campaign = load_campaign(into / CAMPAIGN)
        layout = Layout.of(campaign.name, into / RESULTS)
        for rows in rows_of(archive):
            write_trials(rows, layout)
    planned = [layout.trial(trial) for trial in Plan(campaign).trials()]
    missing = sum(not trial.exists() for trial in planned)
    if missing and not campaign.allow_missing:
        raise ArchiveError(
            f"{path} is partial: {missing} of {len(planned)} trials are missing. To make tables from the others, set "
            f"`allow_missing: true` in {into / CAMPAIGN} and run there: "
            f"snakemake tables --cores all --configfile {CAMPAIGN}"
        )
    _run_tables(into, cores, into.absolute() if own_code else ROOT)


def _run_tables(folder: Path, cores: int, code: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(code / "workflow")}
    command = [sys.executable, "-m", "snakemake", "tables", "--cores", str(cores), "--configfile", CAMPAIGN]
    # Rows stay as they are, whatever code made them; what they were given is compared with the plan all the same.
    command += ["--snakefile", str(code / "Snakefile"), "--rerun-triggers", "mtime"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise ArchiveError(f"the tables cannot be made in {folder}:\n{(done.stdout + done.stderr).strip()[-4000:]}")


def compare(path: Path, folder: Path) -> dict[str, str]:
    """Return for every packed table whether that of the folder is `same bytes`, `same values` or `different`."""
    with zipfile.ZipFile(path) as archive:
        tables = [name for name in archive.namelist() if part_of(name) == TABLES]
        return {name: _compare(archive, name, folder / name) for name in tables}


def _compare(archive: zipfile.ZipFile, name: str, rebuilt: Path) -> str:
    if not rebuilt.is_file():
        return "different"
    with archive.open(name) as packed, rebuilt.open("rb") as made:
        if hashlib.file_digest(packed, "sha256").digest() == hashlib.file_digest(made, "sha256").digest():  # type: ignore[arg-type]
            return "same bytes"
    if name.endswith(".parquet"):
        # Another version of the library may write the same values as other bytes.
        with archive.open(name) as packed:
            before = pq.read_table(pa.BufferReader(packed.read()))
        if before.equals(pq.read_table(rebuilt)):
            return "same values"
    return "different"
