"""Rule record_plan: every planned trial of every study, as a table."""

from pathlib import Path

from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.running.environment import begin_script
from unbounded.tables.files import write
from unbounded.tables.plan import TABLE

begin_script()
campaign = load_campaign(Path(snakemake.config["campaign_file"]))
write(TABLE(Plan(campaign)), Path(snakemake.output[0]).with_suffix(""))
