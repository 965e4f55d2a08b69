"""Rule write_claims: the claims as a page."""

from pathlib import Path

from unbounded.running.environment import begin_script
from unbounded.running.writing import write_text
from unbounded.tables.claims import claims_page
from unbounded.tables.files import read

begin_script()
page = claims_page(read(Path(snakemake.input[0])), snakemake.config["campaign"])
write_text(Path(snakemake.output[0]), page)
