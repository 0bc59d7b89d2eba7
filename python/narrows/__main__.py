"""`python -m narrows` is the command `narrows`."""

import sys

from narrows.cli import main

sys.exit(main())
