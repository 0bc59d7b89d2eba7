# SPDX-License-Identifier: Apache-2.0
"""The flows' rates, stacked to the capacity of the bottleneck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import BITS_PER_SECOND, nice_ceiling
from narrows._internal.drawing.svg import FloatArray, means
from narrows._internal.frozen import frozen
from narrows._internal.report.run.data import TRANSFERS, Run, Trace
from narrows._internal.report.run.figures import frame


@frozen
class Layer:
    """The rate of a flow, or of flows together that `trace` names, bits per second, shape (bins,)."""

    trace: Trace
    rate: FloatArray


@frozen
class Stack:
    """The layers over one bottleneck in common bins, bottom first."""

    view: frame.View  # the run and the bottleneck
    edges: FloatArray  # edges of the bins, seconds
    layers: Sequence[Layer]  # the layers; none if no group over it was recorded
    capacity: FloatArray | None  # capacity of the bottleneck, bits per second; None if it was not recorded
    # Total rate of the bottleneck, bits per second, if it clearly exceeds the sum of the layers; else None.
    other: FloatArray | None
    missing: Sequence[str]  # the groups over it whose rates were not recorded

    @property
    def total(self) -> FloatArray:
        """The sum of the layers, bits per second."""
        return sum((layer.rate for layer in self.layers), np.zeros(len(self.edges) - 1))

    def highest(self, *, measured: bool) -> float:
        """Return the largest rate or capacity, bits per second; only after the warm-up if `measured`."""
        tops = [self.total, *(top for top in (self.capacity, self.other) if top is not None)]
        after = (
            frame.after_warmup(self.view.run, self.edges[1:], top) if measured else float(top.max()) for top in tops
        )
        return max(after)

    @property
    def varies(self) -> bool:
        """Whether the capacity changes over time."""
        return self.capacity is not None and float(np.ptp(self.capacity)) > _STEADY * float(self.capacity.max())


def figure(runs: Sequence[Run]) -> Figure:
    """Draw the stacked rates of flows in front of the capacity, a panel per run and bottleneck."""
    title = "Rates, stacked to the capacity"
    views = frame.views(runs, _links)
    for together in (False, True):
        found = [(view, stack_over(view, MOST_LAYERS, together=together)) for view in views]
        stacks = [stack for _, stack in found if stack is not None]
        flows = _flows(runs, stacks)
        # The panels of several links have one legend.
        if len(flows.keys) <= MOST_LAYERS:
            break
    absent = list(dict.fromkeys(str(view.link) for view, stack in found if stack is None))
    if {stack.view.run.name for stack in stacks} != {run.name for run in runs}:
        return Figure("rates", title, (), absent=frame.NO_SERIES)
    varies = any(stack.varies for stack in stacks)
    other = any(stack.other is not None for stack in stacks)
    missing = list(dict.fromkeys(group for stack in stacks for group in stack.missing))
    width = float(np.diff(stacks[0].edges)[0])
    caption = [
        (
            "Bits that each flow sends, headers and retransmissions included, one flow on top of the other, "
            f"averaged over {frame.every(width)}; transfers that come and go, and connections of "
            "applications, are one layer per group."
            if any("[" not in layer.trace.name for stack in stacks for layer in stack.layers)
            else "Bits that each flow sends, headers and retransmissions included, one flow on top of the other, "
            f"averaged over {frame.every(width)}."
        ),
        "The grey area behind is what the bottleneck could have sent." if varies else "The line is the capacity.",
        "What rises above the capacity waits in the queue or is dropped.",
        "Dots: all that the link sent, with acknowledgements and flows that have another bottleneck." if other else "",
        f"Not recorded over time and missing: {', '.join(missing)}." if missing else "",
        f"Not recorded over time and without a panel: {', '.join(absent)}." if absent else "",
        frame.shown(runs),
    ]
    keys = list(flows.keys)
    # Panels of one link have one axis; another link may have a hundredth of its capacity.
    highest = {
        link: max(stack.highest(measured=True) for stack in stacks if stack.view.link == link)
        for link in dict.fromkeys(stack.view.link for stack in stacks)
    }
    if any(stack.highest(measured=False) > highest[stack.view.link] for stack in stacks):
        caption.insert(-1, frame.LEAVES)
    if any(stack.capacity is not None for stack in stacks):
        keys.append(Key("capacity", "capacity", "ground" if varies else "limit"))
    if other:
        keys.append(Key("link", "all that the link sent", "faint"))
    keys += frame.warm_up(runs)

    def draw(paper: Paper) -> Sequence[Panel]:
        up = [Axis("Rate", BITS_PER_SECOND, 0.0, nice_ceiling(highest[stack.view.link] * 1.02, 10)) for stack in stacks]
        panels = paper.column([stack.view.title for stack in stacks], frame.time_axis(runs), up)
        frame.shade(panels, [stack.view.run for stack in stacks])
        for panel, stack in zip(panels, stacks, strict=True):
            _paint(panel, stack, flows)
        return panels

    return Figure("rates", title, caption, keys, draw)


def _flows(runs: Sequence[Run], stacks: Sequence[Stack]) -> frame.Flows:
    drawn: dict[str, list[Trace]] = {run.name: [] for run in runs}
    for stack in stacks:
        drawn[stack.view.run.name] += [layer.trace for layer in stack.layers]
    return frame.flows(runs, drawn, "fill")


def _paint(panel: Panel, stack: Stack, flows: frame.Flows) -> None:
    if stack.capacity is not None:
        panel.ground("capacity", stack.edges[1:], stack.capacity, filled=stack.varies)
    bottom = np.zeros(len(stack.edges) - 1)
    for layer in stack.layers:
        key, style = flows.of[stack.view.run.name, layer.trace.name]
        panel.layer(key, stack.edges, bottom, bottom + layer.rate, style)
        bottom = bottom + layer.rate
    if stack.other is not None:
        panel.line("link", (stack.edges[:-1] + stack.edges[1:]) / 2, stack.other, frame.PLAIN, kind="faint")


def _links(run: Run) -> Sequence[str]:
    """Return the bottlenecks of the groups, and the busiest link if it is another one and was recorded."""
    busiest = [run.busiest_link] if run.shared_links and run.busiest_link else []
    return list(dict.fromkeys([*run.shared_links, *busiest]))


def stack_over(view: frame.View, most: int, *, together: bool = False) -> Stack | None:
    """Return the rates of all groups over a link in the shown replication, else the rate of the link, else None."""
    run, number = view.run, view.run.shown_replication
    groups = run.sharing(view.link)
    one_by_one = [
        trace
        for trace in run.flow_traces(number)
        if trace.group in groups and trace.first_with_data(*_RATES) is not None
    ]
    shown = {trace.group for trace in one_by_one}
    as_groups = [
        trace for group in groups if group not in shown
        and (trace := run.census(number, group) or run.application(number, group)) is not None
    ]  # fmt: skip
    traces = [trace for group in groups for trace in (*one_by_one, *as_groups) if trace.group == group]
    link = run.link_trace(number, view.link) if view.link else None
    if not traces and (link is None or link.first_with_data("rate_bps") is None):
        return None
    edges = _edges(max([*traces, *([] if traces or link is None else [link])], key=lambda trace: len(trace.time)))
    missing = [group for group in groups if group not in {trace.group for trace in traces}]
    stack = Stack(
        view, edges, _layers(traces, edges, most, together=together), _of(link, "capacity_bps", edges), None, missing
    )
    sent = _of(link, "rate_bps", edges)
    more = sent is not None and float(sent.sum()) > _CLEARLY_MORE * float(stack.total.sum())
    return replace(stack, other=sent if more else None)


def _of(link: Trace | None, column: str, edges: FloatArray) -> FloatArray | None:
    values = link.first_with_data(column) if link else None
    return None if link is None or values is None else np.nan_to_num(means(link.time, values, edges))


def _layers(traces: Sequence[Trace], edges: FloatArray, most: int, *, together: bool) -> list[Layer]:
    """Return a layer per flow, or per group if there are too many flows; the last groups share a layer."""
    if len(traces) <= most and not together:
        return [Layer(trace, _binned([trace], edges)) for trace in traces]
    layers = []
    for group, members in groupby(traces, key=lambda trace: trace.group):
        flows = list(members)
        number = flows[0].name.removeprefix(group)
        name = number if len(flows) == 1 or number in {TRANSFERS, ""} else f" ({len(flows)} flows)"
        layers.append(Layer(replace(flows[0], name=group + name), _binned(flows, edges)))
    if len(layers) <= most:
        return layers
    kept, rest = layers[: most - 1], layers[most - 1 :]
    others = replace(rest[0].trace, name=f"{len(rest)} more groups", group="")
    total: FloatArray = np.sum([each.rate for each in rest], axis=0)
    return [*kept, Layer(others, total)]


def _binned(traces: Sequence[Trace], edges: FloatArray) -> FloatArray:
    total = np.zeros(len(edges) - 1)
    for trace in traces:
        rate = trace.first_with_data(*_RATES)
        if rate is not None:
            total += np.nan_to_num(means(trace.time, rate, edges))
    return total


def _edges(trace: Trace) -> FloatArray:
    """Return edges that hold the same whole number of intervals each, so that no bin is favoured."""
    interval = frame.interval_of(trace)
    samples = round(float(trace.time[-1]) / interval)
    per_bin = max(1, -(-samples // MOST_BINS))
    # Half an interval of slack keeps a sample that is stamped exactly at an edge in the bin it ends.
    edges = np.arange(0, samples + per_bin, per_bin) * interval
    shifted: FloatArray = np.minimum(edges, float(trace.time[-1])) + np.where(edges > 0, interval * 1e-6, 0.0)
    return shifted


# Layers at most: with the capacity, the link and the warm-up they are the entries of the legend.
MOST_LAYERS = 5
MOST_BINS = 240

_RATES = ("throughput_bps", "goodput_bps")
# From this ratio on, the link sent more than the flows that are drawn.
_CLEARLY_MORE = 1.02
# A capacity that moves by less than this part is a constant.
_STEADY = 1e-3
