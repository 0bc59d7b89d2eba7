"""The flows' rates, stacked to the capacity of the bottleneck."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from narrows.report.drawing.decimate import means
from narrows.report.drawing.figure import Figure, Key, without_repeats
from narrows.report.drawing.plot import Axis
from narrows.report.drawing.scale import BITS_PER_SECOND, nice_ceiling
from narrows.report.drawing.style import style_of
from narrows.report.run.figures import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.report.drawing.decimate import FloatArray
    from narrows.report.drawing.figure import Paper
    from narrows.report.drawing.plot import Panel
    from narrows.report.drawing.style import Style
    from narrows.report.run.data import Run, Trace


@dataclass(frozen=True)
class _Layer:
    group: str
    number: str
    style: Style
    rate: FloatArray


@dataclass(frozen=True)
class _Stack:
    """The layers of one run over common bins, bottom first; capacity is None where it was not recorded."""

    edges: FloatArray
    layers: Sequence[_Layer]
    capacity: FloatArray | None

    def highest(self, run: Run | None = None) -> float:
        """Return the greatest rate or capacity, after the warm-up of `run` where one is given."""
        tops = [np.sum([layer.rate for layer in self.layers], axis=0)]
        tops += [self.capacity] if self.capacity is not None else []
        return max(frame.after_warmup(run, self.edges[1:], top) if run else float(top.max()) for top in tops)

    @property
    def varies(self) -> bool:
        return self.capacity is not None and float(np.ptp(self.capacity)) > _STEADY * float(self.capacity.max())


def figure(runs: Sequence[Run]) -> Figure:
    """Draw the stacked rates of flows in front of the capacity of the bottleneck, a panel per run."""
    title = "Rates, stacked to the capacity"
    stacks = [stack for run in runs if (stack := _stack(runs, run)) is not None]
    if len(stacks) < len(runs):
        return Figure("rates", title, (), absent=frame.NO_SERIES)
    varies = any(stack.varies for stack in stacks)
    width = float(np.diff(stacks[0].edges)[0])
    caption = [
        (
            "Bits that each flow sends, headers and retransmissions included, one flow on top of the other, "
            f"averaged over {frame.every(width)}."
        ),
        "The grey area behind is what the bottleneck could have sent." if varies else "The line is the capacity.",
        "What rises above the capacity waits in the queue or is dropped.",
        frame.shown(runs),
    ]
    keys = without_repeats(
        Key(*frame.flow_key(runs, run, layer.group, layer.number), "fill", layer.style)
        for run, stack in zip(runs, stacks, strict=True)
        for layer in stack.layers
    )
    highest = max(stack.highest(run) for run, stack in zip(runs, stacks, strict=True))
    if any(stack.highest() > highest for stack in stacks):
        caption.insert(-1, frame.LEAVES)
    if any(stack.capacity is not None for stack in stacks):
        keys.append(Key("capacity", "capacity", "ground" if varies else "limit"))

    def draw(paper: Paper) -> Sequence[Panel]:
        up = Axis("Rate", BITS_PER_SECOND, 0.0, nice_ceiling(highest * 1.02, 10))
        panels = paper.column([run.name for run in runs], frame.time_axis(runs), up)
        for panel, run, stack in zip(panels, runs, stacks, strict=True):
            panel.shade(run.warmup_s, "")
            _paint(panel, runs, run, stack)
        return panels

    return Figure("rates", title, caption, keys, draw)


def _paint(panel: Panel, runs: Sequence[Run], run: Run, stack: _Stack) -> None:
    if stack.capacity is not None:
        panel.ground("capacity", stack.edges[1:], stack.capacity, filled=stack.varies)
    bottom = np.zeros(len(stack.edges) - 1)
    for layer in stack.layers:
        panel.layer(
            frame.flow_key(runs, run, layer.group, layer.number)[0],
            stack.edges,
            bottom,
            bottom + layer.rate,
            layer.style,
        )
        bottom = bottom + layer.rate


def _stack(runs: Sequence[Run], run: Run) -> _Stack | None:
    traces = [
        trace
        for trace in run.flow_traces(run.shown_replication)
        if trace.group in run.sharing and trace.first_with_data(*_RATES) is not None
    ]
    if not traces:
        return None
    edges = _edges(max(traces, key=lambda trace: len(trace.time)))
    link = run.link_trace(run.shown_replication, run.bottleneck) if run.bottleneck else None
    capacity = link.first_with_data("capacity_bps") if link else None
    binned = None if link is None or capacity is None else np.nan_to_num(means(link.time, capacity, edges))
    return _Stack(edges, _layers(runs, run, traces, edges), binned)


def _layers(runs: Sequence[Run], run: Run, traces: Sequence[Trace], edges: FloatArray) -> list[_Layer]:
    if len(traces) <= MOST_FLOWS:
        styles = frame.flow_styles(runs, run, traces)
        return [
            _Layer(trace.group, trace.name.removeprefix(trace.group), style, _binned([trace], edges))
            for trace, style in zip(traces, styles, strict=True)
        ]
    layers = []
    for index, (group, members) in enumerate(groupby(traces, key=lambda trace: trace.group)):
        flows = list(members)
        style = style_of(run.algorithms.get(group, group)).variant(index)
        layers.append(_Layer(group, f" ({len(flows)} flows)", style, _binned(flows, edges)))
    return layers


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


MOST_FLOWS = 12
MOST_BINS = 240

_RATES = ("throughput_bps", "goodput_bps")
# A capacity that moves by less than this part is a constant.
_STEADY = 1e-3
