# SPDX-License-Identifier: Apache-2.0
"""The kind of bottleneck, from the losses of a flow: its buffer, random loss, a policer, or a queue management.

The delay that the last packet before a loss had is compared with the delays of all packets. Losses at the largest
delays alone are of a full buffer; losses at delays as all packets had are random; others are of a queue management,
whose buffer a trace does not show.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from narrows._internal.plural import counted
from narrows._internal.trace.estimate import Estimate, Found, Unknown, same_distribution, share
from narrows._internal.trace.policer import policer
from narrows._internal.trace.queueing import Queueing
from narrows._internal.trace.record import Floats, Flow
from narrows._internal.trace.service import Served, Size


class Discipline(Enum):
    """How the bottleneck drops."""

    DROPTAIL = "droptail"
    MANAGED = "managed"
    POLICED = "policed"
    UNKNOWN = "unknown"


def _no_policer() -> Found:
    return Unknown("no losses of the kind that a policer makes")


@dataclass(frozen=True, slots=True)
class Dropping:
    """How the bottleneck drops.

    Attributes:
        discipline: Its kind.
        buffer_bytes: Size of the buffer.
        random_loss: Probability with which a packet is lost whatever the queue.
        policed_bps: Rate of a policer, headers from IP on included.
        burst_bytes: Depth of its bucket.
    """

    discipline: Discipline
    buffer_bytes: Found
    random_loss: Found
    policed_bps: Found = field(default_factory=_no_policer)
    burst_bytes: Found = field(default_factory=_no_policer)


def dropping(flow: Flow, queue: Queueing | None, rate: Served, size: Size) -> Dropping:
    """Return how the bottleneck of a flow drops."""
    if queue is None or flow.smoothed:
        return _nothing("the trace has no round-trip time of each packet")
    queue = _in_bytes_of_mean_rate(queue, rate)
    genuine = ~flow.lost.spurious
    lost = np.sort(flow.lost.sent_s[genuine & np.isfinite(flow.lost.sent_s)])
    if not len(lost):
        if np.any(genuine):
            return _nothing("the trace does not show when lost packets were sent")
        packets = len(flow.data) or len(queue.sent_s)
        none = Estimate(0.0, 0.0, share(0, packets)[2], f"none of {counted(packets, 'packet')} was lost")
        return Dropping(Discipline.UNKNOWN, _at_least(queue, rate, size, "no packet was lost"), none)
    found = policer(flow, queue, lost, size)
    if found is not None:
        what = Unknown("a policer drops before a queue is seen")
        return Dropping(Discipline.POLICED, what, what, found.rate_bps, found.burst_bytes)
    # The first loss of each episode: the later ones are of the same state of the queue.
    apart = queue.base_s + float(np.median(queue.delays_s))
    first = _episodes(lost, apart)
    delays, since = queue.before(first)
    longest = queue.base_s + float(np.quantile(queue.delays_s, ALMOST_ALL))
    delays = delays[np.isfinite(delays) & (since < NEAR_RTTS * longest)]
    if not len(delays):
        return _nothing("no packet that arrived was sent shortly before a loss")
    # Each packet is a trial, whose delay is found as the delay of a lost one is. Packets sent within an
    # episode are not: their losses would not count.
    sent = flow.data.times_s if len(flow.data) else queue.sent_s
    exposed, _ = queue.before(sent)
    place = np.searchsorted(first, sent, side="right") - 1
    within = (place >= 0) & (sent - first[np.maximum(place, 0)] <= apart)
    return _by_delays(queue, delays, exposed[~within & np.isfinite(exposed)], rate, size)


def _nothing(why: str) -> Dropping:
    return Dropping(Discipline.UNKNOWN, Unknown(why), Unknown(why))


def _in_bytes_of_mean_rate(queue: Queueing, rate: Served) -> Queueing:
    """Return delays in proportion to the backlog, as they would be at the mean of a rate that changes."""
    if not len(rate.rates) or not isinstance(rate.rate_bps, Estimate):
        return queue
    factor = np.interp(queue.sent_s, rate.rates.times_s, rate.rates.values) / rate.rate_bps.value
    return replace(queue, delays_s=queue.delays_s * factor)


def _episodes(lost: Floats, apart: float) -> Floats:
    """Return the first loss of each episode, which ends `apart` seconds behind its first."""
    first = [float(lost[0])]
    for each in lost[1:]:
        if each - first[-1] > apart:
            first.append(float(each))
    return np.array(first)


def _by_delays(queue: Queueing, delays: Floats, exposed: Floats, rate: Served, size: Size) -> Dropping:
    """Compare the delays before losses with the delays of all packets."""
    found = rate.rate_bps
    once = size.full * 8 / found.value if isinstance(found, Estimate) else queue.noise_s
    # At the moments at which a rate changes, the backlog is known least.
    largest = float(np.quantile(queue.delays_s, ALMOST_ALL if len(rate.rates) else 1.0))
    if largest <= NO_QUEUE * once:
        return _nothing(f"the queue was never longer than {NO_QUEUE} packets")
    # Behind which delay a queue counts as full: near the largest that a packet that arrived had.
    threshold = largest - max((1 - FULL) * largest, FULL_PACKETS * once, queue.noise_s)
    at_full, below = delays[delays >= threshold], delays[delays < threshold]
    exposed_below = exposed[exposed < threshold]
    chance, low, high = share(len(below), max(len(below), len(exposed_below)))
    of = f"{counted(len(delays), 'episode')} of losses"
    if not len(below):
        none = Estimate(0.0, 0.0, high, f"{of}, each at the longest queue that was seen")
        return Dropping(Discipline.DROPTAIL, _buffer(queue, at_full, rate, size), none)
    alike = same_distribution(below, exposed_below)
    if alike < ALIKE:
        why = f"{of}, at larger delays than most packets had, and below the largest (P = {alike:.2g} for chance)"
        return Dropping(
            Discipline.MANAGED,
            Unknown(f"{why}: a queue management drops so before its buffer is full"),
            Unknown(why),
        )
    what = f"{counted(len(below), 'episode')} of losses at delays as other packets had (P = {alike:.2g})"
    random = Estimate(chance, low, high, what)
    trials = max(len(at_full), int(np.count_nonzero(exposed >= threshold)))
    if len(at_full) and share(len(at_full), trials)[1] > high:
        return Dropping(Discipline.DROPTAIL, _buffer(queue, at_full, rate, size), random)
    least = _at_least(queue, rate, size, "losses came at every delay alike")
    return Dropping(Discipline.UNKNOWN, least, random)


def _at_least(queue: Queueing, rate: Served, size: Size, why: str) -> Found:
    """Return a lower bound of the buffer: the longest queue that was seen."""
    found = rate.rate_bps
    if not isinstance(found, Estimate) or not found.bounded:
        return Unknown(why)
    least = float(np.quantile(queue.delays_s, ALMOST_ALL)) * found.value / 8
    return Estimate(least, max(0.0, least - size.full), float("inf"), f"the longest queue that was seen; {why}")


def _buffer(queue: Queueing, delays: Floats, rate: Served, size: Size) -> Found:
    """Return the size of a buffer that was full at these delays."""
    found = rate.rate_bps
    if not rate.is_seen or not isinstance(found, Estimate):
        return Unknown("the rate of the bottleneck is unknown")
    # The last packet that was accepted waited for all that is in the buffer but itself, and for a transmission.
    middle = float(np.quantile(delays, 0.75)) * found.value / 8 + size.full / 2
    low = max(size.full, float(np.quantile(delays, 0.5)) * found.low / 8 - size.full)
    # Other load may never have let the queue run empty.
    high = (float(queue.delays_s.max()) + queue.unseen_s) * found.high / 8 + 2 * size.full
    what = f"the delays of the packets before {counted(len(delays), 'episode')} of losses"
    return Estimate(min(max(middle, low), high), low, high, what)


ALMOST_ALL = 0.999
FULL, FULL_PACKETS, NO_QUEUE = 0.85, 2.5, 3
NEAR_RTTS = 0.5
ALIKE = 0.01
