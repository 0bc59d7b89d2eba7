# SPDX-License-Identifier: Apache-2.0
"""Rule: the units of ss, the forms of its times, what is refused. Contract: ss and iperf3 saw one transfer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from narrows._internal.errors import InputError
from narrows._internal.trace import ss, tables
from narrows._internal.trace.record import Flow, Place, Trace

DATA = Path(__file__).parent / "data"
FILE = Path("trace.txt")
SOCKET = "ESTAB 0 0 10.0.0.1:40000 10.0.1.1:5201"
LINE = (
    "\t ts sack ecn cubic wscale:7,7 rto:204 backoff:{backoff} rtt:20.5/1.25 mss:1448 pmtu:1500 cwnd:100 ssthresh:50 "
    "bytes_sent:{sent} bytes_retrans:2896 bytes_acked:{acked} segs_out:700 send 58Mbps pacing_rate 70.5Mbps/80.5Mbps "
    "delivery_rate 55425832bps delivered:500 delivered_ce:7 {flag} busy:{busy}ms unacked:60 retrans:2/{retrans} lost:5 "
    "sacked:10 dsack_dups:{vain} rcv_space:14480 minrtt:19.75 snd_wnd:65536 rwnd_limited:{limited}ms(1.5%)"
)


def line(**changed: object) -> str:
    known: dict[str, object] = dict.fromkeys(("backoff", "sent", "acked", "busy", "retrans", "vain", "limited"), 0)
    return LINE.format(**(known | {"flag": ""} | changed))


def read(*samples: tuple[str, str], socket: str = SOCKET) -> Trace:
    return ss.read(FILE, "".join(f"{time}\n{socket}\n{text}\n" for time, text in samples))


def only(trace: Trace) -> Flow:
    (flow,) = trace.flows
    return flow


def test_each_value_has_its_unit() -> None:
    flow = only(read(("1700000000.0", line()), ("1700000000.5", line(acked=500_000, sent=9, busy=500))))
    assert (flow.name, flow.protocol, flow.place) == ("10.0.0.1:40000 > 10.0.1.1:5201", "TCP", Place.SENDER)
    assert flow.controller == "cubic"
    assert flow.segment_bytes == 1448
    assert flow.rtt.times_s == pytest.approx([0.0, 0.5])
    assert flow.rtt.values == pytest.approx([0.0205, 0.0205])
    assert flow.smoothed
    assert flow.least_rtt_s == pytest.approx(0.01975)
    assert flow.window.values.tolist() == [144_800.0] * 2
    assert flow.threshold.values.tolist() == [72_400.0] * 2
    # 60 without acknowledgement, of which 10 have arrived and 5 are lost, and 2 are there again.
    assert flow.in_flight.values.tolist() == [47 * 1448.0] * 2
    assert flow.receive_window.values.tolist() == [65_536.0] * 2
    assert flow.delivered.values.tolist() == [0.0, 500_000.0]
    assert flow.marked.values.tolist() == [7 * 1448.0] * 2
    assert flow.pacing_rate.values == pytest.approx([70.5e6] * 2)
    assert flow.delivery_rate.values == pytest.approx([55_425_832.0] * 2)
    assert len(flow.data) == 0


def test_events_have_the_time_of_the_sample_that_shows_them() -> None:
    before = line(acked=1, retrans=3, busy=0)
    after = line(acked=2, retrans=6, vain=1, backoff=1, busy=100)
    flow = only(read(("1700000000", before), ("1700000001", after)))
    # Three retransmissions are older than the trace.
    assert flow.lost.times_s == pytest.approx([1.0] * 3)
    assert flow.lost.spurious.tolist() == [False, False, True]
    assert np.isnan(flow.lost.sent_s).all()
    assert flow.timeouts_s == pytest.approx([1.0])


def test_more_d_sacks_than_retransmissions_make_none_spurious() -> None:
    flow = only(read(("1700000000", line(acked=1)), ("1700000001", line(acked=2, retrans=3, vain=9))))
    assert flow.lost.spurious.tolist() == [False] * 3


def test_idle_and_limited_time_are_intervals() -> None:
    samples = [
        ("1700000000", line(acked=1)),
        ("1700000001", line(acked=2, busy=600)),
        ("1700000002", line(acked=3, busy=1600, flag="app_limited")),
        ("1700000003", line(acked=4, busy=2600, limited=250)),
    ]
    flow = only(read(*samples))
    assert flow.application_limited == pytest.approx(np.array([[0.6, 2.0]]))
    assert flow.receiver_limited == pytest.approx(np.array([[2.75, 3.0]]))


def test_the_round_trip_time_of_an_idle_socket_is_not_repeated() -> None:
    flow = only(read(("1700000000", line(acked=9)), ("1700000001", line(acked=9)), ("1700000002", line(acked=10))))
    assert flow.rtt.times_s == pytest.approx([0.0, 2.0])
    assert len(flow.window) == 3


def test_what_an_older_kernel_does_not_have_is_not_zero() -> None:
    old = "cubic wscale:7,7 rto:204 rtt:20/1 mss:1448 cwnd:10"
    flow = only(read(("1700000000", old), ("1700000001", old)))
    assert len(flow.delivered) == 0
    assert flow.application_limited is None
    assert flow.receiver_limited is None
    assert len(flow.rtt) == 2
    assert flow.in_flight.values.tolist() == [0.0, 0.0]


def test_a_receiver_has_what_arrived() -> None:
    text = "cubic wscale:7,7 rto:204 rtt:20/1 mss:1448 rcvmss:1400 cwnd:10 bytes_received:{} delivered:1 minrtt:19"
    flow = only(read(("1700000000", text.format(1000)), ("1700000001", text.format(251_000))))
    assert (flow.name, flow.place) == ("10.0.1.1:5201 > 10.0.0.1:40000", Place.RECEIVER)
    assert flow.delivered_bytes == 250_000
    assert (len(flow.window), flow.segment_bytes) == (0, 1400)


def test_a_new_connection_on_the_same_ports_is_another_flow() -> None:
    samples = [(f"170000000{at}", line(acked=acked)) for at, acked in enumerate((10, 20, 5, 7))]
    assert [flow.delivered_bytes for flow in read(*samples).flows] == [10, 2]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1700000000", "1700000001.5"),
        ("1700000000123", "1700000001623"),
        ("1700000000123456789", "1700000001623456789"),
        ("2026-11-29T19:30:46,250000000+01:00", "2026-11-29T18:30:47.75Z"),
        ("2026-11-29 19:30:46.0", "2026-11-29 19:30:47.5"),
        ("23:59:59.5", "00:00:01.0"),
        ("[2026-11-29 19:30:46.0]", "[2026-11-29 19:30:47.5]"),
        ("# 1700000000.0", "# 1700000001.5"),
    ],
)
def test_forms_of_times(first: str, second: str) -> None:
    flow = only(read((first, line(acked=1)), (second, line(acked=2))))
    assert flow.rtt.times_s == pytest.approx([0.0, 1.5], abs=1e-6)


@pytest.mark.parametrize(
    "date", ["Sun Nov 29 19:30:4{} UTC 2026", "Nov 29 19:30:4{}", "Sun Nov 29 07:30:4{} PM CET 2026"]
)
def test_forms_of_times_of_whole_seconds(date: str) -> None:
    flow = only(read((date.format(6), line(acked=1)), (date.format(8), line(acked=2))))
    assert flow.rtt.times_s == pytest.approx([0.0, 2.0])


@pytest.mark.parametrize(
    "form",
    [
        "{time} {socket} timer:(on,200ms,0) uid:0 ino:7 sk:1 <->\n{time} {line}\n",
        "{time} {socket} {line}\n",
        "{time}\nState Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n{socket} {line}\n",
        '{time}\ntcp   {socket} users:(("a (b",pid=1,fd=5))\n\t skmem:(r0,rb131072,t0) {line}\n',
        "{time}\n0 0 10.0.0.1:40000 10.0.1.1:5201\n{line}\n",
        "{time}\nLISTEN 0 128 *:22 *:*\n\t cubic rto:1000 mss:536 cwnd:10\n{socket}\n{line}\n",
    ],
)
def test_forms_of_the_output(form: str) -> None:
    texts = [form.format(time=f"170000000{at}.5", socket=SOCKET, line=line(acked=at).strip()) for at in (1, 3)]
    flow = only(ss.read(FILE, "".join(texts)))
    assert (flow.name, flow.controller) == ("10.0.0.1:40000 > 10.0.1.1:5201", "cubic")
    assert flow.rtt.times_s == pytest.approx([0.0, 2.0])


def test_a_socket_of_ipv6_has_its_name() -> None:
    socket = "ESTAB 0 0 [fe80::1%eth0]:40000 [2001:db8::2]:5201"
    assert only(read(("1700000000", line()), socket=socket)).name == "[fe80::1%eth0]:40000 > [2001:db8::2]:5201"


def test_of_samples_with_one_time_the_last_remains() -> None:
    trace = read(("1700000000", line(acked=1)), ("1700000000", line(acked=2)), ("1700000001", line(acked=3)))
    assert only(trace).delivered.values.tolist() == [2.0, 3.0]
    assert trace.left_out == ("1 sample with the time of the one after it; `date +%s.%N` has finer times",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"{SOCKET}\n{line()}\n", "has no times: record it with `while true; do date"),
        (f"1700000000\n{SOCKET}\n", "has no connections with `cwnd:` and `rtt:`"),
        (f"1700000000\n{SOCKET}\n{line(acked='x')}\n", "line 3: bytes_acked has 'x' in place of a number"),
        (f"1700000000\n{SOCKET}\n{line(acked='9' * 20)}\n", "line 3: bytes_acked has"),
        (f"1700000000\n{SOCKET}\n{line(acked='-1')}\n", "line 3: bytes_acked has '-1'"),
        (f"1700000000\n{SOCKET}\n{line()}\n1600000000\n", "line 4: the time is 1e+08 s before the one above it"),
        (f"2026-13-29T19:30:46\n{SOCKET}\n{line()}\n", "line 1: '2026-13-29T19:30:46' is no time"),
        (f"1700000000\n{SOCKET}\n{line().replace('retrans:2/0', 'retrans:2')}\n", "line 3: retrans has '2'"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        ss.read(FILE, text)
    assert problem in refused.value.problem


def test_ss_and_iperf3_saw_one_transfer() -> None:
    sampled = max(ss.read(FILE, (DATA / "ss.txt").read_text()).flows, key=lambda flow: flow.delivered_bytes)
    measured = only(tables.read_iperf3(FILE, (DATA / "iperf3.json").read_text()))
    assert sampled.name == measured.name == "10.0.0.1:60168 > 10.0.1.1:5201"
    assert sampled.controller == measured.controller == "cubic"
    assert sampled.segment_bytes == measured.segment_bytes == 1448
    assert len(measured.lost) == len(sampled.lost) == 6
    spans = [flow.delivered.times_s[-1] - flow.delivered.times_s[0] for flow in (sampled, measured)]
    rates = [flow.delivered_bytes * 8 / span for flow, span in zip((sampled, measured), spans, strict=True)]
    # A token bucket of 8 Mbps counts Ethernet frames of 1514 bytes; iperf3 has the send buffer in addition.
    assert rates[0] == pytest.approx(8e6 * 1448 / 1514, rel=0.01)
    assert rates[1] == pytest.approx(rates[0], rel=0.05)
    assert set(measured.window.values / 1448) <= set(range(15, 40))
    assert np.median(sampled.rtt.values) == pytest.approx(np.median(measured.rtt.values), rel=0.1)
    assert sampled.application_limited is not None
    assert len(sampled.application_limited) == 0


WORDS = (
    SOCKET,
    line(),
    "1700000000.5",
    "1700000001",
    "State Recv-Q Send-Q",
    "cwnd:",
    "rtt:1/x",
    "cwnd:1e9",
    "cwnd:9 " * 9,
)
PIECES = some.one_of(some.sampled_from(WORDS), some.text(max_size=20))


@settings(max_examples=300, deadline=None)
@given(lines=some.lists(some.lists(PIECES, max_size=3).map(" ".join), max_size=8), cut=some.integers(0, 2000))
def test_any_text_is_read_or_refused(lines: list[str], cut: int) -> None:
    start = f"1700000000\n{SOCKET}\n{line()}\n"[:cut]
    try:
        trace = ss.read(FILE, start + "\n".join(lines))
    except InputError:
        return
    assert trace.flows
    for flow in trace.flows:
        assert (np.diff(flow.rtt.times_s) > 0).all()


@pytest.mark.parametrize(
    "text", ["a:" * 300_000, "(" * 600_000, "1 " * 300_000, "rto:1" * 120_000, "1700000000 " * 60_000]
)
def test_a_long_line_takes_no_longer_than_its_length(text: str) -> None:
    with pytest.raises(InputError):
        ss.read(FILE, f"{text}\n")
