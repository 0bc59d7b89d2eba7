# SPDX-License-Identifier: Apache-2.0
"""Colours of a terminal: only where output is not redirected, and never the only sign of a result."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def paint(text: str, role: str, stream: TextIO | None = None) -> str:
    """Return a text in the colour of its role, if the stream shows colours."""
    if not role or not text.strip() or not shows_colours(sys.stdout if stream is None else stream):
        return text
    return f"\x1b[{CODES[role]}m{text}\x1b[0m"


def shows_colours(stream: TextIO) -> bool:
    """Return whether to print colours: on a terminal, unless `NO_COLOR` is set or the terminal is `dumb`."""
    # Source: no-color.org.
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def role_of(cell: str) -> str:
    """Return the role of a cell by its verdict or the sign at its end; empty without either."""
    verdict = cell.strip().lstrip("▲▼✓? ")
    return ROLES.get(verdict) or ROLES.get(cell.rstrip()[-1:], "")


CODES = {"heading": "1", "good": "32", "bad": "31", "caution": "33", "quiet": "2"}
"""The codes of the roles (ECMA-48, select graphic rendition)."""

ROLES = {
    "▲": "good",
    "▼": "bad",
    "◆": "caution",
    "≈": "quiet",
    "no worse": "good",
    "better": "good",
    "holds": "good",
    "holds in direction only": "good",
    "within": "good",
    "broken": "bad",
    "fails": "bad",
    "worse": "bad",
    "caution": "caution",
    "inconclusive": "caution",
    "undecided": "caution",
    "missing": "caution",
    "there": "good",
}
