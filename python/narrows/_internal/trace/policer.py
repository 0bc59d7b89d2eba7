# SPDX-License-Identifier: Apache-2.0
"""The policer that explains losses without a queue: a token bucket (RFC 2697) that is empty when packets are lost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from narrows._internal.plural import counted
from narrows._internal.trace.estimate import Estimate, share
from narrows._internal.trace.queueing import SAME_TIME_S, Queueing
from narrows._internal.trace.record import Floats, Flow
from narrows._internal.trace.service import Size

Ints = NDArray[np.int64]


class Policer(NamedTuple):
    """A policer: rate with headers from IP on, bits per second, and depth of its bucket, bytes."""

    rate_bps: Estimate
    burst_bytes: Estimate


def policer(flow: Flow, queue: Queueing, lost: Floats, size: Size) -> Policer | None:
    """Return the policer that explains the losses of packets sent at the times in `lost`; None if none does."""
    delays, _ = queue.before(lost)
    if len(lost) < FEW_LOSSES or np.isnan(delays).all() or not len(flow.data):
        return None
    if float(np.nanmedian(delays)) > max(queue.noise_s, NO_QUEUE * queue.base_s):
        return None
    # Packets come to the policer behind the queue in front of it.
    sent = np.maximum.accumulate(flow.data.times_s + np.nan_to_num(queue.before(flow.data.times_s)[0]))
    at = np.sort(np.searchsorted(sent, lost + np.nan_to_num(delays) - SAME_TIME_S, side="left"))
    # Of packets that were sent at one time, as many are lost as there are losses.
    at = at + np.arange(len(at)) - np.searchsorted(at, at, side="left")
    at = at[at < len(sent)]
    passed = np.ones(len(sent), dtype=np.bool_)
    passed[at] = False
    amounts = np.where(passed, flow.data.payload * size.wire, 0.0)
    between, spans = _between_losses(sent, amounts, at, size)
    if len(spans) < FEW_PAIRS:
        return None
    least = LEAST_BURST * size.full
    rate = _rate(sent, amounts, at, between / spans, least)
    near_rate = np.abs(between / spans - rate) <= WIDTH * rate
    burst, level = _bucket(sent, amounts, at, rate)
    if not np.any(near_rate) or burst < least:
        return None
    is_empty = level < max(NEARLY_EMPTY * size.full, NEARLY_EMPTY_PART * burst)
    empty, surely, _ = share(int(np.count_nonzero(is_empty[at])), len(at))
    # At a random loss the bucket would be as full as it is for any packet.
    if empty < ENOUGH or surely - float(np.mean(is_empty[passed])) < CLEARLY:
        return None
    half = 2 * size.full * 8 / float(spans[near_rate].sum()) + rate * WIDTH / 2
    of = f"{counted(len(lost), 'loss', 'losses')} without a queue, {empty:.0%} of them at an empty bucket of this rate"
    part = PART_OF_BURST * burst + 2 * size.full
    return Policer(
        Estimate(rate, rate - half, rate + half, of),
        Estimate(
            burst, max(size.full, burst - part), burst + part, "the bytes that passed above the rate before a loss"
        ),
    )


def _between_losses(sent: Floats, amounts: Floats, at: Ints, size: Size) -> tuple[Floats, Floats]:
    """Return the bits that passed between losses that are far enough apart, and the times between them.

    A bucket that is empty at both passes the tokens that flow in, and fewer if it was full in between.
    """
    total = np.cumsum(amounts)
    chosen = [0]
    for place in range(1, len(at)):
        if total[at[place]] - total[at[chosen[-1]]] >= PAIR_PACKETS * size.full:
            chosen.append(place)
    ends = at[np.array(chosen)]
    bits, spans = np.diff(total[ends]) * 8, np.diff(sent[ends])
    return bits[spans > 0], spans[spans > 0]


def _rate(sent: Floats, amounts: Floats, at: Ints, rates: Floats, least: float) -> float:
    """Return the rate at which the bucket is emptiest at most losses, more closely each time."""
    candidates = np.unique(np.quantile(rates, np.linspace(0.25, 1, CANDIDATES)))
    rate = float(candidates[-1])
    for width in (WIDTH, 2 * WIDTH / CANDIDATES, 0.0):
        buckets = [_bucket(sent, amounts, at, float(each)) for each in candidates]
        # At a rate above all that was sent, a bucket of any depth is full.
        levels = [np.median(np.abs(level[at])) if depth >= least else np.inf for depth, level in buckets]
        rate = float(candidates[int(np.argmin(levels))])
        candidates = rate * np.linspace(1 - width, 1 + width, CANDIDATES)
    return rate


def _bucket(sent: Floats, passed: Floats, at: Ints, rate: float) -> tuple[float, Floats]:
    """Return the depth of the bucket of `rate` that is empty at losses, and its tokens before each packet, bytes."""
    # The bytes that passed less the tokens that flowed in; the bucket is full at each new minimum of it.
    excess = np.cumsum(passed) - rate / 8 * (sent - sent[0])
    before = np.r_[0.0, excess[:-1] - rate / 8 * np.diff(sent)]
    used = before - np.minimum.accumulate(np.minimum(before, 0.0))
    # The times of some losses are wrong, as of retransmissions that were lost too.
    depth = float(np.quantile(used[at], MOSTLY))
    return depth, depth - used


FEW_LOSSES, FEW_PAIRS = 8, 3
NO_QUEUE = 0.1
WIDTH, CANDIDATES, PAIR_PACKETS = 0.03, 24, 30
NEARLY_EMPTY, NEARLY_EMPTY_PART, MOSTLY, ENOUGH, CLEARLY, PART_OF_BURST = 3, 0.15, 0.8, 0.75, 0.08, 0.2
LEAST_BURST = 3
