"""Compiled inner loops of solvers."""
