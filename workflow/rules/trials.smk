# From instances to verified rows: one job, one file, one row.
# One rule for each solver id of the campaign: what a job needs is then a constant, which plans faster than a function
# of its wildcards, and a profile can set the resources of one solver (`set-resources: run_cplex:mem_mb=32000`).

for solver, needs in PLAN.needs().items():

    rule:
        name:
            f"run_{solver}"
        output:
            f"results/{{campaign}}/trials/{{instance}}/{solver}/{{seed}}.parquet",
        log:
            f"results/{{campaign}}/logs/trials/{{instance}}/{solver}/{{seed}}.log",
        benchmark:
            f"results/{{campaign}}/logs/trials/{{instance}}/{solver}/{{seed}}.benchmark.tsv"
        conda:
            ENVIRONMENT
        threads: needs.threads
        resources:
            mem_mb=needs.mem_mb,
            runtime=needs.runtime,
        params:
            # What changes a trial's result, and nothing else: this is what makes it stale.
            trial=planned_trial(solver),
        script:
            "../../scripts/run_trial.py"
