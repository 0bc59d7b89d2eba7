# SPDX-License-Identifier: Apache-2.0
"""A figure as markup with its legend and caption: drawn anew, or as a finished page has it; also as a file."""

from __future__ import annotations

import base64
import html
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from narrows._internal.drawing.figure import PAPERS, Figure, Paper, drawing, height, swatch
from narrows._internal.drawing.lettering import width_of
from narrows._internal.drawing.style import full_of, tone_of
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


@frozen
class Picture:
    """A figure on one paper."""

    name: str  # its anchor in the page
    title: str  # its heading
    caption: str  # sentences that explain it
    width: float  # width of the drawing, drawing units
    height: float  # height of the drawing, drawing units
    panels: str  # markup of its panels
    legend: Sequence[tuple[str, str]]  # label of each entry, and the markup of the sample beside it
    # Caption and packed drawing of each replication to choose from, by number, the one that is shown among them; empty
    # for a figure of all replications.
    others: Mapping[int, tuple[str, str]] = field(default_factory=dict)

    def of_replication(self, number: int, paper: str) -> Picture:
        """Return this figure of another replication, which is one of `others`, on the paper of this name."""
        caption, packed = self.others[number]
        content = zlib.decompress(base64.b64decode(packed), -zlib.MAX_WBITS).decode()
        drawn = re.search(_PAPER.format(paper=paper), content, re.DOTALL)
        if drawn is None:
            raise ValueError(f"replication {number} has no drawing for {paper} paper")
        width, tall, panels = drawn.groups()
        return replace(self, caption=caption, width=float(width), height=float(tall), panels=panels)

    @property
    def tree(self) -> ET.Element:
        """The panels as elements below one root."""
        return ET.fromstring(f"<svg>{self.panels}</svg>")  # noqa: S314  # its markup has no document type, so no entities


def picture_of(figure: Figure, paper: Paper = PAPERS[0]) -> Picture:
    """Return a figure on a paper."""
    panels = figure.draw(paper)
    return Picture(
        figure.name,
        figure.title,
        " ".join(sentence for sentence in figure.caption if sentence),
        paper.width,
        height(panels),
        drawing(panels),
        [(key.label, swatch(key.sample, key.style)) for key in figure.keys],
    )


def pictures_of(page: str, paper: str = PAPERS[0].name) -> dict[str, Picture]:
    """Return the figures of a page by their names, on the paper of this name, in the order of the page."""
    found = {}
    for title, name, content in _FIGURE.findall(page):
        drawn = re.search(_PAPER.format(paper=paper), content, re.DOTALL)
        if drawn:
            width, tall, panels = drawn.groups()
            said = _CAPTION.search(content)
            caption = html.unescape(said[1]) if said else ""
            legend = [(html.unescape(label), sample) for sample, label in _KEY.findall(content)]
            others = {int(number): (html.unescape(said), packed) for number, said, packed in _OTHER.findall(content)}
            found[name] = Picture(
                name, html.unescape(title), caption, float(width), float(tall), panels, legend, others
            )
    return found


def standalone(picture: Picture, width_mm: float | None = None) -> str:
    """Return a figure with its legend above it as an SVG document."""
    entries = list(_placed(picture))
    above = max((top for _, top, *_ in entries), default=-LINE) + LINE + 2
    width, height = picture.width, picture.height + above
    unit, per = ("", 1.0) if width_mm is None else ("mm", width_mm / width)
    root = ET.Element("svg", {
        "xmlns": "http://www.w3.org/2000/svg", "width": f"{width * per:g}{unit}", "height": f"{height * per:g}{unit}",
        "viewBox": f"0 0 {width:g} {height:g}", "font-family": FONT,
    })  # fmt: skip
    ET.SubElement(root, "title").text = picture.title
    ET.SubElement(root, "desc").text = picture.caption
    ET.SubElement(root, "rect", width="100%", height="100%", fill="#ffffff")
    for left, top, label, sample in entries:
        group = ET.SubElement(root, "g", transform=f"translate({left:g} {top:g})")
        shown = ET.fromstring(sample)  # noqa: S314  # as in `Picture.tree`
        group.extend(_settled(child, series_of(shown, "")) for child in shown if child.tag in _DRAWN)
        ET.SubElement(group, "text", {"x": "36", "y": "10", "font-size": "12px", "fill": INK}).text = label
    panels = ET.SubElement(root, "g", transform=f"translate(0 {above:g})")
    panels.extend(_settled(child, "") for child in picture.tree if child.tag in _DRAWN)
    return ET.tostring(root, encoding="unicode") + "\n"


def _settled(node: ET.Element, above: str) -> ET.Element:
    """Return an element whose classes have become attributes, with all below it."""
    series = series_of(node, above)
    kept = {name: value for name, value in node.attrib.items() if name in _PLACE}
    looks = look_of(node, series) if node.tag in _PAINTED else {}
    copy = ET.Element(node.tag, {**kept, **{name: value for name, value in looks.items() if name in _KEPT}})
    copy.text, copy.tail = node.text, node.tail
    copy.extend(_settled(child, series) for child in node if child.tag in _DRAWN)
    return copy


def _placed(picture: Picture) -> Iterator[tuple[float, float, str, str]]:
    """Yield the entries of the legend in lines: left and top in drawing units, label, markup of the sample."""
    left = top = 0.0
    for label, sample in picture.legend:
        needs = 36 + width_of(label) + 12
        if left and left + needs > picture.width:
            left, top = 0.0, top + LINE
        yield left, top, label, sample
        left += needs


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
    """Return the CSS class of the series of an element; the class of the element above without one of its own."""
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


_FIGURE = re.compile(r'<figure data-title="([^"]*)" data-name="([^"]*)">(.*?)</figure>', re.DOTALL)
_PAPER = r'<svg class="paper {paper}" viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*><title>.*?</desc>(.*?)<path class="cursor">'
_CAPTION = re.compile(r"<figcaption><p>(.*?)</p>", re.DOTALL)
_OTHER = re.compile(r'<template data-replication="(\d+)" data-caption="([^"]*)" data-packed="([^"]*)">')
_KEY = re.compile(r'<button type="button" class="key"[^>]*>(<svg.*?</svg>)<span>(.*?)</span>', re.DOTALL)
# A page may come from somebody else: elements that are no part of a drawing, such as scripts, are left out.
_PAINTED = {"path", "rect", "text", "tspan"}
_DRAWN = {*_PAINTED, "g", "svg"}
_PLACE = {"d", "x", "y", "width", "height", "viewBox", "preserveAspectRatio"}
_KEPT = {
    "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
    "opacity", "font-size", "font-weight", "text-anchor",
}  # fmt: skip
FONT = "system-ui, Noto Sans, Liberation Sans, sans-serif"
# Height of a line of the legend, drawing units.
LINE = 20.0
_SHEET = files("narrows._internal.page").joinpath("style.css").read_text("utf-8")
_SERIES = r"c\d+t\d+"
# Attributes of an element that go before the rules.
_OWN = ("stroke-dasharray", "fill-opacity")
INK = "#1c2025"
