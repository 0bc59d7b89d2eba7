# SPDX-License-Identifier: Apache-2.0
"""`python -m narrows` is the command `narrows`."""

import sys

from narrows._internal.cli import main

sys.exit(main())
