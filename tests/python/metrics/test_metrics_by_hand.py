# SPDX-License-Identifier: Apache-2.0
"""Truth: theory. Measures of a run's series, taken of one replication whose every value is written here, by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import narrows as nw

# Ten intervals of a second. Two flows of group a with a round trip of 1 s; none in group b, whose round trip is 2 s.
FIRST = {
    "goodput_bps": [0, 4, 4, 4, 2, 6, 4, 4, 4, 8],
    "throughput_bps": [8, 8, 8, 8, 4, 2, 6, 8, 8, 8],
    "cwnd_packets": [1, 2, 4, 8, 4, 5, 6, 7, 8, 9],
    "retransmissions": [0, 0, 0, 3, 1, 0, 0, 0, 0, 2],
}
SECOND = {**FIRST, "goodput_bps": [0, 4, 0, 4, 2, 6, 4, 4, 0, 0]}
LINK = {
    "rate_bps": [5, 10, 10, 10, 5, 5, 10, 10, 10, 10],
    "capacity_bps": [10] * 10,
    "queue_packets": [0, 2, 4, 6, 4, 2, 4, 6, 8, 4],
    "arrived_packets": [100] * 10,
    "dropped_packets": [0, 0, 0, 10, 30, 0, 0, 0, 0, 0],
}


def replication() -> tuple[Any, Any]:
    """Return a scenario and its records, as far as measures of series look at them."""
    names = ["a[0]", "a[1]", "l"]
    columns = sorted({*FIRST, *LINK})
    rows = [FIRST, SECOND, LINK]
    series: dict[str, Any] = {
        name: (np.array([each.get(name, [math.nan] * 10) for each in rows], dtype=float).T.ravel(), None)
        for name in columns
    }
    series["time_s"] = (np.repeat(np.arange(1.0, 11.0), 3), None)
    series["name"] = (np.tile(np.arange(3), 10), names)
    flows = {
        "group": (np.array([0, 0]), ["a", "b"]),
        "flow": (np.array([0, 1]), None),
        "start_s": (np.zeros(2), None),
        "completed_s": (np.full(2, math.nan), None),
        "loss_rate": (np.array([0.01, 0.03]), None),
    }
    paths = [("a", "l", 1.0), ("b", "l", 2.0)]
    scenario = SimpleNamespace(interval_s=1.0, duration_s=10.0, paths=paths, links=["l"])
    # In `drain`: the first flow from 2 s to 5 s and from 6 s on, the second from 3 s to 5 s.
    events = {
        "time_ps": (np.array([0, 2, 3, 4, 5, 5, 6]) * 10**12, None),
        "event": (np.array([0, 0, 0, 1, 0, 0, 0]), ["state", "reduction"]),
        "group": (np.zeros(7, dtype=int), ["a"]),
        "flow": (np.array([0, 0, 1, 0, 0, 1, 0]), None),
        "state": (np.array([1, 2, 2, 0, 1, 1, 2]), ["", "startup", "drain"]),
    }
    # The first flow's gain is 1 at 1 s, 2 at 2 s and so on; the link has a variable of that name, too.
    internals = {
        "time_s": (np.repeat(np.arange(1.0, 11.0), 2), None),
        "name": (np.tile(np.array([1, 0]), 10), ["l", "a[0]"]),
        "variable": (np.zeros(20, dtype=int), ["gain"]),
        "value": (np.column_stack([np.arange(1.0, 11.0), np.zeros(10)]).ravel(), None),
    }
    tables: dict[str, Any] = {"series": series, "flows": flows, "census": {}, "transfers": {}, "events": events}
    tables["internals"] = internals
    return scenario, SimpleNamespace(warmup_s=2.0, tables=tables)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # Of flows: the mean over both. After 2 s in bins of 2 s the goodputs are 4 4 4 6 and 2 4 4 0.
        ("goodput_least(bin=2s)", (4 + 0) / 2),
        ("cov(bin=2s)", (math.sqrt(0.75) / 4.5 + math.sqrt(2.75) / 2.5) / 2),
        # 4 4 4 2 and 4 0 4 2.
        ("goodput_between(from=1s,until=5s)", (3.5 + 2.5) / 2),
        # From 8 to 4 after 4 s, which is at most a half; in the second round trip it is 2 of 8.
        ("responsiveness(at=4s)", 1),
        ("rate_kept(at=4s,k=2)", 0.25),
        # After 2 s: 8 8 4 2 6 8 8 8. The rise from 2 to 6 is into a bin without a retransmission.
        ("smoothness(bin=1s)", 0.5),
        ("aggressiveness(bin=1s)", 4),
        ("window_at(at=4s)", 8),
        ("time_to_window(packets=5)", 4),
        ("resent_between(from=3s,until=5s)", 4),
        # Of the group. Bins of 2 s together: 6 8 8 6; its shares have the indices 0.9 1 1 0.5.
        ("aggregate_cov(bin=2s)", 1 / 7),
        ("jain(scale=2s)", (0.9 + 1 + 1 + 0.5) / 4),
        # 4 4 2 6 4 4 4 8 and 0 4 2 6 4 4 0 0: means 4.5 and 2.5.
        ("jain(scale=run)", 7**2 / (2 * (4.5**2 + 2.5**2))),
        # 4 12 8 8 of 10 each.
        ("share_after(at=4s,over=4s)", 0.8),
        ("loss_spread", 0.5),
        ("longest_stay_s(state=drain)", (4 + 2) / 2),
        ("longest_absence_s(state=drain)", 1),
        # 1 s and 2 s of 4 s.
        ("state_share(state=drain,from=4s,until=8s)", ((1 + 2) / 4 + 1 / 4) / 2),
        ("inner_least(variable=gain,from=2s,until=5s)", 3),
        ("inner_greatest(variable=gain,from=2s,until=5s)", 5),
    ],
)
def test_of_a_group(measure: str, expected: float) -> None:
    scenario, records = replication()
    assert nw.metrics.measure(scenario, records, measure, group="a") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # After 2 s in bins of 2 s: 10 5 10 10.
        ("cov(bin=2s)", math.sqrt(4.6875) / 8.75),
        ("utilization_deviation(bin=2s)", math.sqrt(4.6875) / 10),
        # 5 3 5 6.
        ("queue_deviation_packets(bin=2s)", math.sqrt(1.1875)),
        # Two of the longer round trip: 5 5 10 10 of 10 each.
        ("utilization_after(at=4s,k=2)", 0.75),
        ("utilization_between(from=3s,until=6s)", 20 / 30),
        ("queue_between(from=2s,until=4s)", 5),
        ("loss_between(from=3s,until=5s)", 40 / 200),
        # From 3 s on 10 of 100, from 4 s on 30 of 100.
        ("loss_peak(at=3s,within=1s,over=1s)", 0.3),
        # Bins of 2 s: 7.5, 10.
        ("time_to_utilization(share=90%,bin=2s)", 4),
    ],
)
def test_of_a_link(measure: str, expected: float) -> None:
    scenario, records = replication()
    assert nw.metrics.measure(scenario, records, measure, link="l") == pytest.approx(expected)
