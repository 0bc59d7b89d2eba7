# SPDX-License-Identifier: Apache-2.0
"""The queueing delay that each packet of a flow had, from its round-trip times.

The base delay is the least round-trip time. It changes by a rerouting if round-trip times of neighbouring packets jump
by more than a queue can fill or drain between them, and stay there.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from narrows._internal.trace.estimate import endpoint
from narrows._internal.trace.record import Floats, Flow


@dataclass(frozen=True, slots=True)
class Step:
    """A change of the base delay.

    Attributes:
        time_s: Time at which packets were sent that had the new delay first.
        by_s: The change, s.
        noise_s: Half the width of the interval of the change, s.
    """

    time_s: float
    by_s: float
    noise_s: float


@dataclass(frozen=True, slots=True)
class Queueing:
    """Queueing delays of packets in the order in which they were sent, arrays of shape (n,).

    Attributes:
        sent_s: Times at which the packets were sent.
        acked_s: Times at which their acknowledgements arrived.
        delays_s: Round-trip times less the base delay, s.
        base_s: The least round-trip time before the first step, s.
        base_low_s: Lower bound of the base delay, from the spread of the least values of independent periods.
        visits: Number of independent periods in which the delay was within `noise_s` of the base delay.
        steps: Changes of the base delay, in the order of time.
        jitter_s: Median change of the delay from one packet to the next, s.
        noise_s: Delay that is too small to show a queue, s.
    """

    sent_s: Floats
    acked_s: Floats
    delays_s: Floats
    base_s: float
    base_low_s: float
    visits: int
    jitter_s: float
    steps: tuple[Step, ...]
    noise_s: float

    @property
    def overtaken(self) -> float:
        """Share of packets that were acknowledged before one that was sent earlier."""
        return float(np.mean(np.diff(self.acked_s) < 0)) if len(self.acked_s) > 1 else 0.0

    @property
    def unseen_s(self) -> float:
        """Queueing delay that may lie below the least round-trip time, s."""
        return self.base_s - self.base_low_s

    def before(self, times_s: Floats) -> tuple[Floats, Floats]:
        """Return the delay of the last packet sent before each time that arrived, and the time since it was sent.

        NaN if no packet was sent before.
        """
        places = np.searchsorted(self.sent_s, times_s - SAME_TIME_S, side="left") - 1
        known = places >= 0
        delays = np.where(known, self.delays_s[np.maximum(places, 0)], np.nan)
        return delays, np.where(known, times_s - self.sent_s[np.maximum(places, 0)], np.nan)


def queueing(flow: Flow) -> Queueing:
    """Return the queueing delays of a flow with at least two round-trip times."""
    acked, found = flow.rtt.times_s, flow.rtt.values
    # Of packets that one acknowledgement covers, the last that was sent waited least for it.
    order = np.lexsort((-found, acked))
    last = np.r_[np.diff(acked[order]) > 0, True]
    acked, found = acked[order][last], found[order][last]
    sent = acked - found
    order = np.argsort(sent, kind="stable")
    sent, acked, found = sent[order], acked[order], found[order]
    steps = () if flow.smoothed else tuple(_steps(sent, found))
    shift = np.zeros(len(sent))
    for step in steps:
        shift[sent >= step.time_s] += step.by_s
    least = np.inf if np.isnan(flow.least_rtt_s) else flow.least_rtt_s
    level = found - shift
    base = min(float(level.min()), least)
    noise = max(LEAST_NOISE_S, RELATIVE_NOISE * base)
    minima = _minima(sent, level, max(PERIOD_RTTS * base, (sent[-1] - sent[0]) / MOST_PERIODS))
    _, low = endpoint(minima)
    return Queueing(
        sent,
        acked,
        np.maximum(level - base, 0.0),
        base,
        min(low, base),
        int(np.count_nonzero(minima <= base + noise)),
        float(np.median(np.abs(np.diff(level)))),
        steps,
        noise,
    )


def _minima(times: Floats, values: Floats, period: float) -> Floats:
    """Return the least value of each period that has one."""
    if period <= 0:
        return values[:1]
    place = ((times - times[0]) / period).astype(np.int64)
    starts = np.flatnonzero(np.r_[True, place[1:] != place[:-1]])
    return np.minimum.reduceat(values, starts)


def _steps(sent: Floats, found: Floats) -> list[Step]:
    """Return the jumps of the round-trip time that stay."""
    if len(sent) < 4 * NEIGHBOURS:
        return []
    # Medians of the neighbours before and behind each place.
    windows = np.lib.stride_tricks.sliding_window_view(found, NEIGHBOURS)
    medians = np.median(windows, axis=1)
    jump = medians[NEIGHBOURS:] - medians[:-NEIGHBOURS]
    places = np.arange(NEIGHBOURS, NEIGHBOURS + len(jump))
    gaps = np.diff(sent)
    usual = float(np.median(gaps[gaps > 0])) if np.any(gaps > 0) else 0.0
    least = max(LEAST_STEP_S, RELATIVE_STEP * float(found.min()), MOST_FILLED * usual)
    candidates = np.flatnonzero(np.abs(jump) > least)
    places = places[candidates]
    jumps = jump[candidates]
    # Of neighbouring candidates the largest jump is the place.
    kept: list[tuple[int, float]] = []
    long = SETTLED_RTTS * found
    for at in np.argsort(-np.abs(jumps))[:MOST_CANDIDATES]:
        # Medians change before and behind the jump too.
        near = found[places[at] - NEIGHBOURS : places[at] + NEIGHBOURS]
        here = int(places[at] - NEIGHBOURS + 1 + np.argmax(np.diff(near) * np.sign(jumps[at])))
        # From one packet to the next a queue neither fills nor drains so far.
        is_sudden = sent[here] - sent[here - 1] < abs(jumps[at]) * SUDDEN
        is_apart = all(abs(sent[here] - sent[other]) > long[here] for other, _ in kept)
        if is_sudden and is_apart and len(kept) < MOST_STEPS:
            kept.append((here, float(jumps[at])))
    kept.sort()
    # A queue cannot drain faster than time passes, so that a fall is a change of the path unless a rise came before it.
    highest = {at: 2 * _rise(sent, jump, at, float(long[at])) for at, _ in kept}
    while kept:
        bounds = [0, *(at for at, _ in kept), len(sent)]
        floors = [float(np.min(found[first:last])) for first, last in pairwise(bounds)]
        ends = [*sent[np.array(bounds[:-1])], sent[-1]]
        held = [
            min(ends[place + 1] - ends[place], ends[place + 2] - ends[place + 1]) > max(SETTLED_S, long[at])
            and ((floors[place + 1] - floors[place]) / by > STAYED or by < -highest[at])
            for place, (at, by) in enumerate(kept)
        ]
        if all(held):
            break
        del kept[min((each for each in range(len(kept)) if not held[each]), key=lambda each: abs(kept[each][1]))]
    return [Step(float(sent[at]), by, _spread(found, at)) for at, by in kept if sent[at] > 0]


def _rise(sent: Floats, jump: Floats, at: int, long: float) -> float:
    """Return the largest rise within `long` seconds before a place."""
    first = int(np.searchsorted(sent, sent[at] - long))
    before = jump[max(first - NEIGHBOURS, 0) : max(at - 2 * NEIGHBOURS, 0)]
    return float(np.max(before, initial=0.0))


def _spread(found: Floats, at: int) -> float:
    """Return the range of the neighbours on both sides of a place about their medians."""
    sides = (found[at - NEIGHBOURS : at], found[at : at + NEIGHBOURS])
    return max(float(np.ptp(side)) for side in sides)


SAME_TIME_S = 1e-6
NEIGHBOURS, MOST_FILLED, SUDDEN = 3, 8, 0.25
LEAST_NOISE_S, RELATIVE_NOISE = 0.0005, 0.03
LEAST_STEP_S, RELATIVE_STEP = 0.003, 0.1
SETTLED_S, SETTLED_RTTS, STAYED = 2.0, 20, 0.7
MOST_STEPS, MOST_CANDIDATES = 50, 1000
PERIOD_RTTS, MOST_PERIODS = 8, 400
"""Periods that are independent in the search for the base delay: in round trips, and how many at most."""
