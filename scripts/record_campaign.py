"""Rule record_campaign: the effective campaign, beside the results that it made."""

from pathlib import Path

from unbounded.running.environment import begin_script
from unbounded.running.writing import write_text

begin_script()
write_text(Path(snakemake.output[0]), snakemake.params.campaign + "\n")
