"""Rule draw_landscapes: the gallery of the nine test cases and the integer contours of TC-4, with their captions."""

from pathlib import Path

from unbounded.figures.landscapes import caption_contours, caption_gallery, gallery, integer_contours
from unbounded.running.environment import begin_script
from unbounded.running.writing import write_text

begin_script()
settings = snakemake.params.settings
gallery_png, contours_png = map(Path, snakemake.output.pngs)
shown = settings["c"], settings["E"]
gallery(*shown, [Path(snakemake.output.gallery), gallery_png])
lattice = settings["c"], settings["contour_E"], settings["extents"]
integer_contours(*lattice, [Path(snakemake.output.contours), contours_png])
for path, caption in zip(snakemake.output.captions, (caption_gallery(*shown), caption_contours(*lattice)), strict=True):
    write_text(Path(path), caption + "\n")
