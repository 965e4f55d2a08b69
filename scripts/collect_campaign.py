"""Rule collect_campaign: the tables of all slices as one, parquet for machines and CSV for people."""

from pathlib import Path

from unbounded.environment import end_with_launcher
from unbounded.tables.trials import merge

end_with_launcher()
merge([Path(path) for path in snakemake.input], Path(snakemake.output.parquet), Path(snakemake.output.csv))
