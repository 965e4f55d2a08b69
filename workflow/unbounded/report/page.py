"""Writes the page: gathers everything, packs what is drawn on demand, and fills the template.

The page is one file without any address of its own: data, figures and the plotting library are in it, compressed, and
are unpacked when a reader asks for them. All text goes through the template's escaping or the page's textContent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, StrictUndefined
from plotly.offline import get_plotlyjs

from unbounded.campaign.campaign import Campaign
from unbounded.campaign.layout import Layout
from unbounded.campaign.plan import Plan
from unbounded.figures import style
from unbounded.report import assets, maps, method, summary
from unbounded.report.columns import plain, table_data
from unbounded.report.figure_list import figure_data
from unbounded.report.instances import instance_data
from unbounded.report.known import known_of
from unbounded.running.writing import write_text
from unbounded.tables.files import read
from unbounded.tables.registry import of_audit, of_campaigns
from unbounded.tables.verdict_tolerances import ATOLS, TOLERANCES

#: Read by itself: vectors and traces make it large.
TRIALS = "trials"


def write_report(campaign: Campaign, layout: Layout) -> None:
    """Write the page of a campaign from its tables and figures; the audit of published results, where it is."""
    tables = {**read_tables(layout.tables, of_campaigns()), **read_tables(layout.audit, of_audit())}
    layout.page.parent.mkdir(parents=True, exist_ok=True)
    write_text(layout.page, _render(_context(campaign, layout, tables)))


def read_tables(folder: Path, names: Iterable[str]) -> dict[str, pd.DataFrame]:
    """Return those of the tables that are there, by name; a campaign without runs has none."""
    return {name: read(folder / f"{name}.parquet") for name in names if (folder / f"{name}.parquet").exists()}


def _render(context: Mapping[str, Any]) -> str:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(assets.text(assets.TEMPLATE)).render(context)


def _context(campaign: Campaign, layout: Layout, tables: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    plan = Plan(campaign)
    blobs: dict[str, str] = {}
    figures = list(figure_data(plan, layout, tables))
    for position, figure in enumerate(figures):
        figure["blob"] = f"figure-{position}"
        blobs[figure["blob"]] = assets.pack(figure.pop("svg"))
    for name, table in tables.items():
        blobs[f"table-{name}"] = assets.pack_json(table_data(table))
    index: dict[str, Any] = {
        "campaign": campaign.name,
        "labels": campaign.labels,
        "instances": {},
        "figures": [{key: figure[key] for key in ("path", "blob", "rows")} for figure in figures],
    }
    ran = "runs" in tables and len(tables["runs"]) > 0
    context: dict[str, Any] = {
        "campaign": campaign,
        "ran": ran,
        "studies": _by_study(campaign, figures),
        "tables": {name: len(table) for name, table in tables.items()},
        "audit": _lines(tables.get("audit_counts")),
        "claims": _lines(tables.get("claims")),
        "method": method.method(campaign),
    }
    if ran:
        context |= _of_runs(campaign, layout.table(TRIALS), tables, index, blobs)
    blobs["plotly"] = _plotly()
    blobs["index"] = assets.pack_json(index)
    script = "\n".join(assets.text(name) for name in assets.SCRIPTS)
    return {**context, "blobs": blobs, "style": assets.text(assets.STYLE), "script": script}


def _of_runs(
    campaign: Campaign,
    trials: Path,
    tables: Mapping[str, pd.DataFrame],
    index: dict[str, Any],
    blobs: dict[str, str],
) -> dict[str, Any]:
    """Add maps and instances to the index and the blobs; return what the template tells of the runs."""
    runs, labels = tables["runs"], campaign.labels
    rows, known = summary.read_rows(trials), known_of(tables)
    slices = maps.slices(tables, known, labels)
    index["maps"] = {
        "slices": slices,
        "statistics": maps.statistics(slices),
        "keys": maps.keys(),
        "bounds": bool(known.bounds),
    }
    # References first: they are in most charts, so their colour should be the same in all campaigns.
    solvers = runs.sort_values("is_reference", ascending=False, kind="stable")["solver"].drop_duplicates()
    index["colours"] = style.strategy_colours(solvers)
    for position, (id, data) in enumerate(instance_data(trials, runs, known)):
        index["instances"][id] = f"instance-{position}"
        blobs[f"instance-{position}"] = assets.pack_json(data)
    present, planned = summary.completeness_share(runs)
    return {
        "facts": summary.facts(campaign, rows, runs),
        "present": present,
        "planned": planned,
        "solvers": summary.solvers(rows, runs, labels),
        "headlines": summary.headlines(tables["verdicts"], labels),
        "optimum_lines": summary.optimum_lines(tables["verdicts"], labels),
        "tolerance_lines": summary.tolerance_lines(tables["verdict_tolerances"], labels),
        "tolerances": [(f"{100 * tolerance:g} %", style.number(atol)) for tolerance in TOLERANCES for atol in ATOLS],
        "strategy_lines": summary.strategy_lines(tables["strategy_tests"], labels),
        "statuses": method.statuses(runs),
        "study_lines": method.studies(campaign, runs),
        "limits": list(method.limits(rows, runs, tables["claims"], known)),
        "slices": [part["label"] for part in slices],
    }


@cache
def _plotly() -> str:
    """Return the plotting library, packed; its Python package ships the full bundle alone, 1.5 MB compressed."""
    return assets.pack(get_plotlyjs().encode())


def _by_study(campaign: Campaign, figures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the studies that have figures, in the campaign's order, and the campaign's own figures last."""
    names = dict.fromkeys([*campaign.studies, *(figure["study"] for figure in figures)])
    found = []
    for name in names:
        own = [figure for figure in figures if figure["study"] == name]
        if own:
            kind = campaign.studies[name].type if name in campaign.studies else ""
            found.append({"name": name, "type": kind, "figures": own})
    return found


def _lines(table: pd.DataFrame | None) -> list[dict[str, Any]]:
    """Return a table line by line for the template, with None where it has no value."""
    if table is None:
        return []
    columns = {name: plain(table[name]) for name in table}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
