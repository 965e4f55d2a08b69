"""Rule make_table: one table from others. Arguments: its name, the folder of tables."""

from pathlib import Path
from sys import argv

from unbounded.environment import end_with_launcher
from unbounded.tables.catalogue import make

end_with_launcher()
table, folder = argv[1:]
make(table, Path(folder))
