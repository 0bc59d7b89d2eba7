# SPDX-License-Identifier: Apache-2.0
"""Truth: contract and product. Measures of groups whose transfers come and go, beside groups whose flows stay."""

from __future__ import annotations

import math

import numpy as np
import pytest

import narrows as nw
from narrows._internal.core import metrics
from narrows._internal.run.summary import OF_FINITE

OF_APPLICATIONS = (
    *("video_bitrate_bps", "bitrate_switches", "stalls", "stall_share", "startup_delay_s"),
    *("loaded_pages", "page_load_time_s", "page_load_time_p50_s", "page_load_time_p95_s", "responsiveness_rpm"),
    *(
        "frame_bitrate_bps",
        "frame_delay_s",
        "frame_delay_p95_s",
        "missed_frame_share",
        "late_frame_share",
        "skipped_frame_share",
        "reset_stream_bytes",
    ),
)

TEXT = """
duration = "8s"
warmup = "1s"
path = { rate = "10Mbps", rtt = "40ms" }
[[flows]]
name = "stays"
algorithm = "cubic"
[[flows]]
name = "comes"
algorithm = "newreno"
size = { kind = "exponential", mean = "30kB" }
source = { kind = "poisson", interval = "100ms" }
"""


def expecting(measure: str, group: str | None = None) -> str:
    of = f'group = "{group}"\n' if group else ""
    return f'{TEXT}\n[[expect]]\nmeasure = "{measure}"\n{of}at_least = 0\n'


def test_a_measure_of_a_flow_is_taken_of_all_transfers_together() -> None:
    run = nw.Scenario(TEXT).run()
    goodput = np.array([row["goodput_bps"] for row in run.census.to_pylist() if row["time_s"] > 1.0 + 1e-9])
    # Bins of one second are ten intervals of the series.
    bins = goodput.reshape(-1, 10).mean(axis=1)
    expected = bins.std() / bins.mean()
    for measure in ("cov(bin=1s)", "aggregate_cov(bin=1s)"):
        assert nw.metrics.evaluate(run, measure, group="comes").mean == pytest.approx(expected)
    assert nw.metrics.evaluate(run, "smoothness(bin=1s)", group="comes").mean is not None
    # Shares of one are no fairness, and a first transfer's bytes are not the group's.
    for measure in ("jain(scale=1s)", "time_to_bytes(n=1)"):
        assert nw.metrics.evaluate(run, measure, group="comes").mean is None
    assert run.summary["groups"]["comes"]["cov"]["mean"] == pytest.approx(expected)


def test_a_clause_without_a_group_is_about_every_group_that_can_have_a_value() -> None:
    judged = {
        measure: nw.Scenario(expecting(measure)).run().summary["expectations"]
        for measure in ("jain", "active_flows", "goodput_bps", "completed_flows", "completion_time_s")
    }
    about = {measure: [each["group"] for each in clauses] for measure, clauses in judged.items()}
    both = ["stays", "comes"]
    assert about == {
        "jain": both,
        "active_flows": both,
        "goodput_bps": both,
        "completed_flows": ["comes"],
        "completion_time_s": ["comes"],
    }
    assert all(each["verdict"] == "holds" for clauses in judged.values() for each in clauses)
    assert all(each["mean"] is not None for clauses in judged.values() for each in clauses)


def test_every_group_has_every_metric_and_endless_flows_never_complete() -> None:
    groups = nw.Scenario(TEXT).run().summary["groups"]
    counted = [each["name"] for each in metrics() if each["family"] == "group"]
    assert all(name in groups[group] for group in groups for name in counted)
    # An endless flow does not complete, and no user refuses to wait for it; no transfer of 30 kB cuts its window twice.
    without = {of: [name for name in counted if groups[of][name]["mean"] is None] for of in groups}
    assert set(without["stays"]) == {*OF_FINITE, *OF_APPLICATIONS}
    assert {*OF_APPLICATIONS} <= set(without["comes"]) <= {*OF_APPLICATIONS, "reduction_interval_s"}
    clause = nw.Scenario(expecting("completed_flows", "stays")).run().summary["expectations"][0]
    assert clause["verdict"] == "fails"


CLASSES = """
duration = "20s"
warmup = "2s"
[network]
rtt = "40ms"
generator = { kind = "tiered", backbone = "west", points = 1, direct = 1, fast = 1, normal = 2, rate = "400Mbps" }
[record]
transfers = "all"
[[flows]]
name = "users"
algorithm = "newreno"
count = 60
between = "edges"
size = { kind = "mixture", parts = [
    { class = "small", share = 0.8, of = "15kB" }, { class = "large", share = 0.2, of = "600kB" },
] }
source = { kind = "users", think = "1s" }
"""


def test_classes_of_transfers_between_two_times() -> None:
    run = nw.Scenario(CLASSES).run()
    rows = run.transfers.to_pylist()

    def taken(measure: str) -> float | None:
        return nw.metrics.evaluate(run, measure, group="users").mean

    for choices, begin, end in (("", 2.0, 20.0), (",from=5s,until=10s", 5.0, 10.0)):
        begun = [row for row in rows if begin <= row["start_s"] < end]
        large = [row for row in begun if row["file_class"] == "large" and row["completed"]]
        rates = [row["bytes"] * 8 / (row["end_s"] - row["start_s"]) for row in large]
        assert taken(f"class_completed(file=large{choices})") == len(large) > 0
        assert taken(f"class_goodput(file=large{choices})") == pytest.approx(np.mean(rates))
        waits = [row["established_s"] - row["start_s"] for row in begun]
        opened = [wait for wait in waits if wait is not None]
        assert taken(f"connection_time(from={begin:g}s{',until=10s' * (end == 10.0)})") == pytest.approx(
            np.mean(opened)
        )
        middle = sorted(opened)[len(opened) // 2]
        late = np.mean([wait is None or wait >= middle for wait in waits])
        assert taken(f"late_connections(over={middle * 1e9:.0f}ns{choices})") == pytest.approx(late, abs=0.02)
    assert taken("class_goodput(file=none)") is None
    ended = [row for row in rows if row["completed"] and row["start_s"] >= 2]
    active = [row for row in run.unfinished.to_pylist() if row["start_s"] >= 2]
    assert active
    assert all(0 <= row["acked_bytes"] < row["bytes"] for row in active)
    rates = [row["bytes"] * 8 / (row["end_s"] - row["start_s"]) for row in ended]
    rates += [row["acked_bytes"] * 8 / (20 - row["start_s"]) for row in active]
    assert taken("class_goodput(of=all)") == pytest.approx(np.mean(rates))
    ways = {row["path_class"] for row in rows}
    whole = taken("class_completed")
    assert whole == sum(taken(f"class_completed(path={way})") or 0 for way in ways)


ROUNDS = """
duration = "5s"
path = { rate = "100Mbps", rtt = "1ms", queue = { kind = "droptail", limit = "infinite" } }
transport = { preset = "ns2", initial_window = "10pkt" }
[[flows]]
name = "servers"
algorithm = "newreno"
count = 8
size = "15kB"
source = { kind = "users", think = "10ms", barrier = true }
"""


def test_a_round_ends_with_its_last_transfer() -> None:
    run = nw.Scenario(ROUNDS).run()
    # Two round trips, and eighty packets of 120 us; access links of 1 Gbps add a little.
    expected = 2e-3 + 80 * 120e-6
    assert nw.metrics.evaluate(run, "round_time", group="servers").mean == pytest.approx(expected, rel=0.03)
    assert nw.metrics.evaluate(run, "round_time(from=4s)", group="servers").mean == pytest.approx(expected, rel=0.03)


def test_the_census_between_two_times() -> None:
    run = nw.Scenario(CLASSES).run()
    rows = [row for row in run.census.to_pylist() if 5.0 + 1e-9 < row["time_s"] <= 10.0 + 1e-9]

    def taken(measure: str) -> float | None:
        return nw.metrics.evaluate(run, f"{measure}(from=5s,until=10s)", group="users").mean

    def total(column: str) -> float:
        return math.fsum(row[column] for row in rows)

    assert taken("active_between") == pytest.approx(total("active_flows") / len(rows))
    assert taken("connecting_between") == pytest.approx(total("connecting_flows") / len(rows))
    assert taken("completed_between") == pytest.approx(total("completed_flows") / 5.0)
    again = total("retransmissions") / total("sent_packets")
    assert taken("retransmissions_between") == pytest.approx(again)


def test_windows_and_queues_of_a_flow_that_stays() -> None:
    text = """
    duration = "60s"
    warmup = "5s"
    path = { rate = "10Mbps", rtt = "50ms" }
    record = { interval = "10ms" }
    # Each reduction is one half.
    transport = { lost_retransmission_reduces = false }
    [[flows]]
    name = "one"
    algorithm = "newreno"
    """
    run = nw.Scenario(text).run()

    def taken(measure: str, **of: str) -> float:
        found = nw.metrics.evaluate(run, measure, **(of or {"group": "one"})).mean
        assert found is not None
        return found

    # Reno halves, and adds a packet in a round trip: of 50 ms here, of up to twice that with the queue.
    assert taken("window_kept") == pytest.approx(0.5, abs=0.02)
    assert taken("cut_share(least=45%,most=55%)") == 1
    assert 0.4 < taken("growth_after_cut(from=100ms,until=1s)") < 1.05
    assert 0 < taken("time_near_cuts(within=1s)") < 1
    assert taken("window_below(packets=1000)") == 1
    assert 0.1 < taken("window_cov") < 0.3
    assert 0.5 < taken("window_swing(bin=20s)") < 0.8
    # A window that grows with every acknowledgement is another after each interval.
    assert 3 < taken("window_changes(from=20s,until=50s)") <= 5
    assert taken("queue_between(from=5s,until=60s)", link="bottleneck") == pytest.approx(
        taken("queue_mean_packets", link="bottleneck"), rel=0.01
    )
