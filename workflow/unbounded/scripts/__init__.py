"""How rules with many short jobs run their script."""
