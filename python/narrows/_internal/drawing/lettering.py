# SPDX-License-Identifier: Apache-2.0
"""Words on a drawing: how wide they are, how they are shortened, and which stand beside one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache


def width_of(text: str) -> float:
    """Return the approximate width of a text, in drawing units."""
    return LETTER * len(text)


def shortened(text: str, room: float) -> str:
    """Return a text shortened to a width of `room` drawing units, with an ellipsis."""
    most = max(int(room / LETTER), 1)
    return text if len(text) <= most else text[: most - 1] + "…"


@lru_cache
def all_shortened(names: tuple[str, ...], room: float) -> list[str]:
    """Return names shortened to `room` drawing units: at the end, or at the start if they would be equal."""
    cut = [shortened(name, room) for name in names]
    times = Counter(cut)
    return [_ends(name, room) if name and times[short] > 1 else short for name, short in zip(names, cut, strict=True)]


def _ends(name: str, room: float) -> str:
    most = max(int(room / LETTER), _LEAST)
    if len(name) <= most:
        return name
    last = (most - 1) // 2
    return f"{name[: most - 1 - last]}…{name[len(name) - last :]}"


def kept_inside(centre: float, text: str, left: float, right: float) -> float:
    """Return the position of the middle of a text next to `centre`, such that it is between `left` and `right`."""
    half = width_of(text) / 2
    return min(max(centre, left + half), max(right - half, left + half))


def lanes(centres: Sequence[float], texts: Sequence[str]) -> list[int]:
    """Return the number of a line, from 0, for each text, such that texts on one line do not overlap."""
    ends: list[float] = []
    found = []
    for centre, text in zip(centres, texts, strict=True):
        half = width_of(text) / 2
        lane = next((each for each, end in enumerate(ends) if centre - half >= end + GAP), len(ends))
        ends[lane : lane + 1] = [centre + half]
        found.append(lane)
    return found


# Width of a letter of a tick, as wide as most.
LETTER = 6.6
# Between two texts in a row.
GAP = 6.0
# Letters that the two ends of a name and the ellipsis between them take at least.
_LEAST = 3
