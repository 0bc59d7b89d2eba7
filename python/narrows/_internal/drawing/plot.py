# SPDX-License-Identifier: Apache-2.0
"""One panel of a figure as SVG: axes and marks; the page's script reads values back through `data-x` and `data-y`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.drawing.lettering import GAP, all_shortened, kept_inside, lanes, shortened, width_of
from narrows._internal.drawing.scale import INDEX, NARROW_SPACE, Scale, Unit, proper_range, tick_label
from narrows._internal.drawing.svg import (
    FloatArray,
    Markup,
    distinct,
    element,
    extremes,
    join,
    median,
    number,
    polyline,
    ring,
    without_flats,
)
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    from narrows._internal.drawing.style import Style


@frozen
class Axis:
    """An axis of a panel; ends between which there is no range are replaced (`proper_range`)."""

    label: str
    unit: Unit
    low: float
    high: float
    log: bool = False
    inverted: bool = False
    names: tuple[str, ...] = ()  # at 0, 1, 2 …, in place of numbers
    at: tuple[float, ...] = ()  # values of ticks; empty for round ones
    link: str = ""  # shared by axes of several figures that are zoomed together

    def __post_init__(self) -> None:
        """Replace ends between which there is no range."""
        low, high = proper_range(self.low, self.high, log=self.log)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @classmethod
    def of_names(cls, label: str, names: Sequence[str], *, inverted: bool = False) -> Axis:
        """Return an axis of names at equal distances; `inverted` puts the first name at the top."""
        return cls(label, INDEX, -0.5, len(names) - 0.5, inverted=inverted, names=tuple(names))

    @property
    def prefix(self) -> tuple[float, str]:
        """The factor and the text of the unit in which ticks are written."""
        return self.unit.best(max(abs(self.low), abs(self.high)))

    @property
    def title(self) -> str:
        """The label with its unit."""
        written = self.prefix[1]
        return f"{self.label} ({written})" if written else self.label

    def ticks(self, scale: Scale, count: int) -> list[float]:
        """Return about `count` round values, or the position of every name."""
        return [float(place) for place in range(len(self.names))] if self.names else scale.ticks(count)

    def written(self, tick: float, room: float) -> str:
        """Return the text of a tick; a name is shortened to a width of `room` drawing units."""
        return all_shortened(self.names, room)[round(tick)] if self.names else tick_label(tick, self.prefix[0])

    def scale(self, start: float, end: float) -> Scale:
        """Return the map of this axis onto positions from `start` to `end`."""
        if self.inverted:
            start, end = end, start
        return Scale(self.low, self.high, start, end, self.log)


@frozen
class Box:
    """The inner rectangle of a panel on the paper, in drawing units."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Position of the right edge, drawing units."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Position of the lower edge, drawing units."""
        return self.top + self.height


class Panel:
    """A panel of a figure: marks are added to it, and `draw` returns its markup."""

    def __init__(self, box: Box, x: Axis, y: Axis, *, title: str = "", foot: bool = True) -> None:
        """Prepare an empty panel."""
        self.box, self.x, self.y = box, x, y
        self.across = x.scale(box.left, box.right)
        self.up = y.scale(box.bottom, box.top)
        self._title, self._foot = title, foot
        self._behind: list[Markup] = []
        self._ground: list[Markup] = []
        self._marks: list[Markup] = []
        self._tiled = False
        self._hint = ""
        # What markers and whiskers cover: left, top, right and bottom.
        self._covered: list[tuple[float, float, float, float]] = []

    def shade(self, key: str, until: float) -> None:
        """Shade the panel from its left edge to a value of x; the legend names it, so that no mark crosses a word."""
        right = self._clip(self.across.position(until))
        if not right > self.box.left + 1:
            return
        area = element(
            "rect",
            class_="shade",
            x=self.box.left,
            y=self.box.top,
            width=right - self.box.left,
            height=self.box.height,
        )
        self._ground.append(element("g", area, data_series=key))

    def hint(self, text: str) -> None:
        """Write a note into the first corner without a marker, or above the panel if there is none."""
        self._hint = text

    def line(self, key: str, x: FloatArray, y: FloatArray, style: Style, *, kind: str = "line") -> None:
        """Draw a line; `kind` is its CSS class and its name in the read-out ("line", "faint", "behind")."""
        good = np.isfinite(x) & np.isfinite(y)
        if not good.any():
            return
        x, y = np.where(good, x, 0.0), np.where(good, y, np.nan)
        columns = int(self.box.width)
        # A long line is thinned, which closes its gaps; a short one keeps them.
        kept_x, kept_y = (x, y) if len(x) <= 4 * columns else extremes(x[good], y[good], columns)
        path = polyline(*without_flats(self._place(kept_x, self.across), self._place(kept_y, self.up)))
        dash = {"faint": "1 3", "behind": None}.get(kind, style.dash_pattern)
        self._add(key, style, element("path", class_=kind, d=path, stroke_dasharray=dash, data_read="line"))

    def steps(self, key: str, x: FloatArray, y: FloatArray, style: Style) -> None:
        """Draw a cumulative curve: horizontal to each next x, then up."""
        edges = np.repeat(self._place(x, self.across), 2)[1:]
        levels = np.repeat(self._place(y, self.up), 2)[:-1]
        path = polyline(edges, levels)
        self._add(
            key, style, element("path", class_="line", d=path, stroke_dasharray=style.dash_pattern, data_read="step")
        )

    def layer(self, key: str, edges: FloatArray, bottom: FloatArray, top: FloatArray, style: Style) -> None:
        """Draw one layer of a stack, between two lines that are constant between `edges`."""
        x = np.repeat(self._place(edges, self.across), 2)[1:-1]
        high, low = (np.repeat(self._place(values, self.up), 2) for values in (top, bottom))
        fill = element("path", class_="fill", d=ring(x, high, low), data_read="stack")
        rim = element("path", class_="rim", d=polyline(x, high), stroke_dasharray=style.dash_pattern)
        self._add(key, style, join((fill, rim)))

    def band(self, key: str, x: FloatArray, low: FloatArray, high: FloatArray, style: Style) -> None:
        """Draw the area between two lines, behind the line of the same series."""
        good = np.isfinite(x) & np.isfinite(low) & np.isfinite(high)
        path = ring(
            self._place(x[good], self.across), self._place(high[good], self.up), self._place(low[good], self.up)
        )
        self._add(key, style, element("path", class_="band", d=path))

    def ground(self, key: str, x: FloatArray, y: FloatArray, *, filled: bool) -> None:
        """Draw a limit behind the marks: a stepped line, and the area below it if `filled`."""
        edges = np.concatenate(([self.x.low], x))
        across = np.repeat(self._place(edges, self.across), 2)[1:-1]
        height = np.repeat(self._place(y, self.up), 2)
        across, height = without_flats(across, height)
        floor = np.full(len(height), self.box.bottom)
        area = element("path", class_="ground", d=ring(across, height, floor)) if filled else ""
        rim = element("path", class_="limit", d=polyline(across, height), data_read="step")
        self._ground.append(element("g", area, rim, data_series=key))

    def rug(self, key: str, x: FloatArray, row: int, css_class: str) -> None:
        """Draw a tick at each x, at most one per unit of width, in row `row` from the bottom of the panel."""
        columns = distinct(np.round(self._place(x[np.isfinite(x)], self.across)))
        bottom = self.box.bottom - 2 - row * (_RUG + 3)
        path = "".join(f"M{number(column)} {number(bottom)}v{-_RUG}" for column in columns.tolist())
        self._add(key, None, element("path", class_=f"rug {css_class}", d=path))

    def point(self, key: str, at: tuple[float, float], style: Style, read: str, *, of_many: bool = False) -> None:
        """Draw a marker with the read-out `read` at (x, y); a small, pale one if `of_many`."""
        if not _is_known(at):
            return
        css, size = ("dot pale", 3.5) if of_many else ("dot", 7.0)
        self._add(key, style, self._dot(at, style, read, css, size))

    def event(self, key: str, at: tuple[float, float], style: Style, read: str, *, size: float | None = None) -> None:
        """Draw the small marker of an event with the read-out `read` at (x, y), of a `size` from `room`."""
        if not _is_known(at):
            return
        half = size or _EVENT
        self._add(key, style, self._dot(at, style, read, "dot" if half > _PLAIN else "dot plain", half))

    def room(self, x: Sequence[float]) -> float:
        """Return the size of the markers of events at these x with which most do not hide their neighbours."""
        known = np.asarray(x, float)
        known = known[np.isfinite(known)]
        if len(known) <= 1:
            return _EVENT
        between = median(np.diff(np.sort(self._place(known, self.across))))
        return min(max(0.5 * between, _LEAST_EVENT), _EVENT)

    def _dot(self, at: tuple[float, float], style: Style, read: str, css: str, size: float) -> Markup:
        x, y = self.across.position(at[0]), self.up.position(at[1])
        self._covered.append((x - size, y - size, x + size, y + size))
        outline = marker(style.marker, x, y, size)
        return element("path", class_=css, d=outline, data_point=read, data_at=f"{number(x)} {number(y)}")

    def whiskers(
        self, key: str, at: tuple[float, float], x: tuple[float, float], y: tuple[float, float], style: Style
    ) -> None:
        """Draw a horizontal and a vertical interval through a point; one that leaves the panel ends in an arrow."""
        if not _is_known((*at, *x, *y)):
            return
        centre_x, centre_y = self.across.position(at[0]), self.up.position(at[1])
        ends_x = sorted(self.across.position(max(value, self.x.low / 10) if self.x.log else value) for value in x)
        ends_y = sorted(self.up.position(max(value, self.y.low / 10) if self.y.log else value) for value in y)
        left, right = map(self._clip, ends_x)
        high, low = (min(max(each, self.box.top), self.box.bottom) for each in ends_y)
        path = f"M{number(left)} {number(centre_y)}H{number(right)}M{number(centre_x)} {number(low)}V{number(high)}"
        for end, shown, inwards in zip(ends_x, (left, right), (_ARROW, -_ARROW), strict=True):
            if abs(end - shown) > 1:
                back = number(shown + inwards)
                path += f"M{back} {number(centre_y - _ARROW)}L{number(shown)} {number(centre_y)}L{back} "
                path += number(centre_y + _ARROW)
        for end, shown, inwards in zip(ends_y, (high, low), (_ARROW, -_ARROW), strict=True):
            if abs(end - shown) > 1:
                back = number(shown + inwards)
                path += f"M{number(centre_x - _ARROW)} {back}L{number(centre_x)} {number(shown)}"
                path += f"L{number(centre_x + _ARROW)} {back}"
        self._covered += [(left, centre_y, right, centre_y), (centre_x, high, centre_x, low)]
        self._add(key, style, element("path", class_="whisker", d=path))

    def tile(  # noqa: PLR0913  # a field of a map
        self,
        key: str,
        at: tuple[float, float],
        style: Style,
        strength: float,
        texts: tuple[str, str],
        *,
        opens: str = "",
    ) -> None:
        """Fill the tile at two names."""
        self._tiled = True
        left, right = (self.across.position(at[0] + side / 2) for side in (-1, 1))
        top, bottom = sorted(self.up.position(at[1] + side / 2) for side in (-1, 1))
        edge = f"M{number(left + 1)} {number(top + 1)}H{number(right - 1)}V{number(bottom - 1)}H{number(left + 1)}Z"
        shape = element("path", class_="tile", d=edge, data_point=texts[1], data_opens=opens or None,
                        fill_opacity=f"{strength:.2f}")  # fmt: skip
        lines = [shortened(line, right - left) for line in _lines_of(texts[0], right - left - GAP)]
        middle, first = (left + right) / 2, (top + bottom) / 2 + 4 - LINE / 2 * (len(lines) - 1)
        written = [
            element("text", line, class_="value middle", x=middle, y=first + place * LINE)
            for place, line in enumerate(lines)
        ]
        self._add(key, style, shape, *written)

    def word(self, key: str, at: tuple[float, float], text: str, *, side: int = 1, lower: float = 0.0) -> None:
        """Write a text right (`side` 1) or left (-1) of a point, or above it (0), `lower` drawing units down."""
        if not _is_known(at):
            return
        half = side * width_of(text) / 2
        middle = self.across.position(at[0]) + 11 * side + half
        left = kept_inside(middle, text, self.box.left, self.box.right) - half
        top = self.up.position(at[1]) + lower
        css = {1: "value", 0: "value middle", -1: "value end"}[side]
        self._add(key, None, element("text", text, class_=css, x=left, y=top + 4 if side else top - 10))

    def guide(self, across: float, label: str, *, above: bool = False) -> None:
        """Draw a vertical line at a value of x, with its name at the foot or `above` the panel."""
        left = self.across.position(across)
        path = f"M{number(left)} {number(self.box.top)}V{number(self.box.bottom)}"
        self._ground.append(element("path", class_="limit", d=path, stroke_dasharray="4 3"))
        if above:
            self._behind.append(element("text", label, class_="note middle", x=left, y=self.box.top - 6))
            return
        beyond = left > self.box.left + self.box.width / 2
        place = {"x": left + (-5 if beyond else 5), "y": self.box.bottom - 6}
        self._behind.append(element("text", label, class_="note end" if beyond else "note", **place))

    def draw(self) -> Markup:
        """Return the panel: grid, marks, axes and labels."""
        return element(
            "g",
            self._inside(self._ground, "under"),
            element("g", self._grid(), class_="ticks lines"),
            *self._behind,
            self._noted(),
            self._inside(self._marks, "inside"),
            self._labels(),
            class_="panel",
            data_x=_scale(self.x, self.across),
            data_y=_scale(self.y, self.up),
            data_link=self.x.link or None,
            data_foot="yes" if self._foot else None,
            data_box=" ".join(number(v) for v in (self.box.left, self.box.top, self.box.width, self.box.height)),
            data_title=self._title or None,
        )

    def _noted(self) -> Markup:
        if not self._hint:
            return join(())
        wide = width_of(self._hint)
        for right in (True, False):
            for top in (True, False):
                end = self.box.right - 4 if right else self.box.left + 4 + wide
                foot = self.box.top + 15 if top else self.box.bottom - 7
                own = (end - wide, foot - LINE, end, foot + 4)
                if not any(_overlap(own, each) for each in self._covered):
                    return element("text", self._hint, class_="note end", x=end, y=foot)
        return element("text", self._hint, class_="note end", x=self.box.right - 4, y=self.box.top - 6)

    def _inside(self, marks: Sequence[Markup], css_class: str) -> Markup:
        if not marks:
            return join(())
        # An inner svg cuts off what leaves the panel; the margin keeps strokes on the very edge whole.
        left, top = self.box.left - _MARGIN, self.box.top - _MARGIN
        width, height = self.box.width + 2 * _MARGIN, self.box.height + 2 * _MARGIN
        view = " ".join(number(value) for value in (left, top, width, height))
        return element(
            "svg", *marks, class_=css_class, x=left, y=top, width=width, height=height, viewBox=view,
            preserveAspectRatio="none",
        )  # fmt: skip

    def _grid(self) -> Markup:
        if self._tiled:
            # Lines would run through what stands in the tiles.
            return join(())
        lines = [
            element(
                "path",
                class_="grid",
                d=f"M{number(self.box.left)} {number(self.up.position(tick))}h{number(self.box.width)}",
            )
            for tick in self._ticks_up()
        ]
        if self.x.log or self.x.inverted:
            lines += [
                element(
                    "path",
                    class_="grid",
                    d=f"M{number(self.across.position(t))} {number(self.box.top)}v{number(self.box.height)}",
                )
                for t in self._ticks_across()
            ]
        return join(lines)

    def _labels(self) -> Markup:
        box = self.box
        ticks = [
            element(
                "text",
                self.y.written(tick, box.left - 8),
                class_="tick end",
                x=box.left - 8,
                y=self.up.position(tick) + 4,
            )
            for tick in self._ticks_up()
        ]
        above = f"{self._title}: {self.y.title}" if self._title else self.y.title
        room = box.right + RIGHT - box.left
        # The letters of a title are bold.
        title = shortened(self._title, room / BOLD)
        name = [element("tspan", title, class_="name"), "\u2002"] if title else []
        unit = shortened(self.y.title, room - width_of(title)) if width_of(title) + GAP < room else ""
        texts = [element("text", *name, unit, class_="label", x=box.left, y=box.top - 9, aria_label=above)]
        floor = f"M{number(box.left)} {number(box.bottom)}h{number(box.width)}"
        texts.append(element("path", class_="floor", d=floor))
        across = self._labels_across()
        for (tick, label, middle), lane in zip(across, _lanes(across), strict=True):
            left = self.across.position(tick)
            ticks.append(element("path", class_="floor", d=f"M{number(left)} {number(box.bottom)}v4"))
            if self._foot:
                top = box.bottom + 18 + lane * LINE
                ticks.append(element("text", label, class_="tick middle", x=middle, y=top))
        texts.append(element("g", *ticks, class_="ticks words"))
        if self._foot:
            title = shortened(self.x.title, box.right)
            texts.append(
                element("text", title, class_="label end", x=box.right, y=box.bottom + 37, aria_label=self.x.title)
            )
        return join(texts)

    def _ticks_across(self) -> list[float]:
        return [tick for tick, _, _ in self._labels_across()]

    def _labels_across(self) -> list[tuple[float, str, float]]:
        """Return as many ticks as have room for their labels: value, label and where its middle stands."""
        labels = self._written(self.x.at or range(len(self.x.names)), self.box.width)
        # Without a title below them, whole names may take its line, too.
        if labels and max(_lanes(labels)) <= (bool(self.x.names) and not self.x.title):
            return labels
        room = self.box.width / max(len(self.x.names), 1) - GAP
        for count in range(max(3, int(self.box.width / 75)), 0, -1):
            labels = self._written(self.x.ticks(self.across, count), room)
            if not any(_lanes(labels)):
                break
        return labels

    def _written(self, ticks: Iterable[float], room: float) -> list[tuple[float, str, float]]:
        texts = sorted((self.across.position(tick), tick, self.x.written(tick, room)) for tick in ticks)
        return [(tick, text, kept_inside(at, text, 0.0, self.box.right + RIGHT)) for at, tick, text in texts]

    def _ticks_up(self) -> list[float]:
        return self.y.ticks(self.up, max(2, int(self.box.height / 45)))

    def _place(self, values: FloatArray, scale: Scale) -> FloatArray:
        # Up to a panel's size beyond its edges, so that lines leave it in their true direction.
        low, high = sorted((2 * scale.start - scale.end, 2 * scale.end - scale.start))
        # Overflowing values are beyond them.
        with np.errstate(over="ignore", invalid="ignore"):
            if scale.log:
                part = np.log(np.maximum(values, scale.low) / scale.low) / np.log(scale.high / scale.low)
            else:
                part = (values - scale.low) / (scale.high - scale.low)
            placed: FloatArray = np.clip(scale.start + part * (scale.end - scale.start), low, high)
        return placed

    def _clip(self, left: float) -> float:
        return min(max(left, self.box.left), self.box.right)

    def _add(self, key: str, style: Style | None, *marks: Markup) -> None:
        self._marks.append(element("g", *marks, class_=style.css_class if style else None, data_series=key))


def _lanes(labels: Sequence[tuple[float, str, float]]) -> list[int]:
    return lanes([middle for *_, middle in labels], [label for _, label, _ in labels])


def marker(shape: int, x: float, y: float, size: float) -> str:
    """Return path data of a marker: circle, square, diamond, triangle up, down, cross, hourglass, star, right."""

    def arc(across: float) -> str:
        return f"a{number(size)} {number(size)} 0 1 0 {number(across)} 0"

    if shape == 0:
        return f"M{number(x - size)} {number(y)}{arc(2 * size)}{arc(-2 * size)}Z"
    corners = "L".join(f"{number(x + dx * size)} {number(y + dy * size)}" for dx, dy in _CORNERS[shape - 1])
    return f"M{corners}Z"


def _overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether two boxes of left, top, right and bottom have a point in common."""
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def _is_known(values: Sequence[float]) -> bool:
    """Return whether no value is missing; an infinite one is an interval without an end."""
    return not any(map(math.isnan, values))


def _lines_of(text: str, room: float) -> list[str]:
    """Return the lines in which an estimate fits into `room` drawing units."""
    value, sign, half = text.partition(" ± ")
    if not sign or width_of(text) <= room:
        return [text]
    below = f"±{NARROW_SPACE}{half}"
    return [value, below] if width_of(below) <= room + GAP else [value]


def stacked_boxes(count: int, left: float, width: float, height: float) -> Sequence[Box]:
    """Return boxes of panels below one another, with room for a title above each."""
    return [Box(left, HEAD + index * (height + BETWEEN), width, height) for index in range(count)]


def _scale(axis: Axis, scale: Scale) -> str:
    kind = "names" if axis.names else "log" if axis.log else "lin"
    ends = f"{scale.low!r} {scale.high!r} {number(scale.start)} {number(scale.end)}"
    return f"{kind} {ends} {axis.prefix[0]!r} {axis.unit.name or '-'}"


# Room above a panel for its title, between two panels, and below the last for the axis, in drawing units.
HEAD = 26.0
BETWEEN = 36.0
FOOT = 44.0
# Room at the right of the last panel.
RIGHT = 14.0
# How much wider bold letters are than others.
BOLD = 1.2
# Height of a line of text.
LINE = 13.0

# Half the width of the marker of an event; the least where events follow each other closely, and from which on it has
# no rim.
_EVENT = 4.5
_LEAST_EVENT = 1.8
_PLAIN = 3.0
_ARROW = 4.0
_RUG = 8
_MARGIN = 3.0
_CORNERS: tuple[tuple[tuple[float, float], ...], ...] = (
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    ((0, -1.15), (1.1, 0.85), (-1.1, 0.85)),
    ((0, 1.15), (1.1, -0.85), (-1.1, -0.85)),
    (
        (-1, -0.4), (-0.4, -0.4), (-0.4, -1), (0.4, -1), (0.4, -0.4), (1, -0.4),
        (1, 0.4), (0.4, 0.4), (0.4, 1), (-0.4, 1), (-0.4, 0.4), (-1, 0.4),
    ),
    ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    ((0, -1.3), (0.4, -0.4), (1.3, 0), (0.4, 0.4), (0, 1.3), (-0.4, 0.4), (-1.3, 0), (-0.4, -0.4)),
    ((1.15, 0), (-0.85, 1.1), (-0.85, -1.1)),
)  # fmt: skip
