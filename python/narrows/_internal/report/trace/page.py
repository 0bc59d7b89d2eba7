# SPDX-License-Identifier: Apache-2.0
"""The page of a trace: the quantities of its path with intervals, the unknown ones with reasons, and curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import BITS_PER_SECOND, SECONDS, Unit, nice_ceiling
from narrows._internal.drawing.style import styles_of
from narrows._internal.drawing.svg import Markup, element
from narrows._internal.page import blocks
from narrows._internal.page.document import document, figure_part, section
from narrows._internal.plural import counted
from narrows._internal.trace.record import Series

if TYPE_CHECKING:
    from narrows._internal.trace.record import Flow
    from narrows._internal.trace.shown import Shown


def page(shown: Shown, command: str) -> str:
    """Return the page of a trace, whose command is `command`."""
    known = [row for row in shown.rows if row[1] != UNKNOWN]
    unknown = [row for row in shown.rows if row[1] == UNKNOWN]
    trace = shown.trace
    about = [("Trace", trace.file.name), ("Format", trace.form), ("Flow", shown.flow.name)]
    about += [("Other flows", str(len(trace.flows) - 1)), *(("Left out", each) for each in trace.left_out)]
    parts = [
        section("path", "The path", _table("Quantities of the path", "rests on", known)),
        section("unknown", "Unknown", _unknown(unknown)),
        figure_part(_figures(shown), command),
        section("scenario", "The scenario", blocks.source("Scenario", "scenario", shown.scenario, "path.toml")),
        section("about", "The trace", blocks.facts(about)),
    ]
    verdict = blocks.badge("neutral", "→", f"{counted(len(known), 'quantity', 'quantities')}; {len(unknown)} unknown")
    return document(f"Path of {trace.file.name}", "trace", verdict, parts)


def _table(caption: str, last: str, rows: Sequence[tuple[str, str, str]]) -> Markup:
    return blocks.table(caption, ("quantity", "value (95 % interval)", last), [blocks.row(*each) for each in rows])


def _unknown(rows: Sequence[tuple[str, str, str]]) -> Markup:
    if not rows:
        return element("p", "The trace shows every quantity.")
    return blocks.table("Unknown quantities", ("quantity", "reason"), [blocks.row(name, why) for name, _, why in rows])


def _figures(shown: Shown) -> list[Figure]:
    flow = shown.flow
    rates = _rates(flow.delivered)
    return [
        _figure("rtt", "Round-trip time", flow.rtt, SECONDS, flow),
        _figure("rate", "Delivered payload", rates, BITS_PER_SECOND, flow),
    ]


def _figure(name: str, title: str, curve: Series, unit: Unit, flow: Flow) -> Figure:
    """Return a curve over time with the losses of the flow."""
    if len(curve) < FEW:
        return Figure(name, title, (), absent="the trace does not show it")
    style = styles_of([title])[title]
    top = nice_ceiling(1.05 * float(np.max(curve.values)))

    def draw(paper: Paper) -> Sequence[Panel]:
        panels = paper.column([title], Axis("Time", SECONDS, 0.0, flow.end_s), Axis(title, unit, 0.0, top))
        panels[0].line(style.css_class, curve.times_s, curve.values, style)
        panels[0].rug(LOSSES, flow.lost.times_s, 0, "drops")
        return panels

    keys = [Key(style.css_class, title, "line", style)]
    if len(flow.lost):
        keys.append(Key(LOSSES, "losses", "drop"))
    return Figure(name, title, [f"{title} over time. Ticks at the bottom are losses."], keys, draw)


def _rates(delivered: Series) -> Series:
    """Return the rates of delivery over intervals of a hundredth of the trace, at least 0.1 s."""
    if len(delivered) < FEW:
        return Series()
    first, last = float(delivered.times_s[0]), float(delivered.times_s[-1])
    edges = np.arange(first, last, max(0.1, (last - first) / 100))
    total = np.interp(edges, delivered.times_s, delivered.values)
    return Series(edges[1:], np.diff(total) * 8 / np.diff(edges))


UNKNOWN, LOSSES = "unknown", "losses"
FEW = 3
