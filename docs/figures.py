# SPDX-License-Identifier: Apache-2.0
"""The figure of a card: what one run recorded over time, drawn by the same hand as the reports."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.drawing.plot import FOOT, Axis, Panel, stacked_boxes
from narrows._internal.drawing.scale import BITS_PER_SECOND, PACKETS, PERCENT, SECONDS, nice_ceiling
from narrows._internal.drawing.style import HUES, TONES, Style, colour_classes, colour_rules, style_of
from narrows._internal.drawing.svg import Markup, element, join, means, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from pictures import Course

    from narrows._internal.drawing.plot import Box


def figure(title: str, panels: Sequence[str], course: Course, queue: str, beside: Course | None = None) -> str:
    """Draw a figure that needs nothing but itself.

    Args:
        title: What it shows.
        panels: What is drawn over time, from above.
        course: The run.
        queue: What the run's queue is called.
        beside: Another run of the same load, whose queue and signals are drawn too.
    """
    boxes = stacked_boxes(len(panels), LEFT, WIDTH - LEFT - RIGHT, TALL)
    end = float(course.link["time_s"][-1])
    drawn = []
    styles: dict[str, Style] = {}
    for place, (name, box) in enumerate(zip(panels, boxes, strict=True)):
        sheet = Sheet(box, end, foot=place == len(panels) - 1)
        panel = PANELS[name](sheet, course, {queue: course} | ({"droptail": beside} if beside else {}))
        drawn.append(panel.draw())
        styles |= sheet.styles
    legend, rows = _legend(styles)
    body = element("g", *drawn, transform=f"translate(0 {rows * ROW})" if rows else None)
    height = boxes[-1].bottom + FOOT + rows * ROW
    used = f"{legend}{body}"
    svg = element(
        "svg",
        element("title", title),
        element("style", Markup(_style(used))),
        element("rect", class_="sheet", width="100%", height="100%"),
        legend,
        body,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(WIDTH)} {number(height)}",
        role="img",
        aria_label=title,
    )
    return f"{svg}\n"


class Sheet:
    """Where a panel goes, and the styles that the legend must explain."""

    def __init__(self, box: Box, end_s: float, *, foot: bool) -> None:
        """Prepare a panel's place.

        Args:
            box: Its inside.
            end_s: The end of the time axis, seconds.
            foot: Whether the time axis carries labels.
        """
        self._box, self._foot = box, foot
        self._time = Axis("Time", SECONDS, 0.0, end_s)
        self.styles: dict[str, Style] = {}

    def panel(self, y: Axis) -> Panel:
        """Return an empty panel."""
        return Panel(self._box, self._time, y, foot=self._foot)


def _window(sheet: Sheet, course: Course, _queues: dict[str, Course]) -> Panel:
    flows = {name: each for name, each in course.flows.items() if np.isfinite(each["cwnd_packets"]).any()}
    highest = max(_high(each["cwnd_packets"]) for each in flows.values())
    panel = sheet.panel(Axis("Congestion window", PACKETS, 0.0, nice_ceiling(highest * 1.05)))
    styles = _flow_styles(course)
    for name, each in flows.items():
        threshold = each["ssthresh_packets"]
        if np.isfinite(threshold).any():
            panel.line("ssthresh", each["time_s"], threshold, styles[name], kind="faint")
    for name, each in flows.items():
        panel.line(name, each["time_s"], each["cwnd_packets"], styles[name])
    sheet.styles = {name: styles[name] for name in flows}
    return panel


def _rate(sheet: Sheet, course: Course, _queues: dict[str, Course]) -> Panel:
    """Draw what each flow sends, and the capacity; of many flows of one group one line shows their sum."""
    edges = _edges(course.link["time_s"], RATE_BINS)
    middles = (edges[1:] + edges[:-1]) / 2
    groups: dict[str, list[str]] = {}
    for name in course.flows:
        groups.setdefault(name.partition("[")[0], []).append(name)
    sums = {}
    for group, names in groups.items():
        rates = [means(course.flows[name]["time_s"], course.flows[name]["throughput_bps"], edges) for name in names]
        sums[group if len(names) == 1 else f"{group} ({len(names)} together)"] = (
            names[0],
            np.nan_to_num(np.array(rates)).sum(axis=0),
        )
    capacity = float(np.nanmax(course.link["capacity_bps"]))
    highest = max(capacity, *(float(rate.max()) for _, rate in sums.values()))
    panel = sheet.panel(Axis("Rate", BITS_PER_SECOND, 0.0, nice_ceiling(min(highest, 1.5 * capacity) * 1.02)))
    panel.ground("capacity", np.array([edges[-1]]), np.array([capacity]), filled=False)
    styles = _flow_styles(course)
    for label, (first, rate) in sums.items():
        panel.line(label, middles, rate, styles[first])
        sheet.styles[label] = styles[first]
    return panel


def _queue(sheet: Sheet, course: Course, queues: dict[str, Course]) -> Panel:
    highest = max(_high(each.link["queue_packets"]) for each in queues.values())
    panel = sheet.panel(Axis("Queue", PACKETS, 0.0, nice_ceiling(highest * 1.02)))
    if len(queues) == 1:
        panel.line("queue", course.link["time_s"], course.link["queue_packets"], ALONE)
    else:
        for (name, each), style in reversed(list(zip(queues.items(), QUEUE_STYLES, strict=True))):
            panel.line(name, each.link["time_s"], each.link["queue_packets"], style)
            sheet.styles[f"{name}: queue"] = style
    for row, key in enumerate(("dropped", "marked")):
        happened = course.link[f"{key}_packets"] > 0
        if happened.any():
            panel.rug("drops" if key == "dropped" else "marks", course.link["time_s"][happened], row, RUGS[key])
    return panel


def _signals(sheet: Sheet, course: Course, queues: dict[str, Course]) -> Panel:
    """Draw the share of packets that were dropped, and marked, of those that left or were dropped."""
    edges = _edges(course.link["time_s"], SIGNAL_BINS)
    middles = (edges[1:] + edges[:-1]) / 2
    shares: dict[str, tuple[Style, NDArray[np.float64]]] = {}
    for (name, each), style_of_queue in zip(queues.items(), QUEUE_STYLES, strict=False):
        for row, key in enumerate(("dropped", "marked")):
            if (each.link[f"{key}_packets"] > 0).any():
                style = style_of_queue.variant(row)
                shares[f"{name}: {key}"] = (style, _share(each, key, edges))
    highest = max((float(np.nanmax(share)) for _, share in shares.values()), default=0.01)
    panel = sheet.panel(Axis("Dropped or marked", PERCENT, 0.0, nice_ceiling(highest * 1.02)))
    for name, (style, share) in reversed(shares.items()):
        panel.line(name, middles, share, style)
    sheet.styles = {name: style for name, (style, _) in shares.items()}
    return panel


def _share(course: Course, key: str, edges: NDArray[np.float64]) -> NDArray[np.float64]:
    link = course.link
    per_bin = np.diff(edges) * means(link["time_s"], link["rate_bps"], edges) / PACKET_BITS
    interval = float(link["time_s"][1] - link["time_s"][0])
    happened = means(link["time_s"], link[f"{key}_packets"], edges) * np.diff(edges) / interval
    dropped = means(link["time_s"], link["dropped_packets"], edges) * np.diff(edges) / interval
    share: NDArray[np.float64] = happened / np.maximum(per_bin + dropped, 1.0)
    return share


def _edges(time: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    """Return edges of at most `bins` bins that hold the same whole number of records each."""
    per_bin = -(-len(time) // bins)
    interval = float(time[1] - time[0])
    places = np.arange(0, len(time) + 1, per_bin)
    # A record is stamped with the end of its interval; a little slack keeps it in the bin that it ends.
    edges: NDArray[np.float64] = np.where(places > 0, (places + 1e-6) * interval, 0.0)
    return edges


def _flow_styles(course: Course) -> dict[str, Style]:
    """Return a style per flow: its algorithm's hue, another one for each flow after the first, and no dashes."""
    styles = {}
    for place, (name, algorithm) in enumerate(course.algorithms.items()):
        hue = style_of(algorithm.partition("(")[0]).colour
        styles[name] = Style((hue + NEXT_HUE * place) % len(HUES), 0, 0)
    return styles


def _high(values: NDArray[np.float64]) -> float:
    return float(np.nanmax(values))


def _legend(styles: dict[str, Style]) -> tuple[Markup, int]:
    """Return the legend and how many rows it takes."""
    if len(styles) < LEAST_TO_EXPLAIN:
        return Markup(""), 0
    entries, left, row = [], LEFT, 0
    for name, style in styles.items():
        width = 34 + 7 * len(name)
        if left + width > WIDTH - RIGHT:
            left, row = LEFT, row + 1
        top = 14 + row * ROW
        sample = element(
            "path", class_="line", d=f"M{number(left)} {number(top - 4)}h24", stroke_dasharray=style.dash_pattern
        )
        entries.append(element("g", sample, element("text", name, x=left + 30, y=top), class_=style.css_class))
        left += width + 12
    return join(entries), row + 1


def _style(used: str) -> str:
    """Return the report's style for the classes that are used, for light and for dark paper."""
    report = files("narrows._internal.page")
    rules = report.joinpath("style.css").read_text("utf-8").splitlines()
    drawing = [rule for rule in rules if rule.startswith("svg ")]
    kept = [
        rule for rule in drawing if "." not in rule.split("{")[0] or rule.split("{")[0].split(".")[1].strip() in used
    ]
    hues = [f"c{hue}t{tone}" for hue in range(len(HUES)) for tone in range(TONES) if f'"c{hue}t{tone}"' in used]
    light = "".join(line.strip().replace(": ", ":") for line in rules[: rules.index("}")] if "--" in line)
    dark = report.joinpath("dark.css").read_text("utf-8").strip()
    return "".join(
        (
            f":root{{{light}{_only(colour_rules('light'), hues)}}}",
            f"@media (prefers-color-scheme:dark){{:root{{{dark};{_only(colour_rules('dark'), hues)}}}}}",
            *(rule + "}" for rule in colour_classes().split("}") if rule[1:].split("{")[0] in hues),
            *(rule.replace(" { ", "{").replace(" }", "}").replace("; ", ";").replace(": ", ":") for rule in kept),
            ".sheet{fill:var(--paper)}",
        )
    )


def _only(properties: str, hues: Sequence[str]) -> str:
    return "".join(f"{each};" for each in properties.split(";") if each.partition(":")[0].removeprefix("--") in hues)


PANELS = {"window": _window, "rate": _rate, "queue": _queue, "signals": _signals}
QUEUE_STYLES = (Style(1, 0, 0), Style(7, 2, 0))
ALONE = Style(7, 0, 0)
NEXT_HUE = 3
RUGS = {"dropped": "drops", "marked": "marks"}
WIDTH = 880.0
LEFT = 62.0
RIGHT = 14.0
TALL = 170.0
ROW = 20
RATE_BINS = 300
SIGNAL_BINS = 60
PACKET_BITS = 12_000.0
LEAST_TO_EXPLAIN = 2
