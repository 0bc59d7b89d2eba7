# SPDX-License-Identifier: Apache-2.0
"""Rule: events of a flow and their sentences. Product: `narrows why` of a capture, whose run is the truth."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import narrows as nw
from command_line import finished
from narrows._internal.trace.events import Event, events
from narrows._internal.trace.record import Data, Flow, Lost, Place, Series

if TYPE_CHECKING:
    import subprocess

CAPTURE = Path(__file__).parent / "captures" / "linux-sender.pcap.gz"


def series(*values: tuple[float, float]) -> Series:
    times_s, numbers = zip(*values, strict=True)
    return Series(np.array(times_s, dtype=float), np.array(numbers, dtype=float))


def flow(**fields: Any) -> Flow:
    """A flow with a round-trip time of 100 ms."""
    return Flow(
        name="a > b", protocol="TCP", place=Place.SENDER, start_s=0.0, end_s=10.0, rtt=series((0, 0.1)), **fields
    )  # fmt: skip


def kinds(found: list[Event]) -> list[str]:
    return [event.kind for event in found]


def test_losses_of_one_window_are_one_event_with_what_followed() -> None:
    lost = Lost(np.array([1.0, 1.01, 1.05, 3.0]), np.array([0.9, 0.91, 0.95, np.nan]), np.array([False] * 3 + [True]))
    falls = series((0, 80_000), (0.95, 100_000), (1.02, 60_000), (1.2, 50_000), (1.4, 55_000))
    first, second = events(flow(lost=lost, in_flight=falls))
    assert (first.time_s, first.end_s, first.kind) == (1.0, 1.05, "loss")
    assert first.values == {"packets": 3, "sent_s": 0.9, "before_bytes": 100_000, "after_bytes": 50_000}
    assert first.text == (
        "3 packets were lost and sent again, sent first from 0.9 s on; the bytes in flight fell from 100 kB to 50 kB."
    )
    assert (second.kind, second.text) == ("spurious", "The sender sent 1 packet that had arrived again.")


def test_a_timeout_is_no_second_loss_and_its_silence_is_named() -> None:
    data = Data(np.array([0.5, 1.0, 1.4]), np.full(3, 1000.0), np.zeros(3), np.array([False, False, True]))
    lost = Lost(np.array([1.4]), np.array([1.0]), np.array([False]))
    (event,) = events(flow(data=data, lost=lost, timeouts_s=np.array([1.4])))
    assert event.kind == "timeout"
    assert event.text.endswith("not acknowledged again, 400 ms after the packet before it.")


def test_a_fall_of_the_window_is_reported_where_nothing_else_explains_it() -> None:
    falls = series((0, 50_000), (2, 30_000), (4, 60_000), (5, 40_000))
    lost = Lost(np.array([1.98]), np.array([1.9]), np.array([False]))
    found = events(flow(window=falls, lost=lost))
    assert kinds(found) == ["loss", "reduction"]
    assert found[1].values == {"before_bytes": 60_000, "after_bytes": 40_000}


def test_stalls_are_silence_with_data_in_flight() -> None:
    delivered = series((0, 0), (1, 1000), (3, 2000), (9, 3000))
    in_flight = series((0, 1000), (1, 1000), (3, 0), (8.95, 1000))
    assert [(each.time_s, each.end_s) for each in events(flow(delivered=delivered, in_flight=in_flight))][1:] == [
        (1, 3)
    ]
    receiver = replace(flow(delivered=delivered), place=Place.RECEIVER)
    assert not events(receiver)


def test_what_else_held_the_sender_back_is_said_with_its_duration() -> None:
    found = events(
        flow(
            application_limited=np.array([[1.0, 2.5]]),
            receiver_limited=np.array([[4.0, 4.25]]),
            receive_window=series((0, 20_000), (4.1, 29_200)),
        )
    )
    assert [each.text for each in found] == [
        "The program had nothing to send for 1.5 s.",
        "The receive window held the sender back for 250 ms: it was 29.2 kB at most.",
    ]


def why(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return finished(["why", *map(str, arguments)], folder)


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    file = tmp_path / "trace.pcap"
    file.write_bytes(gzip.decompress(CAPTURE.read_bytes()))
    return file


def test_why_lists_the_events_of_a_capture(capture: Path) -> None:
    done = why(capture.parent, capture)
    assert done.returncode == 0, done.stderr
    assert "3 episodes of loss, 1 interval without data to send. It was observed at the sender." in " ".join(
        done.stdout.split()
    )
    assert "47 packets were lost and sent again" in done.stdout
    found = json.loads(why(capture.parent, capture, "--at", "1s", "--window", "100ms", "--json").stdout)
    assert found["answer"].startswith("At 1.038 s: 1 packet was lost and sent again")
    assert [each["event"] for each in found["sentences"]] == ["loss"]
    assert found["sentences"] == nw.why(capture, at=1.0, window="100ms").as_json()["sentences"]
    quiet = nw.why(capture, at=2.0, window="100ms")
    assert quiet.answer.startswith(
        "Nothing happened near this time that the trace shows. The nearest event, at 1.038 s"
    )
    assert not quiet.sentences
    assert nw.why(capture, flow="10.0.0.1:54816 > 10.0.0.2:5201").flow == nw.why(capture, flow=1).flow


@pytest.mark.parametrize(("arguments", "words"), [
    (["--flow", "9"], "allowed: 0 to 2, or '10.0.0.1:54832 > 10.0.0.2:5201'"),
    (["--at", "99s"], "is outside the flow, which lasts from"),
    (["--at", "1"], "a time has a unit"),
    (["--replication", "1"], "does not apply"),
])  # fmt: skip
def test_what_a_trace_does_not_have_is_said(capture: Path, arguments: list[str], words: str) -> None:
    done = why(capture.parent, capture, *arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_the_events_of_an_exported_run_are_the_events_of_the_run(tmp_path: Path) -> None:
    text = """
duration = "20s"
record = { packets = true, events = true }
path = { rate = "6Mbps", rtt = "50ms", queue = { kind = "droptail", limit = "20pkt" } }
flows = [{ name = "one", algorithm = "newreno" }]
"""
    (tmp_path / "run.toml").write_text(text, encoding="utf-8")
    assert finished(["run", "run.toml", "--out", "run", "--quiet"], tmp_path).returncode == 0
    file = nw.export("pcapng", tmp_path / "run", tmp_path / "sender.pcapng")
    rows = pq.read_table(tmp_path / "run/events.parquet").to_pylist()
    reductions = [row["time_ps"] / 1e12 for row in rows if row["event"] == "reduction"]
    assert len(reductions) > 3
    found = nw.why(file)
    assert {each.event for each in found.sentences} == {"loss"}
    assert [each.time_s for each in found.sentences] == pytest.approx(reductions, abs=0.005)
