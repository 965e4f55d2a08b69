"""Jobs as forks of a process that has loaded what they need: many a job takes less time than loading that."""
