# SPDX-License-Identifier: Apache-2.0
"""The figure of a ledger as a small SVG file: where each claim is; and its interval as a line of text."""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING, Any

from svg_text import svg, text

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
        *(text(middle + each * unit, 14, f"{each:+d}" if each else "bound", "middle") for each in (-6, -3, 0, 3, 6)),
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
        parts.append(text(4, y + 3.5, claim["id"], "start"))
        parts.append(text(PHRASE, y + 3.5, shorten(claim["statement"], LETTERS, placeholder=" …"), "start"))
    label = f"{ledger['study']}, {ledger['size']} size: distance from the bound in half-widths of the 95 % interval"
    parts.append(text(middle, height - 8, label, "middle"))
    return svg(LEFT + SPAN + 10, height, parts)


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


CLAIMED = "#eef5f0"
ROW, LEFT, SPAN, REACH = 12, 360, 400.0, 8.0
# Where the statement of a claim begins, and its most letters.
PHRASE, LETTERS = 52, 54
CHARACTERS = 24
# The least distance of a dot from its bound, in half-widths: the dot's radius.
BESIDE = 0.1
COLOURS = {
    "holds": "#2a7d4f", "holds in direction only": "#7fae3f", "fails": "#b3312c", "inconclusive": "#b07a10",
}  # fmt: skip
CAPTION = """\
*The distance of each claim's deciding number from its bound, in half-widths of its 95 % interval. A dot right of the
bound is on the claimed side; a bar that does not cross the bound is sure, but for corrections where any of several
parts decides. A circle marks a strict bound, which is not claimed itself: what equals it is left of it.*"""
