"""Rule make_table: one table from others."""

from pathlib import Path

from unbounded.environment import end_with_launcher
from unbounded.tables.catalogue import make

end_with_launcher()
make(snakemake.wildcards.table, Path(snakemake.output[0]).parent)
