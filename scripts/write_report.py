"""Rule write_report: the page of the campaign."""

from pathlib import Path

from unbounded.campaign.layout import Layout
from unbounded.campaign.reading import load_campaign
from unbounded.report.page import write_report
from unbounded.running.environment import begin_script

begin_script()
campaign = load_campaign(Path(snakemake.config["campaign_file"]))
write_report(campaign, Layout.of(campaign.name))
