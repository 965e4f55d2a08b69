"""Rule run_trial: one trial, one row."""

from unbounded.environment import hold_threads

hold_threads(snakemake.threads)

from pathlib import Path  # noqa: E402

from unbounded.imports import without  # noqa: E402
from unbounded.solvers.contract import Budget  # noqa: E402
from unbounded.trials.row import write_row  # noqa: E402
from unbounded.trials.run import Trial, run_trial  # noqa: E402

trial = snakemake.params.trial
row = run_trial(
    Trial(
        instance=snakemake.wildcards.instance,
        solver=trial["solver"],
        variant=trial["variant"],
        seed=int(snakemake.wildcards.seed),
        budget=Budget(**trial["budget"]),
        options=trial["options"],
        threads=snakemake.threads,
    ),
    log=Path(snakemake.log[0]),
)
with without("pandas"):
    write_row(row, Path(snakemake.output[0]))
