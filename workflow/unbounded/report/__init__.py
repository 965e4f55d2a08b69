"""The report: one page, made from tables and figures alone, that a reader can question."""
