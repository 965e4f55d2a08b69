"""The statement that is the paper's table of preliminary runs (Table preliminaryCPLEXsphere)."""

from __future__ import annotations

from collections.abc import Mapping

from unbounded.instances import InstanceSpec
from unbounded.tables.claim_answers import Measured, answer, join
from unbounded.tables.evidence import PAPER_E, Evidence, NotMeasured, demand_all
from unbounded.tables.measures import is_made

#: The paper's Table preliminaryCPLEXsphere: rows D, columns E = 10, 30, 50, 80.
PRELIMINARY: Mapping[int, tuple[str, str, str, str]] = {
    4: ("optimal", "optimal", "optimal", "optimal"),
    8: ("optimal", "tolerance", "tolerance", "optimal"),
    16: ("tolerance", "tolerance", "tolerance", "tolerance"),
    32: ("time-out", "tolerance", "tolerance", "time-out"),
    64: ("time-out", "time-out", "tolerance", "tolerance"),
}


def preliminary(evidence: Evidence) -> Measured:
    """Measure how many cells of the preliminary table are as printed; all 20 must be."""
    printed = {
        InstanceSpec("mixed", D, 0.0, "sphere", 1.0, E).id: (D, E, status)
        for D, row in PRELIMINARY.items()
        for E, status in zip(PAPER_E, row, strict=True)
    }
    table = evidence.preliminary
    table = table[table["instance"].isin(printed)]
    if table.empty:
        raise NotMeasured("the campaign has no preliminary study of the sphere")
    ids = [id for id in table["solver"].unique() if evidence.is_cplex(id)]
    id, stands_in = evidence.identify("cplex", ids, "its preliminary study")
    table = table[(table["solver"] == id) & is_made(table["status"])].drop_duplicates("instance")
    found = dict(zip(table["instance"], table["status"], strict=True))
    differ = [
        f"D = {D} E = {E:g} {found[instance]} (printed {status})"
        for instance, (D, E, status) in printed.items()
        if instance in found and found[instance] != status
    ]
    text = f"{len(found) - len(differ)} of {len(found)} as printed" + (f"; not {', '.join(differ)}" if differ else "")
    demand_all(len(found), 0, text, expected=len(printed))
    why = join(stands_in, evidence.settings("cplex", id, found))
    return Measured(text, len(found), answer(not differ), why)
