"""Rule draw_figure: one figure from its tables, with its caption."""

from pathlib import Path

from unbounded.figures.catalogue import draw
from unbounded.tables.files import read

tables = {Path(path).stem: read(Path(path)) for path in snakemake.input}
paths = [Path(snakemake.output.svg), Path(snakemake.output.png)]
caption = draw(snakemake.params.figure, tables, paths, snakemake.config["labels"])
Path(snakemake.output.caption).write_text(caption + "\n", encoding="utf-8")
