# SPDX-License-Identifier: Apache-2.0
"""Figures of the published studies as small SVG files: where each claim is, and our values over the published ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Mapping

    Entry = Mapping[str, Any]


def margins(ledger: Mapping[str, Any]) -> str:
    """Return the figure of the claims of a ledger: how far each lies from its bound, in half-widths of its interval."""
    shown = [claim for claim in ledger["claims"] if claim["effect"] is not None and claim["ci95"]]
    height = ROW * len(shown) + 46
    middle, unit = LEFT + SPAN / 2, SPAN / 2 / REACH
    parts = [
        f'<rect x="{middle:.0f}" y="20" width="{SPAN / 2:.0f}" height="{ROW * len(shown)}" fill="{CLAIMED}"/>',
        f'<path d="M{middle:.0f} 20V{20 + ROW * len(shown)}" stroke="#888"/>',
        *(_text(middle + each * unit, 14, f"{each:+d}" if each else "bound", "middle") for each in (-6, -3, 0, 3, 6)),
    ]
    for place, claim in enumerate(shown):
        y = 20 + ROW * place + ROW / 2
        x = max(-REACH, min(REACH, margin(claim)))
        colour = COLOURS.get(claim["verdict"], "#888")
        low, high = max(-REACH, x - 1), min(REACH, x + 1)
        bar = f'<path d="M{middle + low * unit:.1f} {y:.1f}H{middle + high * unit:.1f}"/>'
        dot = f'<circle cx="{middle + x * unit:.1f}" cy="{y:.1f}" r="2.6"/>'
        if claim["strict"]:
            parts.append(f'<circle cx="{middle:.0f}" cy="{y:.1f}" r="2" fill="#fff" stroke="#888"/>')
        parts.append(f'<g data-series="{claim["id"]}" stroke="{colour}" fill="{colour}">{bar}{dot}</g>')
        parts.append(_text(LEFT - 6, y + 3.5, claim["id"], "end"))
    label = f"{ledger['study']}, {ledger['size']} size: distance from the bound in half-widths of the 95 % interval"
    parts.append(_text(middle, height - 8, label, "middle"))
    return _svg(LEFT + SPAN + 10, height, parts)


def margin(claim: Entry) -> float:
    """Return the distance from the nearest bound in half-widths of the interval; positive on the claimed side.

    What equals a bound is shown beside it: on the claimed side if the bound itself is claimed.
    """
    low, high = claim["ci95"]
    half, effect = (high - low) / 2, claim["effect"]
    bounds = [each for each in claim["bounds"] if each is not None]
    least, most = claim["bounds"]
    above = least is None or (effect > least if claim["strict"] else effect >= least)
    inside = above and (most is None or effect <= most)
    away = min(abs(effect - each) for each in bounds)
    far = REACH if half <= 0 else max(away / half, BESIDE)
    return far if inside else -far


def agreement(tables: Mapping[str, Any]) -> str:
    """Return the figure of our values over the published ones, both logarithmic, by table."""
    pairs = _pairs(tables)
    points = {pair: of for pair, of in pairs.items() if min(pair) > 0}
    ends = [math.log10(value) for pair in points for value in pair]
    low, high = math.floor(min(ends, default=0)), math.ceil(max(ends, default=1))
    side = 360.0
    scale = side / max(high - low, 1)
    parts = [f'<path d="M50 {20 + side}L{50 + side} 20" stroke="#888"/>']
    parts += [
        f'<path d="M50 {20 + side - shift * scale:.1f}L{50 + side - shift * scale:.1f} 20" stroke="#ccc"/>'
        f'<path d="M{50 + shift * scale:.1f} {20 + side}L{50 + side} {20 + shift * scale:.1f}" stroke="#ccc"/>'
        for shift in (math.log10(2),)
    ]
    for power in range(low, high + 1):
        at = (power - low) * scale
        label = f"10{str(power).translate(RAISED)}"
        parts += [_text(50 + at, 36 + side, label, "middle"), _text(44, 24 + side - at, label, "end")]
    below = side + 84
    for place, title in enumerate(dict.fromkeys(points.values())):
        colour = SERIES[place % len(SERIES)]
        dots = "".join(
            f'<circle cx="{50 + (math.log10(theirs) - low) * scale:.1f}" '
            f'cy="{20 + side - (math.log10(ours) - low) * scale:.1f}" r="2.5"/>'
            for (ours, theirs), of in points.items()
            if of == title
        )
        parts.append(f'<g data-series="{escape(title)}" fill="{colour}" fill-opacity=".75">{dots}</g>')
        parts.append(f'<circle cx="53" cy="{below + 13 * place - 3:.1f}" r="3" fill="{colour}"/>')
        parts.append(_text(62, below + 13 * place, title, "start", colour))
    nothing = len(pairs) - len(points)
    note = "grey lines: a factor of two"
    if nothing:
        note += f"; {nothing} {'value of 0 is' if nothing == 1 else 'values of 0 are'} not shown"
    parts += [
        _text(50 + side / 2, 50 + side, "published, in the units of the tables", "middle"),
        _text(50 + side / 2, 62 + side, note, "middle"),
        _text(8, 12, "ours", "start"),
    ]
    return _svg(50 + side + 20, below + 13 * len(set(points.values())), parts)


def _pairs(tables: Mapping[str, Any]) -> dict[tuple[float, float], str]:
    """Return every pair of our value and the published one, each once, with the table that it is from.

    Where there are more tables than colours, those whose titles begin alike are one.
    """
    many = len(tables["tables"]) > len(SERIES)
    found: dict[tuple[float, float], str] = {}
    for table in tables["tables"]:
        title = table["title"].partition(":")[0] if many else table["title"]
        for row in table["rows"].values():
            for ours, theirs in zip(row["ours"], row["published"], strict=True):
                if ours is not None and theirs is not None:
                    found.setdefault((ours, theirs), title)
    return found


def strip(entry: Entry) -> str:
    """Return the interval of a claim as a line of characters, beside its bound."""
    low, high = entry["ci95"]
    least, most = entry["bounds"]
    known = [low, high, *(each for each in (least, most) if each is not None)]
    room = 0.2 * ((max(known) - min(known)) or 1.0)
    start, width = min(known) - room, (max(known) - min(known)) + 2 * room

    def place(value: float) -> int:
        return min(CHARACTERS - 1, int((value - start) / width * CHARACTERS))

    cells = [" "] * CHARACTERS
    for at in range(
        place(least) if least is not None else 0, (place(most) if most is not None else CHARACTERS - 1) + 1
    ):
        cells[at] = "░"
    for end, mark in ((least, "┆" if entry["strict"] else "│"), (most, "│")):
        if end is not None:
            cells[place(end)] = mark
    for at in range(place(low), place(high) + 1):
        cells[at] = "─"
    cells[place(entry["effect"])] = "●"
    return "".join(cells)


def _text(x: float, y: float, text: str, anchor: str, colour: str = "currentColor") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _svg(width: float, height: float, parts: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" '
    return head + 'font-size="10" color="#444" style="background:#fff">' + "\n".join(parts) + "</svg>\n"


CLAIMED = "#eef5f0"
ROW, LEFT, SPAN, REACH = 12, 60, 460.0, 8.0
CHARACTERS = 24
# The least distance of a dot from its bound, in half-widths: the dot's radius.
BESIDE = 0.1
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
COLOURS = {
    "holds": "#2a7d4f", "holds in direction only": "#7fae3f", "fails": "#b3312c", "inconclusive": "#b07a10",
}  # fmt: skip
SERIES = ("#3266ad", "#c0562f", "#2a7d4f", "#8a4fa3", "#8c6d1f", "#4f8a8b", "#a33f66", "#555555")
CAPTION = """\
*The distance of each claim's deciding number from its bound, in half-widths of its 95 % interval. A dot right of the
bound is on the claimed side; a bar that does not cross the bound is sure, but for corrections where any of several
parts decides. A circle marks a strict bound, which is not claimed itself: what equals it is left of it.*"""
