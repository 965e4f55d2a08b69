"""Figures, one module per family; each writes SVG and PNG."""

import os

# Figures are files, whatever this says; with a name that it does not know, matplotlib cannot even be imported.
os.environ["MPLBACKEND"] = "Agg"
