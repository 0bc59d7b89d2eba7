# SPDX-License-Identifier: Apache-2.0
"""Metrics that programs measure themselves and print (`narrows emulate --read`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows._internal.metrics.card import metric
from narrows._internal.metrics.printed import of_metric

if TYPE_CHECKING:
    from narrows._internal.metrics.card import Choices
    from narrows._internal.metrics.observed import Observed

IPERF3 = "iperf3 3.12, its result in JSON"
CURL = "curl 8.4, its option --write-out '%{json}'"


@metric("goodput by iperf3", of="group", unit="bps", better="higher", source=IPERF3)
def iperf3_goodput_bps(seen: Observed, group: str, _choices: Choices) -> float:
    """Rate at which the receiving iperf3 has received data: `end.sum_received.bits_per_second`."""
    return of_metric(seen.scenario, seen.records, group, "iperf3_goodput_bps")


@metric("round-trip time by iperf3", of="group", unit="s", better="lower", source=IPERF3)
def iperf3_rtt_s(seen: Observed, group: str, _choices: Choices) -> float:
    """Mean of the smoothed round-trip times of the sending kernel, over streams: `end.streams[].sender.mean_rtt`."""
    return of_metric(seen.scenario, seen.records, group, "iperf3_rtt_s")


@metric("retransmissions by iperf3", of="group", unit="count", better="lower", source=IPERF3)
def iperf3_retransmits(seen: Observed, group: str, _choices: Choices) -> float:
    """Segments that the sending kernel has sent again: `end.sum_sent.retransmits`."""
    return of_metric(seen.scenario, seen.records, group, "iperf3_retransmits")


@metric("time of a transfer by curl", of="group", unit="s", better="lower", source=CURL)
def curl_total_s(seen: Observed, group: str, _choices: Choices) -> float:
    """Mean time from the start of a transfer to its end, over the transfers of curl: `time_total`."""
    return of_metric(seen.scenario, seen.records, group, "curl_total_s")


@metric("time to the first byte by curl", of="group", unit="s", better="lower", source=CURL)
def curl_first_byte_s(seen: Observed, group: str, _choices: Choices) -> float:
    """Mean time from the start of a transfer to the first byte of its answer: `time_starttransfer`."""
    return of_metric(seen.scenario, seen.records, group, "curl_first_byte_s")


@metric("time to connect by curl", of="group", unit="s", better="lower", source=CURL)
def curl_connect_s(seen: Observed, group: str, _choices: Choices) -> float:
    """Mean time from the start of a transfer until its connection is open: `time_connect`."""
    return of_metric(seen.scenario, seen.records, group, "curl_connect_s")


@metric("goodput by curl", of="group", unit="bps", better="higher", source=CURL)
def curl_goodput_bps(seen: Observed, group: str, _choices: Choices) -> float:
    """Mean of the bytes of a transfer over its time: `speed_download`."""
    return of_metric(seen.scenario, seen.records, group, "curl_goodput_bps")
