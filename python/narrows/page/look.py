# SPDX-License-Identifier: Apache-2.0
"""How the style sheet paints the elements of a drawing, on white paper, for figures that leave the page."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from narrows.drawing.style import full_of, tone_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from xml.etree.ElementTree import Element


def look_of(node: Element, series: str = "") -> dict[str, str]:
    """Return the properties of an element of a drawing, as in `{"stroke": "#1b64b4", "stroke-width": "1.7"}`."""
    classes = (node.get("class") or "").split()
    found = dict(_rules().get(node.tag, {}))
    for name in classes:
        found |= _rules().get(f".{name}", {})
    hue, tone = (int(part) for part in re.findall(r"\d+", series)) if re.fullmatch(_SERIES, series) else (None, 0)
    ink = INK if hue is None else _hex(tone_of(hue, tone, "light"))
    if "tile" in classes and hue is not None:
        found["fill"] = _hex(full_of(hue, "light"))
    found |= {name: node.attrib[name] for name in _OWN if name in node.attrib}
    return {name: ink if value == "currentColor" else _resolved(value) for name, value in found.items()}


def series_of(node: Element, above: str) -> str:
    """Return the CSS class of the series of an element, which is that of the element above without one of its own."""
    return next((name for name in (node.get("class") or "").split() if re.fullmatch(_SERIES, name)), above)


def _resolved(value: str) -> str:
    name = re.fullmatch(r"var\(--([\w-]+)\)", value)
    return _variables()[name[1]] if name else value


@cache
def _variables() -> Mapping[str, str]:
    root = re.search(r":root \{(.*?)\}", _SHEET, re.DOTALL)
    found = dict(re.findall(r"--([\w-]+): (#\w+);", root[1] if root else ""))
    return found | {"paper": "#ffffff"}


@cache
def _rules() -> Mapping[str, Mapping[str, str]]:
    """Return the declarations of each rule of the style sheet for one class, or one element, of a drawing."""
    return {
        selector: {name: value.strip() for name, value in re.findall(r"([\w-]+): ([^;}]+)", declared)}
        for selector, declared in re.findall(r"^svg (\.?\w+) \{(.*?)\}$", _SHEET, re.MULTILINE)
    }


def _hex(colour: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


_SHEET = files("narrows.page").joinpath("style.css").read_text("utf-8")
_SERIES = r"c\d+t\d+"
# Attributes of an element that go before the rules.
_OWN = ("stroke-dasharray", "fill-opacity")
INK = "#1c2025"
