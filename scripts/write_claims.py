"""Rule write_claims: the claims as a page."""

from pathlib import Path

from unbounded.environment import begin_script
from unbounded.tables.claims import claims_page
from unbounded.tables.files import read
from unbounded.writing import write_text

begin_script()
page = claims_page(read(Path(snakemake.input[0])), snakemake.wildcards.campaign)
write_text(Path(snakemake.output[0]), page)
