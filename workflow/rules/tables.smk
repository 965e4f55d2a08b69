# From trial rows to tables, in two levels: one table for each slice of the suite, then the campaign's; from that and the
# plan everything else. What takes no time worth a cluster's job is written where Snakemake runs (`localrule`).


rule collect_slice:
    input:
        slice_trials,
    output:
        LAYOUT.slice("{slice}"),
    log:
        LAYOUT.log("tables/{slice}"),
    conda:
        ENVIRONMENT
    threads: 2
    resources:
        mem_mb=more_each_attempt(2000),
        runtime=more_each_attempt(30),
    params:
        trace_points=CAMPAIGN.trace_points,
        code=code_digest("unbounded.tables.trials"),
        script=script_code("collect_slice"),
    script:
        "../../scripts/collect_slice.py"


rule collect_campaign:
    input:
        PRODUCTS.slices,
    output:
        LAYOUT.table_files("trials"),
    log:
        LAYOUT.log("tables/trials"),
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
    input:
        begun,
    output:
        LAYOUT.record,
    log:
        LAYOUT.log("tables/campaign"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        campaign=CAMPAIGN.record(),
        script=script_code("record_campaign"),
    script:
        "../../scripts/record_campaign.py"


rule record_plan:
    input:
        begun,
    output:
        LAYOUT.table_files("plan"),
    log:
        LAYOUT.log("tables/plan"),
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
        lambda wildcards: map(LAYOUT.table, TABLES[wildcards.table].tables),
    output:
        LAYOUT.table_files("{table}"),
    log:
        LAYOUT.log("tables/{table}"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=more_each_attempt(4000),
        runtime=more_each_attempt(30),
    params:
        code=lambda wildcards: code_digest(table_registry.module_of(wildcards.table), "unbounded.tables.files"),
        script=script_code("make_table"),
    shell:
        'python -S "$UNBOUNDED_CLIENT" unbounded.scripts make_table {output:q}'


rule write_claims:
    input:
        LAYOUT.table("claims"),
    output:
        report(LAYOUT.claims, caption="../report/claims.rst", category="Claims"),
    log:
        LAYOUT.log("tables/claims-page"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code_digest("unbounded.tables.claims", "unbounded.tables.files"),
        script=script_code("write_claims"),
    script:
        "../../scripts/write_claims.py"
