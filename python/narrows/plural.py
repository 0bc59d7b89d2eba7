# SPDX-License-Identifier: Apache-2.0
"""Numbers in sentences."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, as in "1 cell" and "2 cells"."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"
