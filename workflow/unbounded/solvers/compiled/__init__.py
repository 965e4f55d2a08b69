"""Compiled inner loops of solvers (`unbounded.solvers.compiled.compiling` says how they are kept and loaded).

Machine code is kept beside these sources, by processor, so on a shared home every kind of node compiles once; where
that folder cannot be written it goes to the user's cache folder, and where neither can, every process compiles anew.
"""
