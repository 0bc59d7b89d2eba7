# SPDX-License-Identifier: Apache-2.0
"""The files of a study, under the names in its folder, so that the folder can be moved."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from narrows.core import Scenario


@dataclass
class Kept:
    """The files that the scenarios of a study name.

    Attributes:
        spans: By the bytes of the base scenario that name a file, the name as written and where it is kept.
        names: By the name as written in a level, an algorithm or a change, where the file is kept.
        files: By where a file is kept, its path and the SHA-256 of its content in hexadecimal.
    """

    spans: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    files: dict[str, tuple[str, str]] = field(default_factory=dict)

    def add(self, scenario: Scenario) -> None:
        """Add the files that a scenario names."""
        for each in scenario.inputs:
            self.files[each["kept"]] = (each["path"], each["digest"])
            if each["span"] is None:
                self.names[each["written"]] = each["kept"]
            else:
                self.spans[each["span"]] = (each["written"], each["kept"])

    def base(self, text: str) -> str:
        """Return the base scenario with its files named as they are kept."""
        content = text.encode()
        for (start, end), (written, kept) in sorted(self.spans.items(), reverse=True):
            content = content[:start] + content[start:end].replace(written.encode(), kept.encode()) + content[end:]
        return content.decode()

    def argument(self, text: str) -> str:
        """Return what names files in a study, such as an algorithm or a change, with them named as they are kept."""
        # Not in the middle of another name, and of two that begin alike the longer one.
        longest_first = sorted(self.names, key=len, reverse=True)
        names = "|".join(re.escape(written) for written in longest_first)
        return (
            re.sub(rf"(?<![\w./-])(?:{names})(?![\w/-])", lambda found: self.names[found[0]], text) if names else text
        )
