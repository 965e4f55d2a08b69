"""Rule draw_figure: one figure from its tables, with its caption.

Arguments: the names of solvers and what it shows, as Python writes them; its SVG, PNG and caption; its tables.
"""

from ast import literal_eval
from pathlib import Path
from sys import argv

from unbounded.environment import end_with_launcher
from unbounded.figures.drawing import draw
from unbounded.tables.files import read
from unbounded.writing import write_text

end_with_launcher()
labels, figure = map(literal_eval, argv[1:3])
svg, png, caption, *inputs = map(Path, argv[3:])
text = draw(figure, {path.stem: read(path) for path in inputs}, [svg, png], labels)
write_text(caption, text + "\n")
