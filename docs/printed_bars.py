# SPDX-License-Identifier: Apache-2.0
"""Our values beside the printed ones, a panel for each quantity, in small SVG files.

Marks are bars, whose length is the value; on a logarithmic axis, which has no zero, they are dots.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.sax.saxutils import escape

from svg_text import svg, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Pair(NamedTuple):
    """A value of ours with its interval, and the printed one."""

    name: str
    ours: float
    ci95: Sequence[float] | None
    theirs: float


class Panel(NamedTuple):
    """The values of a quantity: by setting, those of its rows."""

    title: str
    settings: Mapping[str, Sequence[Pair]]


def bars(tables: Mapping[str, Any], labels: Mapping[str, str]) -> list[str]:
    """Draw every printed value beside ours, in as many files as keep each of them small.

    Args:
        tables: The content of `tables.json`.
        labels: How rows and columns are named, where not by their own names.
    """
    files, drawn, y, pairs = list[str](), list[str](), 0.0, 0
    for panel in panels(tables, labels):
        own = sum(map(len, panel.settings.values()))
        if drawn and pairs + own > MANY:
            files.append(svg(WIDTH, y, drawn))
            drawn, y, pairs = [], 0.0, 0
        parts, height = _panel(panel)
        drawn.append(f'<g data-series="{escape(panel.title)}" transform="translate(0 {y:.0f})">{"".join(parts)}</g>')
        y, pairs = y + height, pairs + own
    return [*files, svg(WIDTH, y, drawn)] if drawn else files


def panels(tables: Mapping[str, Any], labels: Mapping[str, str]) -> list[Panel]:
    """Return a panel for each quantity of which tables have one column, and otherwise one for each table."""
    found: dict[str, dict[str, list[Pair]]] = {}
    seen: set[tuple[float, float]] = set()
    for table in sorted(tables["tables"], key=lambda each: each["kind"] == "figure"):
        columns = dict(_columns(table))
        # A figure may draw what a table has.
        own = {(pair.ours, pair.theirs) for pairs in columns.values() for pair in pairs}
        if table["kind"] == "figure" and own <= seen:
            continue
        seen |= own
        alone = len(set(table["quantities"])) == len(table["columns"])
        for place, pairs in columns.items():
            title = table["quantities"][place] if alone else table["title"]
            setting = table["title"] if alone else labels.get(table["columns"][place], table["columns"][place])
            named = [pair._replace(name=labels.get(pair.name, pair.name)) for pair in pairs]
            found.setdefault(title, {}).setdefault(setting, []).extend(named)
    texts = [each for each in tables["printed"] if each["ours"] is not None and each["published"]]
    of_text = {f"{each['claim']}: {each['of']}": [_over(each)] for each in texts}
    many = [Panel(title, settings) for title, settings in found.items()]
    return [*many, Panel(OF_TEXT, of_text)] if of_text else many


def _columns(table: Mapping[str, Any]) -> Iterator[tuple[int, list[Pair]]]:
    """Yield the place of each column that has printed values, with its pairs."""
    for place in range(len(table["columns"])):
        pairs = [
            Pair(name, row["ours"][place], row["ci95"][place], row["published"][place])
            for name, row in table["rows"].items()
            if row["ours"][place] is not None and row["published"][place] is not None
        ]
        if pairs:
            yield place, pairs


def _over(each: Mapping[str, Any]) -> Pair:
    """Return a value of the text over the printed one, so that values of several units have one axis."""
    theirs = each["published"]
    ci95 = sorted(end / theirs for end in each["ci95"]) if each["ci95"] else None
    return Pair(each["claim"], each["ours"] / theirs, ci95, 1.0)


class _Axis:
    """The vertical axis of a panel: logarithmic where the values differ by more than `WIDE`."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        values = [value for pair in pairs for value in (pair.ours, pair.theirs)]
        positive = [value for value in values if value > 0]
        self.log = bool(positive) and max(positive) / min(positive) > WIDE and min(values) >= 0
        self.low, self.high = min(*values, 0.0), max(*values, 0.0) or 1.0
        if self.log:
            self.low, self.high = (
                10 ** math.floor(math.log10(min(positive))),
                10 ** math.ceil(math.log10(max(positive))),
            )

    def at(self, value: float) -> float:
        """Return the height of a value above the foot, within the panel."""
        if self.log:
            if value <= self.low:
                return 0.0
            share = math.log10(value / self.low) / math.log10(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return TALL * min(max(share, 0.0), 1.0)

    def ticks(self) -> list[float]:
        """Return the labelled values."""
        if not self.log:
            return [self.low, self.high] if self.low == 0 else [self.low, 0.0, self.high]
        powers = range(round(math.log10(self.low)), round(math.log10(self.high)) + 1)
        return [10.0**power for power in powers]


def _panel(panel: Panel) -> tuple[list[str], float]:
    """Draw a panel, and return its height."""
    pairs = [pair for own in panel.settings.values() for pair in own]
    axis, foot = _Axis(pairs), HEAD + TALL
    names = list(dict.fromkeys(pair.name for pair in pairs))
    slots = len(pairs) + len(panel.settings)
    wide = min((WIDTH - LEFT - 10) / slots, WIDEST)
    logarithmic = " (logarithmic)" if axis.log else ""
    parts = [text(LEFT, 14, panel.title + logarithmic, "start", "#111")]
    parts.append(f'<path d="M{LEFT} {foot}H{WIDTH - 10:.0f}" stroke="#888"/>')
    parts += [text(LEFT - 5, foot - axis.at(each) + 3, f"{float(f'{each:.3g}'):g}", "end") for each in axis.ticks()]
    x, below = LEFT + wide / 2, foot + 14
    apart = len(panel.settings) > 1
    for place, (setting, own) in enumerate(panel.settings.items()):
        if apart:
            # Long names of settings are listed by number below.
            parts.append(text(x + wide * len(own) / 2, below, str(place + 1), "middle"))
        for pair in own:
            parts.append(_marks(axis, pair, (x, wide, foot), SERIES[names.index(pair.name) % len(SERIES)], setting))
            x += wide
        x += wide
    y = below + 14 if apart else below
    listed = [f"{place + 1} {setting}" for place, setting in enumerate(panel.settings)] if apart else []
    entries = [(each, "currentColor") for each in listed]
    if panel.title != OF_TEXT:
        entries += [(f"■ {name}", SERIES[place % len(SERIES)]) for place, name in enumerate(names)]
    at = float(LEFT)
    for entry, colour in entries:
        width = len(entry) * LETTER + 14
        if at + width > WIDTH:
            at, y = LEFT, y + 13
        parts.append(text(at, y, entry, "start", colour))
        at += width
    return parts, y + 22


def _marks(axis: _Axis, pair: Pair, place: tuple[float, float, float], colour: str, setting: str) -> str:
    """Draw a pair at a place (left, width and foot): ours filled, with its interval, the printed one as an outline."""
    x, wide, foot = place
    zero, half = axis.at(0.0), wide * 0.42

    def mark(left: float, value: float, style: str) -> str:
        if axis.log:
            radius = min(half / 2, WIDEST_DOT)
            return f'<circle cx="{left + half / 2:.1f}" cy="{foot - axis.at(value):.1f}" r="{radius:.1f}" {style}/>'
        top = max(axis.at(value), zero)
        height = max(abs(axis.at(value) - zero), LEAST)
        return f'<rect x="{left:.1f}" y="{foot - top:.1f}" width="{half:.1f}" height="{height:.1f}" {style}/>'

    parts = [mark(x, pair.ours, f'fill="{colour}"')]
    parts.append(mark(x + half, pair.theirs, f'fill="#fff" stroke="{colour}" stroke-width=".8"'))
    if pair.ci95:
        low, high = (foot - axis.at(end) for end in pair.ci95)
        parts.append(f'<path d="M{x + half / 2:.1f} {low:.1f}V{high:.1f}" stroke="#222" stroke-width=".7"/>')
    said = escape(f"{pair.name}, {setting}: {pair.ours:.3g}, printed {pair.theirs:.3g}")
    return f"<g><title>{said}</title>{''.join(parts)}</g>"


OF_TEXT = "Values of the text: ours over the printed one"
WIDTH, LEFT, HEAD, TALL = 760.0, 52, 24, 110.0
# Widest pair of marks, largest radius of a dot, width of a letter, least height of a bar.
WIDEST, WIDEST_DOT, LETTER, LEAST = 46.0, 3.0, 5.4, 0.6
WIDE = 50
# The most pairs in a file.
MANY = 90
SERIES = ("#3266ad", "#c0562f", "#2a7d4f", "#8a4fa3", "#8c6d1f", "#4f8a8b", "#a33f66", "#555555", "#9ab0d6")
CAPTION = """\
*Ours (filled, with 95 % intervals) beside the printed value (outline). Where values differ by more than a factor of 50
the axis is logarithmic, and dots take the place of bars.*"""
