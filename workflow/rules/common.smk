# The campaign and its plan, read once, and what rules ask of them.
import json
import sys
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.io import IOFile
from snakemake.logging import logger
from snakemake.settings.enums import RerunTrigger

sys.path.insert(0, str(Path(workflow.basedir) / "workflow"))

from unbounded.campaign import run_record
from unbounded.campaign.layout import Layout, trial_of
from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import load_campaign
from unbounded.campaign.origin import Made, vouch, withdraw
from unbounded.campaign.start import check_threads, start_dry_run, start_run
from unbounded.figures import registry as figure_registry
from unbounded.instances.spec import ID_REGEX
from unbounded.report.assets import digest as report_assets
from unbounded.report.products import Products
from unbounded.running.environment import expose_labels, expose_launcher, expose_package
from unbounded.running.forking import server
from unbounded.running.lock import LockedError
from unbounded.running.provenance import code_digest, script_digest
from unbounded.running.slurm import no_controller
from unbounded.tables import registry as table_registry

expose_package()
expose_launcher()
# --configfile names another campaign; several would be merged into one that nobody wrote.
if len(workflow.configfiles) > 1:
    raise WorkflowError("Give one --configfile: a campaign is one file.")
# The campaign is read from its file, so what --config says would be ignored.
if workflow.config_settings.config:
    raise WorkflowError(
        f"--config (here {', '.join(workflow.config_settings.config)}) sets nothing, on the command line or in a profile: a "
        "campaign is one file. Nothing was started: copy the file, edit the copy and name it by --configfile."
    )
CAMPAIGN_FILE = Path(workflow.configfiles[0] if workflow.configfiles else Path(workflow.basedir) / "config/paper.yaml")
try:
    CAMPAIGN = load_campaign(CAMPAIGN_FILE)
except ValueError as error:
    raise WorkflowError(f"The campaign cannot be run:\n{error}") from None
PLAN = Plan(CAMPAIGN)
LAYOUT = Layout.of(CAMPAIGN.name)
PRODUCTS = Products(PLAN, LAYOUT)
TABLES = table_registry.made_from_tables()
ENVIRONMENT = "../../envs/environment.yaml"
# Names in figures and where the campaign's file lies; in no rule's params, so that other ones make nothing stale.
expose_labels(CAMPAIGN.labels)
config["campaign"] = CAMPAIGN.name
config["campaign_file"] = str(CAMPAIGN_FILE)
# What Snakemake's own report says of the figures: its captions cannot read params, which are JSON.
config["pictures"] = PRODUCTS.pictures
config["figure_titles"] = {name: entry.figure.title for name, entry in figure_registry.entries().items()}
# The solver behind each rule of trials.
TRIAL_RULES = {f"run_{solver}": solver for solver in PLAN.needs()}
# Whether jobs are submitted: what only a cluster needs of them costs planning time, and is left out elsewhere.
ON_CLUSTER = bool(workflow.resource_settings.nodes or workflow.remote_exec)
# Many short jobs are forked by servers that this process starts. Jobs in an environment of their own have another Python.
FORKS = not (ON_CLUSTER or workflow.deployment_settings.deployment_method)
# Jobs from which on a server is worth its own start.
MANY = {"unbounded.trials": (TRIAL_RULES, 2), "unbounded.scripts": (("make_table", "draw_figure"), 4)}
server.expose_client(MANY)


wildcard_constraints:
    instance=ID_REGEX,
    seed=r"\d+",
    slice=r"(?:mixed|integer)-D\d+-t[^/]+",
    study="|".join(map(re.escape, [*CAMPAIGN.studies, "campaign"])),
    figure=r"[^/]+",
    table="|".join(TABLES),


# --- Start

# What ends the servers of this run.
END_OF_RUN = []


def unlock():
    """Remove the locks of Snakemake itself; it expects the folder that it has made for them at its start."""
    workflow.persistence.cleanup_locks()
    Path(workflow.persistence.path, "locks").mkdir(exist_ok=True)


def remembered_params(file):
    """Return the params that Snakemake remembers a file to be made with, or None."""
    return workflow.persistence.params(IOFile(str(file), rule=workflow.get_rule("all")))


def remembered(product):
    """Say whether a product is left to Snakemake: it remembers how it was made, or is told not to compare params."""
    return RerunTrigger.PARAMS not in workflow.rerun_triggers or remembered_params(product) is not None


MADE = Made(sorted(PRODUCTS.all), PRODUCTS.origin, remembered)
# Of the products that are not remembered, those that were found good when this run began.
GOOD = set()


def recorded(file):
    """Say whether Snakemake remembers a trial as made as it is planned now (`same`), otherwise (`other`), or not at all.

    Whoever has it not compare params wants rows kept that were made otherwise.
    """
    if RerunTrigger.PARAMS not in workflow.rerun_triggers:
        return "other"
    params = remembered_params(file)
    instance, solver, _ = trial_of(Path(file))
    planned = repr(as_json(PLAN.cells[instance, solver].params))
    return None if params is None else "same" if params == [planned] else "other"


@cache
def start():
    """Do what comes before planning, once. Jobs, --touch, and commands that only look (--summary, --unlock, …) do nothing.

    Functions of inputs call it, for want of a better place: while this file is read it is not known yet what the process
    is for, and `onstart` comes when Snakemake has looked which files there are, and has planned for those.
    """
    if not workflow.is_main_process or workflow.executor_plugin is None or workflow.touch:
        return
    if not ON_CLUSTER:
        # Where the starts of jobs are limited, as they are by default, Snakemake looks at the ready jobs again a second
        # after every look, so that each job that ends adds a look a second.
        workflow.scheduling_settings.max_jobs_per_timespan = None
    if workflow.executor_plugin.name == "slurm" and (reason := no_controller()):
        raise SystemExit(f"\n{reason}")
    begin = partial(start_run, unlock=unlock) if not workflow.dryrun else start_dry_run
    try:
        useless = begin(LAYOUT, PLAN, MADE, recorded, logger.warning)
    except LockedError as error:
        raise SystemExit(f"\n{error}") from None
    GOOD.update(set(MADE.unremembered()) - set(map(Path, useless)))
    # A table that is there would hide that a trial of it is not.
    workflow.dag.forcefiles.update(useless)


# --- What jobs ask for


def more_each_attempt(amount):
    """Return what a job asks of a resource: on a cluster, one that failed for want of it gets as much again on each retry.

    Elsewhere it is a constant: there is no queue that would end a job for asking less.
    """
    return (lambda wildcards, attempt: amount * attempt) if ON_CLUSTER else amount


def asked(needs):
    """Return what a trial asks for, by the names that a profile has for it.

    `<licence>_licences`: at most so many trials run at once. `turns`: the trials that a cluster gets in one submission.
    """
    resources = {"mem_mb": more_each_attempt(needs.mem_mb), "watchdog_seconds": needs.watchdog}
    if ON_CLUSTER:
        resources["runtime"] = more_each_attempt(needs.runtime)
    resources |= {f"{licence}_licences": 1 for licence in sorted(needs.licences)}
    if submission(needs):
        resources["turns"] = 1
    return resources


def submission(needs):
    """Return the name under which a cluster gets many such trials in one submission, or None."""
    return needs.group if ON_CLUSTER else None


# --- What makes a result stale


def as_json(params):
    """Write params as a job reads them from its command line, and as Snakemake remembers them."""
    return json.dumps(params, sort_keys=True)


def script_code(rule):
    """Return the digest of a rule's script; the profile leaves it to params to say that code has changed."""
    return script_digest(Path(workflow.basedir) / "scripts" / f"{rule}.py")


# --- Trials


def planned_trial(solver):
    """Return the params function of a solver's trials: what the campaign plans on an instance."""

    def params(wildcards):
        try:
            return as_json(PLAN.cells[wildcards.instance, solver].params)
        except KeyError:
            raise WorkflowError(
                f"{CAMPAIGN_FILE} does not plan {solver} on {wildcards.instance}; "
                "`unbounded trial` runs any trial by hand."
            ) from None

    return params


def planned_trials(study=None):
    """Return the input function of a study's trial files, or of the campaign's."""

    def files(wildcards):
        start()
        return list(map(LAYOUT.trial, PLAN.trials(study)))

    return files


def trials_to_collect(wildcards):
    """Return the trials behind the tables, as targets: a table that is there would hide that one of them is not."""
    return [] if CAMPAIGN.allow_missing else planned_trials()(wildcards)


def slice_trials(wildcards):
    """Return the trials of one slice of the suite, or those that are there."""
    start()
    files = map(LAYOUT.trial, PLAN.slices.get(wildcards.slice, []))
    return [file for file in files if file.exists()] if CAMPAIGN.allow_missing else list(files)


# --- Products


def started(kind):
    """Return the input function of a kind of products, by its name in `Products`."""

    def files(wildcards):
        start()
        return getattr(PRODUCTS, kind)

    return files


def begun(wildcards):
    """Be the input function of rules that have no input: what comes before planning is done for them, too."""
    start()
    return []


def shown(wildcards):
    """Return the tables that a picture is drawn from."""
    start()
    return map(LAYOUT.table, figure_registry.drawing(picture(wildcards)).figure.tables)


def picture(wildcards):
    """Return what a picture shows."""
    return PRODUCTS.pictures[f"{wildcards.study}/{wildcards.figure}"]


# --- Begin and end


def begin_run():
    """Record which trials this run is to make, for those who follow it; refuse one that cannot make them as planned."""
    # Snakemake would wait for a core for ever.
    if not ON_CLUSTER and workflow.resource_settings.cores < 1:
        raise WorkflowError(f"--cores is {workflow.resource_settings.cores}; allowed: a number from 1, or `all`.")
    jobs = list(workflow.dag.needrun_jobs())
    if any(job.output and job.rule.name not in TRIAL_RULES for job in jobs):
        withdraw(LAYOUT)
    trials = {
        (job.wildcards.instance, TRIAL_RULES[job.rule.name], int(job.wildcards.seed)): job.threads
        for job in jobs
        if job.rule.name in TRIAL_RULES
    }
    try:
        check_threads(PLAN, {solver: threads for (_, solver, _), threads in trials.items()})
    except ValueError as error:
        raise WorkflowError(error) from None
    at_once = workflow.resource_settings.cores or workflow.resource_settings.nodes or 1
    run_record.begin(LAYOUT.run, trials, min(at_once, max(1, len(trials))))
    if FORKS:
        rules = [job.rule.name for job in jobs]
        served = [module for module, (of, many) in MANY.items() if sum(rule in of for rule in rules) >= many]
        # Where none can be, jobs do without.
        with suppress(OSError):
            END_OF_RUN.extend(map(server.start, served))


def end_run():
    for stop in END_OF_RUN:
        stop()
    run_record.end(LAYOUT.run)


def keep_origin():
    """Have the products tell what they were made for, if this run has made all of them that were not up to date."""
    compared = RerunTrigger.PARAMS in workflow.rerun_triggers and not workflow.touch
    if compared and any(job.rule.name == "all" for job in workflow.dag.jobs):
        vouch(LAYOUT, MADE, GOOD)
