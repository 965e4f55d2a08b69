"""Rule make_table: one table from others in its folder. Arguments: its files."""

import sys
from pathlib import Path

from unbounded.running.environment import begin_script
from unbounded.tables.files import make
from unbounded.tables.registry import find

begin_script()
table = Path(sys.argv[1])
make(find(table.stem), table.parent)
