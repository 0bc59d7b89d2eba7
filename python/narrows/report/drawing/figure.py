"""A figure: panels on a paper with a legend and a caption."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from narrows.report.drawing.lettering import width_of
from narrows.report.drawing.plot import FOOT, RIGHT, Axis, Panel, stacked_boxes
from narrows.report.drawing.svg import Markup, join

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from narrows.report.drawing.style import Style


@dataclass(frozen=True)
class Paper:
    """A width that figures are drawn for; the page shows the one that suits its own width.

    Attributes:
        name: "wide" or "narrow", as the style sheet calls it.
        width: Width of the drawing.
        left: Room for the labels of the vertical axis.
        tall: Height of the inside of a panel that stands alone.
        low: Height of the inside of each of several panels below one another.
    """

    name: str
    width: float
    left: float
    tall: float
    low: float

    def beside(self, names: Sequence[str]) -> float:
        """Return where a panel begins that has these names at its left, cut where they would take too much of it."""
        return min(max(self.left, max(map(width_of, names)) + 16), self.width * 0.4)

    def column(self, titles: Sequence[str], x: Axis, y: Axis) -> list[Panel]:
        """Return a panel per title, below one another on the same axes; a panel that stands alone shows no title."""
        several = len(titles) > 1
        height = self.low if several else self.tall
        boxes = stacked_boxes(len(titles), self.left, self.width - self.left - RIGHT, height)
        last = len(titles) - 1
        return [
            Panel(box, x, y, title=title if several else "", foot=index == last)
            for index, (box, title) in enumerate(zip(boxes, titles, strict=True))
        ]


@dataclass(frozen=True)
class Key:
    """One entry of a legend; a press on it hides and shows the series of the same name.

    Attributes:
        name: Name of the series, unique in its figure.
        label: What people read.
        sample: How the entry is drawn: "line", "faint", "fill", "limit", "ground", "drop", "mark", "dot".
        style: Colour, dash and marker, where the series has them.
    """

    name: str
    label: str
    sample: str
    style: Style | None = None


@dataclass(frozen=True)
class Figure:
    """A figure, drawn anew for each paper.

    Attributes:
        name: Its anchor in the page.
        title: What it shows, as a heading.
        caption: Sentences that say how to read it and what it rests on.
        keys: The legend.
        draw: The panels on a paper; none where there is nothing to show.
        absent: Why there is nothing to show; empty where there is.
    """

    name: str
    title: str
    caption: Sequence[str]
    keys: Sequence[Key] = ()
    draw: Callable[[Paper], Sequence[Panel]] = field(default=lambda _paper: ())
    absent: str = ""


def height(panels: Sequence[Panel]) -> float:
    """Return the height of the drawing that ends below the last panel."""
    return panels[-1].box.bottom + FOOT


def drawing(panels: Sequence[Panel]) -> Markup:
    """Return all panels as markup."""
    return join(panel.draw() for panel in panels)


def without_repeats(keys: Iterable[Key]) -> list[Key]:
    """Return the first entry of each series."""
    return list({key.name: key for key in reversed(list(keys))}.values())[::-1]


PAPERS = (Paper("wide", 880.0, 62.0, 300.0, 150.0), Paper("narrow", 360.0, 48.0, 220.0, 130.0))
