# SPDX-License-Identifier: Apache-2.0
"""Published ledgers, tables and cells that wait for their experiments to run again."""

from __future__ import annotations

import pytest

from narrows._internal.reproduction.registry import published_studies

# Study and size, of what `results.toml` of a study says.
SINCE = {
    (study.name, size): known["since"]
    for study in published_studies()
    for size, known in study.results.items()
    if "since" in known
}
OLD_LEDGERS = set(SINCE)
# Of these, the tables that are of other plans than the present ones, too.
OLD_TABLES = {("mills-2010", "quick")}


def outdated(study: str, size: str, those: set[tuple[str, str]]) -> list[pytest.MarkDecorator]:
    """Return the marks of a test of what was published of a study, where `those` are outdated."""
    if (study, size) not in those:
        return []
    return [pytest.mark.xfail(strict=True, reason=f"of an earlier simulator: {SINCE[study, size]}")]
