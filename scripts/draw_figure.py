"""Rule draw_figure: one figure from its tables, with its caption."""

from pathlib import Path

from unbounded.environment import end_with_launcher
from unbounded.figures.drawing import draw
from unbounded.tables.files import read
from unbounded.writing import write_text

end_with_launcher()
tables = {Path(path).stem: read(Path(path)) for path in snakemake.input}
paths = [Path(snakemake.output.svg), Path(snakemake.output.png)]
caption = draw(snakemake.params.figure, tables, paths, snakemake.config["labels"])
write_text(Path(snakemake.output.caption), caption + "\n")
