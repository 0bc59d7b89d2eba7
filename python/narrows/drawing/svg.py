# SPDX-License-Identifier: Apache-2.0
"""SVG and HTML as text: elements whose every attribute and text is escaped, and path data."""

from __future__ import annotations

import html
import math
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
    return text if isinstance(text, Markup) else Markup(html.escape(str(text), quote=True))


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """Return an element.

    Args:
        tag: Name of the element.
        children: Contents of the element; text is escaped.
        attributes: Attributes by name; `None` and `False` omit one, `True` writes it without a value; an
            underscore stands for a hyphen and a last one is dropped (`class_`, `data_series`).
    """
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in _VOID:
        return Markup(f"<{tag}{written}>")
    return Markup(f"<{tag}{written}>{join(children)}</{tag}>")


def join(parts: Iterable[object]) -> Markup:
    """Return the concatenation of markup and text; text is escaped."""
    return Markup("".join(escape(part) for part in parts))


def number(value: float) -> str:
    """Return a coordinate as text with at most one decimal."""
    text = f"{value:.1f}"
    return (text.removesuffix(".0")) if text != "-0.0" else "0"


def polyline(x: FloatArray, y: FloatArray) -> str:
    """Return the path data of a line through the points; one that is not finite interrupts it."""
    parts: list[str] = []
    pen_down = False
    for left, top in zip(x.tolist(), y.tolist(), strict=True):
        if not (math.isfinite(left) and math.isfinite(top)):
            pen_down = False
            continue
        # After M further pairs are lines, which saves a letter per point.
        parts.append(f"{' ' if pen_down else 'M'}{number(left)} {number(top)}")
        pen_down = True
    return "".join(parts)


def ring(x: FloatArray, top: FloatArray, bottom: FloatArray) -> str:
    """Return the path data of the area between two lines over the same x, in drawing units."""
    outline = polyline(np.concatenate((x, x[::-1])), np.concatenate((top, bottom[::-1])))
    return outline + "Z" if outline else ""


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    written = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {written}"
    return f' {written}="{escape(number(value) if isinstance(value, float) else value)}"'


_VOID = frozenset({"br", "hr", "meta", "link", "input"})
