"""The metadata of an archive: an RO-Crate 1.1 that describes a workflow, one run of it, and every file.

Profiles: Workflow RO-Crate 1.0 (the Snakefile is the main entity) and Workflow Run Crate 0.5 (the campaign is an action
that made the results with it). `check` holds the rules of all three that can be checked offline.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

METADATA = "ro-crate-metadata.json"
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
WORKFLOW_CRATE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    WORKFLOW_CRATE: ("Workflow RO-Crate", "1.0"),
}
#: The second one has `sha256`, which the first has not.
CONTEXT = [f"{SPECIFICATION}/context", "https://w3id.org/ro/terms/workflow-run/context"]
LANGUAGE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
WORKFLOW = "Snakefile"

#: Ending → media type.
MEDIA = {
    ".parquet": "application/vnd.apache.parquet",
    ".csv": "text/csv",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".pdf": "application/pdf",
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".yaml": "application/yaml",
    ".cff": "application/yaml",
    ".toml": "application/toml",
    ".md": "text/markdown",
    ".rst": "text/x-rst",
    ".py": "text/x-python",
}

Entity = dict[str, Any]


@dataclass(frozen=True)
class Packed:
    """A file of the archive."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Story:
    """What the metadata tells besides the files."""

    campaign: str
    title: str
    description: str
    #: The campaign's file in the archive, and the folder of its results.
    campaign_file: str
    results: str
    #: Of the first and the last trial, ISO 8601; None without trials.
    started: str | None
    ended: str | None
    #: Software with its versions, as the rows record them.
    software: Mapping[str, str]
    commit: str | None
    #: CITATION.cff.
    citation: Mapping[str, Any]
    #: Folders of the archive with what is in them.
    folders: Mapping[str, str]


def describe(story: Story, files: Sequence[Packed], unlisted: Sequence[str] = ()) -> dict[str, Any]:
    """Return the metadata of these files; of the unlisted ones, which cannot be hashed yet, only the names."""
    authors = list(_authors(story.citation))
    license = _license(story.citation)
    articles = list(_articles(story.citation))
    works = [story.citation, *story.citation.get("references", ())]
    people = {author["@id"]: author for work in works for author in _authors(work)}
    software = [_software(name, version) for name, version in sorted(story.software.items())]
    folders = [_folder(path, about, files) for path, about in story.folders.items()]
    inside = {part["@id"] for folder in folders for part in _listed(folder["hasPart"])}
    entities = [_file(file) for file in files]
    others = [{"@id": _id(name), "@type": "File", "name": name, "encodingFormat": "text/plain"} for name in unlisted]
    for entity in entities:
        if entity["@id"] == WORKFLOW:
            entity |= {
                "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
                "name": f"unbounded {story.citation['version']}, Snakemake workflow",
                "programmingLanguage": {"@id": LANGUAGE},
                "license": {"@id": license["@id"]},
                "author": _references(authors),
                "version": story.commit or str(story.citation["version"]),
            }
    published = (story.ended or str(story.citation["date-released"]))[:10]
    loose = [{"@id": entity["@id"]} for entity in (*entities, *others) if entity["@id"] not in inside]
    run: Entity = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": f"Campaign {story.campaign}",
        "description": f"snakemake --configfile {story.campaign_file}",
        "instrument": {"@id": WORKFLOW},
        "agent": _references(authors),
        "object": {"@id": _id(story.campaign_file)},
        "result": _references([folder for folder in folders if folder["@id"].startswith(_id(story.results))]),
    }
    if story.started and story.ended:
        run |= {"startTime": story.started, "endTime": story.ended}
    root: Entity = {
        "@id": "./",
        "@type": "Dataset",
        "conformsTo": [{"@id": profile} for profile in PROFILES],
        "name": story.title,
        "description": story.description,
        "datePublished": published,
        "license": {"@id": license["@id"]},
        "author": _references(authors),
        "keywords": ", ".join(story.citation.get("keywords", ())),
        "citation": _references(articles),
        "mainEntity": {"@id": WORKFLOW},
        "mentions": [{"@id": "#run"}, *({"@id": entity["@id"]} for entity in software)],
        "hasPart": [*({"@id": folder["@id"]} for folder in folders), *loose],
    }
    descriptor: Entity = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": [{"@id": SPECIFICATION}, {"@id": WORKFLOW_CRATE}],
    }
    profiles = [
        {"@id": id, "@type": "CreativeWork", "name": name, "version": version}
        for id, (name, version) in PROFILES.items()
    ]
    language = {
        "@id": LANGUAGE,
        "@type": "ComputerLanguage",
        "name": "Snakemake",
        "identifier": {"@id": "https://snakemake.readthedocs.io"},
        "url": {"@id": "https://snakemake.readthedocs.io"},
    }
    graph = [descriptor, root, *profiles, license, *people.values(), *articles, language, *software, run]
    return {"@context": CONTEXT, "@graph": [*graph, *folders, *entities, *others]}


def _id(path: str) -> str:
    """Write a path as a URI reference; ids of RO-Crate keep letters of any alphabet."""
    return "".join(quote(letter, safe="/!$&'()*+,;=:@") if ord(letter) < 128 else letter for letter in path)


def _one(values: Sequence[Any]) -> Any:
    """Return a single value bare, as compacted JSON-LD has it."""
    return values[0] if len(values) == 1 else list(values)


def _references(entities: Sequence[Entity]) -> Any:
    return _one([{"@id": entity["@id"]} for entity in entities])


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _file(file: Packed) -> Entity:
    return {
        "@id": _id(file.path),
        "@type": "File",
        "name": PurePosixPath(file.path).name,
        "contentSize": str(file.size),
        "sha256": file.sha256,
        "encodingFormat": MEDIA.get(PurePosixPath(file.path).suffix, "text/plain"),
    }


def _folder(path: str, about: str, files: Sequence[Packed]) -> Entity:
    inside = [{"@id": _id(file.path)} for file in files if file.path.startswith(path)]
    return {"@id": _id(path), "@type": "Dataset", "name": path, "description": about, "hasPart": inside}


def _authors(work: Mapping[str, Any]) -> Iterator[Entity]:
    """Yield the authors of a work of CITATION.cff: people, by their ORCID where they give it, or organisations."""
    for author in work["authors"]:
        type = "Organization" if "name" in author else "Person"
        name = author.get("name") or " ".join(author[key] for key in ("given-names", "family-names") if key in author)
        yield {"@id": author.get("orcid") or f"#{_id(name.replace(' ', '-'))}", "@type": type, "name": name}


def _license(citation: Mapping[str, Any]) -> Entity:
    name = str(citation["license"])
    return {
        "@id": f"https://spdx.org/licenses/{name}",
        "@type": "CreativeWork",
        "name": name,
        "description": f"The licence with the SPDX identifier {name}; its text is in the file LICENSE.",
    }


def _articles(citation: Mapping[str, Any]) -> Iterator[Entity]:
    for reference in citation.get("references", ()):
        yield {
            "@id": f"https://doi.org/{reference['doi']}",
            "@type": "ScholarlyArticle",
            "name": reference["title"],
            "author": _references(list(_authors(reference))),
            "datePublished": str(reference["year"]),
        }


def _software(name: str, version: str) -> Entity:
    return {"@id": f"#software-{name}", "@type": "SoftwareApplication", "name": name, "softwareVersion": version}


# --- Checking ------------------------------------------------------------------------------------------------------


def check(
    metadata: Any, hashes: Mapping[str, str], sizes: Mapping[str, int], unlisted: Sequence[str] = ()
) -> Iterator[str]:
    """Yield what is wrong with the metadata of files with these hashes, and sizes where those are known."""
    graph = metadata.get("@graph") if isinstance(metadata, dict) else None
    if not isinstance(graph, list) or not all(
        isinstance(entity, dict) and isinstance(entity.get("@id"), str) for entity in graph
    ):
        yield f"{METADATA}: no @graph of entities with an @id"
        return
    context = _listed(metadata.get("@context"))
    if CONTEXT[0] not in context:
        yield f"{METADATA}: the @context is not that of RO-Crate 1.1"
    entities: dict[str, Entity] = {}
    for entity in graph:
        if entity["@id"] in entities:
            yield f"{METADATA}: {entity['@id']} is described twice"
        entities[entity["@id"]] = entity
    yield from _check_references(entities)
    descriptor = entities.get(METADATA, {})
    if "CreativeWork" not in _types(descriptor) or SPECIFICATION not in _ids(descriptor.get("conformsTo")):
        yield f"{METADATA}: no descriptor of type CreativeWork that conforms to {SPECIFICATION}"
    root = _entity(entities, descriptor.get("about"))
    if not root:
        yield f"{METADATA}: the descriptor is not about a root dataset"
        return
    yield from _check_root(root, entities)
    yield from _check_files(root, entities, hashes, unlisted)
    yield from _check_sizes(entities, sizes)


def _ids(value: Any) -> list[str]:
    """Return the ids that a value refers to; what is no reference is none, whatever it is."""
    return [item["@id"] for item in _listed(value) if isinstance(item, dict) and isinstance(item.get("@id"), str)]


def _types(entity: Entity) -> set[str]:
    return {type for type in _listed(entity.get("@type")) if isinstance(type, str)}


def _entity(entities: Mapping[str, Entity], reference: Any) -> Entity:
    """Return the entity that a reference leads to, or an empty one."""
    return next((entities[id] for id in _ids(reference) if id in entities), {})


def _check_references(entities: Mapping[str, Entity]) -> Iterator[str]:
    """Yield references that lead nowhere: within a crate, every `#…` and every profile must be described."""
    for id, entity in entities.items():
        for key, values in entity.items():
            for value in _listed(values):
                if not isinstance(value, dict):
                    continue
                if set(value) != {"@id"} or not isinstance(value["@id"], str):
                    yield f"{METADATA}: {key} of {id} is nested; entities must stand in the @graph"
                elif "://" not in value["@id"] and value["@id"] not in entities:
                    yield f"{METADATA}: {key} of {id} is {value['@id']}, which is not described"


def _check_root(root: Entity, entities: Mapping[str, Entity]) -> Iterator[str]:
    if "Dataset" not in _types(root) or not root["@id"].endswith("/"):
        yield f"{METADATA}: the root is no Dataset whose @id ends with /"
    for key in ("name", "description", "license", "author"):
        if not root.get(key):
            yield f"{METADATA}: the root has no {key}"
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:?\d{2})?)?", str(root.get("datePublished", ""))):
        yield f"{METADATA}: datePublished of the root is no ISO 8601 date"
    for profile in PROFILES:
        if {"@id": profile} not in _listed(root.get("conformsTo")) or profile not in entities:
            yield f"{METADATA}: the root does not conform to {profile}, or that is not described"
    workflow = _entity(entities, root.get("mainEntity"))
    if not {"File", "SoftwareSourceCode", "ComputationalWorkflow"} <= _types(workflow):
        yield f"{METADATA}: mainEntity is no ComputationalWorkflow"
    if not _entity(entities, workflow.get("programmingLanguage")):
        yield f"{METADATA}: the workflow's programmingLanguage is not described"
    runs = [entity for entity in entities.values() if entity.get("@type") == "CreateAction"]
    if not any(run.get("instrument") == {"@id": workflow.get("@id")} for run in runs):
        yield f"{METADATA}: no CreateAction has the workflow as its instrument"
    for run in runs:
        if {"@id": run["@id"]} not in _listed(root.get("mentions")):
            yield f"{METADATA}: the root does not mention {run['@id']}"


def _check_files(
    root: Entity, entities: Mapping[str, Entity], hashes: Mapping[str, str], unlisted: Sequence[str]
) -> Iterator[str]:
    reachable: set[str] = set()
    queue = [root]
    while queue:
        for part in _ids(queue.pop().get("hasPart")):
            if part not in reachable:
                reachable.add(part)
                queue.append(entities.get(part, {}))
    described = {id for id, entity in entities.items() if "File" in _types(entity)}
    expected = {_id(path): digest for path, digest in hashes.items() if path != METADATA}
    names = expected.keys() | {_id(name) for name in unlisted}
    for id in sorted(described - names):
        yield f"{METADATA}: {id} is described and not in the manifest"
    for id in sorted(names - described):
        yield f"{METADATA}: {id} is not described"
    for id in sorted(described - reachable):
        yield f"{METADATA}: {id} is part of no dataset"
    for id in sorted(described & expected.keys()):
        if entities[id].get("sha256") != expected[id]:
            yield f"{METADATA}: sha256 of {id} is not that of the manifest"


def _check_sizes(entities: Mapping[str, Entity], sizes: Mapping[str, int]) -> Iterator[str]:
    for path, size in sizes.items():
        stated = entities.get(_id(path), {}).get("contentSize", str(size))
        if stated != str(size):
            yield f"{METADATA}: contentSize of {path} is {stated}, it has {size} bytes"
