# From trial rows to tables, in two levels: one table for each slice of the suite, then the campaign's.


rule collect_group:
    input:
        group_trials,
    output:
        "results/{campaign}/tables/trials/{group}.parquet",
    log:
        "results/{campaign}/logs/tables/{group}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        code=code_digest("unbounded.tables.trials"),
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
    conda:
        ENVIRONMENT
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code_digest("unbounded.tables.trials"),
    script:
        "../../scripts/collect_campaign.py"


rule record_campaign:
    output:
        "results/{campaign}/tables/campaign.json",
    log:
        "results/{campaign}/logs/tables/campaign.log",
    conda:
        ENVIRONMENT
    params:
        campaign=CAMPAIGN.model_dump_json(indent=2),
    script:
        "../../scripts/record_campaign.py"
