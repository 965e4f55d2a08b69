"""The files that a campaign's products are, below its folder of results: the workflow makes, an archive packs them."""

from __future__ import annotations

from unbounded.campaign.plan import Plan
from unbounded.figures.registry import pictures
from unbounded.tables import registry

PAGE = "report/index.html"


def group_tables(plan: Plan) -> list[str]:
    """Return the tables of the slices of the suite."""
    return [f"tables/trials/{name}.parquet" for name in plan.slices]


def tables(plan: Plan) -> list[str]:
    """Return the campaign's tables."""
    if not plan.slices:
        return ["tables/campaign.json"]
    names = ("trials", *registry.of_campaigns())
    files = [f"tables/{name}.{ending}" for name in names for ending in ("parquet", "csv")]
    return ["tables/campaign.json", "tables/claims.md", *files]


def parquet_tables(plan: Plan) -> list[str]:
    """Return those of all tables that are for machines."""
    return [path for path in (*group_tables(plan), *tables(plan)) if path.endswith(".parquet")]


def planned(plan: Plan) -> set[str]:
    """Return all products."""
    drawn = (f"figures/{name}.{ending}" for name in pictures(plan) for ending in ("svg", "png", "txt"))
    return {*group_tables(plan), *tables(plan), *drawn, PAGE}
