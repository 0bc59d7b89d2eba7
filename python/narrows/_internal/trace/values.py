# SPDX-License-Identifier: Apache-2.0
"""Values of a log as messages and names have them: short, whatever a stranger wrote."""

from __future__ import annotations


def shown(value: object) -> str:
    """Return a value for a message."""
    match value:
        case None | bool() | float():
            return repr(value)
        case int():
            # The digits of a long integer are not to be computed.
            return repr(value) if abs(value) < MOST else "an integer that is too large"
        case str():
            return repr(value[:LONGEST])
    return "a list" if isinstance(value, list) else "an object"


def label(value: object) -> str:
    """Return a value as a part of a name; nothing for one of another kind than text and numbers."""
    if isinstance(value, str):
        return value[:LONGEST]
    return shown(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


MOST = 10**20
LONGEST = 100
