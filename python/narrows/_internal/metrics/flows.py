# SPDX-License-Identifier: Apache-2.0
"""Metrics of a flow, from its sending rate and goodput over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.metrics import series, stability
from narrows._internal.metrics.card import Share, Whole, metric
from narrows._internal.metrics.parameters import AFTER, AT, BANSAL, BIN, FROM, MILLS, RTT_BIN, STABILITY, UNTIL, WELZL
from narrows._internal.metrics.series import FloatArray

if TYPE_CHECKING:
    from narrows._internal.metrics.card import Choices
    from narrows._internal.metrics.observed import Flow, Observed


def _binned(
    seen: Observed, group: str, flow: Flow, choices: Choices, column: str
) -> tuple[FloatArray | None, float, float]:
    rates = seen.flow(flow, column)
    bin_s = seen.bin_s(choices["bin"], seen.rtt_s(group))
    if rates is None:
        return None, NAN, bin_s
    start_s = max(seen.after_s(choices["after"], rates), flow.start_s)
    if math.isnan(start_s):
        return None, NAN, bin_s
    return series.bins(seen.ends_s, rates, start_s, flow.stop_s, bin_s), start_s, bin_s


def _goodput_from(
    seen: Observed, group: str, flow: Flow, choices: Choices, start_s: float
) -> tuple[FloatArray | None, float]:
    rates = seen.flow(flow, "goodput_bps")
    bin_s = seen.bin_s(choices["bin"], seen.rtt_s(group))
    if rates is None or not start_s < flow.stop_s:
        return None, bin_s
    return series.bins(seen.ends_s, rates, start_s, flow.stop_s, bin_s), bin_s


@metric("coefficient of variation of goodput", BIN, AFTER, of="flow", better="lower", source=STABILITY)
def cov(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    """Standard deviation divided by mean of the flow's goodput in bins."""
    rates, _, _ = _binned(seen, group, flow, choices, "goodput_bps")
    return NAN if rates is None else stability.cov(rates)


@metric(
    "smoothness of the sending rate",
    RTT_BIN,
    AFTER,
    of="flow",
    better="higher",
    source="RFC 5166 §2.2.1; Bansal et al., SIGCOMM 2001",
)
def smoothness(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    """Smallest ratio of the sending rates of a bin and of the bin before: 1 if the rate never falls, 0 if it stops."""
    rates, _, _ = _binned(seen, group, flow, choices, "throughput_bps")
    return NAN if rates is None else stability.smoothness(rates)


@metric("aggressiveness", RTT_BIN, AFTER, of="flow", unit="bps", source=STABILITY)
def aggressiveness(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    """Largest increase of the sending rate from one bin to the next, over bins without retransmissions."""
    rates, start_s, bin_s = _binned(seen, group, flow, choices, "throughput_bps")
    sent_again = seen.flow(flow, "retransmissions")
    if rates is None or sent_again is None:
        return NAN
    per_bin = series.bins(seen.ends_s, sent_again, start_s, flow.stop_s, bin_s)
    return stability.aggressiveness(rates, per_bin <= 0)


@metric("responsiveness", AT, of="flow", unit="round trips", better="lower", source=STABILITY)
def responsiveness(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    """Round trips from the onset of sustained congestion, at `at`, until the sending rate has halved.

    It has halved when it is at most half of its mean over the ten round trips before `at`.
    """
    rates, at_s, rtt_s = seen.flow(flow, "throughput_bps"), choices["at"], seen.rtt_s(group)
    if rates is None or not flow.start_s < at_s < flow.stop_s:
        return NAN
    before = series.mean(seen.ends_s, rates, max(at_s - TEN_RTTS * rtt_s, flow.start_s), at_s)
    bin_s = series.whole_intervals(rtt_s, seen.interval_s)
    later = series.bins(seen.ends_s, rates, at_s, flow.stop_s, bin_s)
    return stability.bins_until_halved(before, later) * bin_s / rtt_s


@metric("time to a number of bytes", Whole("n", "power of ten", "1"), of="flow", unit="s", better="lower", source=WELZL)
def time_to_bytes(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Time from the flow's start until 1460 times 10^n bytes are delivered.

    No value if they never are.
    """
    rates = seen.flow(flow, "goodput_bps")
    if rates is None or flow.of_transfers:
        return NAN
    bits = series.accumulate(seen.ends_s, rates)
    wanted = SEGMENT_BYTES * 8 * 10.0 ** min(choices["n"], BEYOND_ALL_BYTES)
    if bits[-1] < wanted:
        return NAN
    # The first interval in which the sum is reached; within it, it grows evenly.
    place = int(np.searchsorted(bits, wanted))
    times = np.concatenate([[0.0], seen.ends_s])
    share = (wanted - bits[place - 1]) / (bits[place] - bits[place - 1])
    from_s = max(times[place - 1], flow.start_s)
    return float(from_s + share * (times[place] - from_s) - flow.start_s)


@metric(
    "time to the highest goodput",
    Share("share", "fraction of the highest goodput of a later bin", "95%"),
    BIN,
    of="flow",
    unit="s",
    better="lower",
    source=MILLS,
)
def time_to_maximum(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    """Time from the flow's start to the end of the first bin whose goodput is at least `share` of its highest."""
    rates, bin_s = _goodput_from(seen, group, flow, choices, flow.start_s)
    return NAN if rates is None else stability.bins_until_maximum(rates, choices["share"]) * bin_s


@metric(
    "recovery time",
    AT,
    FROM,
    UNTIL,
    Share("share", "fraction of the mean goodput between `from` and `until`", "95%"),
    BIN,
    of="flow",
    unit="s",
    better="lower",
    source=MILLS,
)
def recovery_time(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    """Time from the end of heavy congestion, at `at`, to the end of the first bin whose goodput has recovered.

    It has recovered when it is at least `share` of the mean between `from` and `until`, a time when the flow is steady
    again. No value if no bin has.
    """
    rates, bin_s = _goodput_from(seen, group, flow, choices, max(choices["at"], flow.start_s))
    if rates is None:
        return NAN
    steady_bps = seen.mean_between(seen.flow(flow, "goodput_bps"), choices)
    recovered = rates >= choices["share"] * steady_bps
    return float((np.argmax(recovered) + 1) * bin_s) if recovered.any() else NAN


@metric("goodput", FROM, UNTIL, of="flow", unit="bps", better="higher", source="RFC 5166 §2.1.1")
def goodput_between(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Goodput between the times `from` and `until`."""
    return seen.mean_between(seen.flow(flow, "goodput_bps"), choices)


@metric("smallest goodput of a bin", BIN, AFTER, of="flow", unit="bps", better="higher", source=WELZL)
def goodput_least(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    """Smallest goodput of a bin."""
    rates, _, _ = _binned(seen, group, flow, choices, "goodput_bps")
    return NAN if rates is None or not len(rates) else float(rates.min())


@metric("retransmissions", FROM, UNTIL, of="flow", unit="packets", better="lower", source=WELZL)
def resent_between(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Number of packets retransmitted between the times `from` and `until`."""
    counts = seen.flow(flow, "retransmissions")
    if counts is None:
        return NAN
    rates = counts / np.diff(seen.ends_s, prepend=0.0)
    return seen.mean_between(rates, choices) * float(choices["until"] - choices["from"])


@metric("fraction of the sending rate kept", AT, Whole("k", "round trip", "2"), of="flow", unit="share", source=BANSAL)
def rate_kept(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    """Sending rate in the `k`-th round trip after a change, at `at`, divided by that in the ten round trips before."""
    rates, at_s, rtt_s = seen.flow(flow, "throughput_bps"), choices["at"], seen.rtt_s(group)
    stop_s = at_s + choices["k"] * rtt_s
    if rates is None or not flow.start_s < at_s or not stop_s <= flow.stop_s:
        return NAN
    before = series.mean(seen.ends_s, rates, max(at_s - TEN_RTTS * rtt_s, flow.start_s), at_s)
    return series.mean(seen.ends_s, rates, stop_s - rtt_s, stop_s) / before if before > 0 else NAN


SEGMENT_BYTES = 1460
BEYOND_ALL_BYTES = 30
TEN_RTTS = 10
NAN = float("nan")
