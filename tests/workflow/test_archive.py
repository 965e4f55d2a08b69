"""`unbounded archive`: one file that holds a campaign, can be checked, and makes its tables again."""

import hashlib
import json
import os
import re
import shlex
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rocrate.rocrate import ROCrate

from harness.campaigns import tiny
from unbounded.archive.check import verify
from unbounded.archive.contents import MANIFEST
from unbounded.archive.crate import METADATA, check
from unbounded.archive.rebuild import compare
from unbounded.archive.rows import as_bytes
from unbounded.archive.rows import read_rows as read_slice
from unbounded.campaign.layout import PROVENANCE
from unbounded.trials.reading import read_rows
from unbounded.trials.row import write_row

TRIAL = "results/tiny/trials/mixed-D4-t0-TC0-c1e1-E30/mies/1.parquet"
#: Where an archive has the rows of that trial and of others.
SLICE = "results/tiny/tables/trials/mixed-D4-t0.parquet"


@pytest.fixture(scope="module")
def packed(finished_campaign, tmp_path_factory: pytest.TempPathFactory):
    """Return a copy of the finished campaign, packed as tiny.crate.zip; not to be changed."""
    copy = finished_campaign.copy_to(tmp_path_factory.mktemp("packed") / "copy")
    copy.said = copy.unbounded("archive", "tiny.yaml")
    return copy


@pytest.fixture
def altered(packed, tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes the archive again with some entries replaced, or dropped where None."""

    def write(changes: dict[str, bytes | None]) -> Path:
        target = tmp_path / "altered.zip"
        with zipfile.ZipFile(packed.folder / "tiny.crate.zip") as old, zipfile.ZipFile(target, "w") as new:
            for name in old.namelist():
                content = changes.get(name, old.read(name))
                if content is not None:
                    new.writestr(name, content)
            for name in changes.keys() - set(old.namelist()):
                new.writestr(name, changes[name])
        return target

    return write


def content(packed, name: str) -> bytes:
    with zipfile.ZipFile(packed.folder / "tiny.crate.zip") as archive:
        return archive.read(name)


def test_an_archive_holds_the_campaign_what_made_it_and_the_hash_of_every_file(packed) -> None:
    output = packed.unbounded("archive", "verify", "tiny.crate.zip")
    assert "left out" not in packed.said
    assert re.fullmatch(r"tiny\.crate\.zip: \d+ files, no problems\n", output)
    with zipfile.ZipFile(packed.folder / "tiny.crate.zip") as archive:
        names = set(archive.namelist())
        manifest = dict(line.split("  ")[::-1] for line in archive.read(MANIFEST).decode().splitlines())
        assert manifest.keys() == names - {MANIFEST}
        for name, digest in manifest.items():
            assert hashlib.sha256(archive.read(name)).hexdigest() == digest
        provenance = json.loads(archive.read("provenance.json"))
    products = [path for kind in ("tables", "figures", "report") for path in (packed.results / kind).rglob("*.*")]
    assert len(products) > 50
    assert {name for name in names if name.startswith("results/")} == {
        path.relative_to(packed.folder).as_posix()
        for path in products
        if path.is_file() and path.stem != "trials" and path.suffix != ".csv"  # what is there once more
    }
    assert names >= {"campaign.yaml", "Snakefile", "envs/requirements.txt", "envs/requirements.in", "CITATION.cff"}
    assert names >= {
        "workflow/unbounded/archive/pack.py",
        "workflow/rules/trials.smk",
        "profiles/default/config.yaml",
    }
    assert not any("__pycache__" in name or ".snakemake" in name or "/logs/" in name for name in names)
    (row,) = pq.read_table(packed.folder / TRIAL, columns=["code_digest"]).to_pylist()
    assert provenance["code"]["mies"] == [row["code_digest"]]
    # What every solver ran with, defaults filled in, is what its rows say.
    effective = json.loads(content(packed, "effective.json"))
    assert {study: list(solvers) for study, solvers in effective.items()} == {
        "benchmark": ["cma-IH", "cplex", "mies"],
        "all-integer": ["cplex", "mies"],
    }
    mies = effective["benchmark"]["mies"]["4"]
    (row,) = pq.read_table(packed.folder / TRIAL).to_pylist()
    assert mies["options"] == json.loads(row["options"])
    assert mies["budget"] == {"kind": row["budget_kind"], "amount": row["budget_amount"]}
    assert (mies["variant"], mies["threads"], mies["seeds"]) == ("mies", 1, [1, 2])


def test_the_same_files_make_the_same_bytes(packed, tmp_path: Path) -> None:
    copy = packed.copy_to(tmp_path / "copy")
    for path in (copy.results / "figures").rglob("*.*"):
        os.utime(path)
    copy.unbounded("archive", "pack", "tiny.yaml", "--out", "again.zip")
    assert (copy.folder / "again.zip").read_bytes() == (packed.folder / "tiny.crate.zip").read_bytes()


def test_the_metadata_keeps_the_rules_of_ro_crate_and_of_the_profiles(packed) -> None:
    metadata = json.loads(content(packed, METADATA))
    assert metadata["@context"][0] == "https://w3id.org/ro/crate/1.1/context"
    entities = {entity["@id"]: entity for entity in metadata["@graph"]}
    assert len(entities) == len(metadata["@graph"])

    # RO-Crate 1.1: the descriptor and the root.
    descriptor = entities["ro-crate-metadata.json"]
    assert descriptor["@type"] == "CreativeWork"
    assert descriptor["about"] == {"@id": "./"}
    assert {"@id": "https://w3id.org/ro/crate/1.1"} in descriptor["conformsTo"]
    root = entities["./"]
    assert root["@type"] == "Dataset"
    assert root["name"]
    assert "7 of 7 planned trials" in root["description"]
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", root["datePublished"])
    license = entities[root["license"]["@id"]]
    assert license["name"]
    assert license["description"]
    assert entities[root["author"]["@id"]]["name"] == "The unbounded authors"
    assert len(root["citation"]) == 2

    # Files and folders are parts of the root, directly or not, and say size, hash and type.
    parts = {part["@id"] for part in root["hasPart"]}
    parts |= {inner["@id"] for part in root["hasPart"] for inner in entities[part["@id"]].get("hasPart", [])}
    files = {id for id, entity in entities.items() if "File" in entity["@type"]}
    with zipfile.ZipFile(packed.folder / "tiny.crate.zip") as archive:
        assert files == set(archive.namelist()) - {METADATA}
    assert files <= parts
    rows = entities[SLICE]
    data = content(packed, SLICE)
    assert (rows["contentSize"], rows["sha256"]) == (str(len(data)), hashlib.sha256(data).hexdigest())
    assert rows["encodingFormat"] == "application/vnd.apache.parquet"

    # Flattened: values that are objects are references, and lead to an entity or into the web.
    for entity in metadata["@graph"]:
        for value in entity.values():
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    assert set(item) == {"@id"}
                    assert item["@id"] in entities or item["@id"].startswith("https://")

    # Workflow RO-Crate 1.0.
    assert {"@id": "https://w3id.org/workflowhub/workflow-ro-crate/1.0"} in descriptor["conformsTo"]
    workflow = entities[root["mainEntity"]["@id"]]
    assert workflow["@id"] == "Snakefile"
    assert workflow["@type"] == ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
    assert entities[workflow["programmingLanguage"]["@id"]]["@type"] == "ComputerLanguage"

    # Workflow Run Crate 0.5: the campaign is a run of it.
    for profile in ("https://w3id.org/ro/wfrun/process/0.5", "https://w3id.org/ro/wfrun/workflow/0.5"):
        assert {"@id": profile} in root["conformsTo"]
        assert entities[profile]["@type"] == "CreativeWork"
    run = entities["#run"]
    assert run["@type"] == "CreateAction"
    assert run["instrument"] == {"@id": "Snakefile"}
    assert run["object"] == {"@id": "campaign.yaml"}
    assert {"@id": "results/tiny/tables/"} in run["result"]
    assert run["startTime"] <= run["endTime"]
    assert {"@id": "#run"} in root["mentions"]
    assert entities["#software-cplex"]["softwareVersion"]


def test_the_library_of_ro_crate_reads_an_archive_back(packed) -> None:
    crate = ROCrate(packed.folder / "tiny.crate.zip")
    root = crate.root_dataset
    assert crate.version == "1.1"
    assert root["license"]["name"] == "MIT"
    assert root["author"]["name"] == "The unbounded authors"
    assert {author["name"] for author in root["citation"][0]["author"]} == {"Guy Zepko", "Ofer M. Shir"}
    assert crate.mainEntity["programmingLanguage"]["name"] == "Snakemake"
    with zipfile.ZipFile(packed.folder / "tiny.crate.zip") as archive:
        assert {unquote(file.id) for file in crate.get_by_type("File")} == set(archive.namelist()) - {METADATA}
    (run,) = crate.get_by_type("CreateAction")
    assert run["instrument"] is crate.mainEntity
    files = [path for path in (packed.results / "tables").rglob("*") if path.is_file()]
    tables = {path.name for path in files if path.stem != "trials" and path.suffix != ".csv"}
    (folder,) = (folder for folder in run["result"] if folder.id == "results/tiny/tables/")
    assert {table["name"] for table in folder["hasPart"]} == tables


def test_an_id_may_have_more_of_its_letters_encoded(packed) -> None:
    """Archives are checked whichever version packed them: this one writes + as %2B, others did not."""
    hashes = dict(line.split("  ")[::-1] for line in content(packed, MANIFEST).decode().splitlines())
    metadata = content(packed, METADATA).decode().replace('"@id": "LICENSE"', '"@id": "%4CICENSE"')
    assert "%4C" in metadata
    assert not list(check(json.loads(metadata), hashes, {}, [MANIFEST]))


def test_every_problem_is_named(packed, altered) -> None:
    metadata = json.loads(content(packed, METADATA))
    root = next(entity for entity in metadata["@graph"] if entity["@id"] == "./")
    del root["license"]
    root["hasPart"] = [part for part in root["hasPart"] if part["@id"] != "Snakefile"]
    table = "results/tiny/tables/cells.parquet"
    changes = {
        SLICE: b"something else",
        "results/tiny/tables/runs.parquet": None,
        "results/tiny/tables/more.parquet": b"f\n",
        METADATA: json.dumps(metadata).encode(),
    }
    path = altered(changes)
    _, problems = verify(path)
    text = "\n".join(problems)
    assert f"{SLICE} is not what was packed" in text
    assert "results/tiny/tables/runs.parquet is missing" in text
    assert "results/tiny/tables/more.parquet is not in the manifest" in text
    assert f"{METADATA} is not what was packed" in text
    assert f"{METADATA}: the root has no license" in text
    assert f"{METADATA}: Snakefile is part of no dataset" in text
    assert len(problems) == 6
    assert table not in text
    output = packed.unbounded("archive", "verify", str(path), code=1)
    assert output.startswith(text)
    assert "6 problems" in output


def test_metadata_that_tells_of_other_files_is_a_problem(packed, altered) -> None:
    """The manifest is rewritten to fit, so only the metadata is wrong."""
    metadata = json.loads(content(packed, METADATA))
    entities = {entity["@id"]: entity for entity in metadata["@graph"]}
    entities[SLICE]["sha256"] = "0" * 64
    entities["LICENSE"]["contentSize"] = "1"
    entities["README.md"]["@id"] = "READ.md"
    entities["#run"]["instrument"] = {"@id": "LICENSE"}
    data = json.dumps(metadata).encode()
    manifest = content(packed, MANIFEST).decode()
    manifest = re.sub(rf"\w+(?=  {METADATA})", hashlib.sha256(data).hexdigest(), manifest)
    _, problems = verify(altered({METADATA: data, MANIFEST: manifest.encode()}))
    assert {problem.removeprefix(f"{METADATA}: ") for problem in problems} == {
        f"sha256 of {SLICE} is not that of the manifest",
        f"contentSize of LICENSE is 1, it has {len(content(packed, 'LICENSE'))} bytes",
        "READ.md is described and not in the manifest",
        "README.md is not described",
        "READ.md is part of no dataset",
        "hasPart of ./ is README.md, which is not described",
        "no CreateAction has the workflow as its instrument",
    }


def test_archives_that_could_be_anything_are_no_archives(packed, altered, tmp_path: Path) -> None:
    assert f"{METADATA} is missing" in "\n".join(verify(altered({METADATA: None}))[1])

    empty = tmp_path / "empty.zip"
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr(MANIFEST, "")
    assert [problem.partition(":")[0] for problem in verify(empty)[1]] == [
        f"{METADATA} is missing",
        f"{PROVENANCE} is missing",
        f"{MANIFEST} lists no file",
    ]

    manifest = content(packed, MANIFEST)
    twice = manifest + b"0" * 64 + b"  LICENSE\n"
    assert verify(altered({MANIFEST: twice}))[1] == ["LICENSE is in the manifest more than once"]


NONSENSE = [
    None,
    [],
    "text",
    7,
    {},
    {"@graph": 7},
    {"@graph": [7]},
    {"@graph": [{"@id": 7}]},
    {"@graph": [{"@id": ["a"]}]},
    {"@graph": []},
]


@pytest.mark.parametrize("metadata", NONSENSE, ids=str)
def test_metadata_that_is_none_is_a_problem(metadata: object) -> None:
    assert list(check(metadata, {}, {}))


@pytest.mark.parametrize(
    "value", [None, 7, "text", [], [7, "text", None], {}, {"@id": 7}, {"@id": ["./"]}, [[]]], ids=str
)
@pytest.mark.parametrize("name", [METADATA, "./", "Snakefile", "#run", "results/tiny/tables/"])
def test_wherever_metadata_is_nonsense_it_is_a_problem(packed, name: str, value: object) -> None:
    """A problem and no traceback, whichever key it is; keys that nobody needs may be anything."""
    text = content(packed, METADATA)
    needed = 0
    for key in next(entity for entity in json.loads(text)["@graph"] if entity["@id"] == name):
        metadata = json.loads(text)
        next(entity for entity in metadata["@graph"] if entity["@id"] == name)[key] = value
        needed += bool(list(check(metadata, {"LICENSE": "0"}, {"LICENSE": 1})))
    assert needed


def test_damage_is_found_whatever_it_hits(packed, tmp_path: Path) -> None:
    data = (packed.folder / "tiny.crate.zip").read_bytes()
    path = tmp_path / "damaged.zip"
    with zipfile.ZipFile(packed.folder / "tiny.crate.zip") as archive:
        info = archive.getinfo("results/tiny/figures/landscapes/gallery.svg")
    middle = info.header_offset + info.compress_size // 2
    path.write_bytes(data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :])
    _, problems = verify(path)
    assert problems
    assert all("results/tiny/figures/landscapes/gallery.svg" in problem for problem in problems)
    path.write_bytes(data[: len(data) // 2])
    assert "no readable zip" in verify(path)[1][0]


def test_no_wrong_bit_is_a_traceback(tmp_path: Path) -> None:
    whole, path = tmp_path / "whole.zip", tmp_path / "damaged.zip"
    text = b"some words"
    with zipfile.ZipFile(whole, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("text", text, compress_type=zipfile.ZIP_STORED)
        archive.writestr(METADATA, '{"@graph": ' + 40 * "[]," + "}")
        archive.writestr(MANIFEST, f"{hashlib.sha256(text).hexdigest()}  text\n")
    data = whole.read_bytes()
    _, before = verify(whole)
    with zipfile.ZipFile(whole) as archive:
        info = archive.getinfo("text")
    start = info.header_offset + len(info.FileHeader())
    for place in range(8 * len(data)):
        changed = bytearray(data)
        changed[place // 8] ^= 1 << place % 8
        path.write_bytes(changed)
        _, problems = verify(path)
        # Bits of times and flags may not matter, those of a file do.
        if start <= place // 8 < start + info.compress_size:
            assert problems != before


def test_products_that_the_campaign_no_longer_has_are_left_out(finished) -> None:
    campaign = tiny()
    del campaign["studies"]["all-integer"]
    finished.write(campaign)
    finished.run("tables")
    output = finished.unbounded("archive", "tiny.yaml", "--partial")
    left = list((finished.results / "figures" / "all-integer").iterdir())
    # Its figures, and the table of its slice of the suite.
    assert f"{len(left) + 1} files of tiny's results are no planned product and were left out" in output
    with zipfile.ZipFile(finished.folder / "tiny.crate.zip") as archive:
        assert not [name for name in archive.namelist() if "integer" in name and name.startswith("results/")]
    output = finished.unbounded("archive", "tables", "tiny.crate.zip", "--into", "unpacked", "--cores", "2")
    assert "none different" in output


def test_an_incomplete_campaign_is_packed_only_when_asked_for(finished) -> None:
    (finished.folder / TRIAL).unlink()
    output = finished.unbounded("archive", "tiny.yaml", code=1)
    assert re.search(r"missing +run_mies +1 ", output)
    assert "Not packed" in output
    assert not (finished.folder / "tiny.crate.zip").exists()

    output = finished.unbounded("archive", "tiny.yaml", "--partial")
    assert "6 trials, 1 are missing" in output
    assert verify(finished.folder / "tiny.crate.zip")[1] == []
    root = next(e for e in json.loads(content(finished, METADATA))["@graph"] if e["@id"] == "./")
    assert "6 of 7 planned trials" in root["description"]
    assert "1 run_mies (missing)" in root["description"]
    output = finished.unbounded("archive", "tables", "tiny.crate.zip", "--into", "unpacked", code=2)
    assert "is partial: 1 of 7 trials are missing" in output
    output = finished.unbounded("archive", "restore", "tiny.crate.zip", "--into", "elsewhere")
    assert "6 trials" in output
    assert "Not up to date when it was packed: 1 run_mies (missing)" in output
    # By which code the products were made is not known then, so that none is taken for this code's.
    assert "other code" not in output
    # What is made from no file would, by times alone, never be made anew.
    tables = finished.folder / "elsewhere/results/tiny/tables"
    assert (tables / "runs.parquet").exists()
    assert not [name for name in ("campaign.json", "plan.parquet", "plan.csv") if (tables / name).exists()]
    assert json.loads(content(finished, PROVENANCE))["products"] is None
    assert [path.name for path in (finished.folder / "elsewhere/results").iterdir()] == ["tiny"]


def test_tables_are_made_again_from_the_archive_alone(packed, tmp_path: Path) -> None:
    archive = tmp_path / "tiny.crate.zip"
    shutil.copy(packed.folder / "tiny.crate.zip", archive)
    into = tmp_path / "unpacked"
    output = packed.unbounded("archive", "tables", str(archive), "--into", str(into), "--cores", "2")
    tables = [path for path in (packed.results / "tables").rglob("*") if path.is_file()]
    # All trials in one table, and what is for people, are not packed.
    packed_ones = [path for path in tables if path.stem != "trials" and path.suffix != ".csv"]
    assert len(re.findall(r"^same bytes ", output, re.MULTILINE)) == len(packed_ones) >= 30
    assert "none different" in output
    for path in tables:
        assert (into / path.relative_to(packed.folder)).read_bytes() == path.read_bytes()
    assert not (into / "results" / "tiny" / "logs" / "trials").exists()

    # Another writer's bytes with the same values are the same table; another value is not.
    cells, runs = into / "results/tiny/tables/cells.parquet", into / "results/tiny/tables/runs.parquet"
    pq.write_table(pq.read_table(cells), cells, compression="none")
    table = pq.read_table(runs)
    position = table.column_names.index("seed")
    pq.write_table(table.set_column(position, "seed", pa.array([7] * table.num_rows, pa.int64())), runs)
    (into / "results/tiny/tables/plan.parquet").unlink()
    found = compare(archive, into)
    assert {name: verdict for name, verdict in found.items() if verdict != "same bytes"} == {
        "results/tiny/tables/cells.parquet": "same values",
        "results/tiny/tables/runs.parquet": "different",
        "results/tiny/tables/plan.parquet": "different",
    }


def test_what_is_wrong_is_said(packed, tmp_path: Path) -> None:
    assert "has no results to pack" in packed.unbounded("archive", "config/demo.yaml", "--partial", code=2)
    assert "absent.zip" in packed.unbounded("archive", "verify", "absent.zip", code=2)
    assert "is not empty" in packed.unbounded("archive", "tables", "tiny.crate.zip", "--into", "workflow", code=2)
    (tmp_path / "text.zip").write_text("no zip")
    assert "no readable zip" in packed.unbounded("archive", "verify", str(tmp_path / "text.zip"), code=1)


def test_a_forged_row_is_found_whatever_its_hash_says(packed, altered, finished) -> None:
    (row,) = read_rows([packed.folder / TRIAL]).to_pylist()
    path = finished.folder / TRIAL
    write_row({**row, "f": 0.1 * row["f"]}, path)
    told = f"f is {0.1 * row['f']:.17g}, at its x it is {row['f']:.17g}"
    output = finished.unbounded("archive", "tiny.yaml", "--partial", code=2)
    assert "rows that are not in order are not packed" in output
    assert f"{TRIAL}: {told}" in output

    # With hashes and sizes to match.
    table = pq.read_table(pa.BufferReader(content(packed, SLICE)))
    rows = table.to_pylist()
    at = next(i for i, other in enumerate(rows) if (other["solver"], other["seed"]) == ("mies", 1))
    rows[at]["f"] *= 0.1
    unplanned = {**rows[at - 1], "seed": 99}
    new = as_bytes(pa.Table.from_pylist([*rows, rows[-1], unplanned], schema=table.schema))
    hashes = [hashlib.sha256(content).hexdigest() for content in (content(packed, SLICE), new)]
    metadata = json.loads(content(packed, METADATA))
    for entity in metadata["@graph"]:
        if entity["@id"] == SLICE:
            entity.update({"contentSize": str(len(new)), "sha256": hashes[1]})
    described = json.dumps(metadata).encode()
    manifest = content(packed, MANIFEST).decode().replace(*hashes)
    manifest = re.sub(rf"\w+(?=  {re.escape(METADATA)}\n)", hashlib.sha256(described).hexdigest(), manifest)
    forged = altered({SLICE: new, METADATA: described, MANIFEST: manifest.encode()})
    named = "{instance} by {solver}, seed {seed}"
    assert sorted(verify(forged)[1]) == sorted(
        [
            f"{SLICE}: {named.format(**rows[at])}: {told}",
            f"{SLICE}: {named.format(**rows[-1])}: there 2 times",
            f"{SLICE}: {named.format(**unplanned)}: not planned by the campaign",
        ]
    )
    assert "cannot be trusted, 3 problems" in finished.unbounded("archive", "restore", str(forged), code=2)


def test_restored_results_are_the_packed_ones_and_nothing_is_left_to_do(packed, tmp_path: Path) -> None:
    copy = packed.copy_to(tmp_path / "copy")
    shutil.rmtree(copy.results)
    shutil.rmtree(copy.folder / ".snakemake", ignore_errors=True)
    output = copy.unbounded("archive", "restore", "tiny.crate.zip")
    assert "7 trials" in output
    assert "index.html: open it" in output
    parts = ("trials", "tables", "figures", "report")
    files = [path for part in parts for path in (packed.results / part).rglob("*") if path.is_file()]
    assert len(files) > 60
    for path in files:
        restored = copy.folder / path.relative_to(packed.folder)
        if path.suffix == ".parquet":
            assert pq.read_table(restored).equals(pq.read_table(path)), path
        else:
            assert restored.read_bytes() == path.read_bytes(), path
    assert "nothing wrong" in copy.unbounded("verify", "tiny.yaml")
    # The campaign as it was packed lies with them, and has nothing left to do; so has the one in its place.
    assert "would run" not in copy.unbounded("stale", "results/tiny/campaign.yaml")
    copy.unbounded("archive", "pack", "results/tiny/campaign.yaml", "--out", "again.zip")
    assert (copy.folder / "again.zip").read_bytes() == (packed.folder / "tiny.crate.zip").read_bytes()
    assert "is not empty" in copy.unbounded("archive", "restore", "tiny.crate.zip", code=2)
    assert "other code" not in output


#: Files of the code that makes products, of each kind.
OF_PRODUCTS = (
    "workflow/unbounded/tables/runs.py",
    "workflow/unbounded/figures/maps.py",
    "workflow/unbounded/report/page.css",
    "scripts/draw_figure.py",
)


def test_what_other_code_made_is_said_and_kept_as_the_message_says(packed, tmp_path: Path) -> None:
    copy = packed.copy_to(tmp_path / "a copy")
    copy.edit("solvers/mies.py", '"""', '"""Another.')  # what only people read is no other code
    assert "other code" not in copy.unbounded("archive", "restore", "tiny.crate.zip", "--into", "same")
    products = "Nothing says that the code that is here made tables, figures and page"
    for number, file in enumerate(OF_PRODUCTS):
        path = copy.folder / file
        whole = path.read_text()
        path.write_text(f"{whole}\nANOTHER = 1\n")
        assert products in copy.unbounded("archive", "restore", "tiny.crate.zip", "--into", f"other {number}"), file
        path.write_text(whole)
    for file in ("workflow/unbounded/solvers/mies.py", OF_PRODUCTS[0]):
        path = copy.folder / file
        path.write_text(f"{path.read_text()}\nANOTHER = 1\n")
    output = copy.unbounded("archive", "restore", "tiny.crate.zip", "--into", "else where")
    assert products in output
    (told,) = [line for line in output.splitlines() if "of the trials were made by other code" in line]
    assert told.startswith("3 of the trials")
    words = shlex.split(told[told.index("snakemake --cores") :])[1:]
    command = (copy.python, "-m", "snakemake", *words, "--dry-run")
    assert "Nothing to be done" in copy.output(copy.launch(*command), 0)
    campaign = words[words.index("--configfile") + 1]
    kept = ("--rerun-triggers", "mtime")
    again = (copy.python, "-m", "snakemake", *(word for word in words if word not in kept), "--dry-run")
    planned = copy.output(copy.launch(*again), 0)
    assert re.search(r"run_mies +3\n", planned)
    assert "made by other code than there is here, by results/tiny/provenance.json" in planned
    assert campaign == "else where/results/tiny/campaign.yaml"


def test_what_is_restored_follows_an_edit_of_the_campaign(packed, tmp_path: Path) -> None:
    """Snakemake remembers nothing of it, so it would leave every table and figure as it is."""
    copy = packed.copy_to(tmp_path / "copy")
    shutil.rmtree(copy.results)
    memory = copy.folder / ".snakemake/metadata"
    assert any(path.is_file() for path in memory.rglob("*"))
    copy.unbounded("archive", "restore", "tiny.crate.zip")
    # What it remembers of the files that were here before would be taken for these files' own.
    assert not any(path.is_file() for path in memory.rglob("*"))
    files = {path for path in copy.results.rglob("*") if path.is_file() and path.name != "provenance.json"}
    campaign = tiny()
    campaign["studies"]["benchmark"]["seeds"] = 1
    copy.write(campaign)
    why = "made for another campaign than this one, by results/tiny/provenance.json"
    assert why in copy.run("--dry-run", "tables")
    # A run that is stopped early has written the record of the new campaign, and nothing else; none removes a file.
    output = copy.run("--until", "record_campaign")
    assert why in output
    stale = copy.stale()
    assert "record_campaign" not in stale
    assert {"make_table", "collect_slice", "record_plan", "draw_figure", "write_report"} <= stale.keys()
    assert files <= set(copy.results.rglob("*"))

    # What has no input, or is named by its file, is seen to be another campaign's as well.
    def seeds(name: str) -> set[int]:
        table = pq.read_table(copy.results / "tables" / f"{name}.parquet", columns=["seed"])
        return set(table["seed"].to_pylist())

    copy.run("results/tiny/tables/plan.parquet")
    assert (seeds("plan"), seeds("runs")) == ({1}, {1, 2})
    copy.run("results/tiny/tables/runs.parquet")
    copy.run("tables")
    assert seeds("plan") == seeds("trials") == seeds("runs") == {1}
    assert stale["draw_figure"] == copy.stale()["draw_figure"]
    assert files <= set(copy.results.rglob("*"))
    # When all is made, it tells so, to whoever has the folder without Snakemake's memory.
    assert not (copy.results / "provenance.json").exists()
    copy.run()
    shutil.rmtree(copy.folder / ".snakemake")
    assert "Nothing to be done" in copy.run("--dry-run")
    copy.write(tiny())
    assert why in copy.run("--dry-run", "tables")


def test_what_stands_beside_the_rows_is_what_their_ids_say(packed) -> None:
    table = pq.read_table(pa.BufferReader(content(packed, SLICE)))
    moved = table.set_column(table.column_names.index("c"), "c", pa.array([99.0] * table.num_rows))
    assert "c, E, hessian are not what the ids" in str(read_slice(SLICE, as_bytes(moved)))
    assert "rows of mixed-D4-t0" in str(read_slice(SLICE.replace("D4", "D8"), as_bytes(table)))
    assert isinstance(read_slice(SLICE, as_bytes(table)), pa.Table)


def test_code_of_an_archive_runs_only_when_asked_for(packed, tmp_path: Path) -> None:
    """Its own code would leave a file behind; the installation's does not."""
    copy = packed.copy_to(tmp_path / "copy")
    snakefile = copy.folder / "Snakefile"
    snakefile.write_text(snakefile.read_text() + '\nPath("its-own-code-ran").touch()\n')
    copy.unbounded("archive", "tiny.yaml", "--partial", "--out", "its-own.zip")
    assert verify(copy.folder / "its-own.zip")[1] == []
    command = ("archive", "tables", str(copy.folder / "its-own.zip"), "--cores", "2", "--into")
    assert "none different" in packed.unbounded(*command, str(tmp_path / "a"))
    assert not (tmp_path / "a" / "its-own-code-ran").exists()
    output = packed.unbounded(*command, str(tmp_path / "b"), "--own-code", code=1)
    assert "Do you trust who packed it?" in output
    assert not (tmp_path / "b").exists()
    assert "none different" in packed.unbounded(*command, str(tmp_path / "b"), "--own-code", "--yes")
    assert (tmp_path / "b" / "its-own-code-ran").exists()
