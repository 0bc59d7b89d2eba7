# SPDX-License-Identifier: Apache-2.0
"""Numbers in sentences."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, as in "1 cell" and "2 cells"."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def span(time_s: float) -> str:
    """Return a time as a person says it, as in 40 s, 12 min and 1.5 h."""
    if time_s < MINUTE_S:
        return f"{time_s:.0f} s"
    return f"{time_s / MINUTE_S:.0f} min" if time_s < 60 * MINUTE_S else f"{time_s / MINUTE_S / 60:.1f} h"


MINUTE_S = 60
