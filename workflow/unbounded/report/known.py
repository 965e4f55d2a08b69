"""What is known of an instance's optimum: itself where it is proven, else the best verified value and a bound below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

#: The status where nothing more is known.
BEST_KNOWN = "best known"
#: Whose word a bound is, where it is no solver's.
OWN_WORDS = {"relaxation": "the continuous relaxation", "trivial": "f ≥ 0"}


@dataclass(frozen=True)
class Known:
    """By instance: the best value, the bound, and how sure they are."""

    values: Mapping[str, float]
    bounds: Mapping[str, float] = field(default_factory=dict)
    statuses: Mapping[str, str] = field(default_factory=dict)
    #: Whose word the bound is.
    sources: Mapping[str, str] = field(default_factory=dict)
    #: Where it is proven; these are the best values too.
    optima: Mapping[str, float] = field(default_factory=dict)

    def status(self, instance: str) -> str:
        """Return how sure the best value is, such as `proven`, `certified`, `gap 3 %` or `best known`."""
        return self.statuses.get(instance, BEST_KNOWN)


def known_of(tables: Mapping[str, pd.DataFrame]) -> Known:
    """Return what the table `best_known` says, and for instances that it lacks the best of all rows."""
    best = tables["runs"].drop_duplicates("instance").set_index("instance")["best_known_f"].dropna().to_dict()
    best_known = tables.get("best_known")
    if best_known is None:
        return Known(best)
    lines = best_known.drop_duplicates("instance").set_index("instance")
    words = lines.get("bound_solver", pd.Series(dtype=object)).dropna().to_dict()
    optima = lines.get("optimum", pd.Series(dtype="float64")).dropna().to_dict()
    return Known(
        {**best, **lines["best_f"].dropna().to_dict(), **optima},
        lines["bound"].dropna().to_dict(),
        lines["status"].dropna().to_dict(),
        {instance: OWN_WORDS.get(word, word) for instance, word in words.items()},
        optima,
    )
