# SPDX-License-Identifier: Apache-2.0
"""Numbers in sentences."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, as in "1 cell" and "2 cells".

    Args:
        count: The number.
        noun: The noun in the singular, perhaps with words behind it ("cell has").
        plural: Plural of the noun; by default the noun with an s.
    """
    return f"{count} {noun if count == 1 else plural or noun + 's'}"
