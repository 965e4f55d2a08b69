"""Rule write_report: the page of the campaign."""

from pathlib import Path

from unbounded.campaign.reading import load_campaign
from unbounded.report.page import write_report
from unbounded.running.environment import begin_script

begin_script()
page = Path(snakemake.output[0])
write_report(load_campaign(Path(snakemake.config["campaign_file"])), page.parents[1], page)
