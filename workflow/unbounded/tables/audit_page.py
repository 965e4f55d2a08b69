"""The audit of the published results as files: its tables, and the page that sums them up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from unbounded.running.writing import write_text
from unbounded.tables.best_known import TABLE as BEST_KNOWN
from unbounded.tables.contract import CLONE
from unbounded.tables.cplex_logs import CROSSED, TIME_LIMIT
from unbounded.tables.files import write
from unbounded.tables.measures import SIMILAR
from unbounded.tables.proofs import PROVEN
from unbounded.tables.published import NO_POINT, REFERENCE, read_checkout
from unbounded.tables.registry import of_audit

#: Lines of a list on the page; all are in the tables.
LISTED = 50
SLICE = ["kind", "D", "t"]
#: What the audit holds against a line of CPLEX's.
FALSE = {
    "claim_below": "claims f below the optimum",
    "objective_below": "objective below the optimum",
    "bound_above": "bound above the optimum",
}


def audit(checkout: Path, folder: Path, best_known: pd.DataFrame | None = None) -> str:
    """Write the tables of the audit and the page `audit.md`; return the page."""
    known = BEST_KNOWN.empty() if best_known is None else best_known
    tables = {CLONE: read_checkout(checkout), BEST_KNOWN.name: known}
    for name, table in of_audit().items():
        tables[name] = table(*(tables[other] for other in table.inputs))
        write(tables[name], folder / name)
    page = audit_page(tables)
    write_text(folder / "audit.md", page)
    return page


def audit_page(tables: dict[str, pd.DataFrame]) -> str:
    """Return the audit as a Markdown page."""
    parts = [
        _runs(tables["audit"]),
        _against_cplex(tables["audit_cells"], tables["audit_counts"]),
        _times(tables["audit_logs"]),
        _truth(tables["audit_truth"], tables["audit_truth_counts"]),
        _unmet(tables["audit"]),
    ]
    return "\n".join(line for part in parts for line in part).rstrip() + "\n"


def _runs(runs: pd.DataFrame) -> list[str]:
    by = [runs["kind"], runs["solver"]]
    infeasible = runs[(runs["solver"] == REFERENCE) & (runs["feasible"] == "no")]
    violations = infeasible.groupby(SLICE)["violation"].agg(["count", "min", "median", "max"])
    return [
        "# Audit of the published results",
        "",
        f"{len(runs)} stored runs on {runs['instance'].nunique()} instances, each evaluated again. How to read this: "
        "docs/audit.md.",
        "",
        "## Which problem was solved",
        "",
        "`same`: no hadellipse, one problem. `either`: the claim holds under both readings. `neither`: under none, "
        "and it is not a hundred times closer to one than to the other.",
        "",
        *_table(pd.crosstab(by, runs["reading"]).reset_index()),
        "## What was claimed",
        "",
        *_table(pd.crosstab(by, runs["claim"].replace("", "not met")).reset_index()),
        "## Feasibility, recomputed",
        "",
        "`undecided`: violated by less than the rounding of the stored vector can explain.",
        "",
        *_table(pd.crosstab(by, runs["feasible"]).reset_index()),
        "By how much CPLEX's infeasible points violate g ≤ E:",
        "",
        *_table(violations.rename(columns={"count": "points"}).reset_index()),
    ]


def _against_cplex(cells: pd.DataFrame, counts: pd.DataFrame) -> list[str]:
    different = int((~cells["same_problem"]).sum())
    claimed = counts[counts["values"] == "claimed"].set_index([*SLICE, "solver"])
    every, common = (claimed[claimed["which"] == which] for which in ("all", "same problem"))
    wins = pd.DataFrame(
        {"claimed wins": every["better"], "between different problems": every["better"] - common["better"]}
    )
    wins = wins.join(common[["cells", "better", "similar", "worse"]].rename(columns={"cells": "on one problem"}))
    return [
        "## Best values against CPLEX",
        "",
        f"Similar means within {SIMILAR:.0%}. {different} of {len(cells)} comparisons are between different problems.",
        "",
        *_table(counts.drop(columns="tolerance")),
        "Wins that the stored numbers claim, how many of them compare different problems, and what is left where all "
        "solvers solved one problem:",
        "",
        *_table(wins.reset_index()),
    ]


def _times(logs: pd.DataFrame) -> list[str]:
    if logs.empty:
        return ["## How long CPLEX ran", "", "No log of CPLEX's was found.", ""]
    seconds, limit, slices = logs["seconds"], logs["limit"], [logs[name] for name in SLICE]
    spans = {"under 1 s": seconds < 1, "under 60 s": seconds < 60, "before the limit": seconds < limit}
    grouped = logs.groupby(SLICE)
    times = grouped.size().to_frame("logs")
    for name, within in {**spans, "at the limit": seconds >= limit}.items():
        share = within.groupby(slices).mean()
        times[name] = [f"{n} ({part:.0%})" for n, part in zip(within.groupby(slices).sum(), share, strict=True)]
    negative = logs["objective"] < -logs["absolute_gap"]
    times["objective below 0"] = negative.groupby(slices).sum()
    times["median s"] = grouped["seconds"].median()
    times["limits s"] = grouped["limit"].agg(lambda limits: ", ".join(f"{limit:g}" for limit in sorted(set(limits))))
    endings = pd.crosstab(slices, logs["ending"])
    tabled = logs[logs["in_table"] != ""]
    return [
        "## How long CPLEX ran",
        "",
        f"From {len(logs)} logs. Of {len(tabled)} that are in CPLEX's tables as well, "
        f"{int((tabled['in_table'] == 'same').sum())} have the same claim and vector there.",
        "",
        *_table(times.reset_index()),
        "`objective below 0`: by more than the absolute gap, though f ≥ 0.",
        "",
        f"How the runs ended. `{CROSSED}`: the run's own objective is below its own bound by more than its gaps allow.",
        "",
        *_table(endings.reset_index()),
    ]


def _truth(truth: pd.DataFrame, counts: pd.DataFrame) -> list[str]:
    title = ["## Against proven optima", ""]
    proven = truth[truth["status"] == PROVEN]
    if proven.empty:
        return [
            *title,
            "No proven optimum was given. Run a campaign that proves them (snakemake --cores all --configfile "
            "config/truth.yaml) and name it: unbounded audit CLONE --truth config/truth.yaml.",
            "",
        ]
    counts = counts[counts["proven"] > 0]
    every = counts[counts["case"] == "all"].drop(columns="case")
    cases = counts[(counts["case"] != "all") & (counts["values"] == "claimed")]
    cases = cases.groupby([*SLICE, "solver", "case"])[["optimal", "proven"]].sum()
    by_case = (cases["optimal"].astype(str) + "/" + cases["proven"].astype(str)).unstack("case", fill_value="")
    return [
        *title,
        f"{proven['problem'].nunique()} problems with a proven optimum; {len(proven)} of {len(truth)} pairs of a "
        "solver and an instance have one. `optimal` is up to 10⁻⁴ above it, `close` to 10⁻³, `similar` to 10⁻², "
        "relatively, and absolutely where the optimum is zero; `below` is lower by more than 10⁻⁴, `undecided` what "
        "rounding leaves open.",
        "",
        *_table(every),
        "Claims that are optimal, of those with a proven optimum, by test case:",
        "",
        *_table(by_case.reset_index()),
        *_misses(proven[proven["solver"] == REFERENCE]),
        *_false(proven[proven["solver"] == REFERENCE]),
        _contradictions(proven),
        "",
    ]


def _misses(cplex: pd.DataFrame) -> list[str]:
    """List what CPLEX claimed that is not optimal, and how these runs ended."""
    missed = cplex[cplex["claimed_class"] != "optimal"]
    rows = []
    for key, part in cplex.groupby(SLICE):
        lines = missed[(missed[SLICE] == list(key)).all(axis=1)]
        early = lines[lines["ending"].notna() & (lines["ending"] != TIME_LIMIT)]
        rows.append(
            {
                **dict(zip(SLICE, key, strict=True)),
                "proven": len(part),
                "optimal": len(part) - len(lines),
                "missed": len(lines),
                "at the limit": int((lines["ending"] == TIME_LIMIT).sum()),
                "before it": len(early),
                "longest of these, s": early["seconds"].max(),
                "without a point": int((lines["stored"] == NO_POINT).sum()),
                "with a false bound": int(lines["bound_above"].sum()),
                "cases": ", ".join(sorted(set(lines["case"]))),
                "c from": lines["c"].min(),
            }
        )
    endings: list[str] = []
    if missed["ending"].notna().any():
        ended = pd.crosstab([missed[name] for name in SLICE], missed["ending"])
        endings = ["How the missed ones ended:", "", *_table(ended.reset_index())]
    columns = ["instance", "claimed_best", "optimum", "claimed_distance", "seconds", "ending", "objective", "bound"]
    return [
        "### CPLEX's claims that are not optimal",
        "",
        *_table(pd.DataFrame(rows)),
        *endings,
        *_listed(missed.sort_values(["t", "kind", "D"], kind="stable")[columns], "audit_truth", "`claimed_class`"),
    ]


def _false(cplex: pd.DataFrame) -> list[str]:
    """List claims of CPLEX's that are below the optimum, and bounds that are above it."""
    wrong = cplex[cplex[list(FALSE)].any(axis=1)].sort_values(["t", "kind", "D"], kind="stable")
    counted = cplex.groupby(SLICE)[list(FALSE)].sum().rename(columns=FALSE)
    counted.insert(0, "proven", cplex.groupby(SLICE).size())
    words = [", ".join(text for name, text in FALSE.items() if line[name]) for _, line in wrong.iterrows()]
    columns = ["instance", "optimum", "claimed_best", "objective", "bound", "allowance", "ending"]
    return [
        "### CPLEX's claims that are false",
        "",
        "A claim counts as below the optimum if it is by more than the tolerances of its run are worth to first order "
        "(`allowance`), a bound as above it if it is by more than the absolute gap of its run and its printed digits.",
        "",
        *_table(counted.reset_index()),
        *_listed(wrong[columns].assign(what=words), "audit_truth", "`claim_below`, `objective_below`, `bound_above`"),
    ]


def _contradictions(proven: pd.DataFrame) -> str:
    against = proven[proven["contradiction"]]
    if against.empty:
        return "No stored vector that is feasible lies below the proven optimum of its problem."
    return "Feasible stored vectors lie below optima that are said to be proven: " + ", ".join(
        f"{line.solver} on {line.instance}" for line in against.itertuples()
    )


def _unmet(runs: pd.DataFrame) -> list[str]:
    unmet = runs[runs["claim"] == ""]
    if unmet.empty:
        return []
    columns = ["file", "line", "reading", "claimed", "f", "g"]
    return ["## Claims that no reading meets", "", *_listed(unmet[columns], "audit", "an empty `claim`")]


def _listed(lines: pd.DataFrame, table: str, mark: str) -> list[str]:
    """Write the first lines of a list, and where the others are."""
    if lines.empty:
        return ["None.", ""]
    more = [f"The first {LISTED} of {len(lines)}; all are in {table}.csv, by {mark}.", ""]
    return [*_table(lines.head(LISTED)), *(more if len(lines) > LISTED else [])]


def _table(table: pd.DataFrame) -> list[str]:
    rows = [[_cell(value) for value in row] for row in table.to_numpy(object)]
    head: Sequence[Sequence[str]] = [[str(column) for column in table.columns], ["---"] * table.shape[1]]
    return [*("| " + " | ".join(row) + " |" for row in [*head, *rows]), ""]


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:g}"
    return str(value)
