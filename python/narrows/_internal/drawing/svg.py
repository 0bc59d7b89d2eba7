# SPDX-License-Identifier: Apache-2.0
"""SVG and HTML as text: elements whose every attribute and text is escaped, and path data with few points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt


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
    if isinstance(value, float):
        return f' {name}="{number(value)}"'
    return f' {name}="{value if isinstance(value, Markup) else _escaped(value)}"'


def _escaped(text: object) -> str:
    """Return text as `html.escape` does, whose module loads all names of characters."""
    written = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return written.replace('"', "&quot;").replace("'", "&#x27;")


FloatArray = npt.NDArray[np.float64]


def extremes(x: FloatArray, y: FloatArray, columns: int) -> tuple[FloatArray, FloatArray]:
    """Thin a line to at most four points in each of `columns` equal slices of x."""
    if len(x) <= 4 * columns:
        return x, y
    slices = np.minimum((x - x[0]) / (x[-1] - x[0]) * columns, columns - 1).astype(np.int64)
    starts = np.flatnonzero(np.diff(slices, prepend=-1))
    ends = np.append(starts[1:], len(x)) - 1
    order = np.lexsort((y, slices))
    kept = distinct(np.concatenate((starts, ends, order[starts], order[ends])))
    return x[kept], y[kept]


def distinct(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return each value once, in ascending order; without an index, `np.unique` loads the masked arrays of numpy."""
    return np.unique(values, return_index=True)[0]


def median(values: FloatArray) -> float:
    """Return the median of at least one value; `np.median` loads the masked arrays of numpy."""
    ordered = np.sort(values)
    return float((ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2)


def without_flats(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Leave out the points inside a stretch in which y does not change; both ends of each are kept."""
    if len(x) < _ENDS:
        return x, y
    drawn = np.round(y, 1)
    kept = np.r_[True, (drawn[1:-1] != drawn[:-2]) | (drawn[1:-1] != drawn[2:]), True]
    return x[kept], y[kept]


def means(x: FloatArray, y: FloatArray, edges: FloatArray) -> FloatArray:
    """Average y over the bins between `edges`; a bin without a sample is NaN."""
    # A sample on an edge belongs to the bin it ends: a record is stamped with the end of its interval.
    good = np.isfinite(y)
    bins = np.searchsorted(edges, x[good], side="left") - 1
    inside = (bins >= 0) & (bins < len(edges) - 1)
    count = np.bincount(bins[inside], minlength=len(edges) - 1)
    total = np.bincount(bins[inside], weights=y[good][inside], minlength=len(edges) - 1)
    averages = np.full(len(edges) - 1, np.nan)
    np.divide(total, count, out=averages, where=count > 0)
    return averages


_VOID = frozenset({"br", "hr", "meta", "link", "input"})
_ENDS = 3
