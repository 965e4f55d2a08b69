# From trial rows to tables, in two levels: one table for each slice of the suite, then the campaign's.


def group_trials(wildcards):
    return [trial_file(*trial) for trial in PLAN.groups.get(wildcards.group, [])]


def group_tables(wildcards):
    return [f"{RESULTS}/tables/trials/{group}.parquet" for group in PLAN.groups]


def campaign_tables(wildcards):
    return [f"{RESULTS}/tables/{name}" for name in ("trials.parquet", "trials.csv", "campaign.json")]


rule collect_group:
    input:
        group_trials,
    output:
        "results/{campaign}/tables/trials/{group}.parquet",
    log:
        "results/{campaign}/logs/tables/{group}.log",
    params:
        code=code_digest("unbounded.tables.trials"),
    resources:
        mem_mb=2000,
        runtime=30,
    conda:
        ENVIRONMENT
    script:
        "../../scripts/collect_group.py"


rule collect_campaign:
    input:
        group_tables,
    output:
        parquet="results/{campaign}/tables/trials.parquet",
        csv="results/{campaign}/tables/trials.csv",
    log:
        "results/{campaign}/logs/tables/trials.log",
    params:
        code=code_digest("unbounded.tables.trials"),
    resources:
        mem_mb=4000,
        runtime=30,
    conda:
        ENVIRONMENT
    script:
        "../../scripts/collect_campaign.py"


rule record_campaign:
    output:
        "results/{campaign}/tables/campaign.json",
    log:
        "results/{campaign}/logs/tables/campaign.log",
    params:
        campaign=CAMPAIGN.model_dump_json(indent=2),
    conda:
        ENVIRONMENT
    script:
        "../../scripts/record_campaign.py"
