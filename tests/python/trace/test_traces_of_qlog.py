# SPDX-License-Identifier: Apache-2.0
"""Contract: the export of a run has its series. Rule: times, units and names of each version of qlog, refusals."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from command_line import finished, write
from damage import damaged
from narrows._internal.errors import InputError
from narrows._internal.trace import qlog
from narrows._internal.trace.record import Flow, Place, Trace

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = Path("trace.qlog")
SEGMENT = 1460

SCENARIO = """
duration = "8s"
path = { rate = "8Mbps", rtt = "40ms", queue = { kind = "droptail", limit = "30pkt" } }
[[flows]]
name = "one"
algorithm = "cubic"
[record]
packets = true
flows = "all"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("qlog")
    scenario = write(folder, SCENARIO)
    for line in (["run", str(scenario), "--out", "run", "--quiet"], ["export", "qlog", "run", "--out", "out"]):
        done = finished(line, folder)
        assert done.returncode == 0, done.stderr
    return folder


def rows(run: Path, table: str, **wanted: object) -> list[dict[str, Any]]:
    found = pq.read_table(run / f"run/{table}.parquet").to_pylist()
    return [row for row in found if all(row[key] == value for key, value in wanted.items())]


def test_the_export_of_a_run_has_its_series(run: Path) -> None:
    flow = only(sequence((run / "out/one-0.sqlog").read_text()))
    assert (flow.name, flow.protocol, flow.place) == ("one[0]", "TCP", Place.SENDER)
    series = [row for row in rows(run, "series", kind="flow") if row["cwnd_packets"] is not None]
    assert len(series) > 50
    for found, name, scale in (
        (flow.rtt, "rtt_s", 1.0),
        (flow.window, "cwnd_packets", SEGMENT),
        (flow.in_flight, "in_flight_packets", SEGMENT),
    ):
        wanted = [(row["time_s"], row[name] * scale) for row in series if row[name] is not None]
        at = np.searchsorted(found.times_s, [time - 1e-9 for time, _ in wanted])
        assert found.times_s[at] == pytest.approx([time for time, _ in wanted], abs=1e-9)
        # Events at the same time stand behind the sample.
        assert found.values[at] == pytest.approx([value for _, value in wanted], abs=0.6 if scale > 1 else 1e-9)
    least = min(row["min_rtt_s"] for row in series if row["min_rtt_s"] is not None)
    assert flow.least_rtt_s == pytest.approx(least)
    assert not flow.smoothed


def test_the_export_of_a_run_has_its_losses_and_packets(run: Path) -> None:
    flow = only(sequence((run / "out/one-0.sqlog").read_text()))
    sender = {"group": "one", "flow": 0, "place": "sender"}
    lost = rows(run, "events", event="declared-lost", **sender)
    sent = rows(run, "packets", event="sent", kind="data", **sender)
    assert len(lost) > 20
    assert flow.lost.times_s == pytest.approx([row["time_ps"] / 1e12 for row in lost])
    assert (flow.lost.sent_s < flow.lost.times_s).all()
    assert len(flow.data) == len(sent)
    assert flow.data.times_s == pytest.approx([row["time_ps"] / 1e12 for row in sent])
    assert flow.data.payload.tolist() == [row["payload_bytes"] for row in sent]
    assert flow.data.offsets.tolist() == [row["number"] * SEGMENT for row in sent]
    numbers = [row["number"] for row in sent]
    assert flow.data.again.tolist() == [number in numbers[:place] for place, number in enumerate(numbers)]
    assert flow.segment_bytes == SEGMENT
    # What the last acknowledgement names, of which each segment counts once.
    acked = [row["number"] for row in rows(run, "packets", event="received", kind="ack", **sender)]
    assert max(acked) * SEGMENT <= flow.delivered.values[-1] <= (max(numbers) + 1) * SEGMENT
    assert (np.diff(flow.delivered.values) > 0).all()


def sequence(text: str) -> Trace:
    return qlog.read_sequence(FILE, text[:5000], io.StringIO(text[5000:]))


def only(trace: Trace) -> Flow:
    (flow,) = trace.flows
    return flow


def seq(head: dict[str, Any], events: Iterable[object]) -> str:
    return "".join("\x1e" + json.dumps(each) + "\n" for each in (head, *events))


def old(name: str) -> str:
    category = "recovery" if name in {"metrics_updated", "packet_lost", "loss_timer_updated"} else "transport"
    return f"{category}:{name}"


def new(name: str) -> str:
    renamed = {"metrics_updated": "recovery_metrics_updated", "loss_timer_updated": "timer_updated"}
    return f"quic:{renamed.get(name, name)}"


def header(number: Any) -> dict[str, Any]:
    return {"packet_type": "1RTT", "packet_number": number}


def stream(length: int) -> dict[str, Any]:
    return {"frame_type": "stream", "stream_id": 0, "offset": 0, "length": length}


def ack(*ranges: object, **counts: int) -> dict[str, Any]:
    return {"frame_type": "ack", "acked_ranges": [*ranges], **counts}


METRICS = {
    "latest_rtt": 20.5, "smoothed_rtt": 21, "min_rtt": 19.75, "congestion_window": 14_480, "bytes_in_flight": 2400,
    "ssthresh": 2**64 - 1, "pacing_rate": 70_000_000,
}  # fmt: skip
EVENTS: list[tuple[float, str, dict[str, Any]]] = [
    (0.0, "packet_sent", {"header": header(0), "frames": [stream(1200)]}),
    (1.0, "packet_sent", {"header": header(1), "frames": [stream(1200), {"frame_type": "padding", "length": 9}]}),
    (2.0, "packet_sent", {"header": header(2), "frames": [{"frame_type": "datagram", "raw": {"length": 100}}]}),
    (3.0, "packet_sent", {"header": header(3), "frames": [ack([0, 5])]}),
    (20.0, "packet_received", {"header": header(9), "frames": [ack([2], [0, 0], ce=1)]}),
    (20.5, "metrics_updated", METRICS),
    (21.0, "packet_lost", {"header": header(1), "trigger": "reordering_threshold"}),
    (22.0, "packet_received", {"header": header(10), "frames": [ack([0, 2], ce=2)]}),
    (23.0, "loss_timer_updated", {"event_type": "expired", "timer_type": "pto"}),
    (23.5, "loss_timer_updated", {"event_type": "expired", "timer_type": "ack"}),
    (24.0, "metrics_updated", {"ssthresh": 7240, "congestion_window": 7240}),
]  # fmt: skip


def check(flow: Flow) -> None:
    """Check the flow of `EVENTS`."""
    assert flow.data.times_s == pytest.approx([0.0, 0.001, 0.002], abs=1e-6)
    assert flow.data.payload.tolist() == [1200, 1200, 100]
    assert flow.data.offsets.tolist() == [0, 1200, 2400]
    assert not flow.data.again.any()
    assert flow.delivered.times_s == pytest.approx([0.02, 0.022], abs=1e-6)
    assert flow.delivered.values.tolist() == [1300, 2500]
    assert flow.rtt.times_s == pytest.approx([0.0205], abs=1e-6)
    assert flow.rtt.values == pytest.approx([0.0205])
    assert flow.least_rtt_s == pytest.approx(0.01975)
    assert flow.window.values.tolist() == [14_480, 7240]
    # Without the time at which it is infinite.
    assert flow.threshold.values.tolist() == [7240]
    assert flow.in_flight.values.tolist() == [2400]
    assert flow.pacing_rate.values.tolist() == [70_000_000]
    assert flow.lost.times_s == pytest.approx([0.021], abs=1e-6)
    assert flow.lost.sent_s == pytest.approx([0.001], abs=1e-6)
    # It was acknowledged after all.
    assert flow.lost.spurious.tolist() == [True]
    assert flow.marked.values.tolist() == [1200, 2400]
    assert flow.timeouts_s == pytest.approx([0.023], abs=1e-6)
    assert (flow.application_limited, flow.receiver_limited) == (None, None)
    assert (flow.start_s, flow.end_s) == pytest.approx((0.0, 0.024), abs=1e-6)


def events(naming: Any, times: Iterable[float]) -> list[dict[str, Any]]:
    return [
        {"time": time, "name": naming(name), "data": data} for time, (_, name, data) in zip(times, EVENTS, strict=True)
    ]


TIMES = [time for time, _, _ in EVENTS]
DELTAS = [1000.0, *np.diff(TIMES).tolist()]


@pytest.mark.parametrize("naming", [old, new])
@pytest.mark.parametrize(
    ("common", "times"),
    [
        ({"time_format": "absolute"}, [1_553_986_553_572 + time for time in TIMES]),
        ({"time_format": "relative", "reference_time": 1_553_986_553_572}, TIMES),
        ({"time_format": "delta"}, DELTAS),
        ({}, TIMES),
        (
            {"time_format": "relative_to_epoch", "reference_time": {"clock_type": "monotonic", "epoch": "unknown"}},
            TIMES,
        ),
        ({"time_format": "relative_to_previous_event"}, DELTAS),
    ],
)
def test_times_and_names_of_each_version(naming: Any, common: dict[str, Any], times: list[float]) -> None:
    trace = {"title": "x", "vantage_point": {"type": "server"}, "common_fields": common}
    found = sequence(seq({"qlog_format": "JSON-SEQ", "qlog_version": "0.3", "trace": trace}, events(naming, times)))
    check(only(found))
    assert found.form == "qlog (JSON-SEQ)"
    assert (found.flows[0].name, found.flows[0].protocol, found.flows[0].place) == ("x", "QUIC", Place.SENDER)
    text = json.dumps({"qlog_version": "0.3", "traces": [{**trace, "events": events(naming, times)}]}, indent=1)
    assert qlog.is_contained(text)
    check(only(qlog.read_contained(FILE, text)))
    # The common fields may come behind the events.
    turned = {"events": events(naming, times), "vantage_point": {"type": "server"}, "common_fields": common}
    check(
        only(
            qlog.read_contained(
                FILE, json.dumps({"traces": [turned], "file_schema": "urn:ietf:params:qlog:file:contained"})
            )
        )
    )
    lines = "".join(json.dumps(each) + "\n" for each in ({"trace": trace}, *events(naming, times)))
    assert qlog.is_sequence(lines)
    check(only(sequence(lines)))


@pytest.mark.parametrize("delta", [False, True])
@pytest.mark.parametrize("unit", ["ms", "us"])
def test_rows_of_the_oldest_drafts(unit: str, *, delta: bool) -> None:
    scale = 1000 if unit == "us" else 1
    cells = []
    for time, (_, name, data) in zip(DELTAS if delta else TIMES, EVENTS, strict=True):
        scaled = {key: value * scale if key.endswith("rtt") else value for key, value in data.items()}
        scaled |= {"cwnd": scaled.pop("congestion_window")} if "congestion_window" in scaled else {}
        category, old_name = old(name).upper().split(":")
        cells.append([str(time * scale), category, old_name, scaled])
    trace = {
        "configuration": {"time_units": unit},
        "event_fields": ["delta_time" if delta else "relative_time", "CATEGORY", "EVENT_TYPE", "DATA"],
        "events": [*cells, []],
    }
    text = json.dumps({"qlog_version": "draft-01", "traces": [trace]})
    found = qlog.read_contained(FILE, text)
    check(only(found))
    assert found.form == "qlog draft-01 (JSON)"


def test_what_a_receiver_logs_is_a_flow_of_its_own() -> None:
    data = [
        {"time": 0, "name": "quic:connection_started", "data": {
            "local": {"ip_v4": "10.0.0.1", "port_v4": 4433}, "remote": {"ip_v6": "2001:db8::2", "port_v6": 5000}}},
        {"time": 1, "name": "quic:packet_sent", "data": {"header": header(0), "frames": [stream(10)]}},
        {"time": 9, "name": "quic:packet_received", "data": {"header": header(0), "frames": [stream(1000)]}},
        {"time": 10, "name": "quic:packet_received", "data": {"header": header(1), "frames": [stream(500)]}},
    ]  # fmt: skip
    sent, received = sequence(seq({"trace": {"vantage_point": {"type": "client"}}}, data)).flows
    assert (sent.name, sent.place) == ("10.0.0.1:4433 > [2001:db8::2]:5000", Place.SENDER)
    assert (received.name, received.place) == ("[2001:db8::2]:5000 > 10.0.0.1:4433", Place.RECEIVER)
    assert received.delivered.values.tolist() == [1000, 1500]
    assert received.data.offsets.tolist() == [0, 1000]
    assert len(received.lost) == 0


def test_traces_and_connections_of_a_file_are_flows() -> None:
    sent = [
        {"time": 0, "name": "quic:packet_sent", "group_id": each, "data": {"frames": [stream(9)]}} for each in "aba"
    ]
    assert [flow.name for flow in sequence(seq({"trace": {"title": "x"}}, sent)).flows] == ["x a", "x b"]
    both = [{"vantage_point": {"name": "x", "type": kind}, "events": sent[:1]} for kind in ("client", "server")]
    text = json.dumps({"traces": [*both, {"error_description": "lost"}, 1]})
    found = qlog.read_contained(FILE, text)
    assert [flow.name for flow in found.flows] == ["x (client)", "x (server)"]
    assert found.left_out == ("trace 3, which has no events", "trace 4, which has no events")


def test_limited_time_is_what_the_events_say() -> None:
    data = [
        {"time": 0, "name": "recovery:congestion_state_updated", "data": {"new": "application_limited"}},
        {"time": 100, "name": "recovery:congestion_state_updated", "data": {"new": "slow_start"}},
        {"time": 200, "name": "quic:connection_data_blocked_updated",
         "data": {"new": "blocked", "reason": "connection_flow_control"}},
        {"time": 300, "name": "quic:connection_data_blocked_updated", "data": {"new": "unblocked"}},
        {"time": 400, "name": "quic:connection_data_blocked_updated",
         "data": {"new": "blocked", "reason": "application"}},
        {"time": 500, "name": "recovery:metrics_updated", "data": {"congestion_window": 1}},
    ]  # fmt: skip
    flow = only(sequence(seq({"trace": {}}, data)))
    assert flow.application_limited == pytest.approx(np.array([[0.0, 0.1], [0.4, 0.5]]))
    assert flow.receiver_limited == pytest.approx(np.array([[0.2, 0.3]]))


PROBE = {"trigger": "pto_probe", "frames": [stream(9)]}


@pytest.mark.parametrize(
    ("data", "timeouts"),
    [
        ([*(("metrics_updated", {"pto_count": count}) for count in (1, 2, 0)), ("packet_sent", PROBE)], [0.0, 0.001]),
        ([("packet_sent", {"frames": [stream(9)]}), ("packet_sent", PROBE)], [0.001]),
        ([("packet_sent", {"frames": [stream(9)]}), ("packet_lost", {"trigger": "pto_expired"})], [0.001]),
    ],
)  # fmt: skip
def test_timeouts_come_from_the_best_that_a_trace_has(data: list[tuple[str, Any]], timeouts: list[float]) -> None:
    logged = [{"time": at, "name": old(name), "data": each} for at, (name, each) in enumerate(data)]
    assert only(sequence(seq({"trace": {}}, logged))).timeouts_s == pytest.approx(timeouts)


def test_smoothed_round_trip_times_are_said_to_be_so() -> None:
    flow = only(
        sequence(seq({"trace": {}}, [{"time": 0, "name": "recovery:metrics_updated", "data": {"smoothed_rtt": 20}}]))
    )
    assert (flow.rtt.values.tolist(), flow.smoothed) == ([0.02], True)


def test_packets_without_frames_have_the_size_of_the_packet() -> None:
    data = {"header": header(0), "raw": {"length": 1280, "payload_length": 1250}}
    found = sequence(seq({"trace": {}}, [{"time": 0, "name": "quic:packet_sent", "data": data}]))
    assert only(found).data.payload.tolist() == [1250]
    assert found.left_out == ("1 packets have the size of the packet, as their frames are not logged",)


def test_acknowledged_packets_are_delivered_without_frames() -> None:
    data: list[tuple[str, dict[str, Any]]] = [
        ("packet_sent", {"header": header(at), "raw": {"length": 100}}) for at in range(3)
    ]
    data.append(("packets_acked", {"packet_numbers": [0, 2, 2, 7]}))
    logged = [{"time": at, "name": new(name), "data": each} for at, (name, each) in enumerate(data)]
    assert only(sequence(seq({"trace": {}}, logged))).delivered.values.tolist() == [200]


def test_events_out_of_order_are_sorted() -> None:
    data = [
        {"time": time, "name": "quic:packet_sent", "data": {"frames": [stream(size)]}}
        for time, size in ((5, 1), (3, 2), (9, 3))
    ]
    flow = only(sequence(seq({"trace": {}}, data)))
    assert flow.data.times_s == pytest.approx([0.0, 0.002, 0.006])
    assert flow.data.payload.tolist() == [2, 1, 3]
    assert (flow.start_s, flow.end_s) == pytest.approx((0.0, 0.006))


def test_a_record_that_is_cut_off_is_left_out() -> None:
    text = seq({"trace": {}}, events(new, TIMES))
    found = sequence(text + '\x1e{"time": 99, "na')
    check(only(found))
    assert found.left_out == ("the last record, which is cut off",)
    with pytest.raises(InputError, match="record 3 is damaged"):
        sequence(text.replace('\x1e{"time": 1.0,', '\x1e{"time": 1.0', 1))


SENT = {"time": 0, "name": "quic:packet_sent", "data": {"header": header(0), "frames": [stream(9)]}}


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        ([], "record 3 is no object"),
        ({"name": "x"}, "record 3 has time None, no number from 0 to 1e+17"),
        ({"time": 0}, "record 3 has no name"),
        ({"time": float("nan"), "name": "x"}, "record 3 has time nan"),
        ({"time": 1e15, "name": "x"}, "record 3 is 1e+12 s from the first event"),
        ({"time": "x", "name": "x"}, "record 3 has time 'x'"),
        ({"time": 10**4000, "name": "x"}, "record 3 has time an integer that is too large"),
        (SENT | {"data": []}, "record 3 has data that are no object"),
        (SENT | {"data": {"frames": [1]}}, "record 3 has a frame that is no object"),
        (SENT | {"data": {"frames": [stream(-1)]}}, "record 3 has length -1, no number from 0 to 1.04858e+06"),
        (SENT | {"data": {"header": header(-1)}}, "record 3 has packet_number -1, no whole number from 0 to 2^64"),
        (SENT | {"name": "quic:recovery_metrics_updated", "data": {"latest_rtt": True}},
         "record 3 has latest_rtt True"),
        (SENT | {"name": "quic:packet_received", "data": {"frames": [ack([2, 1])]}},
         "record 3 has acked_ranges that end before they begin"),
        (SENT | {"name": "quic:packet_received", "data": {"frames": [ack(1)]}},
         "record 3 has acked_ranges that are no pairs"),
        (SENT | {"name": "quic:packets_acked", "data": {"packet_numbers": 1}},
         "record 3 has packet_numbers that are no list"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_event_is_said_with_its_number(event: object, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        sequence(seq({"trace": {}}, [SENT, event, SENT]))
    assert problem in refused.value.problem
    if isinstance(event, dict):
        text = json.dumps({"traces": [{"common_fields": {}, "events": [SENT, event]}]})
        with pytest.raises(InputError) as refused:
            qlog.read_contained(FILE, text)
        assert refused.value.problem == "trace 1, event 2" + _stated(problem, refused.value.problem)


def _stated(problem: str, whole: str) -> str:
    """Return what is stated of a record, of which the start is known."""
    said = problem.removeprefix("record 3")
    return said + whole.removeprefix("trace 1, event 2" + said)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"traces": [\n{"events": [{"time": 0', "line 2, character 35:"),
        ('{"traces": [{"events": [[]', "character 26: the end of a log that is cut off"),
        ('{"traces": [{"events": [' + "[" * 100_000, "it is nested too deeply"),
        ('{"traces": [], "qlog_version": "0.3"}', "is qlog without packets, and without metrics of recovery"),
        ('{"traces": []} x', "line 1, character 15: text behind the end of the log"),
        ('{"traces": [{"event_fields": ["time"], "events": []}]}', "trace 1 has event_fields without event_type"),
        ('{"traces": [{"event_fields": ["time", "event", "data"], "events": [[1]]}]}', "trace 1, event 1 has 1 fields"),
        ('{"traces": [{"event_fields": ["time", "event", "data"], "events": [{"a": 1}]}]}', "event 1 is no row"),
        ('{"a": ' + "9" * 5000 + "}", "line 1, character 6:"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_log_is_said_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        qlog.read_contained(FILE, text)
    assert problem in refused.value.problem


def test_a_record_that_is_too_large_is_refused() -> None:
    with pytest.raises(InputError, match="record 2 is larger than 16 MiB"):
        sequence(seq({"trace": {}}, []) + "\x1e" + " " * (18 << 20))


def test_acknowledged_ranges_take_no_longer_than_their_packets() -> None:
    # Each acknowledgement names all packets, of which every second is never acknowledged.
    sent = [SENT | {"time": at, "data": {"header": header(2 * at), "frames": [stream(9)]}} for at in range(20_000)]
    frames = [
        [{"frame_type": "ack", "acked_ranges": [[0, 2**62]]}],
        [{"frame_type": "ack", "acked_ranges": [[1, 39_999]]}],
    ]
    acks = [
        {"time": 20_000, "name": "quic:packet_received", "data": {"frames": frames[at % 2]}} for at in range(20_000)
    ]
    flow = only(sequence(seq({"trace": {}}, [*sent, *acks])))
    assert flow.delivered.values.tolist() == [180_000]


def test_what_should_be_a_name_and_is_none_does_no_harm() -> None:
    nested: Any = []
    for _ in range(900):
        nested = [nested]
    local = {"ip_v4": nested, "port_v4": {}}
    started = {"time": 0, "name": "quic:connection_started", "data": {"local": local, "remote": local}}
    trace = {"title": nested, "vantage_point": {"type": nested, "name": nested}, "common_fields": {"group_id": nested}}
    found = sequence(seq({"trace": trace}, [started, SENT | {"group_id": nested}]))
    assert [flow.place for flow in found.flows] == [Place.UNKNOWN]
    for wrong in (SENT | {"time": nested}, SENT | {"name": nested}, SENT | {"data": {"header": header(nested)}}):
        with pytest.raises(InputError):
            sequence(seq({"trace": trace}, [SENT, wrong]))


@settings(max_examples=300, deadline=None)
@given(data=some.data())
def test_damaged_logs_are_read_or_refused(data: some.DataObject) -> None:
    common, place = {"time_format": "delta"}, {"type": "server"}
    trace = {"vantage_point": place, "common_fields": common, "events": events(old, DELTAS)}
    content = data.draw(damaged({"qlog_version": "0.3", "traces": [trace]}))
    text = json.dumps(content)
    text = text[: data.draw(some.integers(len(text) // 2, 3 * len(text)))]
    with suppress(InputError):
        assert qlog.read_contained(FILE, text).flows
    match content:
        case {"traces": [{"events": [*logged]} as head, *_]}:
            records = seq({"trace": head}, logged)
            with suppress(InputError):
                assert sequence(records[: data.draw(some.integers(len(records) // 2, 3 * len(records)))]).flows
