# SPDX-License-Identifier: Apache-2.0
"""The parts that all small SVG files of the published studies have."""

from __future__ import annotations

from xml.sax.saxutils import escape


def text(x: float, y: float, words: str, anchor: str, colour: str = "currentColor") -> str:
    """Return a text at a place; `anchor` is "start", "middle" or "end"."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'


def svg(width: float, height: float, parts: list[str]) -> str:
    """Return a file of a size with these parts."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" '
    return head + 'font-size="10" color="#444" style="background:#fff">' + "\n".join(parts) + "</svg>\n"
