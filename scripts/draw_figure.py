"""Rule draw_figure: one figure from its tables, with its caption.

Arguments: what it shows and the names of solvers, as Python writes them; its SVG, PNG and caption; its tables.
"""

import sys
from ast import literal_eval
from pathlib import Path

from unbounded.environment import end_with_launcher
from unbounded.figures.drawing import draw
from unbounded.tables.files import read
from unbounded.writing import write_text

end_with_launcher()
figure, labels = map(literal_eval, sys.argv[1:3])
svg, png, caption, *inputs = map(Path, sys.argv[3:])
text = draw(figure, {path.stem: read(path) for path in inputs}, [svg, png], labels)
write_text(caption, text + "\n")
