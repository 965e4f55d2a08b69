"""Compiled inner loops of solvers.

Numba keeps compiled code beside the sources, keyed by the processor, so on a shared home every kind of node compiles
once; where that folder cannot be written it takes the user's cache folder, and where neither can, code is compiled in
every process.
"""
