"""Reads a campaign's file: YAML as people mean it, or everything that is wrong with it, before any job starts."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from unbounded.campaign.campaign import Campaign
from unbounded.campaign.checking import check
from unbounded.campaign.messages import dotted, message
from unbounded.instances import files as problem_files
from unbounded.running.errors import shown


class ConfigError(ValueError):
    """What is wrong with a campaign file, as one message for people."""


class CampaignLoader(yaml.SafeLoader):
    """YAML as people mean it: numbers and true or false as in YAML 1.2, and a key given twice is an error.

    YAML 1.1 reads 1e6 as text, which is a number here; and 010 as 8, 1:30 as 90, yes and on as true, which are text
    here, refused as they are written where a number is meant.
    """

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Return what a node stands for; a number of thousands of digits, or `!!int two`, for nothing."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError):
            raise yaml.constructor.ConstructorError(
                None, None, f"this cannot be read as {node.tag.rpartition(':')[2]}", node.start_mark
            ) from None

    def construct_yaml_float(self, node: yaml.ScalarNode) -> float:
        """Return the number; 1e3 is a whole one."""
        value = super().construct_yaml_float(node)
        return int(value) if "." not in node.value and value.is_integer() else value

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return the mapping, if no key stands in it twice."""
        seen: set[Any] = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            if not isinstance(key_node, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    None, None, "a key is a list or a mapping; allowed: a word or a number", key_node.start_mark
                )
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key '{key}' is given twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


CampaignLoader.add_constructor("tag:yaml.org,2002:float", CampaignLoader.construct_yaml_float)
CampaignLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(0|[1-9][0-9]*)", list("-+0123456789")),
    (
        "float",
        r"[-+]?((?:0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
    ("merge", r"<<", ["<"]),
):
    CampaignLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first)


def load_campaign(path: Path) -> Campaign:
    """Read a campaign file, or raise ConfigError with everything that is wrong with it."""
    try:
        data = yaml.load(_read(path), Loader=CampaignLoader)
        problems = [] if isinstance(data, Mapping) else [("", _no_mapping(data))]
        if not problems:
            campaign = Campaign.model_validate(data)
            for study in campaign.run_studies.values():
                study.lies_in(path.parent)
            problems = list(dict.fromkeys(check(campaign)))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ConfigError(f"{path}{where}: not valid YAML: {error.problem}") from None
    except RecursionError:
        raise ConfigError(f"{path}: is nested too deeply for a campaign") from None
    except ValidationError as error:
        problems = [(dotted(e["loc"], data)[1:], message(e)) for e in error.errors()]
    if problems:
        lines = [f"{path}: {key}: {message}" if key else f"{path}: {message}" for key, message in problems]
        raise ConfigError("\n".join(lines))
    problem_files.know(pattern for study in campaign.run_studies.values() for pattern in study.patterns)
    return campaign


def _read(path: Path) -> str:
    """Return the text of a file, or raise ConfigError if it is none."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}, line {line}: the byte 0x{content[error.start]:02x} is no UTF-8; save the file as text in UTF-8"
        ) from None
    unreadable = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if unreadable:
        line = text.count("\n", 0, unreadable.start()) + 1
        raise ConfigError(
            f"{path}, line {line}: the character {unreadable.group()!r} is not allowed in YAML; remove it"
        )
    return text


def _no_mapping(data: Any) -> str:
    return f"is {shown(data)}; allowed: a mapping with the keys {', '.join(Campaign.model_fields)}"
