"""Where the files of a campaign lie: the only place that spells a path below `results/`.

A table's own names there, `<name>.parquet` and `<name>.csv` in one folder, are those of `tables/files` as well.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

#: The folder of all campaigns' results.
RESULTS = Path("results")
#: The folder of the audit of published results in it.
AUDIT = "audit"
#: What else is in it: no campaign has one of these names.
TAKEN = ("README.md", AUDIT, "slurm-logs")
#: Parts of a campaign's folder: the rows, what is made from them, what is said meanwhile, what was of no use.
TRIALS, TABLES, FIGURES, REPORT, LOGS, BROKEN = "trials", "tables", "figures", "report", "logs", "broken"
#: Those that are made from the rows.
PRODUCTS = (TABLES, FIGURES, REPORT)
#: Which code made the results, and for which campaign (`unbounded.campaign.origin`); an archive's tells more.
PROVENANCE = "provenance.json"
#: (instance, solver, seed).
Trial = tuple[str, str, int]


@dataclass(frozen=True)
class Layout:
    """The files of one campaign. Names may be wildcards of Snakemake's, as `{table}`: so rules get their patterns."""

    folder: Path

    @classmethod
    def of(cls, campaign: str, results: Path = RESULTS) -> Layout:
        """Return the layout of a campaign, by its name."""
        return cls(results / campaign)

    @property
    def trials(self) -> Path:
        """The rows; `present` and `trial_path` say how they lie in it."""
        return self.folder / TRIALS

    @property
    def tables(self) -> Path:
        """All tables, and what else is said of the campaign beside them."""
        return self.folder / TABLES

    @property
    def figures(self) -> Path:
        """A folder of pictures and captions for each study."""
        return self.folder / FIGURES

    @property
    def broken(self) -> Path:
        """Files of no use, moved out of the way."""
        return self.folder / BROKEN

    @property
    def audit(self) -> Path:
        """The audit of published results, beside the campaigns."""
        return self.folder.parent / AUDIT

    @property
    def page(self) -> Path:
        """The report."""
        return self.folder / REPORT / "index.html"

    @property
    def claims(self) -> Path:
        """The claims as a page."""
        return self.tables / "claims.md"

    @property
    def record(self) -> Path:
        """The effective campaign."""
        return self.tables / "campaign.json"

    @property
    def provenance(self) -> Path:
        """For which campaign the products were made, and by which code (`unbounded.campaign.origin`)."""
        return self.folder / PROVENANCE

    @property
    def run(self) -> Path:
        """The record of the latest run (`run_record`)."""
        return self.folder / LOGS / "run.json"

    def trial(self, trial: Trial) -> Path:
        """Return the file of a trial."""
        # One text to be parsed: there are tens of thousands.
        return Path(f"{self.folder}/{TRIALS}/{_trial_name(trial)}")

    def slice(self, name: str) -> Path:
        """Return the table of the trials of one slice of the suite."""
        return self.tables / TRIALS / f"{name}.parquet"

    def table(self, name: str) -> Path:
        """Return a table for machines."""
        return self.tables / f"{name}.parquet"

    def table_files(self, name: str) -> list[Path]:
        """Return a table for machines, and for people."""
        return [self.table(name), self.tables / f"{name}.csv"]

    def figure(self, name: str, ending: str) -> Path:
        """Return a file of a figure, `<study>/<name>`."""
        return self.figures / f"{name}.{ending}"

    def figure_files(self, name: str) -> list[Path]:
        """Return the files of a figure: two pictures, and the caption."""
        return [self.figure(name, ending) for ending in ("svg", "png", "txt")]

    def log(self, name: str) -> Path:
        """Return the log of a job."""
        return self.folder / LOGS / f"{name}.log"


def trial_path(trial: Trial) -> Path:
    """Return where a trial's file lies in the folder of trials."""
    return Path(_trial_name(trial))


def _trial_name(trial: Trial) -> str:
    instance, solver, seed = trial
    return f"{instance}/{solver}/{seed}.parquet"


def trial_of(path: Path) -> Trial:
    """Return the trial whose file it is, by its place."""
    instance, solver, seed = path.with_suffix("").parts[-3:]
    return instance, solver, int(seed)


def is_slice(path: str) -> bool:
    """Whether it is the table of a slice of the suite, by its path from where `results` is."""
    parts = path.split("/")
    return len(parts) == 5 and parts[0] == RESULTS.name and parts[2:4] == [TABLES, TRIALS]


def part_of(path: str) -> str | None:
    """Return the part of a campaign's folder that a file lies in, by its path from where `results` is, or None."""
    parts = path.split("/")
    return parts[2] if len(parts) > 3 and parts[0] == RESULTS.name else None


def present(folder: Path) -> dict[Trial, float]:
    """Return the trials that have a file in this folder, with the time of its last change; opens none of them."""
    found: dict[Trial, float] = {}
    for instance in _folders(folder):
        for solver in _folders(Path(instance.path)):
            with os.scandir(solver.path) as entries:
                for entry in entries:
                    seed, _, ending = entry.name.partition(".")
                    if ending == "parquet" and seed.isdigit() and entry.is_file():
                        try:
                            found[instance.name, solver.name, int(seed)] = entry.stat().st_mtime
                        except FileNotFoundError:  # removed since it was listed: a run is about to write it anew
                            continue
    return found


def _folders(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return [entry for entry in entries if entry.is_dir()]
    except FileNotFoundError:
        return []
