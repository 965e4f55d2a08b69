# From trial rows to tables, in two levels: one table for each slice of the suite, then the campaign's; from that and the
# plan everything else. What takes no time worth a cluster's job is written where Snakemake runs (`localrule`).


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
        mem_mb=more_each_attempt(2000),
        runtime=more_each_attempt(30),
    params:
        code=code_digest("unbounded.tables.trials"),
        script=script_code("collect_group"),
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
        mem_mb=more_each_attempt(4000),
        runtime=more_each_attempt(30),
    params:
        code=code_digest("unbounded.tables.trials"),
        script=script_code("collect_campaign"),
    script:
        "../../scripts/collect_campaign.py"


rule record_campaign:
    output:
        "results/{campaign}/tables/campaign.json",
    log:
        "results/{campaign}/logs/tables/campaign.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        campaign=CAMPAIGN.record(),
        script=script_code("record_campaign"),
    script:
        "../../scripts/record_campaign.py"


rule record_plan:
    output:
        multiext("results/{campaign}/tables/plan", ".parquet", ".csv"),
    log:
        "results/{campaign}/logs/tables/plan.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        # The plan itself would be megabytes of metadata; the script reads it from the campaign file again.
        plan=f"plan {PLAN.digest}",
        code=code_digest("unbounded.tables.plan", "unbounded.tables.files"),
        script=script_code("record_plan"),
    script:
        "../../scripts/record_plan.py"


rule make_table:
    input:
        lambda wildcards: made_from(wildcards.table),
    output:
        multiext("results/{campaign}/tables/{table}", ".parquet", ".csv"),
    log:
        "results/{campaign}/logs/tables/{table}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=more_each_attempt(4000),
        runtime=more_each_attempt(30),
    params:
        code=table_code,
        script=script_code("make_table"),
    shell:
        'python -S "$UNBOUNDED_CLIENT" unbounded.scripts make_table {output:q}'


rule write_claims:
    input:
        "results/{campaign}/tables/claims.parquet",
    output:
        report("results/{campaign}/tables/claims.md", caption="../report/claims.rst", category="Claims"),
    log:
        "results/{campaign}/logs/tables/claims-page.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code_digest("unbounded.tables.claims", "unbounded.tables.files"),
        script=script_code("write_claims"),
    script:
        "../../scripts/write_claims.py"
