"""What tests share: running the project, small campaigns, rows to compare, the examples of the docs."""
