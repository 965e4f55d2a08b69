"""What the table `runs` says of a planned trial: the statuses of rows, and two that a row alone cannot know."""

from __future__ import annotations

from unbounded.trials.row import STATUSES

#: The status of a planned trial that has no row.
MISSING = "missing"
#: The status of a run whose proof a verified value, or a proven optimum, contradicts.
REFUTED = "refuted"
#: What may be said of a planned trial.
RUN_STATUSES = (*STATUSES, REFUTED, MISSING)
