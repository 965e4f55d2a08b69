"""An archive, checked: hashes, what is missing or too much, the metadata, and every row from its point up."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from unbounded.archive import crate
from unbounded.archive.contents import CAMPAIGN, DAMAGED, MANIFEST, chunks_of, plan_of
from unbounded.archive.crate import METADATA, Packed
from unbounded.archive.rows import read_rows, wrong_rows
from unbounded.campaign.layout import PROVENANCE, is_slice
from unbounded.campaign.reading import ConfigError


def verify(path: Path) -> tuple[int, list[str]]:
    """Return the number of files in an archive, and everything that is wrong with it."""
    with path.open("rb") as stream:
        try:
            archive = zipfile.ZipFile(stream)
        except DAMAGED as error:
            return 0, [f"{path} is no readable zip ({error})"]
        with archive:
            return len(archive.namelist()), list(_problems(archive))


def _problems(archive: zipfile.ZipFile) -> Iterator[str]:
    names = archive.namelist()
    for name, times in Counter(names).items():
        if times > 1:
            yield f"{name} is in the archive {times} times"
    for name in sorted(name for name in names if name.startswith("/") or ".." in Path(name).parts):
        yield f"{name} leads out of the archive"
    if MANIFEST not in names:
        yield f"{MANIFEST} is missing: no hash can be checked"
        return
    if METADATA not in names:
        yield f"{METADATA} is missing: nothing says what the files are"
    if PROVENANCE not in names:
        yield f"{PROVENANCE} is missing: nothing says which code made them"
    try:
        manifest = archive.read(MANIFEST).decode(errors="replace")
    except DAMAGED as error:
        yield f"{MANIFEST} is damaged ({error}): no hash can be checked"
        return
    listed: dict[str, str] = {}
    for line in manifest.splitlines():
        digest, separator, name = line.partition("  ")
        if not separator:
            yield f"{MANIFEST} has a line that is no hash and path: {line[:80]}"
        elif name in listed:
            yield f"{name} is in the manifest more than once"
        else:
            listed[name] = digest
    if not listed:
        yield f"{MANIFEST} lists no file"
    found: dict[str, Packed] = {}
    for name in sorted(set(names) - {MANIFEST}):
        try:
            digest_of, size = hashlib.sha256(), 0
            with archive.open(name) as stream:
                for chunk in chunks_of(stream):
                    digest_of.update(chunk)
                    size += len(chunk)
        except DAMAGED as error:
            yield f"{name} is damaged ({error})"
            continue
        found[name] = Packed(name, size, digest_of.hexdigest())
        if name not in listed:
            yield f"{name} is not in the manifest"
        elif listed[name] != found[name].sha256:
            yield f"{name} is not what was packed: its sha256 is {found[name].sha256}, the manifest has {listed[name]}"
    for name in sorted(listed.keys() - set(names)):
        yield f"{name} is missing"
    # What is missing or was changed has been named above; the rest is held against the manifest.
    intact = {name: file.size for name, file in found.items() if listed.get(name) == file.sha256}
    if METADATA in found:
        try:
            metadata = json.loads(archive.read(METADATA))
        except (ValueError, RecursionError) as error:
            yield f"{METADATA} is no JSON ({error})"
            return
        yield from crate.check(metadata, listed, intact, [MANIFEST])
    # Hashes say that a row is what was packed, not that it is right.
    names = [name for name in intact if is_slice(name)]
    if not names:
        return
    with ExitStack() as stack:
        try:
            plan = stack.enter_context(plan_of(archive))
        except (ConfigError, *DAMAGED) as error:
            yield f"{CAMPAIGN} cannot be read here, so no row was checked ({str(error).splitlines()[0]})"
            return
        for name in names:
            rows = read_rows(name, archive.read(name))
            yield from [rows] if isinstance(rows, str) else wrong_rows(plan, name, rows)
