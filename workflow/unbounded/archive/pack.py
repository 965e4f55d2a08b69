"""A campaign as one file: its results, what made them, and how to check both.

The archive is a zip with the layout of the repository: tables, figures and report under `results/`, the rows of the
trials as tables (`rows`), the campaign's file, the source of the workflow, the lock. `manifest-sha256.txt` has the hash
of every file, `ro-crate-metadata.json` says what each of them is. Entries are sorted and carry no times: the same files
make the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from unbounded.archive import crate
from unbounded.archive.contents import CAMPAIGN, MANIFEST, ROOT, ArchiveError, chunks_of
from unbounded.archive.crate import METADATA, Packed, Story
from unbounded.archive.rows import as_bytes, tables_of
from unbounded.campaign.campaign import effective
from unbounded.campaign.layout import FIGURES, PRODUCTS, PROVENANCE, REPORT, TABLES, Layout
from unbounded.campaign.origin import KEY
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.report.products import Products
from unbounded.running.provenance import versions
from unbounded.running.writing import replacing

#: What of the repository is packed: all that a run needs, and what explains it.
SOURCE = (
    "Snakefile",
    "workflow",
    "scripts",
    "profiles",
    "envs",
    "config",
    "docs",
    "pyproject.toml",
    "README.md",
    "CITATION.cff",
    "LICENSE",
)
EFFECTIVE = "effective.json"
#: Compressed already.
STORED = {".png", ".parquet", ".zip", ".gz"}
#: The first time that a zip can hold.
EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Contents:
    """What goes into an archive: path in it → file on disk or bytes; how many trials, and what is not in it."""

    files: dict[str, Path | bytes]
    story: Story
    trials: int
    missing: int
    #: Files among the products that the campaign does not plan, maybe of an earlier version of it.
    unplanned: int


def pack(campaign_file: Path, target: Path, *, stale: str = "") -> tuple[int, Contents]:
    """Write the archive of a campaign; return the number of its files. `stale` says what of it is not up to date."""
    contents = gather(campaign_file, stale)
    with replacing(target) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        packed = [_add(archive, path, contents.files[path]) for path in sorted(contents.files)]
        metadata = crate.describe(contents.story, packed, [MANIFEST])
        packed.append(_add(archive, METADATA, (json.dumps(metadata, indent=1, ensure_ascii=False) + "\n").encode()))
        manifest = "".join(f"{file.sha256}  {file.path}\n" for file in packed)
        _add(archive, MANIFEST, manifest.encode())
    return len(packed) + 1, contents


def gather(campaign_file: Path, stale: str = "") -> Contents:
    """Return what the archive of a campaign holds."""
    campaign = load_campaign(campaign_file)
    plan = Plan(campaign)
    layout = Layout.of(campaign.name)
    folder = layout.folder
    files: dict[str, Path | bytes] = dict(_source_files())
    files[CAMPAIGN] = campaign_file.read_bytes()
    for study in campaign.run_studies.values():
        files.update((path.relative_to(campaign_file.parent).as_posix(), path) for path in study.paths())
    products = Products(plan, layout)
    wanted = products.all
    found = {path for part in PRODUCTS for path in _walk(folder / part)}
    # Tables of slices are packed as their trials make them now; all trials in one table are those once more, and a CSV
    # is its parquet file once more.
    again = {layout.table("trials"), *products.slices, *products.csv_tables}
    files.update((path.as_posix(), path) for path in found & wanted - again)
    slices = dict(tables_of(plan, layout))
    files.update((path.as_posix(), as_bytes(table)) for path, table in slices.items())
    planned = sum(len(trials) for trials in plan.slices.values())
    trials = sum(table.num_rows for table in slices.values())
    if trials == 0 and not found:
        raise ArchiveError(f"{folder} has no results to pack; run: snakemake --cores all --configfile {campaign_file}")
    # Products that are not up to date are not to be believed where they are restored.
    provenance = {**_provenance(plan), KEY: None if stale else asdict(products.origin()), "stale": stale}
    files[PROVENANCE] = _json(provenance)
    files[EFFECTIVE] = _json(effective(campaign))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    told = _rows(list(slices.values()))
    state = f"{trials} of {planned} planned trials"
    story = Story(
        campaign=campaign.name,
        title=f"{campaign.title or 'Campaign'} ({campaign.name})",
        description=(
            f"Campaign {campaign.name} of unbounded: {state}, one verified row each, with the tables and figures made "
            f"from them, the workflow that made them, and its lock.{f' Not up to date: {stale}' if stale else ''}"
        ),
        campaign_file=CAMPAIGN,
        started=told.started,
        ended=told.ended,
        software={**told.software, "snakemake": versions(("snakemake",))["snakemake"]},
        commit=provenance["commit"],
        citation=citation,
        folders={
            f"{folder.as_posix()}/{name}/": about
            for name, about in (
                (
                    TABLES,
                    "Tables made from the trials, as parquet, explained in docs/tables.md; in trials/ the rows "
                    "themselves, one for each trial, verified: solver, seed, point, objective, times, versions.",
                ),
                (FIGURES, "Figures made from the tables, as SVG and PNG with captions."),
                (REPORT, "The report."),
            )
            if any(path.startswith(f"{folder.as_posix()}/{name}/") for path in files)
        },
    )
    return Contents(files, story, trials, planned - trials, len(found - wanted))


def _json(data: Any) -> bytes:
    return (json.dumps(data, indent=1, sort_keys=True) + "\n").encode()


def _add(archive: zipfile.ZipFile, path: str, content: Path | bytes) -> Packed:
    """Write one entry, hashing what is written."""
    info = zipfile.ZipInfo(path, EPOCH)
    info.compress_type = zipfile.ZIP_STORED if Path(path).suffix in STORED else zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    info.create_system = 3
    digest, size = hashlib.sha256(), 0
    info.file_size = len(content) if isinstance(content, bytes) else content.stat().st_size
    with archive.open(info, "w") as entry:
        for chunk in [content] if isinstance(content, bytes) else _chunks(content):
            digest.update(chunk)
            size += len(chunk)
            entry.write(chunk)
    return Packed(path, size, digest.hexdigest())


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        yield from chunks_of(stream)


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder, without caches and what is hidden."""
    for place, folders, names in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__")))
        yield from (Path(place) / name for name in sorted(names) if not name.startswith("."))


def _source_files() -> Iterator[tuple[str, Path]]:
    for name in SOURCE:
        path = ROOT / name
        if not path.exists():
            raise ArchiveError(f"{path} is missing: an archive is packed from the repository that made the results")
        for file in _walk(path) if path.is_dir() else (path,):
            # The pictures of the docs are a study's figures once more; nothing that runs reads them.
            if file.suffix != ".png":
                yield file.relative_to(ROOT).as_posix(), file


def _provenance(plan: Plan) -> dict[str, Any]:
    """Return the state of the code: commit, what differs from it, and the digests of the code of every solver."""

    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        return done.stdout.rstrip("\n")

    # A repository that merely has this folder somewhere in it says nothing about its code.
    versioned = git("rev-parse", "--show-toplevel") == str(ROOT)
    status = git("status", "--porcelain", "--", *SOURCE) if versioned else None
    return {
        "commit": git("rev-parse", "HEAD") if versioned else None,
        "modified": None if status is None else sorted(line[3:] for line in status.splitlines()),
        "code": {
            solver: sorted({cell.params["code"] for (_, id), cell in plan.cells.items() if id == solver})
            for solver in sorted(plan.needs())
        },
    }


@dataclass(frozen=True)
class _Rows:
    """What the rows say about the run as a whole."""

    started: str | None
    ended: str | None
    software: Mapping[str, str]


def _rows(slices: Sequence[pa.Table]) -> _Rows:
    """Read when the trials ran and with what."""
    tables = [table.select(["started_at", "wall_seconds", "versions"]) for table in slices if table.num_rows]
    if not tables:
        return _Rows(None, None, {})
    rows = pa.concat_tables(tables)
    started = rows["started_at"].to_pylist()
    ends = [
        datetime.fromisoformat(start) + timedelta(seconds=round(wall))
        for start, wall in zip(started, rows["wall_seconds"].to_pylist(), strict=True)
    ]
    software: dict[str, set[str]] = {}
    for recorded in set(rows["versions"].to_pylist()):
        for name, version in json.loads(recorded).items():
            software.setdefault(name, set()).add(version)
    named = {name: ", ".join(sorted(found)) for name, found in software.items()}
    return _Rows(min(started), max(ends).isoformat(timespec="seconds"), named)
