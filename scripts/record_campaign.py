"""Rule record_campaign: the effective campaign, beside the results that it made."""

from pathlib import Path

Path(snakemake.output[0]).write_text(snakemake.params.campaign + "\n", encoding="utf-8")
