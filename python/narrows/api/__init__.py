# SPDX-License-Identifier: Apache-2.0
"""The commands as functions of checked arguments. Each imports its own dependencies, since others start without."""

from narrows.api.handling import export, pack, playground, verify, why
from narrows.api.measuring import ab, compare, reproduce, study, suite, worst
from narrows.api.views import deploy, matrix
from narrows.formats.rates import import_rates

__all__ = [
    "ab",
    "compare",
    "deploy",
    "export",
    "import_rates",
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
