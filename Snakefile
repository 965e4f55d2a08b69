# The map: which campaign, which rules, which targets. What each step does is in workflow/unbounded.
from snakemake.utils import min_version

min_version("9.0")


include: "workflow/rules/common.smk"
include: "workflow/rules/trials.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        planned_trials(),
        started("tables"),
        started("figures"),
        started("page"),


rule trials:
    input:
        planned_trials(),


rule tables:
    input:
        trials_to_collect,
        started("tables"),


rule figures:
    input:
        trials_to_collect,
        started("figures"),


rule report:
    input:
        trials_to_collect,
        started("page"),


# One target for each study, by its name in the campaign: its trials, or its pictures if it runs nothing. Tables and
# figures compare across the campaign, so they are targets of their own.
for study in CAMPAIGN.studies:

    rule:
        name:
            study
        input:
            planned_trials(study),
            PRODUCTS.figures_without_tables(study),


onstart:
    start()
    print(f"\nCampaign {CAMPAIGN.name} ({CAMPAIGN_FILE}), trials by study:\n{PLAN.table()}\n", flush=True)
    begin_run()
    PLAN.prepare()


onsuccess:
    end_run()
    keep_origin()


onerror:
    end_run()
