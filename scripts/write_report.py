"""Rule write_report: the page of the campaign."""

from pathlib import Path

from unbounded.config import load_campaign
from unbounded.environment import begin_script
from unbounded.report.page import write_report

begin_script()
page = Path(snakemake.output[0])
write_report(load_campaign(Path(snakemake.config["campaign_file"])), page.parents[1], page)
