# SPDX-License-Identifier: Apache-2.0
"""One channel per factor: the colour of a run or flow is its algorithm, dash and marker are its level of the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from narrows.drawing.style import DASHES, HUES, MARKERS, Style, styles_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def looks(factors: Mapping[str, tuple[str, str]]) -> dict[str, Style]:
    """Return the style of each of several things that stand in one figure."""
    algorithms = list(dict.fromkeys(algorithm for algorithm, _ in factors.values()))
    levels = list(dict.fromkeys(level for _, level in factors.values()))
    # A factor alone has all channels: eight levels of one algorithm are not eight shades of a colour.
    if len(algorithms) == 1 and len(levels) > 1:
        return {name: _placed(levels.index(level)) for name, (_, level) in factors.items()}
    own = apart(algorithms)
    if len(levels) == 1:
        return {name: own[algorithm] for name, (algorithm, _) in factors.items()}
    return {name: marked(own[algorithm], levels.index(level)) for name, (algorithm, level) in factors.items()}


def marked(style: Style, place: int) -> Style:
    """Return a style with the dash and the marker of a place in the list of levels."""
    return replace(style, dash=place % len(DASHES), marker=place % len(MARKERS))


def _placed(place: int) -> Style:
    # There is one marker more than there are hues, so that no pair comes twice among their product.
    return marked(Style(place % len(HUES), 0, 0), place)


def apart(algorithms: Iterable[str], beside: Iterable[Style] = ()) -> dict[str, Style]:
    """Return the style of each algorithm: its own, with free elements instead of those that an earlier one has."""
    found: dict[str, Style] = {}
    before = list(beside)
    for name, own in styles_of(list(algorithms)).items():
        there = [*before, *found.values()]
        hue = _free(own.colour, len(HUES), [style.colour for style in there])
        mark = _free(own.marker, len(MARKERS), [style.marker for style in there])
        taken = {(style.colour, style.marker) for style in there}
        pairs = [(hue, mark), *((h, m) for h in range(len(HUES)) for m in range(len(MARKERS)))]
        hue, mark = next((pair for pair in pairs if pair not in taken), (hue, mark))
        found[name] = Style(hue, mark % len(DASHES), mark)
    return found


def _free(wanted: int, count: int, taken: list[int]) -> int:
    """Return the wanted number, or the next one, modulo `count`, that the fewest have."""
    return min(((wanted + step) % count for step in range(count)), key=taken.count)
