# SPDX-License-Identifier: Apache-2.0
"""A figure: panels on a paper with a legend and a caption."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from narrows._internal.drawing.lettering import width_of
from narrows._internal.drawing.plot import FOOT, RIGHT, Axis, Panel, marker, stacked_boxes
from narrows._internal.drawing.svg import Markup, element, join
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    from narrows._internal.drawing.style import Style


@frozen
class Paper:
    """A width of figures, in drawing units; the page shows the drawing that suits its own width."""

    name: str
    width: float
    left: float  # width left for the labels of the vertical axis
    tall: float  # inner height of a single panel
    low: float  # inner height of each of several panels

    def beside(self, names: Sequence[str]) -> float:
        """Return the left edge of a panel that leaves room for these names, up to a limit, in drawing units."""
        return min(max(self.left, max(map(width_of, names)) + 16), self.width * 0.4)

    def column(self, titles: Sequence[str], x: Axis, y: Axis | Sequence[Axis]) -> list[Panel]:
        """Return a panel per title, stacked; a single panel shows no title."""
        up = [y for _ in titles] if isinstance(y, Axis) else y
        several = len(titles) > 1
        # Many panels are lower, so that all of them fit on a screen.
        height = self.low * min(1.0, max(FEW / len(titles), LOWEST)) if several else self.tall
        boxes = stacked_boxes(len(titles), self.left, self.width - self.left - RIGHT, height)
        last = len(titles) - 1
        return [
            Panel(box, x, own, title=title if several else "", foot=index == last)
            for index, (box, title, own) in enumerate(zip(boxes, titles, up, strict=True))
        ]


@frozen
class Key:
    """An entry of a legend; a click on it hides and shows the series with its name."""

    name: str
    label: str
    sample: str  # one of the kinds in `swatch`
    style: Style | None = None


@frozen
class Figure:
    """A figure, which is drawn for each paper."""

    name: str
    title: str
    caption: Sequence[str]
    keys: Sequence[Key] = ()
    draw: Callable[[Paper], Sequence[Panel]] = field(default=lambda _paper: ())
    absent: str = ""  # the reason if there is nothing to show
    others: Mapping[int, Callable[[Paper], Sequence[Panel]]] = field(default_factory=dict)
    captions: Mapping[int, Sequence[str]] = field(default_factory=dict)
    hint: str = ""  # the page's interaction with the figure
    moments: Mapping[int, str] = field(default_factory=dict)  # texts of the page as JSON, by replication


def with_others(figures: Mapping[int, Figure]) -> Figure:
    """Return the first of the figures of several replications, with the others to choose from."""
    (first, shown), *others = figures.items()
    drawn = {number: each for number, each in others if not each.absent}
    if shown.absent or not drawn:
        return shown
    # Events of one replication alone have entries in the legend, too.
    keys = without_repeats(key for each in (shown, *drawn.values()) for key in each.keys)
    moments = {number: text for each in (shown, *drawn.values()) for number, text in each.moments.items()}
    return replace(
        shown,
        keys=keys,
        moments=moments,
        others={first: shown.draw, **{number: each.draw for number, each in drawn.items()}},
        captions={first: shown.caption, **{number: each.caption for number, each in drawn.items()}},
    )


def height(panels: Sequence[Panel]) -> float:
    """Return the height of the drawing of these panels, drawing units."""
    return panels[-1].box.bottom + FOOT


def drawing(panels: Sequence[Panel]) -> Markup:
    """Return the SVG markup of all panels."""
    return join(panel.draw() for panel in panels)


def without_repeats(keys: Iterable[Key]) -> list[Key]:
    """Return the entries without repetitions: the first one of each name."""
    return list({key.name: key for key in reversed(list(keys))}.values())[::-1]


def evenly(groups: Sequence[str], most: int) -> list[int]:
    """Return the places of at most `most` things, in order, taken evenly from all groups."""
    rank: Counter[str] = Counter()
    ranked = []
    for place, group in enumerate(groups):
        ranked.append((rank[group], place))
        rank[group] += 1
    return sorted(place for _, place in sorted(ranked)[:most])


def swatch(sample: str, style: Style | None) -> Markup:
    """Return the drawing of a legend entry, 30 by 12 pixels."""
    dash = style.dash_pattern if style else None
    # An event has the colour of the series at which it happens.
    css = style.css_class if style and sample not in {"event", "dash"} else None
    return element("svg", _shape(sample, style, dash), class_=f"swatch {css or ''}".rstrip(), viewBox="0 0 30 12",
                   width="30", height="12", aria_hidden="true", focusable="false")  # fmt: skip


def _shape(sample: str, style: Style | None, dash: str | None) -> Markup:
    if sample in {"dot", "event"}:
        return element("path", class_="dot", d=marker(style.marker if style else 0, 15, 6, 4.5))
    if sample == "fill":
        rim = element("path", class_="rim", d="M1 2H29", stroke_dasharray=dash)
        return Markup(element("path", class_="fill", d="M1 2H29V11H1Z") + rim)
    if sample == "ground":
        return Markup(
            element("path", class_="ground", d="M1 2H29V11H1Z") + element("path", class_="limit", d="M1 2H29")
        )
    if sample in {"shade", "tile"}:
        return element("path", class_=sample, d="M1 1H29V11H1Z")
    if sample in {"drop", "mark"}:
        return element("path", class_=f"rug {sample}s", d="M10 2v8M15 2v8M20 2v8")
    return element(
        "path",
        class_="line" if sample == "dash" else sample,
        d="M1 6H29",
        stroke_dasharray={"faint": "1 3", "behind": None}.get(sample, dash),
    )


# As many panels stand below one another in full height; more of them are lower, down to this part of it.
FEW = 3
LOWEST = 0.6
PAPERS = (Paper("wide", 600.0, 58.0, 270.0, 118.0), Paper("narrow", 360.0, 48.0, 200.0, 110.0))
