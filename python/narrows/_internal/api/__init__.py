# SPDX-License-Identifier: Apache-2.0
"""The commands as functions of checked arguments. Each imports its own dependencies, since others start without."""

from narrows._internal.api.handling import export, identify, import_tc, import_trace, pack, playground, verify, why
from narrows._internal.api.measuring import ab, compare, reproduce, study, suite, worst
from narrows._internal.api.views import deploy, matrix
from narrows._internal.formats.rates import import_rates

__all__ = [
    "ab",
    "compare",
    "deploy",
    "export",
    "identify",
    "import_rates",
    "import_tc",
    "import_trace",
    "matrix",
    "pack",
    "playground",
    "reproduce",
    "study",
    "suite",
    "verify",
    "why",
    "worst",
]
