"""Rule make_table: one table from others in its folder. Arguments: its files."""

import sys
from pathlib import Path

from unbounded.running.environment import begin_script
from unbounded.tables.catalogue import make

begin_script()
table = Path(sys.argv[1])
make(table.stem, table.parent)
