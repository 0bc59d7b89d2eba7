"""Which function computes which measure of a replication.

Names, units and choices are in the catalogue (`narrows list metrics`); here each is bound to its function.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from narrows.measures import convergence, fairness, losses, series, stability, transfers, windows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from narrows.measures.observed import Choice, Flow, Observed
    from narrows.measures.series import FloatArray

    Choices = Mapping[str, Any]
    OfOwner = Callable[[Observed, str, Choices], float]
    OfFlow = Callable[[Observed, str, Flow, Choices], float]

NAN = float("nan")


def group_measure(name: str) -> OfOwner:
    """Return the function that takes a measure of a group; a flow's measure is the mean over flows that have one."""
    if name in OF_GROUP:
        return OF_GROUP[name]

    def mean_over_flows(seen: Observed, group: str, choices: Choices) -> float:
        return mean_of_known([OF_FLOW[name](seen, group, flow, choices) for flow in seen.parts(group)])

    return mean_over_flows


def mean_of_known(values: list[float]) -> float:
    """Return the mean of the values that are numbers; not a number if none is."""
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else NAN


def _bin_s(seen: Observed, bin_: Choice, rtt_s: float) -> float:
    span_s = rtt_s if bin_ == "rtt" else float(bin_)
    return NAN if math.isnan(span_s) else series.whole_intervals(span_s, seen.interval_s)


# A flow


def _binned(
    seen: Observed, group: str, flow: Flow, choices: Choices, column: str
) -> tuple[FloatArray | None, float, float]:
    rates = seen.flow(flow, column)
    bin_s = _bin_s(seen, choices["bin"], seen.rtt_s(group))
    if rates is None:
        return None, NAN, bin_s
    start_s = max(seen.after_s(choices["after"], rates), flow.start_s)
    if math.isnan(start_s):
        return None, NAN, bin_s
    return series.bins(seen.ends_s, rates, start_s, flow.stop_s, bin_s), start_s, bin_s


def _cov(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    rates, _, _ = _binned(seen, group, flow, choices, "goodput_bps")
    return NAN if rates is None else stability.cov(rates)


def _smoothness(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    rates, _, _ = _binned(seen, group, flow, choices, "throughput_bps")
    return NAN if rates is None else stability.smoothness(rates)


def _aggressiveness(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    rates, start_s, bin_s = _binned(seen, group, flow, choices, "throughput_bps")
    sent_again = seen.flow(flow, "retransmissions")
    if rates is None or sent_again is None:
        return NAN
    per_bin = series.bins(seen.ends_s, sent_again, start_s, flow.stop_s, bin_s)
    return stability.aggressiveness(rates, per_bin <= 0)


def _responsiveness(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    rates, at_s, rtt_s = seen.flow(flow, "throughput_bps"), choices["at"], seen.rtt_s(group)
    if rates is None or not flow.start_s < at_s < flow.stop_s:
        return NAN
    before = series.mean(seen.ends_s, rates, max(at_s - TEN_RTTS * rtt_s, flow.start_s), at_s)
    bin_s = series.whole_intervals(rtt_s, seen.interval_s)
    later = series.bins(seen.ends_s, rates, at_s, flow.stop_s, bin_s)
    return stability.bins_until_halved(before, later) * bin_s / rtt_s


def _time_to_bytes(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
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


def _bins_to_maximum(seen: Observed, group: str, flow: Flow, choices: Choices, start_s: float) -> float:
    rates = seen.flow(flow, "goodput_bps")
    if rates is None or not start_s < flow.stop_s:
        return NAN
    bin_s = _bin_s(seen, choices["bin"], seen.rtt_s(group))
    binned = series.bins(seen.ends_s, rates, start_s, flow.stop_s, bin_s)
    return stability.bins_until_maximum(binned, choices["share"]) * bin_s


def _time_to_maximum(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    return _bins_to_maximum(seen, group, flow, choices, flow.start_s)


def _recovery_time(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    return _bins_to_maximum(seen, group, flow, choices, max(choices["at"], flow.start_s))


def _goodput_between(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    return _mean_between(seen, seen.flow(flow, "goodput_bps"), choices)


def _mean_between(seen: Observed, rates: FloatArray | None, choices: Choices) -> float:
    if rates is None or choices["until"] > seen.duration_s:
        return NAN
    return series.mean(seen.ends_s, rates, choices["from"], choices["until"])


def _goodput_least(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    rates, _, _ = _binned(seen, group, flow, choices, "goodput_bps")
    return NAN if rates is None or not len(rates) else float(rates.min())


def _window_at(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    windows = seen.flow(flow, "cwnd_packets")
    place = int(np.searchsorted(seen.ends_s, choices["at"]))
    return NAN if windows is None or place >= len(windows) else float(windows[place])


def _time_to_window(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    windows = seen.flow(flow, "cwnd_packets")
    place = None if windows is None else stability.first(windows >= choices["packets"])
    return NAN if place is None else float(seen.ends_s[place]) - flow.start_s


def _resent_between(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    counts = seen.flow(flow, "retransmissions")
    if counts is None:
        return NAN
    rates = counts / np.diff(seen.ends_s, prepend=0.0)
    return _mean_between(seen, rates, choices) * float(choices["until"] - choices["from"])


def _rate_kept(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    rates, at_s, rtt_s = seen.flow(flow, "throughput_bps"), choices["at"], seen.rtt_s(group)
    stop_s = at_s + choices["k"] * rtt_s
    if rates is None or not flow.start_s < at_s or not stop_s <= flow.stop_s:
        return NAN
    before = series.mean(seen.ends_s, rates, max(at_s - TEN_RTTS * rtt_s, flow.start_s), at_s)
    return series.mean(seen.ends_s, rates, stop_s - rtt_s, stop_s) / before if before > 0 else NAN


# A flow's window


def _windows(seen: Observed, flow: Flow, choices: Choices) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Return times, window and ssthresh of a flow from where values count until it ends."""
    window, threshold = (seen.flow(flow, name) for name in ("cwnd_packets", "ssthresh_packets"))
    if window is None or threshold is None:
        return None
    start_s = max(seen.after_s(choices["after"], window), flow.start_s)
    within = (seen.ends_s >= start_s) & (seen.ends_s <= flow.stop_s) & ~np.isnan(window)
    return (seen.ends_s[within], window[within], threshold[within]) if within.any() else None


def _window_kept(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    found = _windows(seen, flow, choices)
    return NAN if found is None else mean_of_known(list(windows.kept(*found[1:])))


def _cut_share(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    found = _windows(seen, flow, choices)
    kept = None if found is None else windows.kept(*found[1:])
    if kept is None or not len(kept):
        return NAN
    given_up = np.round(1 - kept, PLACES)
    return float(np.mean((given_up >= choices["least"]) & (given_up <= choices["most"])))


def _growth_after_cut(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    found = _windows(seen, flow, choices)
    if found is None:
        return NAN
    per_second = windows.growth(*found, (choices["from"], choices["until"]))
    return mean_of_known(list(per_second)) * seen.rtt_s(group)


def _time_near_cuts(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    found = _windows(seen, flow, choices)
    return NAN if found is None else windows.near_cuts(*found, choices["within"])


def _window_below(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    found = _windows(seen, flow, choices)
    return NAN if found is None else float(np.mean(found[1] <= choices["packets"]))


def _window_cov(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    found = _windows(seen, flow, choices)
    return NAN if found is None else stability.cov(found[1])


def _window_swing(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    found = _windows(seen, flow, choices)
    span_s = seen.rtt_s(group) if choices["bin"] == "rtt" else float(choices["bin"])
    return NAN if found is None else windows.swing(found[1], windows.intervals(span_s, seen.interval_s))


def _window_changes(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    window, span_s = seen.flow(flow, "cwnd_packets"), choices["until"] - choices["from"]
    if window is None or not span_s > 0 or choices["until"] > seen.duration_s:
        return NAN
    within = (seen.ends_s >= choices["from"]) & (seen.ends_s <= choices["until"])
    return float(windows.changes(window[within]) * seen.rtt_s(group) / span_s)


# A group


def _loss_spread(seen: Observed, group: str, _choices: Choices) -> float:
    table = seen.records.flows
    codes, labels = table["group"]
    rates = table["loss_rate"][0][codes == (labels or []).index(group)]
    return stability.cov(rates[~np.isnan(rates)])


def _loss_window_correlation(seen: Observed, group: str, _choices: Choices) -> float:
    table = seen.records.flows
    codes, labels = table["group"]
    own = codes == (labels or []).index(group)
    return stability.correlation(table["lost_packets"][0][own], table["cwnd_mean_packets"][0][own])


def _jain(seen: Observed, group: str, choices: Choices) -> float:
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


def _aggregate(seen: Observed, group: str) -> FloatArray | None:
    rates = seen.rates(seen.parts(group))
    return None if rates is None else np.sum(rates, axis=0)


def _aggregate_cov(seen: Observed, group: str, choices: Choices) -> float:
    rates = _aggregate(seen, group)
    if rates is None:
        return NAN
    return _deviation(seen, rates, choices, seen.rtt_s(group), stability.cov)


def _group_settling(seen: Observed, group: str, _choices: Choices) -> float:
    rates = _aggregate(seen, group)
    return NAN if rates is None else seen.settled_s(rates)


def _share_after(seen: Observed, group: str, choices: Choices) -> float:
    rates = _aggregate(seen, group)
    stop_s = min(choices["at"] + choices["over"], seen.duration_s)
    if rates is None:
        return NAN
    capacity = seen.link(seen.bottleneck(group), "capacity_bps")
    got, could = (series.mean(seen.ends_s, each, choices["at"], stop_s) for each in (rates, capacity))
    return got / could if could > 0 else NAN


def _newcomer(seen: Observed, group: str, to: str) -> tuple[Flow, list[Flow]] | None:
    """Return the latest flow of a group, and the flows of `to` that were there before it."""
    flows = seen.flows(group)
    if not flows:
        return None
    latest = max(flows, key=lambda flow: flow.start_s)
    earlier = [flow for flow in (flows if to == "own" else seen.flows(to)) if flow.start_s < latest.start_s]
    return (latest, earlier) if earlier else None


def _since_start(
    seen: Observed, group: str, choices: Choices, bin_s: float
) -> tuple[Flow, FloatArray, FloatArray] | None:
    """Return the latest flow, its rates in bins since its start, and those of earlier flows, a row each."""
    found = _newcomer(seen, group, choices["to"])
    if found is None:
        return None
    latest, earlier = found
    rates = seen.rates([latest, *earlier])
    if rates is None:
        return None
    binned = [series.bins(seen.ends_s, each, latest.start_s, latest.stop_s, bin_s) for each in rates]
    return latest, binned[0], np.array(binned[1:])


def _convergence_time(seen: Observed, group: str, choices: Choices) -> float:
    bin_s = series.whole_intervals(SAMPLE_S, seen.interval_s)
    found = _since_start(seen, group, choices, bin_s)
    if found is None:
        return NAN
    latest, newcomer, others = found
    count = convergence.bins_until_share(newcomer, others.mean(axis=0), choices["rule"])
    return latest.stop_s - latest.start_s if count is None else count * bin_s


def _delta_fair_time(seen: Observed, group: str, choices: Choices) -> float:
    bin_s = _bin_s(seen, choices["bin"], seen.rtt_s(group))
    found = _since_start(seen, group, choices, bin_s)
    if found is None:
        return NAN
    latest, newcomer, others = found
    count = convergence.bins_until_delta_fair(np.vstack([newcomer, others]).T, choices["delta"])
    return latest.stop_s - latest.start_s if count is None else count * bin_s


# A group against another


def _goodput(seen: Observed, group: str) -> float:
    return seen.records.group_measures[group]["goodput_bps"]


def _per_flow(seen: Observed, group: str) -> float:
    return _goodput(seen, group) / seen.records.group_sizes[group]


def _pair(seen: Observed, group: str, choices: Choices) -> tuple[float, float, str]:
    to = choices["to"]
    if to == "other":
        to = next((name for name, _, _ in seen.scenario.paths if name != group), group)
    return _per_flow(seen, group), _per_flow(seen, to), to


def _throughput_ratio(seen: Observed, group: str, choices: Choices) -> float:
    own, other, _ = _pair(seen, group, choices)
    return own / other if other > 0 else NAN


def _jain_of_means(seen: Observed, group: str, choices: Choices) -> float:
    own, other, _ = _pair(seen, group, choices)
    return fairness.jain(np.array([own, other]))


def _rtt_bias(seen: Observed, group: str, choices: Choices) -> float:
    own, other, to = _pair(seen, group, choices)
    return fairness.rtt_bias(own / other, seen.rtt_s(group) / seen.rtt_s(to)) if other > 0 else NAN


def _harm(seen: Observed, group: str, choices: Choices) -> float:
    return fairness.harm(choices["alone"], _goodput(seen, group))


# A link


def _deviation(
    seen: Observed, values: FloatArray, choices: Choices, rtt_s: float, spread: Callable[[FloatArray], float]
) -> float:
    start_s = seen.after_s(choices["after"], values)
    bin_s = _bin_s(seen, choices["bin"], rtt_s)
    if math.isnan(start_s) or math.isnan(bin_s):
        return NAN
    return spread(series.bins(seen.ends_s, values, start_s, seen.duration_s, bin_s))


def _standard_deviation(values: FloatArray) -> float:
    return float(values.std()) if len(values) > 1 else NAN


def _link_cov(seen: Observed, link: str, choices: Choices) -> float:
    return _deviation(seen, seen.link(link, "rate_bps"), choices, seen.link_rtt_s(link), stability.cov)


def _utilization_deviation(seen: Observed, link: str, choices: Choices) -> float:
    rates, capacity = seen.link(link, "rate_bps"), seen.link(link, "capacity_bps")
    start_s = seen.after_s(choices["after"], rates)
    bin_s = _bin_s(seen, choices["bin"], seen.link_rtt_s(link))
    if math.isnan(start_s) or math.isnan(bin_s):
        return NAN
    sent, could = (series.bins(seen.ends_s, each, start_s, seen.duration_s, bin_s) for each in (rates, capacity))
    return _standard_deviation(sent[could > 0] / could[could > 0])


def _queue_deviation(seen: Observed, link: str, choices: Choices) -> float:
    return _deviation(seen, seen.link(link, "queue_packets"), choices, seen.link_rtt_s(link), _standard_deviation)


def _utilization_after(seen: Observed, link: str, choices: Choices) -> float:
    stop_s = choices["at"] + choices["k"] * seen.link_rtt_s(link)
    if not stop_s <= seen.duration_s:
        return NAN
    columns = (seen.link(link, name) for name in ("rate_bps", "capacity_bps"))
    sent, could = (series.mean(seen.ends_s, each, choices["at"], stop_s) for each in columns)
    return sent / could if could > 0 else NAN


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


def _stabilization_time(seen: Observed, link: str, choices: Choices) -> float:
    return _stabilization(seen, link, choices).time_rtt


def _stabilization_cost(seen: Observed, link: str, choices: Choices) -> float:
    return _stabilization(seen, link, choices).cost


def _loss_between(seen: Observed, link: str, choices: Choices) -> float:
    widths = np.diff(seen.ends_s, prepend=0.0)
    rates = (seen.link(link, f"{name}_packets") / widths for name in ("arrived", "dropped"))
    came, gone = (_mean_between(seen, each, choices) for each in rates)
    return gone / came if came > 0 else NAN


def _loss_peak(seen: Observed, link: str, choices: Choices) -> float:
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


def _queue_between(seen: Observed, link: str, choices: Choices) -> float:
    return _mean_between(seen, seen.link(link, "queue_packets"), choices)


def _utilization_between(seen: Observed, link: str, choices: Choices) -> float:
    sent, could = (_mean_between(seen, seen.link(link, name), choices) for name in ("rate_bps", "capacity_bps"))
    return sent / could if could > 0 else NAN


def _time_to_utilization(seen: Observed, link: str, choices: Choices) -> float:
    bin_s = _bin_s(seen, choices["bin"], seen.link_rtt_s(link))
    if math.isnan(bin_s):
        return NAN
    columns = (seen.link(link, name) for name in ("rate_bps", "capacity_bps"))
    sent, could = (series.bins(seen.ends_s, each, 0.0, seen.duration_s, bin_s) for each in columns)
    place = stability.first((could > 0) & (sent >= choices["share"] * could))
    return NAN if place is None else (place + 1) * bin_s


def _link_settling(seen: Observed, link: str, _choices: Choices) -> float:
    return seen.settled_s(seen.link(link, "rate_bps"))


OF_FLOW: dict[str, OfFlow] = {
    "cov": _cov,
    "smoothness": _smoothness,
    "aggressiveness": _aggressiveness,
    "responsiveness": _responsiveness,
    "time_to_bytes": _time_to_bytes,
    "goodput_between": _goodput_between,
    "goodput_least": _goodput_least,
    "window_at": _window_at,
    "time_to_window": _time_to_window,
    "resent_between": _resent_between,
    "rate_kept": _rate_kept,
    "time_to_maximum": _time_to_maximum,
    "recovery_time": _recovery_time,
    "window_kept": _window_kept,
    "cut_share": _cut_share,
    "growth_after_cut": _growth_after_cut,
    "time_near_cuts": _time_near_cuts,
    "window_below": _window_below,
    "window_cov": _window_cov,
    "window_swing": _window_swing,
    "window_changes": _window_changes,
}
OF_GROUP: dict[str, OfOwner] = {
    "loss_spread": _loss_spread,
    "loss_window_correlation": _loss_window_correlation,
    "class_goodput": transfers.class_goodput,
    "class_completed": transfers.class_completed,
    "connection_time": transfers.connection_time,
    "late_connections": transfers.late_connections,
    "connecting_between": transfers.census_between("connecting_flows"),
    "active_between": transfers.census_between("active_flows"),
    "completed_between": transfers.completed_between,
    "retransmissions_between": transfers.retransmissions_between,
    "jain": _jain,
    "aggregate_cov": _aggregate_cov,
    "settling_time": _group_settling,
    "share_after": _share_after,
    "convergence_time": _convergence_time,
    "delta_fair_time": _delta_fair_time,
    "throughput_ratio": _throughput_ratio,
    "jain_of_means": _jain_of_means,
    "rtt_bias": _rtt_bias,
    "harm": _harm,
}
OF_LINK: dict[str, OfOwner] = {
    "cov": _link_cov,
    "utilization_deviation": _utilization_deviation,
    "queue_deviation_packets": _queue_deviation,
    "utilization_after": _utilization_after,
    "stabilization_time": _stabilization_time,
    "stabilization_cost": _stabilization_cost,
    "loss_between": _loss_between,
    "loss_peak": _loss_peak,
    "queue_between": _queue_between,
    "utilization_between": _utilization_between,
    "time_to_utilization": _time_to_utilization,
    "settling_time": _link_settling,
}
SAMPLE_S = 1.0
SEGMENT_BYTES = 1460
BEYOND_ALL_BYTES = 30
TEN_RTTS = 10
PLACES = 9
