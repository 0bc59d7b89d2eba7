# SPDX-License-Identifier: Apache-2.0
"""Truth: rule. Every source file says its licence in its first lines, but for those that users copy."""

from __future__ import annotations

from repository import HOUSE, tracked

SUFFIXES = {".c", ".css", ".h", ".js", ".py", ".rs", ".sh", ".tcl"}


def test_every_source_file_says_its_licence() -> None:
    sources = [
        file.relative_to(HOUSE)
        for file in tracked()
        if file.suffix in SUFFIXES and not {"examples", "templates"} & set(file.relative_to(HOUSE).parts)
    ]
    assert len(sources) > 1000
    unsaid = [
        str(file)
        for file in sources
        if "SPDX-License-Identifier: " not in "\n".join((HOUSE / file).read_text(encoding="utf-8").split("\n")[:2])
    ]
    assert not unsaid
