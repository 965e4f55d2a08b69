"""The files that the page is made from, and how data are packed into it.

Imports nothing heavy: the workflow asks for the digest whenever it plans.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
TEMPLATE = "page.html.j2"
STYLE = "page.css"
#: In the order in which the page runs them.
SCRIPTS = ("tools.js", "maps.js", "instance.js", "figures.js", "page.js")


def text(name: str) -> str:
    """Return one of the files."""
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def digest() -> str:
    """Return sixteen hex digits for template, style and scripts: `code_digest` sees Python alone."""
    content = "\0".join(text(name) for name in (TEMPLATE, STYLE, *SCRIPTS))
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def pack(content: bytes) -> str:
    """Return content compressed, in letters that need no escaping in HTML; the same content gives the same text."""
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode("ascii")


def pack_json(data: Any) -> str:
    """Return data as packed JSON; NaN is refused, since JSON has none."""
    return pack(json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode())
