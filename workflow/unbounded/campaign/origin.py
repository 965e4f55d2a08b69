"""What a campaign's products were made for, and by which code, told by a file beside them.

Snakemake compares what it remembers. Of products that came with a folder or an archive it remembers nothing: these are
believed where the file says that they are of this campaign and of this code. A run that makes any takes it away first,
and writes it again when it has made, or found good, all of them; so it never tells of others than those that are there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from unbounded.campaign.layout import Layout
from unbounded.campaign.plan import Plan
from unbounded.running.writing import write_text

#: The file's key; an archive's has more.
KEY = "products"


@dataclass(frozen=True)
class Origin:
    """Digests of the campaign that products were made for, and of the code that made them."""

    campaign: str
    code: str


@dataclass(frozen=True)
class Made:
    """The files that a campaign makes from its trials."""

    files: Sequence[Path]
    #: Returns what they are made for and by here and now.
    origin: Callable[[], Origin]
    #: Whether Snakemake remembers how a file was made; then it sees by itself whether that has changed.
    remembered: Callable[[Path], bool]

    def unremembered(self) -> list[Path]:
        """Return the files that are there and not remembered."""
        return [path for path in self.files if path.exists() and not self.remembered(path)]


def campaign_digest(plan: Plan) -> str:
    """Return sixteen hex digits for all of a campaign that products depend on, the order of its solvers included."""
    return hashlib.sha256(f"{plan.campaign.values()}\n{plan.digest}".encode()).hexdigest()[:16]


def read_origin(layout: Layout) -> Origin | None:
    """Return what the file beside the products says, None if nothing does."""
    try:
        found: Any = json.loads(layout.provenance.read_bytes())[KEY]
        return Origin(**found)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def otherwise_made(layout: Layout, made: Made) -> Iterator[tuple[Path, str]]:
    """Yield the products that nobody vouches for, each with the reason."""
    unremembered = made.unremembered()
    if not unremembered:
        return
    found, wanted = read_origin(layout), made.origin()
    if found is None:
        why = "nothing says for which campaign and by which code it was made"
    elif found.campaign != wanted.campaign:
        why = f"made for another campaign than this one, by {layout.provenance}"
    elif found.code != wanted.code:
        why = f"made by other code than there is here, by {layout.provenance}"
    else:
        return
    for path in unremembered:
        yield path, why


def withdraw(layout: Layout) -> None:
    """Take the word away, before products are made."""
    layout.provenance.unlink(missing_ok=True)


def vouch(layout: Layout, made: Made, good: Collection[Path]) -> None:
    """Write it if all products are there, each remembered or found `good` before; all of them are up to date."""
    if all(path.exists() and (path in good or made.remembered(path)) for path in made.files):
        write_text(layout.provenance, json.dumps({KEY: asdict(made.origin())}) + "\n")
