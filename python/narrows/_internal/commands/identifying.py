# SPDX-License-Identifier: Apache-2.0
"""The job of `narrows identify`: it simulates every candidate over the path that a flow shows, and compares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from narrows._internal import core
from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import PACKETS, SECONDS, nice_ceiling
from narrows._internal.drawing.style import styles_of
from narrows._internal.errors import InputError
from narrows._internal.frozen import frozen
from narrows._internal.page.picture import picture_of, standalone
from narrows._internal.run.execution import execute
from narrows._internal.run.scenario import Scenario
from narrows._internal.trace.features import observed
from narrows._internal.trace.identify import CANDIDATES, Answer, Candidate, identify, lacking, learned
from narrows._internal.trace.read import read
from narrows._internal.trace.record import Floats, Flow, Lost, Place, Series
from narrows._internal.trace.seen import HEADER, SEGMENT, SeenPath

# The runs of a candidate differ by seed, and a little in rate and buffer, as far as a path is known.
RUNS = ((11, 1.0, 1.0), (12, 0.99, 1.06))
# A flow is sampled eight times in a round trip.
SAMPLES, SHORTEST_S, LONGEST_S = 8, 0.001, 0.02
# Of a longer flow the first part is compared, so that the simulations end in seconds.
MOST_PACKETS, MOST_S = 250_000, 120.0
AT_ONCE = 8
OF_STACKS = "it is not of TCP, and the controllers of QUIC stacks are not among the candidates"


@frozen
class Identified:
    """The answer for a flow."""

    flow: Flow  # the part of the flow that is compared
    answer: Answer
    nearest: Flow | None = None  # the simulated flow that is nearest; None if the flow shows too little

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        answer, path = self.answer, self.answer.path
        return {
            "flow": self.flow.name,
            "answer": answer.sentence,
            "algorithms": [*answer.algorithms],
            "nearest": None if answer.nearest is None else answer.nearest.name,
            "distances": dict(answer.distances),
            "limits": dict(answer.limits),
            "lacks": answer.lacks or None,
            "path": None if path is None else asdict(path),
        }


def of_file(file: Path, number: int = 0, jobs: int | None = None) -> Identified:
    """Identify a flow of a trace.

    Args:
        file: A trace of any format that is read.
        number: Number of the flow, the one with most payload being 0.
        jobs: Simulations at a time; None is the number of processors.

    Raises:
        InputError: The file is no trace that can be read, or has no such flow.
    """
    trace = read(file)
    if not 0 <= number < len(trace.flows):
        has = f"flows from 0 to {len(trace.flows) - 1}" if trace.flows else "no flow"
        raise InputError(f"flow {number}", f"{file} has {has}")
    return identified(trace.flows[number], jobs)


def identified(flow: Flow, jobs: int | None = None) -> Identified:
    """Identify a flow."""
    if flow.protocol != "TCP":
        return Identified(flow, Answer(lacks=OF_STACKS))
    path, lacks = lacking(flow)
    if lacks or path is None:
        return Identified(flow, Answer(path=path, lacks=lacks))
    lasting = min(MOST_S, MOST_PACKETS * (SEGMENT + HEADER) * 8 / path.rate_bps)
    part = beginning(flow, lasting)
    simulated = simulate(path, part.end_s - part.start_s, jobs)
    answer = identify(part, path, simulated, learned())
    return Identified(part, answer, None if answer.nearest is None else simulated[answer.nearest][0])


def write_picture(found: Identified, file: Path) -> None:
    """Draw the bytes in flight of a flow above the simulated flow that is nearest, as SVG.

    Raises:
        InputError: The flow has nothing to draw.
    """
    if not len(observed(found.flow)):
        raise InputError(str(file), "cannot be drawn: the trace has neither bytes in flight nor a window of the flow")
    file.write_text(standalone(picture_of(_figure(found))), encoding="utf-8")


def _figure(found: Identified) -> Figure:
    answer = found.answer
    own, segment = observed(found.flow), found.flow.segment_bytes or SEGMENT
    lines = {"trace": Series(own.times_s - found.flow.start_s, own.values / segment)}
    if found.nearest is not None and answer.nearest is not None:
        near = observed(found.nearest)
        lines[f"{answer.nearest.name}, simulated"] = Series(near.times_s, near.values / SEGMENT)
    styles = styles_of([*lines])
    end = max(float(each.times_s[-1]) for each in lines.values())
    top = nice_ceiling(1.05 * max(float(np.quantile(each.values, 0.999)) for each in lines.values()))

    def draw(paper: Paper) -> Sequence[Panel]:
        panels = paper.column([*lines], Axis("Time", SECONDS, 0.0, end), Axis("In flight", PACKETS, 0.0, top))
        for panel, (name, each) in zip(panels, lines.items(), strict=True):
            panel.line(styles[name].css_class, each.times_s, each.values, styles[name])
        return panels

    keys = [Key(styles[name].css_class, name, "line", styles[name]) for name in lines]
    what = "Packets in flight in the trace, and of the nearest simulated flow over the path that the trace shows."
    return Figure("identify", f"Congestion control of {found.flow.name}", [what, answer.sentence], keys, draw)


def simulate(
    path: SeenPath, duration_s: float, jobs: int | None = None, candidates: Sequence[Candidate] = CANDIDATES
) -> dict[Candidate, list[Flow]]:
    """Return the flows of candidates over a path."""
    runs = [(each, *run) for each in candidates for run in RUNS]
    found: dict[Candidate, list[Flow]] = {each: [] for each in candidates}
    # The records of a run are larger than its flow.
    for first in range(0, len(runs), AT_ONCE):
        part = runs[first : first + AT_ONCE]
        scenarios = [
            Scenario(scenario(each, path, duration_s, seed=seed, rate=rate, buffer=buffer)).resolve(None, 1)
            for each, seed, rate, buffer in part
        ]
        for (each, *_), one in zip(part, execute([(each, 0) for each in scenarios], jobs, None), strict=True):
            if one is not None:
                found[each].append(recorded(one))
    return found


def scenario(  # noqa: PLR0913  # the parts of a scenario
    candidate: Candidate,
    path: SeenPath,
    duration_s: float,
    *,
    seed: int,
    rate: float = 1.0,
    buffer: float = 1.0,
) -> dict[str, Any]:
    """Return the scenario of one flow of a candidate over a path whose rate and buffer are multiplied by factors."""
    limit = max(2, round(path.buffer_packets * buffer))
    given: dict[str, Any] = {
        "rate": f"{path.rate_bps * rate:.0f}bps",
        "rtt": f"{path.rtt_s * 1e6:.0f}us",
        "queue": {"kind": "droptail", "limit": f"{limit}pkt"},
    }
    if path.loss:
        given["loss"] = {"kind": "bernoulli", "rate": path.loss}
    interval = min(max(path.rtt_s / SAMPLES, SHORTEST_S), LONGEST_S)
    return {
        "duration": f"{duration_s * 1e3:.0f}ms",
        "seed": seed,
        "path": given,
        "flows": [{"name": "flow", "algorithm": candidate.name}],
        "record": {"interval": f"{interval * 1e3:.0f}ms", "events": False},
        "transport": {
            name: value for name, value in (("preset", candidate.preset), ("ack_counting", candidate.counting)) if value
        },
    }


def recorded(records: core.Records) -> Flow:
    """Return the first flow of a run from its series, as a capture at the sender would show it."""
    columns = records.tables["series"]
    kinds, names = columns["kind"]
    rows = kinds == (names or []).index("flow")

    def column(name: str) -> Floats:
        found: Floats = np.asarray(columns[name][0], dtype=float)[rows]
        return found

    times = column("time_s")
    rtts = column("rtt_s")
    known = np.isfinite(rtts)
    lost = np.repeat(times, np.nan_to_num(column("retransmissions")).astype(int))
    bytes_ = np.nan_to_num(column("goodput_bps")) * np.diff(times, prepend=0.0) / 8
    return Flow(
        name="flow",
        protocol="TCP",
        place=Place.SENDER,
        start_s=0.0,
        end_s=float(times[-1]),
        segment_bytes=SEGMENT,
        delivered=Series(times, np.cumsum(bytes_)),
        rtt=Series(times[known], rtts[known]),
        in_flight=Series(times, np.nan_to_num(column("in_flight_packets")) * SEGMENT),
        lost=Lost(lost, np.full(len(lost), np.nan), np.zeros(len(lost), dtype=np.bool_)),
    )


def beginning(flow: Flow, lasting_s: float) -> Flow:
    """Return the first part of a flow; the whole of one that is not longer."""
    end = flow.start_s + lasting_s
    if flow.end_s <= end:
        return flow

    def cut(series: Series) -> Series:
        count = int(np.searchsorted(series.times_s, end))
        return Series(series.times_s[:count], series.values[:count])

    count = int(np.searchsorted(flow.lost.times_s, end))
    lost = Lost(flow.lost.times_s[:count], flow.lost.sent_s[:count], flow.lost.spurious[:count])
    return replace(
        flow,
        end_s=end,
        delivered=cut(flow.delivered),
        rtt=cut(flow.rtt),
        in_flight=cut(flow.in_flight),
        window=cut(flow.window),
        lost=lost,
    )
