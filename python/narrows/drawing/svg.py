# SPDX-License-Identifier: Apache-2.0
"""SVG and HTML as text: elements whose every attribute and text is escaped, and path data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from narrows.drawing.decimate import FloatArray


class Markup(str):
    """Markup: text that must not be escaped."""

    __slots__ = ()


def escape(text: object) -> Markup:
    """Return text as escaped markup; markup is returned unchanged."""
    return text if isinstance(text, Markup) else Markup(_escaped(text))


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """Return an element."""
    parts = ["<", tag, *[_attribute(name, value) for name, value in attributes.items()], ">"]
    if tag not in _VOID:
        parts += [each if isinstance(each, Markup) else _escaped(each) for each in children]
        parts += ["</", tag, ">"]
    return Markup("".join(parts))


def join(parts: Iterable[object]) -> Markup:
    """Return the concatenation of markup and text; text is escaped."""
    return Markup("".join([part if isinstance(part, Markup) else _escaped(part) for part in parts]))


def number(value: float) -> str:
    """Return a coordinate as text with at most one decimal."""
    text = f"{value:.1f}"
    return (text.removesuffix(".0")) if text != "-0.0" else "0"


def polyline(x: FloatArray, y: FloatArray) -> str:
    """Return the path data of a line through the points; one that is not finite interrupts it."""
    points = np.column_stack((x, y)).astype(float)
    interrupted = np.flatnonzero(~np.isfinite(points).all(axis=1))
    runs = np.split(points, interrupted)
    # All but the first begin with the point that interrupts.
    return "".join(_run(run if place == 0 else run[1:]) for place, run in enumerate(runs))


def _run(points: FloatArray) -> str:
    """Return the path data of points, each as `number` writes it, in one pass: pages have hundreds of thousands."""
    if not len(points):
        return ""
    text = "%.1f " * points.size % tuple(points.ravel().tolist())
    # After M further pairs are lines, which saves a letter per point.
    return "M" + text.replace("-0.0 ", "0 ").replace(".0 ", " ").rstrip()


def ring(x: FloatArray, top: FloatArray, bottom: FloatArray) -> str:
    """Return the path data of the area between two lines over the same x, in drawing units."""
    outline = polyline(np.concatenate((x, x[::-1])), np.concatenate((top, bottom[::-1])))
    return outline + "Z" if outline else ""


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    if "_" in name:
        name = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    if isinstance(value, Markup):
        return f' {name}="{value}"'
    return f' {name}="{_escaped(number(value) if isinstance(value, float) else value)}"'


def _escaped(text: object) -> str:
    """Return text as `html.escape` does, whose module loads all names of characters."""
    written = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return written.replace('"', "&quot;").replace("'", "&#x27;")


_VOID = frozenset({"br", "hr", "meta", "link", "input"})
