# From instances to verified rows: one job, one file, one row.


def planned_cell(wildcards):
    try:
        return PLAN.cells[wildcards.instance, wildcards.solver]
    except KeyError:
        raise WorkflowError(
            f"{CAMPAIGN_FILE} does not plan {wildcards.solver} on {wildcards.instance}; "
            "`python -m unbounded trial` runs any trial by hand."
        ) from None


rule run_trial:
    output:
        "results/{campaign}/trials/{instance}/{solver}/{seed}.parquet",
    log:
        "results/{campaign}/logs/trials/{instance}/{solver}/{seed}.log",
    benchmark:
        "results/{campaign}/logs/trials/{instance}/{solver}/{seed}.benchmark.tsv"
    params:
        # What changes a trial's result, and nothing else: this is what makes it stale.
        trial=lambda wildcards: planned_cell(wildcards).params(),
    threads: lambda wildcards: planned_cell(wildcards).threads
    resources:
        mem_mb=lambda wildcards: planned_cell(wildcards).mem_mb,
        runtime=lambda wildcards: planned_cell(wildcards).runtime,
    conda:
        ENVIRONMENT
    script:
        "../../scripts/run_trial.py"
