"""The first screen: what was run, by whom and at what cost, and how the strategies fared in a line each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from unbounded.campaign.campaign import Campaign
from unbounded.figures import captions, style
from unbounded.report.commands import differing_options
from unbounded.tables.columns import TRIAL
from unbounded.tables.parquet import read_table
from unbounded.tables.statuses import MISSING
from unbounded.tables.verdict_counts import ALL, MEASURED, OPTIMUM, REFERENCE, STATISTICS
from unbounded.tables.verdicts import NEARNESS

#: What the page says of all trials together is read from these columns; vectors and traces stay unread.
COLUMNS = (
    *TRIAL,
    "variant",
    "status",
    "cpu_seconds",
    "budget_kind",
    "budget_amount",
    "threads",
    "options",
    "versions",
    "host",
    "started_at",
    "code_digest",
)
#: In every row's versions, whatever the solver.
COMMON_PACKAGES = ("python", "unbounded")


def read_rows(path: Path) -> pd.DataFrame:
    """Read what this module needs of the table `trials`."""
    return read_table(path, COLUMNS).to_pandas()


def facts(campaign: Campaign, rows: pd.DataFrame, runs: pd.DataFrame) -> list[tuple[str, str]]:
    """Return what was run as (name, text), each known from rows or from the plan."""
    once = runs.drop_duplicates(TRIAL)
    present = int((once["status"] != MISSING).sum())
    solved = int(once["solved"].sum())
    found = [
        ("Studies", captions.listing(list(campaign.studies))),
        ("Instances", f"{once['instance'].nunique():,} ({captions.listing(list(_slices(once)))})"),
        ("Trials", f"{_share(present, len(once))} planned are there; {solved:,} of them have a verified solution"),
        ("Proven optima", _proven(once)),
    ]
    if len(rows):
        found += [
            ("CPU time", _hours(float(rows["cpu_seconds"].sum()))),
            ("Hosts", captions.listing([f"{host} ({n:,} trials)" for host, n in rows["host"].value_counts().items()])),
            ("Run", _period(rows["started_at"])),
            ("Software", captions.listing(list(_common_versions(rows)))),
        ]
    return found


def completeness_share(runs: pd.DataFrame) -> tuple[int, int]:
    """Return how many of the planned trials are there, each counted once."""
    once = runs.drop_duplicates(TRIAL)
    return int((once["status"] != MISSING).sum()), len(once)


def _share(part: int, whole: int) -> str:
    percent = 100 * part / whole if whole else 0
    # Rounding must not say 100 % of what is not complete.
    text = f"{percent:.0f}" if part == whole else f"{min(percent, 99.9):.1f}"
    return f"{part:,} of {whole:,} ({text} %)"


def _proven(runs: pd.DataFrame) -> str:
    instances = runs.drop_duplicates("instance")
    zeros = int((instances["proven"] & instances["zero_optimum"]).sum())
    return f"{_share(int(instances['proven'].sum()), len(instances))} instances" + (
        f", {zeros:,} of them zero by construction" if zeros else ""
    )


def _slices(runs: pd.DataFrame) -> Iterator[str]:
    for (kind, D, t), part in runs.groupby(["kind", "D", "t"], sort=False):
        yield f"{part['instance'].nunique():,} {kind} D = {D}" + (f" t = {style.number(t)}" if t else "")


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:,.1f} hours" if seconds >= 3600 else f"{seconds / 60:.1f} minutes"


def _period(started: pd.Series) -> str:
    first, last = (str(at).replace("T", " ").removesuffix("+00:00") for at in (started.min(), started.max()))
    return f"started {first} UTC" if first == last else f"first trial started {first}, last {last} UTC"


def _common_versions(rows: pd.DataFrame) -> Iterator[str]:
    versions = [json.loads(text) for text in rows["versions"].unique()]
    for package in COMMON_PACKAGES:
        found = sorted({found[package] for found in versions if package in found})
        if found:
            yield f"{package} {' and '.join(found)}"


def solvers(rows: pd.DataFrame, runs: pd.DataFrame, labels: Mapping[str, str]) -> list[dict[str, str]]:
    """Return a line for each solver id of the campaign: what it is, its versions, what its trials may spend."""
    planned = runs.drop_duplicates(TRIAL).groupby("solver", sort=False).size()
    return [_solver(str(solver), int(n), rows[rows["solver"] == solver], labels) for solver, n in planned.items()]


def _solver(solver: str, planned: int, rows: pd.DataFrame, labels: Mapping[str, str]) -> dict[str, str]:
    label = captions.name(solver, labels)
    line = {"id": solver, "label": label if label != solver else "", "planned": f"{planned:,}"}
    if rows.empty:
        return {**line, "variant": "", "versions": "", "budgets": "", "threads": "", "options": "", "cpu": ""}
    variants = rows["variant"].unique().tolist()
    packages = dict.fromkeys(
        f"{name} {version}"
        for text in rows["versions"].unique()
        for name, version in json.loads(text).items()
        if name not in COMMON_PACKAGES
    )
    budgets = rows[["budget_amount", "budget_kind"]].drop_duplicates().itertuples(index=False)
    options = dict.fromkeys(
        f"{key} = {json.dumps(value)}"
        for row in rows[["variant", "options"]].drop_duplicates().itertuples()
        for key, value in differing_options(row.variant, row.options).items()
    )
    return {
        **line,
        "variant": captions.listing([variant for variant in variants if variant != solver]),
        "versions": ", ".join(packages),
        "budgets": " or ".join(f"{amount:,.15g} {kind}" for amount, kind in budgets),
        "threads": captions.listing([str(n) for n in sorted(rows["threads"].unique())]),
        "options": ", ".join(options),
        "cpu": _hours(float(rows["cpu_seconds"].sum())),
    }


def _slice(line: pd.Series) -> str:
    return f"{line['kind']}, D = {int(line['D'])}, t = {style.number(float(line['t']))}"


def _spent(seconds: float) -> str:
    return f"{seconds:,.1f} s" if seconds < 60 else _hours(seconds)


def _split(table: pd.DataFrame) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield the lines of each solver in a slice: of all optima, then apart by whether they are zero.

    Where all are of one kind, that stands for all.
    """
    for (study, *_), lines in table[table["cells"] > 0].groupby(["study", "slice", "solver"], sort=False):
        parts = dict(iter(lines.groupby("optima", sort=False)))
        for optima, part in parts.items():
            if optima != ALL or len(parts) > 2:
                line = part.iloc[0]
                yield {"study": study, "slice": _slice(line), "optima": optima, "cells": int(line["cells"])}, part


def _costs(part: pd.DataFrame) -> dict[str, Any]:
    """Return what both sides of a comparison spent, and on how many instances no optimum is proven."""
    line = part.iloc[0]
    own, other = (_spent(float(line[name])) for name in ("cpu_seconds", "against_cpu_seconds"))
    return {"cpu": own, "other_cpu": other, "unproven": int(line["cells"] - line["proven"])}


def headlines(verdicts: pd.DataFrame, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return how every strategy fared against the reference in every slice, over all its test cases.

    Counts are (number, interval).
    """
    return [
        {
            **line,
            **_costs(part),
            "solver": captions.name(part["solver"].iloc[0], labels),
            "counts": {
                row["statistic"]: [
                    *(
                        (int(row[word]), captions.interval(row[f"{word}_low"], row[f"{word}_high"]))
                        for word in MEASURED
                    ),
                    (int(row["neither"]), ""),
                ]
                for row in part.to_dict("records")
            },
        }
        for line, part in _split(verdicts[(verdicts["case"] == ALL) & (verdicts["against"] == REFERENCE)])
    ]


def optimum_lines(verdicts: pd.DataFrame, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return on how many instances every solver came how near the proven optimum, over all test cases of a slice."""
    found = []
    for line, part in _split(verdicts[(verdicts["case"] == ALL) & (verdicts["against"] == OPTIMUM)]):
        rows = part.set_index(["statistic", "tolerance"])
        counts = {
            statistic: [captions.near_optimum(rows.loc[statistic, tolerance]) for tolerance in reversed(NEARNESS)]
            for statistic in STATISTICS
        }
        name = captions.name(part["solver"].iloc[0], labels)
        found.append({**line, **_costs(part), "solver": name, "counts": counts})
    return found


def tolerance_lines(tolerances: pd.DataFrame, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return how the counts of bests against the reference move with both tolerances, as texts by these."""
    bests = tolerances[(tolerances["statistic"] == "best") & (tolerances["against"] == REFERENCE)]
    return [
        {
            **line,
            "solver": captions.name(part["solver"].iloc[0], labels),
            "counts": [f"{row.better} / {row.similar} / {row.worse}" for row in part.itertuples()],
        }
        for line, part in _split(bests)
    ]


def strategy_lines(tests: pd.DataFrame, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the tests of every two strategies over all test cases of a slice."""
    return [
        {
            "study": row.study,
            "slice": _slice(pd.Series({"kind": row.kind, "D": row.D, "t": row.t})),
            "pair": f"{captions.name(row.solver, labels)} – {captions.name(row.other, labels)}",
            "measure": {"f": "f", "delta_z_proven": "Δz"}[row.measure],
            "optima": row.optima,
            "counts": [int(row.better), int(row.equal), int(row.worse)],
            "effect": f"{row.effect:+.2f}",
            "p": f"{row.p_holm:.2g}",
            "significant": "yes" if row.significant else "no",
            "instances": [int(row.instances_better), int(row.instances_worse)],
        }
        for row in tests[tests["case"] == ALL].itertuples()
    ]


def port_lines(tests: pd.DataFrame, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return how alike every reimplementation and its reference are: tests that tell them apart, and their medians."""
    found = []
    for (study, solver, reference), part in tests.groupby(["study", "solver", "reference"], sort=False):
        f = part[part["measure"] == "f"]
        apart = (f["median"] / f["reference_median"] - 1).abs()
        found.append(
            {
                "study": study,
                "pair": f"{captions.name(solver, labels)} – {captions.name(reference, labels)}",
                "instances": len(f),
                "different": {
                    measure: int(lines["significant"].sum()) for measure, lines in part.groupby("measure", sort=False)
                },
                "p": f"{part['p_holm'].min():.2g}",
                "apart": f"{100 * apart.median():.2g} %",
                "faster": f"{f['times_faster'].median():.0f}",
            }
        )
    return found
