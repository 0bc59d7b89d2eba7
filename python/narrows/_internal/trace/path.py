# SPDX-License-Identifier: Apache-2.0
"""The path of a flow from its trace: each quantity with its 95 % interval and its basis, or why it is unknown."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from narrows._internal.plural import counted
from narrows._internal.trace.estimate import Estimate, Found, Unknown, share
from narrows._internal.trace.losses import Dropping, dropping
from narrows._internal.trace.queueing import Queueing, Step, queueing
from narrows._internal.trace.record import Floats, Flow, Place
from narrows._internal.trace.service import Served, Size, served


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """A path, as far as a trace shows it.

    Attributes:
        base_s: Two-way delay without a queue and without the time to transmit a packet, before the first step, s.
        steps: Changes of the base delay.
        rate: Rate of the bottleneck and of other load.
        losses: How the bottleneck drops.
        per_acknowledgement: Packets that an acknowledgement covers, on average.
        application_limited: Share of the time in which the program had nothing to send.
        receiver_limited: Share of the time in which the receive window held the sender back.
        spurious: Share of the packets that were sent again although they had arrived.
        queue_s: 95th percentile of the queueing delay, s.
        goodput_bps: Mean rate at which payload was delivered, bits per second.
        size: Size of a full packet.
    """

    base_s: Found
    steps: tuple[Step, ...]
    rate: Served
    losses: Dropping
    per_acknowledgement: Found
    application_limited: Found
    receiver_limited: Found
    spurious: Found
    queue_s: Found
    goodput_bps: Found
    size: Size


def infer(flow: Flow) -> Path:
    """Return the path of a flow."""
    segment = float(flow.segment_bytes or SEGMENT)
    header = flow.header_bytes if np.isfinite(flow.header_bytes) else HEADERS.get(flow.protocol, HEADERS["UDP"])
    size = Size(segment, segment + header)
    queue = queueing(flow) if len(flow.rtt) >= FEW_SAMPLES else None
    rate = served(flow, queue, size)
    if queue is not None and rate.is_alone:
        # Without other load the queue is empty when the flow begins.
        queue = replace(queue, base_low_s=queue.base_s)
    return Path(
        base_s=_base(flow, queue, rate, size),
        steps=queue.steps if queue else (),
        rate=rate,
        losses=dropping(flow, queue, rate, size),
        per_acknowledgement=_per_acknowledgement(flow, size),
        application_limited=_limited(flow, flow.application_limited, "moments without data to send"),
        receiver_limited=_limited(flow, flow.receiver_limited, "moments in which the receive window was full"),
        spurious=_spurious(flow),
        queue_s=_queue(queue),
        goodput_bps=_goodput(flow),
        size=size,
    )


def _base(flow: Flow, queue: Queueing | None, rate: Served, size: Size) -> Found:
    if queue is None:
        opened = flow.handshake_rtt_s
        if np.isfinite(opened):
            return Estimate(opened, opened / 2, opened, "the handshake alone, once")
        return Unknown("the trace has no round-trip times")
    # A packet is transmitted at the bottleneck, and on links of unknown rates in front of it and behind it.
    once = size.full * 8 / rate.rate_bps.value if isinstance(rate.rate_bps, Estimate) else 0.0
    low = max(0.0, queue.base_low_s - LINKS * once - queue.jitter_s)
    what = f"the least of {counted(len(queue.sent_s), 'round-trip time')}, reached in {counted(queue.visits, 'period')}"
    part = " (the part from the place of the capture to the receiver)" if flow.place is Place.BETWEEN else ""
    return Estimate(max(queue.base_s - MODEL_LINKS * once, low), low, queue.base_s, what + part)


def _per_acknowledgement(flow: Flow, size: Size) -> Found:
    grown = np.diff(flow.delivered.values) if len(flow.delivered) else np.empty(0)
    grown = grown[grown > 0] / size.segment
    if flow.place is not Place.SENDER or not len(flow.data) or len(grown) < FEW_SAMPLES:
        return Unknown("the trace does not show each acknowledgement")
    low, high = np.quantile(grown, [0.025, 0.975])
    return Estimate(float(np.mean(grown)), float(low), float(high), counted(len(grown), "acknowledgement"))


def _limited(flow: Flow, intervals: Floats | None, basis: str) -> Found:
    if intervals is None:
        return Unknown("the trace does not show it")
    length = flow.end_s - flow.start_s
    part = min(1.0, float(np.sum(np.diff(intervals, axis=1))) / length) if len(intervals) and length > 0 else 0.0
    return Estimate(part, part, part, basis)


def _spurious(flow: Flow) -> Found:
    if not len(flow.data):
        return Unknown("the trace does not show each packet")
    found, low, high = share(int(np.count_nonzero(flow.lost.spurious)), len(flow.data))
    return Estimate(found, low, high, f"packets sent again although they had arrived, of {len(flow.data)}")


def _queue(queue: Queueing | None) -> Found:
    if queue is None:
        return Unknown("the trace has no round-trip times")
    value = float(np.quantile(queue.delays_s, 0.95))
    return Estimate(value, value, value + queue.unseen_s, counted(len(queue.delays_s), "round-trip time"))


def _goodput(flow: Flow) -> Found:
    length = flow.end_s - flow.start_s
    if length <= 0 or not len(flow.delivered):
        return Unknown("nothing was delivered")
    value = flow.delivered_bytes * 8 / length
    return Estimate(value, value, value, f"{flow.delivered_bytes:.0f} bytes in {length:.3g} s")


SEGMENT = 1448
HEADERS = {"TCP": 52.0, "QUIC": 28.0, "UDP": 28.0}
"""Headers from IP on if the trace does not show them: TCP with timestamps, and UDP."""

FEW_SAMPLES = 20
LINKS, MODEL_LINKS = 3.0, 1.232
"""Links on which a packet is transmitted: at most, and in the scenario that is written, whose access links have ten
times the rate at both ends; an acknowledgement of 40 bytes comes back."""
