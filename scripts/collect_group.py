"""Rule collect_group: the trials of one slice of the suite as one table."""

from pathlib import Path

from unbounded.environment import end_with_launcher
from unbounded.tables.trials import collect

end_with_launcher()
collect([Path(path) for path in snakemake.input], Path(snakemake.output[0]), Path(snakemake.log[0]))
