"""Rule write_report: the page of the campaign."""

from pathlib import Path

from unbounded.config import load_campaign
from unbounded.environment import end_with_launcher
from unbounded.report.page import write_report

end_with_launcher()
page = Path(snakemake.output[0])
write_report(load_campaign(Path(snakemake.config["campaign_file"])), page.parents[1], page)
