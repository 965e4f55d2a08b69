"""Rule collect_campaign: the tables of all slices as one, parquet for machines and CSV for people."""

from pathlib import Path

from unbounded.running.environment import begin_script
from unbounded.tables.trials import merge

begin_script()
merge([Path(path) for path in snakemake.input], *map(Path, snakemake.output))
