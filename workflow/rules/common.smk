# The campaign and its plan, read once, and what rules ask of them.
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

PACKAGE = str(Path(workflow.basedir) / "workflow")
sys.path.insert(0, PACKAGE)
# Jobs in an environment of their own (--software-deployment-method conda) find the package here too.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [PACKAGE, os.environ.get("PYTHONPATH")]))

from unbounded.config import ConfigError, load_campaign
from unbounded.instances.spec import ID_REGEX
from unbounded.plan import Plan
from unbounded.provenance import code_digest

# --configfile names another campaign file; several would be merged into one that nobody wrote.
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


wildcard_constraints:
    campaign=re.escape(CAMPAIGN.name),
    instance=ID_REGEX,
    solver="|".join(map(re.escape, sorted({solver for _, solver in PLAN.cells}))) or "none",
    seed=r"\d+",
    group=r"(?:mixed|integer)-D\d+-t[^/]+",


def trial_file(instance, solver, seed):
    return f"{RESULTS}/trials/{instance}/{solver}/{seed}.parquet"


def planned_trials(study=None):
    """Return the input function of a study's trial files, or of the campaign's."""

    def files(wildcards):
        return [trial_file(*trial) for trial in PLAN.trials(study)]

    return files
