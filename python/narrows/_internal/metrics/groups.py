# SPDX-License-Identifier: Apache-2.0
"""Metrics of a group of flows over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.analysis import harm as performance
from narrows._internal.metrics import convergence, fairness, series, stability
from narrows._internal.metrics.card import Rate, Share, Time, metric
from narrows._internal.metrics.parameters import AFTER, AT, BANSAL, BIN, CHIU, HA, MSER, PEER, STABILITY
from narrows._internal.metrics.series import FloatArray

if TYPE_CHECKING:
    from narrows._internal.metrics.card import Choices
    from narrows._internal.metrics.observed import Flow, Observed


def _aggregate(seen: Observed, group: str) -> FloatArray | None:
    rates = seen.rates(seen.parts(group))
    return None if rates is None else np.sum(rates, axis=0)


def _newcomer(seen: Observed, group: str, to: str) -> tuple[Flow, list[Flow]] | None:
    """Return the latest flow of a group, and the flows of group `to` that started before it; None without any."""
    flows = seen.flows(group)
    if not flows:
        return None
    latest = max(flows, key=lambda flow: flow.start_s)
    earlier = [flow for flow in (flows if to == "own" else seen.flows(to)) if flow.start_s < latest.start_s]
    return (latest, earlier) if earlier else None


def _since_start(
    seen: Observed, group: str, choices: Choices, bin_s: float
) -> tuple[Flow, FloatArray, FloatArray] | None:
    """Return the latest flow, its rates in bins since its start, and the earlier flows' rates, shape (flows, bins)."""
    found = _newcomer(seen, group, choices["to"])
    if found is None:
        return None
    latest, earlier = found
    rates = seen.rates([latest, *earlier])
    if rates is None:
        return None
    binned = [series.bins(seen.ends_s, each, latest.start_s, latest.stop_s, bin_s) for each in rates]
    return latest, binned[0], np.array(binned[1:])


@metric(
    "Jain's index",
    Time(
        "scale",
        "time over which goodputs are averaged before they are compared; run is the whole run",
        "run",
        ("run",),
    ),
    AFTER,
    of="group",
    better="higher",
    source=CHIU,
)
def jain(seen: Observed, group: str, choices: Choices) -> float:
    """At time scale `scale`: mean over bins of this length of Jain's index of the goodputs of started flows."""
    flows = seen.flows(group)
    rates = seen.rates(flows)
    if rates is None:
        return NAN
    start_s = seen.after_s(choices["after"], np.sum(rates, axis=0))
    if math.isnan(start_s):
        return NAN
    whole = choices["scale"] == "run"
    bin_s = seen.duration_s - start_s if whole else series.whole_intervals(choices["scale"], seen.interval_s)
    if not bin_s > 0:
        return NAN
    shares = np.array([series.bins(seen.ends_s, each, start_s, seen.duration_s, bin_s) for each in rates]).T
    begins = series.edges(start_s, seen.duration_s, bin_s)[:-1, None]
    starts, stops = (np.array([getattr(flow, name) for flow in flows]) for name in ("start_s", "stop_s"))
    present = np.full(shares.shape, fill_value=True) if whole else (starts <= begins) & (stops >= begins + bin_s)
    return fairness.mean_jain(shares, present)


@metric("coefficient of variation of the aggregate goodput", BIN, AFTER, of="group", better="lower", source=STABILITY)
def aggregate_cov(seen: Observed, group: str, choices: Choices) -> float:
    """Standard deviation divided by mean of the group's goodput in bins."""
    rates = _aggregate(seen, group)
    if rates is None:
        return NAN
    return seen.deviation(rates, choices, seen.rtt_s(group), stability.cov)


@metric("settling time", of="group", unit="s", better="lower", source=MSER)
def settling_time(seen: Observed, group: str, _choices: Choices) -> float:
    """Time after which the group's goodput is stationary by the MSER-5 rule.

    No value if the run is too short.
    """
    rates = _aggregate(seen, group)
    return NAN if rates is None else seen.settled_s(rates)


@metric("share of capacity", AT, Time("over", "duration", "5s"), of="group", unit="share", source=BANSAL)
def share_after(seen: Observed, group: str, choices: Choices) -> float:
    """Goodput of the group divided by the capacity of its bottleneck, over the time `over` from `at` on."""
    rates = _aggregate(seen, group)
    stop_s = min(choices["at"] + choices["over"], seen.duration_s)
    if rates is None:
        return NAN
    bottleneck = seen.bottleneck(group)
    if bottleneck is None:
        return NAN
    capacity = seen.link(bottleneck, "capacity_bps")
    got, could = (series.mean(seen.ends_s, each, choices["at"], stop_s) for each in (rates, capacity))
    return got / could if could > 0 else NAN


@metric(
    "convergence time",
    Share("rule", "fraction of the earlier flows' mean rate to be reached", "80%"),
    PEER,
    of="group",
    unit="s",
    better="lower",
    source=HA,
)
def convergence_time(seen: Observed, group: str, choices: Choices) -> float:
    """Time from the start of the latest flow until its goodput reaches that of the earlier flows.

    It does when its mean since its start is at least `rule` of the mean of the earlier flows since then; the time to
    the end of the run if it never does.
    """
    bin_s = series.whole_intervals(SAMPLE_S, seen.interval_s)
    found = _since_start(seen, group, choices, bin_s)
    if found is None:
        return NAN
    latest, newcomer, others = found
    count = convergence.bins_until_share(newcomer, others.mean(axis=0), choices["rule"])
    return latest.stop_s - latest.start_s if count is None else count * bin_s


@metric(
    "time to fair shares",
    Share("delta", "allowed deviation from equal shares", "0.1"),
    BIN,
    PEER,
    of="group",
    unit="s",
    better="lower",
    source="RFC 5166 §2.3.3; Bansal et al., SIGCOMM 2001",
)
def delta_fair_time(seen: Observed, group: str, choices: Choices) -> float:
    """Time from the start of the latest flow until the smallest share in a bin is (1 - delta) of the fair share.

    The time to the end of the run if it never is.
    """
    bin_s = seen.bin_s(choices["bin"], seen.rtt_s(group))
    found = _since_start(seen, group, choices, bin_s)
    if found is None:
        return NAN
    latest, newcomer, others = found
    count = convergence.bins_until_delta_fair(np.vstack([newcomer, others]).T, choices["delta"])
    return latest.stop_s - latest.start_s if count is None else count * bin_s


@metric("coefficient of variation of loss rates", of="group", better="lower", source=BANSAL)
def loss_spread(seen: Observed, group: str, _choices: Choices) -> float:
    """Standard deviation divided by mean of the flows' loss rates: 0 if all are equal."""
    table = seen.records.tables["flows"]
    codes, labels = table["group"]
    rates = table["loss_rate"][0][codes == (labels or []).index(group)]
    return stability.cov(rates[~np.isnan(rates)])


@metric("correlation of losses with windows", of="group", source="Akella et al., CMU-CS-02-139, §4.2.1")
def loss_window_correlation(seen: Observed, group: str, _choices: Choices) -> float:
    """Pearson's correlation, over the flows, of the number of lost packets with the mean congestion window.

    1 if flows lose in proportion to their windows.
    """
    table = seen.records.tables["flows"]
    codes, labels = table["group"]
    own = codes == (labels or []).index(group)
    return stability.correlation(table["lost_packets"][0][own], table["cwnd_mean_packets"][0][own])


@metric(
    "harm",
    Rate("alone", "the group's goodput without competitors"),
    of="group",
    unit="share",
    better="lower",
    source="Ware, Mukerjee, Seshan, Sherry, HotNets 2019",
)
def harm(seen: Observed, group: str, choices: Choices) -> float:
    """Goodput lost against `alone`, as a fraction of it; below 0 for a gain."""
    return performance.harm(choices["alone"], seen.goodput_bps(group))


SAMPLE_S = 1.0
NAN = float("nan")
