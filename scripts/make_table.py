"""Rule make_table: one table from others in its folder. Arguments: its files."""

import sys
from pathlib import Path

from unbounded.environment import end_with_launcher
from unbounded.tables.catalogue import make

end_with_launcher()
table = Path(sys.argv[1])
make(table.stem, table.parent)
