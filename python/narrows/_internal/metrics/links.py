# SPDX-License-Identifier: Apache-2.0
"""Metrics of a link over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.metrics import losses, series, stability
from narrows._internal.metrics.card import Share, Time, Whole, metric
from narrows._internal.metrics.parameters import AFTER, AT, BANSAL, BIN, FROM, HA, MSER, STABILITY, UNTIL, WELZL
from narrows._internal.metrics.series import FloatArray

if TYPE_CHECKING:
    from narrows._internal.metrics.card import Choices
    from narrows._internal.metrics.observed import Observed

STABLE = Share("factor", "ratio to the steady loss rate below which the loss rate is stable", "150%")
STEADY_FROM = Time(
    "after",
    "time of the run from which on the steady loss rate is taken, until the change",
    "warmup",
    ("warmup",),
    zero=True,
)


def _standard_deviation(values: FloatArray) -> float:
    return float(values.std()) if len(values) > 1 else NAN


def _stabilization(seen: Observed, link: str, choices: Choices) -> losses.Stabilization:
    widths = np.diff(seen.ends_s, prepend=0.0)
    return losses.stabilization(
        seen.ends_s,
        seen.link(link, "arrived_packets") / widths,
        seen.link(link, "dropped_packets") / widths,
        after_s=seen.records.warmup_s if choices["after"] == "warmup" else choices["after"],
        at_s=choices["at"],
        rtt_s=seen.link_rtt_s(link),
        factor=choices["factor"],
    )


@metric("coefficient of variation of the rate", BIN, AFTER, of="link", better="lower", source=HA)
def cov(seen: Observed, link: str, choices: Choices) -> float:
    """Standard deviation divided by mean of the link's rate in bins."""
    return seen.deviation(seen.link(link, "rate_bps"), choices, seen.link_rtt_s(link), stability.cov)


@metric("standard deviation of utilization", BIN, AFTER, of="link", unit="share", better="lower", source=STABILITY)
def utilization_deviation(seen: Observed, link: str, choices: Choices) -> float:
    """Standard deviation of the link's utilization in bins."""
    rates, capacity = seen.link(link, "rate_bps"), seen.link(link, "capacity_bps")
    start_s = seen.after_s(choices["after"], rates)
    bin_s = seen.bin_s(choices["bin"], seen.link_rtt_s(link))
    if math.isnan(start_s) or math.isnan(bin_s):
        return NAN
    sent, could = (series.bins(seen.ends_s, each, start_s, seen.duration_s, bin_s) for each in (rates, capacity))
    return _standard_deviation(sent[could > 0] / could[could > 0])


@metric("standard deviation of the queue", BIN, AFTER, of="link", unit="packets", better="lower", source=STABILITY)
def queue_deviation_packets(seen: Observed, link: str, choices: Choices) -> float:
    """Standard deviation of the mean number of waiting packets in bins."""
    return seen.deviation(seen.link(link, "queue_packets"), choices, seen.link_rtt_s(link), _standard_deviation)


@metric(
    "utilization after a change",
    Whole("k", "number of round trips", "20"),
    AT,
    of="link",
    unit="share",
    better="higher",
    source=BANSAL,
)
def utilization_after(seen: Observed, link: str, choices: Choices) -> float:
    """f(k): utilization over `k` round trips after a change, at `at`."""
    stop_s = choices["at"] + choices["k"] * seen.link_rtt_s(link)
    if not stop_s <= seen.duration_s:
        return NAN
    columns = (seen.link(link, name) for name in ("rate_bps", "capacity_bps"))
    sent, could = (series.mean(seen.ends_s, each, choices["at"], stop_s) for each in columns)
    return sent / could if could > 0 else NAN


@metric("stabilization time", AT, STABLE, STEADY_FROM, of="link", unit="round trips", better="lower", source=BANSAL)
def stabilization_time(seen: Observed, link: str, choices: Choices) -> float:
    """Round trips from a change, at `at`, until the loss rate over the last ten is near the steady loss rate again.

    It is near when, after exceeding `factor` times the steady loss rate, it falls below this again; the time to the end
    of the run if it never does.
    """
    return _stabilization(seen, link, choices).time_rtt


@metric("stabilization cost", AT, STABLE, STEADY_FROM, of="link", unit="round trips", better="lower", source=BANSAL)
def stabilization_cost(seen: Observed, link: str, choices: Choices) -> float:
    """Stabilization time, round trips, multiplied by the mean loss rate over it: 1 is the packets of a round trip."""
    return _stabilization(seen, link, choices).cost


@metric("loss rate", FROM, UNTIL, of="link", unit="share", better="lower", source=BANSAL)
def loss_between(seen: Observed, link: str, choices: Choices) -> float:
    """Packets dropped by the queue divided by packets that arrived at it, between the times `from` and `until`."""
    widths = np.diff(seen.ends_s, prepend=0.0)
    rates = (seen.link(link, f"{name}_packets") / widths for name in ("arrived", "dropped"))
    came, gone = (seen.mean_between(each, choices) for each in rates)
    return gone / came if came > 0 else NAN


@metric("queue", FROM, UNTIL, of="link", unit="packets", better="lower", source="RFC 7928 §4")
def queue_between(seen: Observed, link: str, choices: Choices) -> float:
    """Number of waiting packets, time average between the times `from` and `until`."""
    return seen.mean_between(seen.link(link, "queue_packets"), choices)


@metric(
    "highest loss rate",
    AT,
    Time("within", "latest start of the window, as time since the change", "250ms"),
    Time("over", "length of a window; rtt is the longest two-way propagation delay", "rtt", ("rtt",)),
    of="link",
    unit="share",
    better="lower",
    source=BANSAL,
)
def loss_peak(seen: Observed, link: str, choices: Choices) -> float:
    """Highest loss rate over a window of length `over` that starts at most `within` after a change, at `at`."""
    over_s = seen.link_rtt_s(link) if choices["over"] == "rtt" else float(choices["over"])
    begins = seen.ends_s[(seen.ends_s >= choices["at"]) & (seen.ends_s <= choices["at"] + choices["within"])]
    if math.isnan(over_s) or not len(begins) or begins[-1] + over_s > seen.duration_s:
        return NAN
    widths = np.diff(seen.ends_s, prepend=0.0)
    rates = (seen.link(link, f"{name}_packets") / widths for name in ("arrived", "dropped"))
    came, gone = (
        series.total(seen.ends_s, each, begins + over_s) - series.total(seen.ends_s, each, begins) for each in rates
    )
    return float((gone[came > 0] / came[came > 0]).max()) if (came > 0).any() else NAN


@metric("utilization", FROM, UNTIL, of="link", unit="share", better="higher", source="RFC 5166 §2.1.1")
def utilization_between(seen: Observed, link: str, choices: Choices) -> float:
    """Bits sent divided by bits that could have been sent, between the times `from` and `until`."""
    sent, could = (seen.mean_between(seen.link(link, name), choices) for name in ("rate_bps", "capacity_bps"))
    return sent / could if could > 0 else NAN


@metric(
    "time to a utilization",
    Share("share", "the utilization to be reached", "80%"),
    Time(
        "bin",
        "over how long it is averaged, in whole intervals of the series; rtt is the longest two-way propagation delay",
        "rtt",
        ("rtt",),
    ),
    of="link",
    unit="s",
    better="lower",
    source=WELZL,
)
def time_to_utilization(seen: Observed, link: str, choices: Choices) -> float:
    """End of the first bin of the run with a utilization of at least `share`; no value if there is none."""
    bin_s = seen.bin_s(choices["bin"], seen.link_rtt_s(link))
    if math.isnan(bin_s):
        return NAN
    columns = (seen.link(link, name) for name in ("rate_bps", "capacity_bps"))
    sent, could = (series.bins(seen.ends_s, each, 0.0, seen.duration_s, bin_s) for each in columns)
    place = stability.first((could > 0) & (sent >= choices["share"] * could))
    return NAN if place is None else (place + 1) * bin_s


@metric("settling time", of="link", unit="s", better="lower", source=MSER)
def settling_time(seen: Observed, link: str, _choices: Choices) -> float:
    """Time after which the link's rate is stationary by the MSER-5 rule.

    No value if the run is too short.
    """
    return seen.settled_s(seen.link(link, "rate_bps"))


NAN = float("nan")
