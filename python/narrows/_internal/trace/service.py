# SPDX-License-Identifier: Apache-2.0
"""The rate at which the bottleneck served a flow, and the load of others there.

While every packet of a flow waits, the bottleneck is busy, and its deliveries have its rate less the load of others.
Packets of one burst leave the bottleneck at its rate, since little can come between (the packet pair: Keshav,
SIGCOMM 1991). Load whose share depends on the window of the flow responds to it (the condition of Nimbus, Goyal et al.,
SIGCOMM 2022, here without its pulses).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from narrows._internal.plural import counted
from narrows._internal.trace.estimate import Estimate, Found, Unknown, mean, share
from narrows._internal.trace.queueing import SAME_TIME_S, Queueing
from narrows._internal.trace.record import Floats, Flow, Series


@dataclass(frozen=True, slots=True)
class Size:
    """Size of a full packet, bytes."""

    segment: float  # payload
    full: float  # with headers from IP on

    @property
    def wire(self) -> float:
        """Bytes on the wire for each byte of payload."""
        return self.full / self.segment


@dataclass(frozen=True, slots=True)
class Served:
    """The rate of the bottleneck of a flow, as far as it shows it.

    Attributes:
        rate_bps: Rate of the bottleneck, headers from IP on included; without an upper bound if it was not seen busy or
            changes.
        others_bps: Rate of other load.
        responsive: Whether other load responds; None if the trace does not show it.
        rates: Rates over time if the rate changes, bits per second.
    """

    rate_bps: Found
    others_bps: Found
    responsive: bool | None = None
    rates: Series = field(default_factory=Series)

    @property
    def is_alone(self) -> bool:
        """Whether no other load was seen."""
        return isinstance(self.others_bps, Estimate) and self.others_bps.value == 0

    @property
    def is_seen(self) -> bool:
        """Whether the rate is a measurement of a busy bottleneck, and not a lower bound alone."""
        return isinstance(self.rate_bps, Estimate) and (self.rate_bps.bounded or len(self.rates) > 0)


def served(flow: Flow, queue: Queueing | None, size: Size) -> Served:
    """Return the rate of the bottleneck of a flow."""
    times, total = _merged(flow.delivered, size)
    if len(times) < FEW_DELIVERIES:
        return Served(Unknown("too little was delivered"), Unknown("too little was delivered"))
    long = _period(times, total, queue, size)
    if queue is not None and not flow.smoothed:
        found = _busy(flow, queue, (times, total), long, size)
        if len(found.rates_bps) >= FEW_BUSY:
            rate = _while_busy(flow, queue, found, size)
            if rate is not None:
                return rate
    why = "the bottleneck was not seen busy for long enough"
    peak = _peak(times, total, long)
    return Served(Estimate(peak, peak, float("inf"), f"the largest rate that was seen; {why}"), Unknown(why))


@dataclass(frozen=True, slots=True)
class _Busy:
    """Periods in which every packet waited, in the order of time, arrays of shape (n,); and pairs, of shape (m,)."""

    rates_bps: Floats
    lengths_s: Floats
    starts_s: Floats
    windows: Floats  # mean bytes in flight
    pairs_bps: Floats  # rates of deliveries of packets of one burst
    pairs_bytes: Floats

    def mean(self, size: Size) -> tuple[float, float]:
        """Return the mean rate and half the width of its interval."""
        middle, half = mean(self.rates_bps, self.lengths_s)
        # At the ends of the periods up to two packets count more or less.
        return middle, max(half, 2 * size.full * 8 / float(np.sum(self.lengths_s)))


def _while_busy(flow: Flow, queue: Queueing, busy: _Busy, size: Size) -> Served | None:
    """Return the rate by the busy periods; None if their rates differ too much for a mean."""
    middle, half = busy.mean(size)
    if half > middle / 2:
        return None
    rates, lengths = busy.rates_bps, busy.lengths_s
    deviation = float(np.sqrt(np.average((rates - middle) ** 2, weights=lengths))) / middle
    granularity = 2 * size.full * 8 / (middle * float(np.median(lengths)))
    varies = deviation > max(VARYING, 2 * granularity)
    # Packets that overtake each other have gaps of chance.
    pair = _mode(busy.pairs_bps, busy.pairs_bytes) if queue.overtaken < OVERTAKEN else 0.0
    many = len(rates) >= FEW_PERIODS
    if many and pair > middle * (1 + max(DIFFERENT, 2 * half / middle)):
        responsive = _responds(busy)
        if responsive or not varies:
            width = PAIR_WIDTH * pair
            spread = max(half, deviation * middle / np.sqrt(len(rates))) + width
            what = "the rate of the link less the rate that the flow got while it waited"
            rest = pair - middle
            others = Estimate(rest, max(0.0, rest - spread), rest + spread, what)
            link = Estimate(pair, pair - width, pair + width, "deliveries of packets of one burst")
            return Served(link, others, responsive)
    basis = f"deliveries while every packet waited, {float(np.sum(lengths)):.3g} s in {counted(len(rates), 'period')}"
    if many and varies:
        why = "a rate that changes cannot be distinguished from other load whose packets come between"
        low = float(np.quantile(rates, 0.025))
        found = Estimate(middle, low, float("inf"), f"the mean of {basis}; the rate changes")
        return Served(found, Unknown(why), None, Series(busy.starts_s, rates))
    # A packet that is lost behind the bottleneck was served there.
    lost = min(share(len(flow.lost), max(1, len(flow.data)))[2], MOST_LOST) if len(flow.lost) else 0.0
    alone = Estimate(middle, middle - half, (middle + half) / (1 - lost), basis)
    rest = max(0.0, pair * (1 + PAIR_WIDTH) - alone.low) if pair else half
    return Served(alone, Estimate(0.0, 0.0, rest, basis))


def _period(times: Floats, total: Floats, queue: Queueing | None, size: Size) -> float:
    """Return the length of a period over which a rate is taken, s."""
    long = PERIOD_RTTS * queue.base_s if queue else DEFAULT_PERIOD_S
    span = float(times[-1] - times[0])
    usual = float(total[-1] - total[0]) / span if span > 0 else 0.0
    return max(long, PERIOD_PACKETS * size.full / usual) if usual > 0 else long


def _busy(flow: Flow, queue: Queueing, delivered: tuple[Floats, Floats], long: float, size: Size) -> _Busy:
    times, total = delivered
    threshold = max(queue.noise_s, WAITED * size.full * 8 / _peak(times, total, long))
    order = np.argsort(queue.acked_s, kind="stable")
    acked, delays, sent = queue.acked_s[order], queue.delays_s[order], queue.sent_s[order]
    # Of each delivery, the packet that was acknowledged with it or before it.
    at = np.clip(np.searchsorted(acked, times, side="right") - 1, 0, len(acked) - 1)
    waited = delays[at] > threshold
    edges = np.flatnonzero(np.diff(np.r_[0, waited.astype(np.int8), 0]))
    periods: list[tuple[float, float, float, float]] = []
    pairs, sizes = [np.empty(0)], [np.empty(0)]
    for first, last in zip(edges[::2], edges[1::2] - 1, strict=True):
        own = slice(first, last + 1)
        gaps, amounts = np.diff(times[own]), np.diff(total[own])
        burst = np.abs(np.diff(sent[at[own]])) <= BURST * gaps
        pairs.append(amounts[burst] * 8 / gaps[burst])
        sizes.append(amounts[burst])
        start = int(first)
        while start < last:
            end = min(int(np.searchsorted(times, times[start] + long)), int(last))
            length = float(times[end] - times[start])
            passed = float(total[end] - total[start])
            if passed >= LEAST_PACKETS * size.full:
                window = _mean_between(flow.in_flight, float(times[start]), float(times[end]))
                periods.append((passed * 8 / length, length, float(times[start]), window))
            start = max(end, start + 1)
    rates, lengths, starts, windows = np.array(periods).reshape(-1, 4).T
    return _Busy(rates, lengths, starts, windows, np.concatenate(pairs), np.concatenate(sizes))


def _merged(delivered: Series, size: Size) -> tuple[Floats, Floats]:
    """Return the times of deliveries and the bytes with headers until each; deliveries at one time are one."""
    times, total = delivered.times_s, delivered.values * size.wire
    if not len(times):
        return times, total
    last = np.r_[np.diff(times) > SAME_TIME_S, True]
    times, total = times[last], total[last]
    grown = np.r_[True, np.diff(total) > 0]
    return times[grown], total[grown]


def _peak(times: Floats, total: Floats, long: float) -> float:
    """Return the largest rate over `long` seconds, or over all if the flow is shorter, bits per second."""
    ends = np.searchsorted(times, times + long)
    starts = np.flatnonzero(ends < len(times))
    if not len(starts):
        return float(total[-1] - total[0]) * 8 / float(times[-1] - times[0])
    ends = ends[starts]
    return float(((total[ends] - total[starts]) * 8 / (times[ends] - times[starts])).max())


def _mean_between(series: Series, start: float, end: float) -> float:
    first, last = np.searchsorted(series.times_s, [start, end])
    return float(series.values[first:last].mean()) if last > first else float("nan")


def _mode(rates: Floats, sizes: Floats) -> float:
    """Return the most frequent rate; 0 if less than `CONCENTRATED` of the bytes are within `PAIR_WIDTH` of it."""
    known = np.isfinite(rates) & (rates > 0)
    if np.count_nonzero(known) < FEW_PAIRS:
        return 0.0
    logs, weights = np.log(rates[known]), sizes[known]
    order = np.argsort(logs)
    logs, weights = logs[order], weights[order]
    sums = np.r_[0.0, np.cumsum(weights)]
    last = np.searchsorted(logs, logs + 2 * PAIR_WIDTH, side="right")
    within = (sums[last] - sums[:-1]) / sums[-1]
    best = int(np.argmax(within))
    if within[best] < CONCENTRATED:
        return 0.0
    part = slice(best, last[best])
    return float(np.exp(np.average(logs[part], weights=weights[part])))


def _responds(busy: _Busy) -> bool | None:
    """Return whether the share of the flow depends on its window: the slope of one over the other, in logarithms."""
    known = np.isfinite(busy.windows) & (busy.windows > 0)
    if np.count_nonzero(known) < FEW_PERIODS:
        return None
    x, y = np.log(busy.windows[known]), np.log(busy.rates_bps[known])
    spread = float(np.std(x))
    if spread < LEAST_SPREAD:
        return None
    slope, level = np.polyfit(x, y, 1)
    residual = float(np.std(y - slope * x - level))
    error = 1.96 * residual / (spread * np.sqrt(len(x) / NEIGHBOURS_ALIKE))
    if slope - error > RESPONSE:
        return True
    return False if slope + error < RESPONSE else None


FEW_DELIVERIES, FEW_PAIRS, FEW_PERIODS, FEW_BUSY = 20, 20, 10, 3
PERIOD_RTTS, PERIOD_PACKETS, LEAST_PACKETS, DEFAULT_PERIOD_S = 4, 50, 30, 0.5
"""Length of a period: in round trips, and in packets at the mean rate; the packets that a shorter one must have."""

WAITED = 2
"""Packets at the largest rate that a packet must have waited for."""

BURST, OVERTAKEN = 0.25, 0.01
"""Time between two packets of a burst as a part of the time between their deliveries; share of packets that overtake
others from which gaps say nothing."""

DIFFERENT, PAIR_WIDTH, CONCENTRATED, VARYING = 0.04, 0.02, 0.3, 0.05
RESPONSE, LEAST_SPREAD, NEIGHBOURS_ALIKE = 0.15, 0.05, 2
MOST_LOST = 0.5
