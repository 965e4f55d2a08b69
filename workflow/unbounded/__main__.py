"""`python -m unbounded …`: the command line where the command `unbounded` is not on the path."""

import sys

from unbounded.cli import main

sys.exit(main())
