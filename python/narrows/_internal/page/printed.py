# SPDX-License-Identifier: Apache-2.0
"""Converts a report figure to a matplotlib figure with real axes, for PDF, PNG and PGF."""

from __future__ import annotations

import base64
import html
import io
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

from matplotlib.backends.backend_pgf import RendererPgf
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from narrows._internal.drawing.lettering import width_of
from narrows._internal.drawing.scale import NARROW_SPACE
from narrows._internal.errors import InputError
from narrows._internal.frozen import frozen
from narrows._internal.page.picture import INK, Picture, look_of, series_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    Place = Callable[[float, float], tuple[float, float]]


class Printed(Figure):  # type: ignore[misc]  # matplotlib is optional, so its types are unknown
    """A figure of matplotlib that a notebook shows."""

    caption = ""

    def _repr_html_(self) -> str:
        image = io.BytesIO()
        self.savefig(image, format="png", dpi=SCREEN)
        source = f"data:image/png;base64,{base64.b64encode(image.getvalue()).decode()}"
        return f'<figure><img src="{source}"><figcaption>{html.escape(self.caption)}</figcaption></figure>'


def printed(picture: Picture, width_mm: float) -> Printed:
    """Return a figure of matplotlib."""
    # The longest label decides how many entries of the legend stand in a line.
    longest = max((width_of(label) for label, _ in picture.legend), default=0.0)
    beside = max(int(picture.width / (longest + ENTRY)), 1)
    above = LINE * math.ceil(len(picture.legend) / beside)
    tall = picture.height + above
    point = width_mm / MM_PER_INCH * POINTS / picture.width
    size = (width_mm / MM_PER_INCH, tall * point / POINTS)
    whole = Printed(figsize=size, facecolor="white")
    whole.caption = picture.caption
    for panel in picture.tree.iter("g"):
        if panel.get("class") == "panel":
            left, top, width, height = map(float, panel.attrib["data-box"].split())
            box = (left / picture.width, 1 - (above + top + height) / tall, width / picture.width, height / tall)
            paint(whole.add_axes(box), panel, point)
    if picture.legend:
        handles = [_handle(sample, label, point) for label, sample in picture.legend]
        whole.legend(
            handles=handles, loc="upper left", ncols=beside, frameon=False, fontsize=12 * point, labelcolor=INK,
            borderaxespad=0.2, columnspacing=1.0, handlelength=2.2, handletextpad=0.6,
        )  # fmt: skip
    return whole


def onto(axes: Any, picture: Picture) -> Any:
    """Draw a figure of one panel into axes of matplotlib, with its legend, and return their figure."""
    panels = [panel for panel in picture.tree.iter("g") if panel.get("class") == "panel"]
    if len(panels) != 1:
        raise InputError("ax", f"one of matplotlib's axes cannot take {len(panels)} panels; leave it out")
    point = TEXT_PT / 12
    paint(axes, panels[0], point)
    if picture.legend:
        axes.legend(handles=[_handle(sample, label, point) for label, sample in picture.legend], frameon=False,
                    fontsize=TEXT_PT)  # fmt: skip
    return axes.figure


def paint(axes: Any, panel: Element, point: float) -> None:
    """Draw a panel into axes."""
    across, up = (_Side.read(panel.attrib[f"data-{side}"]) for side in "xy")
    left, top, width, height = map(float, panel.attrib["data-box"].split())
    for side, set_scale, set_limits, ends in (
        (across, axes.set_xscale, axes.set_xlim, (left, left + width)),
        (up, axes.set_yscale, axes.set_ylim, (top + height, top)),
    ):
        set_scale("log" if side.kind == "log" else "linear")
        set_limits(*map(side.value, ends))

    def place(x: float, y: float) -> tuple[float, float]:
        return across.value(x), up.value(y)

    for part in panel.iter("svg"):
        ground = part.get("class") == "under"
        for mark, series in _leaves(part, ""):
            _mark(axes, mark, series, place, point, order=1.0 if ground else 3.0)
    for name in ("top", "right", "left"):
        axes.spines[name].set_visible(False)
    _words(axes, panel, place, point)


@frozen
class _Side:
    """An axis of a panel: its kind ("lin", "log" or "names"), its ends, their positions, and the factor of its unit."""

    kind: str
    low: float
    high: float
    start: float
    end: float
    factor: float

    @classmethod
    def read(cls, written: str) -> _Side:
        kind, *numbers, _ = written.split(" ", 6)
        return cls(kind, *map(float, numbers))

    def value(self, position: float) -> float:
        """Return the value at a position, in the unit that stands beside the axis."""
        part = (position - self.start) / (self.end - self.start)
        if self.kind == "log":
            return self.low * math.pow(self.high / self.low, part) / self.factor
        return (self.low + part * (self.high - self.low)) / self.factor


def _leaves(node: Element, above: str) -> Iterator[tuple[Element, str]]:
    """Yield the marks below an element, each with the class of its series."""
    series = series_of(node, above)
    for child in node:
        if child.tag == "g":
            yield from _leaves(child, series)
        else:
            yield child, series


def _mark(axes: Any, mark: Element, series: str, place: Place, point: float, order: float) -> None:  # noqa: PLR0913, PLR0917  # the mark and its place
    if mark.tag == "text":
        _note(axes, mark, place, point)
        return
    look = look_of(mark, series)
    css = (mark.get("class") or "").split()
    if "dot" in css and "data-at" in mark.attrib:
        x, y = map(float, mark.attrib["data-at"].split())
        axes.plot(*zip(place(x, y), strict=True), **_marker(mark, look, (x, y), point), clip_on=False, zorder=order + 1)
        return
    path = _outline(mark) if mark.tag == "path" else _rectangle(mark)
    if look.get("fill", "none") == "none":
        points = [each if math.isnan(each[0]) else place(*each) for each in _broken(path)]
        axes.plot(*zip(*points, strict=True), **_stroke(look, point), zorder=order)
        return
    shape = Path([place(*each) for each in path.vertices], path.codes)
    edge = look.get("stroke", "none")
    axes.add_patch(
        PathPatch(shape, facecolor=look["fill"], alpha=float(look.get("fill-opacity", "1")), edgecolor=edge,
                  linewidth=_width(look, point) if edge != "none" else 0, zorder=order)
    )  # fmt: skip


def _stroke(look: dict[str, str], point: float) -> dict[str, Any]:
    """Return the properties of a line."""
    width = _width(look, point)
    dash = [float(each) * point / width for each in look.get("stroke-dasharray", "").split()]
    return {
        "color": look.get("stroke", "none"), "linewidth": width, "alpha": float(look.get("opacity", "1")),
        "linestyle": (0, tuple(dash)) if dash else "-", "solid_capstyle": "butt",
        "dash_capstyle": look.get("stroke-linecap", "butt"),
    }  # fmt: skip


def _marker(mark: Element, look: dict[str, str], at: tuple[float, float], point: float) -> dict[str, Any]:
    """Return the properties of a marker whose outline lies around a position."""
    round_ = re.match(r"M\S+ \S+a(\S+) ", mark.attrib["d"])
    if round_:
        size, shape = float(round_[1]), "o"
    else:
        outline = _outline(mark)
        vertices = [(x - at[0], at[1] - y) for x, y in outline.vertices]
        size = max(max(abs(x), abs(y)) for x, y in vertices)
        shape = Path([(x / size, y / size) for x, y in vertices], outline.codes)
    rim = look.get("stroke", "none")
    return {
        # A path as a marker is scaled to the size by its greatest coordinate.
        "marker": shape, "markersize": 2 * size * point, "markerfacecolor": look["fill"], "linestyle": "none",
        "markeredgecolor": rim, "markeredgewidth": _width(look, point) if rim != "none" else 0,
        "alpha": float(look.get("fill-opacity", "1")),
    }  # fmt: skip


def _words(axes: Any, panel: Element, place: Place, point: float) -> None:
    """Write ticks, labels and notes, and draw the grid."""
    ticks: dict[str, list[tuple[float, str]]] = {"end": [], "middle": []}
    floors: list[float] = []
    texts = {"font.size": 12 * point}
    title, below = "", ""
    for node in (each for each in panel.iter() if each.tag in {"text", "path"}):
        css = (node.get("class") or "").split()
        written = _text(node)
        if "tick" in css:
            x, y = float(node.attrib["x"]), float(node.attrib["y"])
            ticks[css[1]].append((place(x, y - 4)[1] if css[1] == "end" else x, written))
        elif "label" in css:
            title, below = (title, written) if "end" in css else (written, below)
        elif "note" in css:
            _note(axes, node, place, point)
        elif "floor" in css and node.attrib["d"].endswith("v4"):
            floors.append(place(*_outline(node).vertices[0])[0])
        elif "grid" in css:
            (x, y), (other, _) = _outline(node).vertices
            look = look_of(node)
            style = {"color": look["stroke"], "linewidth": _width(look, point), "zorder": 0}
            axes.axvline(place(x, y)[0], **style) if x == other else axes.axhline(place(x, y)[1], **style)
    size = texts["font.size"]
    names = [written for _, written in ticks["middle"]] or [""] * len(floors)
    axes.set_xticks(floors, names, fontsize=size, color=SOFT)
    axes.set_yticks([at for at, _ in ticks["end"]], [written for _, written in ticks["end"]], fontsize=size, color=SOFT)
    axes.minorticks_off()
    axes.tick_params(axis="y", length=0, pad=8 * point)
    axes.tick_params(axis="x", length=4 * point, width=point, color=SOFT)
    axes.spines["bottom"].set(color=SOFT, linewidth=point)
    axes.set_title(title, loc="left", fontsize=size, color=INK, pad=8 * point)
    axes.set_xlabel(below, loc="right", fontsize=size, color=SOFT, labelpad=4 * point)


def _note(axes: Any, node: Element, place: Place, point: float) -> None:
    css = (node.get("class") or "").split()
    look = look_of(node)
    side = "right" if "end" in css else "center" if "middle" in css else "left"
    x, y = float(node.attrib["x"]), float(node.attrib["y"])
    axes.text(*place(x, y), _text(node), fontsize=float(look["font-size"].removesuffix("px")) * point,
              color=look["fill"], ha=side, va="baseline", zorder=5)  # fmt: skip


def _text(node: Element) -> str:
    """Return the text of an element, in letters that fonts of papers have."""
    written = "".join(node.itertext()).replace(NARROW_SPACE, "\u00a0").replace("\u2002", "  ").replace("$", r"\$")
    return written.replace("↗", ARROW)


def _handle(sample: str, label: str, point: float) -> Any:
    """Return the legend entry of matplotlib for a sample of the page."""
    from xml.etree import ElementTree as ET

    root = ET.fromstring(sample)  # noqa: S314  # as in `Picture.tree`
    series = series_of(root, "")
    first = root[0]
    look, name = look_of(first, series), _text_of(label)
    css = (first.get("class") or "").split()
    if "dot" in css:
        return Line2D([], [], **_marker(first, look, (15.0, 6.0), point), label=name)
    if "rug" in css:
        return Line2D([], [], color=look["stroke"], marker="|", markersize=8 * point, linestyle="none", label=name)
    if look.get("fill", "none") != "none":
        return PathPatch(
            Path([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]), facecolor=look["fill"], label=name,
            alpha=float(look.get("fill-opacity", "1")), edgecolor=look.get("stroke", "none"),
        )  # fmt: skip
    return Line2D([], [], **_stroke(look, point), label=name)


def _text_of(label: str) -> str:
    return label.replace(NARROW_SPACE, "\u00a0").replace("$", r"\$")


def _width(look: dict[str, str], point: float) -> float:
    return float(look.get("stroke-width", "1")) * point


def _rectangle(mark: Element) -> Any:
    x, y, width, height = (float(mark.attrib[name]) for name in ("x", "y", "width", "height"))
    corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]
    return Path(corners, [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY])


def _outline(mark: Element) -> Any:
    """Return the path of an element, in drawing units: of lines alone, as all but circles are."""
    vertices: list[tuple[float, float]] = []
    codes: list[int] = []
    x = y = 0.0
    for letter, written in re.findall(r"([MLHVhvZ])([^MLHVhvZ]*)", mark.attrib["d"]):
        numbers = [float(each) for each in written.split()]
        if letter in "ML":
            for place in range(0, len(numbers), 2):
                x, y = numbers[place], numbers[place + 1]
                vertices.append((x, y))
                codes.append(Path.MOVETO if letter == "M" and not place else Path.LINETO)
            continue
        if letter == "Z":
            vertices.append(
                next(at for at, code in zip(vertices[::-1], codes[::-1], strict=True) if code == Path.MOVETO)
            )
            codes.append(Path.CLOSEPOLY)
            continue
        for number in numbers:
            x = number if letter == "H" else x + number if letter == "h" else x
            y = number if letter == "V" else y + number if letter == "v" else y
            vertices.append((x, y))
            codes.append(Path.LINETO)
    return Path(vertices, codes)


def _broken(path: Any) -> Iterator[tuple[float, float]]:
    """Yield the points of a path, with a gap before each further start."""
    for number, ((x, y), code) in enumerate(zip(path.vertices.tolist(), path.codes.tolist(), strict=True)):
        if number and code == Path.MOVETO:
            yield math.nan, math.nan
        yield x, y


def save(figure: Figure, file: File, form: str) -> None:
    """Write a figure in a format (`pdf`, `png` or `pgf`), with the same bytes each time."""
    import matplotlib as mpl

    if form == "pgf":
        # LaTeX sets the texts when the file is used; it need not be installed here.
        measured, drawn = RendererPgf.get_text_width_height_descent, RendererPgf.draw_text

        def draw(self: Any, gc: Any, x: float, y: float, text: str, *more: Any, **named: Any) -> None:
            drawn(self, gc, x, y, latex(text), *more, **named)

        RendererPgf.get_text_width_height_descent, RendererPgf.draw_text = _extent, draw
        try:
            figure.savefig(file, format=form)
        finally:
            RendererPgf.get_text_width_height_descent, RendererPgf.draw_text = measured, drawn
        return
    # Publishers accept TrueType.
    with mpl.rc_context({"pdf.fonttype": 42}):
        figure.savefig(file, format=form, dpi=PRINT, metadata={"CreationDate": None} if form == "pdf" else None)


def latex(text: str) -> str:
    """Escape a text, which may be any name, such that LaTeX typesets it and executes no part of it."""
    parts = text.split(ARROW)
    if len(parts) > 1:
        # Beside a formula, matplotlib keeps the escaped dollar sign.
        parts = [part.replace(r"\$", "$") for part in parts]
    return ARROW.join("".join(LATEX.get(letter, letter) for letter in part if letter >= " ") for part in parts)


def _extent(_: Any, text: str, font: Any, ismath: object) -> tuple[float, float, float]:
    """Return width, height and depth of a text in points, in the font of matplotlib."""
    if not text.strip():
        return 0.0, 0.0, 0.0
    box = TextPath((0, 0), text if ismath else text.replace("$", r"\$"), prop=font).get_extents()
    return box.width, box.height, max(-box.y0, 0.0)


ARROW = r"$\nearrow$"
LATEX = {
    **{letter: f"\\{letter}" for letter in "{}#$%&_"},
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''", "\u00a0": "~",
}  # fmt: skip
"""Characters that LaTeX takes for commands, or sets as others (L. Lamport: LaTeX, 2nd edition, section 2.1)."""

MM_PER_INCH = 25.4
POINTS = 72
# Of texts in axes of others, points.
TEXT_PT = 9.0
# Dots per inch.
SCREEN, PRINT = 110, 300
# Height of a line of the legend, and width of an entry without its text, drawing units.
LINE, ENTRY = 20.0, 58.0
SOFT = "#59616b"
