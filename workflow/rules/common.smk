# The campaign and its plan, read once, and what rules ask of them.
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

sys.path.insert(0, str(Path(workflow.basedir) / "workflow"))

from unbounded.config import ConfigError, LandscapeStudy, load_campaign
from unbounded.environment import expose_package
from unbounded.figures.catalogue import KINDS, figures as figures_of
from unbounded.instances.spec import ID_REGEX
from unbounded.plan import Plan
from unbounded.provenance import code_digest
from unbounded.tables.catalogue import RECIPES

expose_package()
# --configfile names another campaign; several would be merged into one that nobody wrote.
if len(workflow.configfiles) > 1:
    raise WorkflowError("Give one --configfile: a campaign is one file.")
CAMPAIGN_FILE = Path(workflow.configfiles[0] if workflow.configfiles else Path(workflow.basedir) / "config/paper.yaml")
try:
    CAMPAIGN = load_campaign(CAMPAIGN_FILE)
except ConfigError as error:
    raise WorkflowError(f"The campaign cannot be run:\n{error}") from None
PLAN = Plan(CAMPAIGN)
RESULTS = f"results/{CAMPAIGN.name}"
ENVIRONMENT = "../../envs/environment.yaml"
FIGURES = figures_of(PLAN)
# Studies whose figures come from tables, as a pattern.
DRAWN_STUDIES = "|".join(map(re.escape, sorted({Path(figure).parent.name for figure in FIGURES}))) or "none"
# Names in figures; in no rule's params, so that another name makes nothing stale.
config["labels"] = CAMPAIGN.labels
LANDSCAPES = [name for name, study in CAMPAIGN.studies.items() if isinstance(study, LandscapeStudy)]


wildcard_constraints:
    campaign=re.escape(CAMPAIGN.name),
    instance=ID_REGEX,
    seed=r"\d+",
    group=r"(?:mixed|integer)-D\d+-t[^/]+",
    study="|".join(map(re.escape, [*CAMPAIGN.studies, "campaign"])),
    figure=r"[^/]+",
    table="|".join(RECIPES),


# --- Trials


def planned_trial(solver):
    """Return the params function of a solver's trials: what the campaign plans on an instance."""

    def params(wildcards):
        try:
            return PLAN.cells[wildcards.instance, solver].params
        except KeyError:
            raise WorkflowError(
                f"{CAMPAIGN_FILE} does not plan {solver} on {wildcards.instance}; "
                "`python -m unbounded trial` runs any trial by hand."
            ) from None

    return params


def trial_file(instance, solver, seed):
    return f"{RESULTS}/trials/{instance}/{solver}/{seed}.parquet"


def planned_trials(study=None):
    """Return the input function of a study's trial files, or of the campaign's."""
    return lambda wildcards: [trial_file(*trial) for trial in PLAN.trials(study)]


# --- Tables


def group_trials(wildcards):
    files = [trial_file(*trial) for trial in PLAN.groups.get(wildcards.group, [])]
    return [file for file in files if Path(file).exists()] if CAMPAIGN.allow_missing else files


def group_tables(wildcards):
    return [f"{RESULTS}/tables/trials/{group}.parquet" for group in PLAN.groups]


def made_from(table):
    """Return the tables that a table is made from."""
    return [f"{RESULTS}/tables/{name}.parquet" for name in RECIPES[table].inputs]


def campaign_tables(wildcards):
    made = ["trials", "plan", *RECIPES] if PLAN.groups else []
    page = [f"{RESULTS}/tables/claims.md"] if PLAN.groups else []
    return [
        f"{RESULTS}/tables/campaign.json",
        *page,
        *(f"{RESULTS}/tables/{name}.{ending}" for name in made for ending in ("parquet", "csv")),
    ]


# --- Figures


def figure_files(names):
    return [f"{RESULTS}/figures/{name}.{ending}" for name in names for ending in ("svg", "png")]


def landscape_figures(study):
    return figure_files([f"{study}/gallery", f"{study}/contours"] if study in LANDSCAPES else [])


def campaign_figures(wildcards):
    return [*figure_files(FIGURES), *(path for study in LANDSCAPES for path in landscape_figures(study))]


def planned_figure(wildcards):
    """Return what a figure shows."""
    return FIGURES[f"{wildcards.study}/{wildcards.figure}"]


def figure_tables(wildcards):
    _, tables = KINDS[planned_figure(wildcards)["kind"]]
    return [f"{RESULTS}/tables/{table}.parquet" for table in tables]


def figure_code(wildcards):
    drawing, _ = KINDS[planned_figure(wildcards)["kind"]]
    return code_digest(drawing)
