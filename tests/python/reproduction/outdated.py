# SPDX-License-Identifier: Apache-2.0
"""Published ledgers, tables and cells that wait for their experiments to run again."""

from __future__ import annotations

import pytest

# Study and size: of an earlier simulator, and of the tests of claims and the tables as they were then.
OLD_LEDGERS = {
    ("ha-2006", "medium"), ("ha-2006", "quick"), ("welzl-2009", "medium"), ("welzl-2009", "quick"),
    ("mills-2010", "quick"),
}  # fmt: skip
OLD_TABLES = {("mills-2010", "quick")}
OLD_CELLS = {("ha-2006", "medium")}


def outdated(study: str, size: str, those: set[tuple[str, str]]) -> list[pytest.MarkDecorator]:
    """Return the marks of a test of what was published of a study, where `those` are outdated."""
    reason = "published before goodput counted arrivals and timers and stages changed (CHANGELOG, Changed results)"
    return [pytest.mark.xfail(strict=True, reason=reason)] if (study, size) in those else []
