"""Rule collect_slice: the trials of one slice of the suite as one table, checked anew against the plan."""

from pathlib import Path

from unbounded.campaign.layout import trial_of
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.running.environment import begin_script
from unbounded.tables.trials import collect
from unbounded.trials.reading import BrokenRowError

begin_script()
campaign_file = snakemake.config["campaign_file"]
plan = Plan(load_campaign(Path(campaign_file)))
paths = map(Path, snakemake.input)
try:
    planned = {path: plan.columns(trial_of(path)) for path in paths}
    collect(planned, Path(snakemake.output[0]), plan.campaign.trace_points, snakemake.threads)
except BrokenRowError as error:
    text = f"{error}\nTo have those trials run again: unbounded verify {campaign_file} --set-aside, then snakemake."
    Path(snakemake.log[0]).write_text(f"{text}\n", encoding="utf-8")
    raise SystemExit(text) from None
