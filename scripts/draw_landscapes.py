"""Rule draw_landscapes: the gallery of the nine test cases and the integer contours of TC-4."""

from pathlib import Path

from unbounded.figures.landscapes import gallery, integer_contours

settings = snakemake.params.settings
gallery_png, contours_png = map(Path, snakemake.output.pngs)
gallery(settings["c"], settings["E"], [Path(snakemake.output.gallery), gallery_png])
integer_contours(
    settings["c"], settings["contour_E"], settings["extents"], [Path(snakemake.output.contours), contours_png]
)
