# SPDX-License-Identifier: Apache-2.0
"""The style of an algorithm, the same in every report: one channel per factor.

The colour is the algorithm; dash and marker are the level of the other factor.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from narrows._internal import core
from narrows._internal.frozen import frozen

Rgb = tuple[int, int, int]


@frozen
class Style:
    """The style of one series."""

    colour: int
    dash: int
    marker: int
    tone: int = 0

    @property
    def css_class(self) -> str:
        """The CSS class that sets the colour of lines and areas."""
        return f"c{self.colour}t{self.tone}"

    @property
    def dash_pattern(self) -> str | None:
        """The SVG dash array of the stroke; None for a solid line."""
        return DASHES[self.dash] or None

    def variant(self, index: int) -> Style:
        """Return the style of the `index`-th series that shares this one's hue: another dash, marker and tone."""
        return replace(
            self,
            dash=(self.dash + index) % len(DASHES),
            marker=(self.marker + index) % len(MARKERS),
            tone=index % TONES,
        )


def style_of(algorithm: str) -> Style:
    """Return the style of an algorithm."""
    return catalogued(algorithm) or _by_checksum(algorithm)


def styles_of(algorithms: Sequence[str]) -> dict[str, Style]:
    """Return the styles of algorithms that stand beside one another."""
    found = {name: style for name in algorithms if (style := catalogued(name)) is not None}
    # In an order that is the same wherever they stand beside one another.
    for name in sorted(algorithms):
        if name not in found:
            own, taken = _by_checksum(name), {style.colour for style in found.values()}
            hues = [(own.colour + step) % len(HUES) for step in range(len(HUES))]
            found[name] = replace(own, colour=next((hue for hue in hues if hue not in taken), own.colour))
    return {name: found[name] for name in algorithms}


def catalogued(name: str) -> Style | None:
    """Return the style of an algorithm of the catalogue by its name; None for any other name."""
    return _catalogued().get(name)


@cache
def _catalogued() -> dict[str, Style]:
    styles = {card["name"]: card["style"] for card in core.algorithms() if card["style"] is not None}
    return {name: Style(hue, dash, dash) for name, (hue, dash) in styles.items()}


def _by_checksum(name: str) -> Style:
    # Marker and dash differ, which no style of the catalogue has.
    checksum, colour = divmod(zlib.crc32(name.encode()), len(HUES))
    checksum, dash = divmod(checksum, len(DASHES))
    return Style(colour, dash, (dash + 1 + checksum % (len(MARKERS) - 1)) % len(MARKERS))


def colour_rules(theme: str) -> str:
    """Return the CSS custom properties with every tone of every hue."""
    return "".join(
        f"--c{hue}t{tone}:#{red:02x}{green:02x}{blue:02x};"
        for hue in range(len(HUES))
        for tone in range(TONES)
        for red, green, blue in [tone_of(hue, tone, theme)]
    )


def colour_classes() -> str:
    """Return the CSS rules of the classes that `Style.css_class` names."""
    return "".join(f".c{hue}t{tone}{{color:var(--c{hue}t{tone})}}" for hue in range(len(HUES)) for tone in range(TONES))


def fill_rules(theme: str) -> str:
    """Return the CSS custom properties with the strongest fill of each hue; `theme` as for `colour_rules`."""
    fills = ((hue, *full_of(hue, theme)) for hue in range(len(HUES)))
    return "".join(f"--f{hue}:#{red:02x}{green:02x}{blue:02x};" for hue, red, green, blue in fills)


def fill_classes() -> str:
    """Return the CSS rules by which tiles of the classes of the first tone have the fill of their hue."""
    return "".join(f".c{hue}t0>.tile{{fill:var(--f{hue})}}" for hue in range(len(HUES)))


def tone_of(hue: int, tone: int, theme: str) -> Rgb:
    """Return the red, green and blue of a tone, each 0 to 255."""
    base = HUES[hue][0 if theme == "light" else 1]
    # The second tone moves away from the paper, the third towards it, as far as contrast allows.
    ink, paper = ((0, 0, 0), (255, 255, 255)) if theme == "light" else ((255, 255, 255), (0, 0, 0))
    towards, part = [(ink, 0.0), (ink, 0.4), (paper, 0.18)][tone]
    red, green, blue = (round(b + (t - b) * part) for b, t in zip(base, towards, strict=True))
    return red, green, blue


@cache
def full_of(hue: int, theme: str) -> Rgb:
    """Return the strongest fill of a field of a heat map: as much of the hue as gives `FULL` against the paper."""
    base, paper = HUES[hue][0 if theme == "light" else 1], PAPER[theme]

    def blend(part: int) -> Rgb:
        red, green, blue = (round(p + (b - p) * part / _PARTS) for b, p in zip(base, paper, strict=True))
        return red, green, blue

    # More of the hue never has less contrast.
    enough = bisect_left(range(_PARTS + 1), FULL, key=lambda part: contrast(blend(part), paper))
    return base if enough > _PARTS else blend(enough)


def contrast(one: Sequence[int], other: Sequence[int]) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio"); parts are 0 to 255, sRGB."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Sequence[int]) -> float:
    parts = (part / 255 for part in colour)
    # The transfer function of sRGB (IEC 61966-2-1).
    linear = (part / 12.92 if part <= _LINEAR else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


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


TONES = 3
# The paper of the style sheets.
PAPER: dict[str, Rgb] = {"light": (0xFC, 0xFC, 0xFA), "dark": (0x14, 0x17, 0x1B)}
# Contrast of the strongest fill to the paper: graphics need 3 (WCAG 2.2, 1.4.11), and ink on it 4.5 (1.4.3).
FULL = 3.15
_PARTS = 200
_LINEAR = 0.04045
# Blue, vermilion, green, purple, ochre, cyan, rose, slate: on light paper, on dark paper.
HUES: tuple[tuple[Rgb, Rgb], ...] = (
    ((0x1B, 0x64, 0xB4), (0x6C, 0xAF, 0xF5)),
    ((0xC4, 0x49, 0x08), (0xFF, 0x98, 0x5A)),
    ((0x08, 0x78, 0x55), (0x4C, 0xCB, 0x9A)),
    ((0x84, 0x3A, 0xA6), (0xD2, 0x9A, 0xEA)),
    ((0x8C, 0x63, 0x00), (0xE3, 0xBC, 0x4A)),
    ((0x0E, 0x79, 0x99), (0x78, 0xD8, 0xEE)),
    ((0xB2, 0x2B, 0x63), (0xFF, 0x8A, 0xB5)),
    ((0x56, 0x5F, 0x6C), (0xAE, 0xB8, 0xC5)),
)
DASHES = ("", "8 3", "2 3", "9 3 2 3", "14 4", "5 2 1 2 1 2", "14 3 5 3", "1 6", "6 2 6 7")
MARKERS = ("circle", "square", "diamond", "triangle", "down", "cross", "hourglass", "star", "right")
