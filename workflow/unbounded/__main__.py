"""`python -m unbounded …`."""

import sys

from unbounded.cli import main

sys.exit(main())
