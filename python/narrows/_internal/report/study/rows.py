# SPDX-License-Identifier: Apache-2.0
"""Panels whose rows or columns are names: factors, algorithms, leaves of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrows._internal.drawing.plot import BETWEEN, HEAD, RIGHT, Axis, Box, Panel
from narrows._internal.drawing.scale import Unit
from narrows._internal.experiments.measures import split
from narrows._internal.page.metrics import Meaning, meaning

if TYPE_CHECKING:
    from narrows._internal.drawing.figure import Paper


def rows_panel(paper: Paper, across: Axis, label: str, names: Sequence[str], *, row: float = 30.0) -> Panel:
    """Return a panel with a row per name, each `row` drawing units high, the first on top, with room for the names."""
    left = paper.beside(names)
    box = Box(left, HEAD, paper.width - left - RIGHT, row * len(names))
    return Panel(box, across, Axis.of_names(label, names, inverted=True))


def stacked_panels(paper: Paper, axes: Sequence[tuple[Axis, Axis, str]]) -> list[Panel]:
    """Return stacked panels, each with its own axes (horizontal, vertical) and title; a single one is taller."""
    height = paper.low if len(axes) > 1 else max(paper.low, paper.tall)
    step = height + BETWEEN + _FOOT
    return [
        Panel(Box(paper.left, HEAD + place * step, paper.width - paper.left - RIGHT, height), x, y, title=title)
        for place, (x, y, title) in enumerate(axes)
    ]


def response_meaning(name: str) -> Meaning:
    """Return the presentation of a response from the name of its column, such as "group.cubic.goodput_bps"."""
    owner, measure = split(name)
    kind, _, of = owner.partition(".")
    shown = meaning(measure, kind or "group")
    return shown.of(of) if of else shown


def around(label: str, unit: Unit, values: Sequence[float], margin: float = 0.08) -> Axis:
    """Return an axis over all values, with a margin on both sides that is given as a fraction of their range."""
    low, high = min(values), max(values)
    beyond = margin * ((high - low) or abs(high) or 1.0)
    return Axis(label, unit, low - beyond, high + beyond)


# Labels below each of several panels, in drawing units.
_FOOT = 34.0
