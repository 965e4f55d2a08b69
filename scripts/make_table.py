"""Rule make_table: one table from others."""

from pathlib import Path

from unbounded.tables.catalogue import make

make(snakemake.wildcards.table, Path(snakemake.output[0]).parent)
