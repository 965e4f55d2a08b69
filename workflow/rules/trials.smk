# From instances to verified rows: one job, one file, one row.


rule run_trial:
    output:
        "results/{campaign}/trials/{instance}/{solver}/{seed}.parquet",
    log:
        "results/{campaign}/logs/trials/{instance}/{solver}/{seed}.log",
    benchmark:
        "results/{campaign}/logs/trials/{instance}/{solver}/{seed}.benchmark.tsv"
    conda:
        ENVIRONMENT
    threads: lambda wildcards: planned_cell(wildcards).threads
    resources:
        mem_mb=lambda wildcards: planned_cell(wildcards).mem_mb,
        runtime=lambda wildcards: planned_cell(wildcards).runtime,
    params:
        # What changes a trial's result, and nothing else: this is what makes it stale.
        trial=lambda wildcards: planned_cell(wildcards).params(),
    script:
        "../../scripts/run_trial.py"
