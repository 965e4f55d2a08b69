"""Rule record_campaign: the effective campaign, beside the results that it made."""

from pathlib import Path

from unbounded.environment import end_with_launcher
from unbounded.writing import write_text

end_with_launcher()
write_text(Path(snakemake.output[0]), snakemake.params.campaign + "\n")
