"""Rule write_claims: the claims as a page."""

from pathlib import Path

from unbounded.tables.claims import claims_page
from unbounded.tables.files import read

page = claims_page(read(Path(snakemake.input[0])), snakemake.wildcards.campaign)
Path(snakemake.output[0]).write_text(page, encoding="utf-8")
