"""Questions to Slurm, each with an answer within a time: its programs may wait for a controller that is not there."""

from __future__ import annotations

import shutil
import subprocess

#: Seconds that Slurm has to answer.
PATIENCE = 30.0


def job_is_over(job: str | None) -> bool:
    """Whether Slurm knows that this job of its is not there any more."""
    if job is None:
        return False
    done = _ask("squeue", "--noheader", "--jobs", job)
    # It lists what waits or runs; a job that has long ended it does not know.
    return done is not None and not done.stdout.strip() and (done.returncode == 0 or "Invalid job id" in done.stderr)


def no_controller() -> str | None:
    """Say why no job can be submitted from here, None if the controller answers.

    Without one the executor plugin tries again and again, and lets no signal but SIGKILL end it.
    """
    done = _ask("scontrol", "ping")
    if done is not None and "is UP" in done.stdout:
        return None
    said = f"there is no such program, or it did not answer within {PATIENCE:g} s"
    if done is not None:
        said = next(iter((done.stdout + done.stderr).strip().splitlines()), "nothing")
    return (
        f"Slurm's controller does not answer (scontrol ping: {said}). Nothing was submitted: start on a machine of the "
        "cluster, once Slurm is up, or without the Slurm profile."
    )


def _ask(program: str, *options: str) -> subprocess.CompletedProcess[str] | None:
    """Return how one of Slurm's programs ended, None if there is none such or it did not."""
    path = shutil.which(program)
    if path is None:
        return None
    try:
        return subprocess.run([path, *options], capture_output=True, text=True, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        return None
