# SPDX-License-Identifier: Apache-2.0
"""A figure as markup with its legend and caption: drawn anew, or as a finished page has it."""

from __future__ import annotations

import base64
import html
import re
import zlib
from dataclasses import field, replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from narrows.drawing.figure import PAPERS, Figure, Paper, drawing, height
from narrows.drawing.swatch import swatch
from narrows.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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


_FIGURE = re.compile(r'<figure data-title="([^"]*)" data-name="([^"]*)">(.*?)</figure>', re.DOTALL)
_PAPER = r'<svg class="paper {paper}" viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*><title>.*?</desc>(.*?)<path class="cursor">'
_CAPTION = re.compile(r"<figcaption><p>(.*?)</p>", re.DOTALL)
_OTHER = re.compile(r'<template data-replication="(\d+)" data-caption="([^"]*)" data-packed="([^"]*)">')
_KEY = re.compile(r'<button type="button" class="key"[^>]*>(<svg.*?</svg>)<span>(.*?)</span>', re.DOTALL)
