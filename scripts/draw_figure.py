"""Rule draw_figure: one figure from its tables, with its caption.

Arguments: what it shows, as Python writes it; its SVG, PNG and caption; its tables.
"""

import sys
from ast import literal_eval
from pathlib import Path

from unbounded.figures.registry import drawing
from unbounded.running.environment import begin_script, labels
from unbounded.running.writing import write_text
from unbounded.tables.files import read

begin_script()
figure = literal_eval(sys.argv[1])
svg, png, caption, *inputs = map(Path, sys.argv[2:])
text = drawing(figure).figure.make(figure, {path.stem: read(path) for path in inputs}, [svg, png], labels())
write_text(caption, text + "\n")
