"""Where the files of a campaign lie: the only place, but for the rules' own patterns, that spells a path of results."""

from __future__ import annotations

import os
from pathlib import Path

#: The folder of all campaigns' results.
RESULTS = Path("results")
#: (instance, solver, seed).
Trial = tuple[str, str, int]


def trial_path(trial: Trial) -> Path:
    """Return where a trial's file lies in the folder of trials."""
    instance, solver, seed = trial
    return Path(instance) / solver / f"{seed}.parquet"


def trial_of(path: Path) -> Trial:
    """Return the trial whose file it is, by its place."""
    instance, solver, seed = path.with_suffix("").parts[-3:]
    return instance, solver, int(seed)


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
