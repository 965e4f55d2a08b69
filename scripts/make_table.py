"""Rule make_table: one table from others. Arguments: its name, the folder of tables."""

import sys
from pathlib import Path

from unbounded.environment import end_with_launcher
from unbounded.tables.catalogue import make

end_with_launcher()
table, folder = sys.argv[1:]
make(table, Path(folder))
