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
from urllib.parse import quote, unquote

METADATA = "ro-crate-metadata.json"
VERSION = "1.1"
SPECIFICATION = f"https://w3id.org/ro/crate/{VERSION}"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
#: Has `sha256`, which the specification's own terms have not.
RUN_TERMS = "https://w3id.org/ro/terms/workflow-run/context"
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
    #: The campaign's file in the archive.
    campaign_file: str
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
    # Checking does not need it, and it takes 0.4 s to load.
    from rocrate.model import ContextEntity
    from rocrate.rocrate import ROCrate

    crate = ROCrate(version=VERSION)
    crate.metadata.extra_contexts.append(RUN_TERMS)
    citation, root = story.citation, crate.root_dataset

    def add(id: str, type: str, **properties: Any) -> Any:
        return crate.add(ContextEntity(crate, id, {"@type": type, **properties}))

    def authors(work: Mapping[str, Any]) -> Any:
        """Return the authors of a work of CITATION.cff: people, by their ORCID where they give it, or organisations."""
        people = []
        for author in work["authors"]:
            name = author.get("name") or " ".join(
                author[key] for key in ("given-names", "family-names") if key in author
            )
            id = author.get("orcid") or f"#{quote(name.replace(' ', '-'))}"
            people.append(add(id, "Organization" if "name" in author else "Person", name=name))
        return _one(people)

    identifier = str(citation["license"])
    license = add(
        f"https://spdx.org/licenses/{identifier}",
        "CreativeWork",
        name=identifier,
        description=f"The licence with the SPDX identifier {identifier}; its text is in the file LICENSE.",
    )
    articles = [
        add(
            f"https://doi.org/{article['doi']}",
            "ScholarlyArticle",
            name=article["title"],
            author=authors(article),
            datePublished=str(article["year"]),
        )
        for article in citation.get("references", ())
    ]
    software = [
        add(f"#software-{name}", "SoftwareApplication", name=name, softwareVersion=version)
        for name, version in sorted(story.software.items())
    ]
    root["conformsTo"] = [
        add(id, "CreativeWork", name=name, version=version) for id, (name, version) in PROFILES.items()
    ]
    root["name"], root["description"] = story.title, story.description
    # The library would put the present time there.
    root["datePublished"] = (story.ended or str(citation["date-released"]))[:10]
    root["license"], root["author"], root["citation"] = license, authors(citation), _one(articles)
    root["keywords"] = ", ".join(citation.get("keywords", ()))
    folders = [
        crate.add_dataset(dest_path=path, properties={"name": path, "description": about, "hasPart": []})
        for path, about in story.folders.items()
    ]
    for file in files:
        path = PurePosixPath(file.path)
        about = {
            "name": path.name,
            "contentSize": str(file.size),
            "sha256": file.sha256,
            "encodingFormat": MEDIA.get(path.suffix, "text/plain"),
        }
        if file.path == WORKFLOW:
            about |= {
                "name": f"unbounded {citation['version']}, Snakemake workflow",
                "license": license,
                "author": root["author"],
                "version": story.commit or str(citation["version"]),
            }
            entity = crate.add_workflow(dest_path=file.path, properties=about, main=True, lang="snakemake")
        else:
            entity = crate.add_file(dest_path=file.path, properties=about)
        for folder in folders:
            if file.path.startswith(folder["name"]):
                folder.append_to("hasPart", entity)
    for name in unlisted:
        crate.add_file(dest_path=name, properties={"name": name, "encodingFormat": "text/plain"})
    run = {
        "name": f"Campaign {story.campaign}",
        "description": f"snakemake --configfile {story.campaign_file}",
        "agent": root["author"],
    }
    if story.started and story.ended:
        run |= {"startTime": story.started, "endTime": story.ended}
    campaign = crate.get(quote(story.campaign_file))
    root["mentions"] = [crate.add_action(crate.mainEntity, "#run", campaign, _one(folders), run), *software]
    metadata: dict[str, Any] = crate.metadata.generate()
    return metadata


def _one(values: Sequence[Any]) -> Any:
    """Return a single value bare, as compacted JSON-LD has it."""
    return values[0] if len(values) == 1 else list(values)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


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
    if f"{SPECIFICATION}/context" not in context:
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
    yield from _check_files(root, entities, hashes, sizes, unlisted)


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
    root: Entity,
    entities: Mapping[str, Entity],
    hashes: Mapping[str, str],
    sizes: Mapping[str, int],
    unlisted: Sequence[str],
) -> Iterator[str]:
    reachable: set[str] = set()
    queue = [root]
    while queue:
        for part in _ids(queue.pop().get("hasPart")):
            if part not in reachable:
                reachable.add(part)
                queue.append(entities.get(part, {}))
    described = {id: unquote(id) for id, entity in entities.items() if "File" in _types(entity)}
    expected = {path: digest for path, digest in hashes.items() if path != METADATA}
    names = {*expected, *unlisted}
    for path in sorted(names - set(described.values())):
        yield f"{METADATA}: {path} is not described"
    for id, path in sorted(described.items()):
        if path not in names:
            yield f"{METADATA}: {id} is described and not in the manifest"
        if id not in reachable:
            yield f"{METADATA}: {id} is part of no dataset"
        if path in expected and entities[id].get("sha256") != expected[path]:
            yield f"{METADATA}: sha256 of {id} is not that of the manifest"
        stated = entities[id].get("contentSize")
        if path in sizes and stated not in (None, str(sizes[path])):
            yield f"{METADATA}: contentSize of {path} is {stated}, it has {sizes[path]} bytes"
