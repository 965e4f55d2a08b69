"""Trials: run one, verify it, write its row."""
