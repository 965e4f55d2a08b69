"""Figures, one module per family; each writes SVG and PNG."""
