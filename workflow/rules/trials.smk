# From instances to verified rows: one job, one file, one row.
# One rule for each solver id of the campaign: what a job needs then depends on the attempt alone, and a profile can set
# the resources of one solver (`set-resources: run_cplex:mem_mb=32000`).

for solver, needs in PLAN.needs().items():

    rule:
        name:
            f"run_{solver}"
        output:
            LAYOUT.trial(("{instance}", solver, "{seed}")),
        log:
            LAYOUT.log(f"trials/{{instance}}/{solver}/{{seed}}"),
        group:
            submission(needs)
        conda:
            ENVIRONMENT
        threads: needs.threads
        resources:
            **asked(needs),
        params:
            # What changes a trial's result, and nothing else: this is what makes it stale.
            trial=planned_trial(solver),
        shell:
            'python -S "$UNBOUNDED_CLIENT" unbounded.trials {wildcards.instance} {wildcards.seed} {params.trial:q} {output:q} {log:q}'
            " --threads {threads} --mem-mb {resources.mem_mb} --watchdog {resources.watchdog_seconds}"
